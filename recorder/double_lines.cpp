// Finds doubles among the lines of the last two seconds. Knows nothing of rows.
#include "recorder/double_lines.h"

#include <algorithm>
#include <chrono>

namespace leakhunt::recorder {
namespace {

using std::chrono::seconds;

constexpr Duration kReceivedWithin = seconds{2};
constexpr Duration kUptimeWithin = seconds{1};
constexpr std::size_t kMostLines = 4096;

// Heap lines are HEAP in text mode, DEBUG in old builds, and without level in API mode.
std::uint8_t group_of(proto::Level level) {
  switch (level) {
    case proto::Level::none:
    case proto::Level::heap:
    case proto::Level::debug:
      return 0;
    default:
      return static_cast<std::uint8_t>(level);
  }
}

std::uint64_t bit_of(std::uint8_t link) {
  return std::uint64_t{1} << std::min<std::uint8_t>(link, 63);
}

bool same_time(const std::optional<Duration>& a, const std::optional<Duration>& b) {
  return !a || !b || std::chrono::abs(*a - *b) <= kUptimeWithin;
}

}  // namespace

std::optional<DoubleLines::Twin> DoubleLines::match(std::uint8_t link, const proto::LogLine& line, Mono now) {
  while (!seen_.empty() && (now - seen_.front().when > kReceivedWithin || seen_.size() >= kMostLines)) {
    seen_.pop_front();
  }
  const std::uint8_t group = group_of(line.level);
  for (Seen& before : seen_) {
    if (before.link != link && (before.cancelled_links & bit_of(link)) == 0 && before.group == group &&
        before.body == line.message() && before.thread == line.thread &&
        same_time(before.uptime, line.uptime)) {
      before.cancelled_links |= bit_of(link);
      return Twin{.had_heap_prefix = before.had_heap_prefix};
    }
  }
  seen_.push_back(Seen{.link = link,
                       .group = group,
                       .when = now,
                       .uptime = line.uptime,
                       .thread = line.thread,
                       .body = std::string{line.message()},
                       .had_heap_prefix = line.has_heap_prefix});
  return std::nullopt;
}

}  // namespace leakhunt::recorder
