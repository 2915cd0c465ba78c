// Log lines as the firmware prints them on a serial console. Knows nothing of frames or of who reads.
#include "sim/logtext.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace leakhunt::sim {
namespace {

constexpr std::size_t kLongestBody = 158;
constexpr std::uint64_t kMillisWrap = std::uint64_t{1} << 32;

struct LevelText {
  std::string_view name;    // padded as the firmware pads it
  std::string_view colour;  // empty where the firmware has none
};

LevelText text_of(Level level) {
  static constexpr std::array<LevelText, 7> kTexts{{{"HEAP ", ""},
                                                    {"TRACE ", "\x1b[35m"},
                                                    {"DEBUG ", "\x1b[34m"},
                                                    {"INFO  ", "\x1b[32m"},
                                                    {"WARN  ", "\x1b[33m"},
                                                    {"ERROR ", "\x1b[31m"},
                                                    {"CRIT  ", ""}}};
  return kTexts.at(static_cast<std::size_t>(level));
}

}  // namespace

std::string clock_text(std::int64_t epoch_s) {
  const std::int64_t day_s = ((epoch_s % 86'400) + 86'400) % 86'400;
  return fmt::format("{:02}:{:02}:{:02}", day_s / 3'600, day_s / 60 % 60, day_s % 60);
}

std::string text_line(const LogLine& line, const Prefix& prefix) {
  const LevelText level = text_of(line.level);
  const std::string_view colour = prefix.colour ? level.colour : std::string_view{};
  const std::string_view reset = prefix.colour ? "\x1b[0m" : "";
  std::string out = fmt::format("{}{}{}{}| {} {} ", reset, colour, level.name, reset, prefix.clock,
                                prefix.uptime_ms % kMillisWrap / 1'000);
  if (!line.thread.empty()) out += fmt::format("[{}] ", line.thread);
  if (prefix.heap_bytes && !line.bare)
    out += fmt::format("[heap {}] ", line.heap_bytes.value_or(*prefix.heap_bytes));
  out += colour;
  out += std::string_view{line.message}.substr(0, kLongestBody);
  return out += "\r\n";
}

}  // namespace leakhunt::sim
