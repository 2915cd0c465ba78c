// Figures in sentences.
#include "analysis/words.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace leakhunt::analysis {
namespace {

constexpr double kPlainBytes = 1e7;  // a device's memory is told in bytes, a host's in megabytes
constexpr double kMegabyte = 1048576;

}  // namespace

std::string number_text(double value, int decimals) {
  if (!std::isfinite(value)) return value > 0 ? "unlimited" : "-unlimited";
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, std::abs(value));
  std::string digits = buffer.data();
  const bool zero = digits.find_first_not_of("0.") == std::string::npos;
  std::size_t at = digits.find('.');
  if (at == std::string::npos) at = digits.size();
  while (at > 3) digits.insert(at -= 3, ",");
  return (value < 0 && !zero ? "-" : "") + digits;
}

std::string bytes_text(double bytes) {
  return number_text(bytes) + " B";
}

std::string rate_text(double per_min) {
  return number_text(per_min, std::abs(per_min) < 20 ? 1 : 0) + " B/min";
}

std::string span_text(double seconds) {
  if (seconds < 120) return number_text(seconds) + " s";
  if (seconds < 7200) return number_text(seconds / 60) + " min";
  if (seconds < 172800) return number_text(seconds / 3600, 1) + " h";
  return number_text(seconds / 86400, 1) + " d";
}

std::string percent_text(double share) {
  return number_text(share * 100) + " %";
}

std::string count_text(std::size_t n, const char* one, const char* many) {
  return number_text(static_cast<double>(n)) + " " + (n == 1 ? one : many);
}

}  // namespace leakhunt::analysis
