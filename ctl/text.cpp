// How numbers, times and device text look on a page.
#include "ctl/text.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "proto/printable.h"

namespace leakhunt::ctl {
namespace {

constexpr double kMinute = 60, kHour = 3600, kDay = 86400;

// Columns a UTF-8 text takes, counting code points.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Where the words of a line begin: behind its label, if it has one.
struct Begin {
  std::size_t words = 0;
  bool label = false;
};

Begin begin_of(std::string_view line) {
  constexpr std::size_t kLongestLabel = 26;
  const std::size_t label = line.substr(0, kLongestLabel).find(": ");
  if (label != std::string_view::npos) return {label + 2, true};
  return {std::min(line.find_first_not_of(' '), line.size()), false};
}

// The last space that leaves at most so many columns in front of it, else the first one of all; npos for
// none.
std::size_t break_of(std::string_view line, std::size_t from, std::size_t columns) {
  std::size_t found = std::string_view::npos;
  for (std::size_t at = line.find(' ', from); at != std::string_view::npos; at = line.find(' ', at + 1)) {
    if (found != std::string_view::npos && width(line.substr(0, at)) > columns) break;
    found = at;
  }
  return found;
}

std::string wrapped_line(std::string line, std::size_t columns) {
  const Begin begin = begin_of(line);
  const std::size_t hang = std::min(begin.words + (begin.label ? 0 : 2), columns / 2);
  std::string out;
  std::size_t from = begin.words;
  while (width(line) > columns) {
    const std::size_t at = break_of(line, from, columns);
    const std::size_t next = at == std::string::npos ? at : line.find_first_not_of(' ', at);
    if (next == std::string::npos) break;
    out += line.substr(0, line.find_last_not_of(' ', at) + 1) + '\n';
    line = std::string(hang, ' ') + line.substr(next);
    from = hang;
  }
  return out + line;
}

bool is_number(std::string_view cell) {
  if (cell.empty()) return false;
  char* end = nullptr;
  const std::string owned{cell};
  std::strtod(owned.c_str(), &end);
  return end == owned.c_str() + owned.size();
}

std::string csv_cell(const std::string& raw) {
  std::string cell = proto::printable(raw);
  const bool formula = !cell.empty() && std::string_view{"=+-@\t\r"}.find(cell[0]) != std::string_view::npos;
  if (formula && !is_number(cell)) cell.insert(cell.begin(), '\'');
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string out = "\"";
  for (const char c : cell) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace

std::string grouped(std::int64_t value) {
  std::string digits = std::to_string(value);
  const std::ptrdiff_t first = digits[0] == '-' ? 1 : 0;
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > first; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string figure(double value) {
  if (!std::isfinite(value)) return value < 0 ? "-inf" : "inf";
  if (std::abs(value) >= 9.95 || value == std::round(value)) return grouped(std::llround(value));
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string span(double seconds) {
  const auto s = static_cast<std::int64_t>(std::llround(std::max(seconds, 0.0)));
  constexpr std::array<std::pair<std::int64_t, char>, 4> kUnits = {
      {{86400, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}}};
  for (std::size_t i = 0; i + 1 < kUnits.size(); ++i) {
    const auto [unit, letter] = kUnits[i];
    if (s < unit || (unit == 60 && s < 2 * unit)) continue;
    const auto [minor, minor_letter] = kUnits[i + 1];
    const std::int64_t rest = s % unit / minor;
    return rest ? fmt::format("{}{}{}{}", s / unit, letter, rest, minor_letter)
                : fmt::format("{}{}", s / unit, letter);
  }
  return fmt::format("{}s", s);
}

std::string local_time(double epoch_s) {
  const auto whole = static_cast<time_t>(std::floor(epoch_s));
  tm parts{};
  if (::localtime_r(&whole, &parts) == nullptr) return figure(epoch_s);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string offset(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::max(seconds, 0.0));
  if (whole < 3600) return fmt::format("+{}m{:02}s", whole / 60, whole % 60);
  if (whole >= 2 * 86400) return "+" + span(seconds);
  return fmt::format("+{}h{:02}m", whole / 3600, whole % 3600 / 60);
}

std::string minutes_words(double minutes) {
  if (!std::isfinite(minutes)) return "never";
  const std::string plain = fmt::format("~{} min", figure(minutes));
  const double s = minutes * kMinute;
  if (s >= 2 * kDay) return fmt::format("{} (~{:.1f} d)", plain, s / kDay);
  if (s >= 2 * kHour) return fmt::format("{} (~{:.1f} h)", plain, s / kHour);
  return plain;
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::vector<std::string>> cells = rows;
  std::vector<std::size_t> widths;
  for (auto& row : cells) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = proto::printable(row[i]);
      widths[i] = std::max(widths[i], width(row[i]));
    }
  }
  std::string out;
  for (const auto& row : cells) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += row[i];
      if (i + 1 < row.size()) out.append(widths[i] - width(row[i]) + 2, ' ');
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  }
  return out;
}

std::string wrapped(std::string_view text, std::size_t columns) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += wrapped_line(std::string{text.substr(0, end)}, columns);
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string csv(const std::vector<std::vector<std::string>>& rows) {
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i) out += ',';
      out += csv_cell(row[i]);
    }
    out += '\n';
  }
  return out;
}

}  // namespace leakhunt::ctl
