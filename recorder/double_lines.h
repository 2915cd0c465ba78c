// Finds lines that came over two links of one device, so that each is stored once. Knows nothing of rows.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "base/time.h"
#include "proto/log_line.h"

namespace leakhunt::recorder {

// Equal: same thread, level group and body; uptime within 1 s where both have one; received within 2 s. Each
// line cancels at most one of every other link; two equal lines on one link are two.
class DoubleLines {
 public:
  struct Twin {
    bool had_heap_prefix = false;  // the line stored before told `[heap N]` itself
  };

  // The line that came before on another link, if this one is its double. Remembers the line otherwise.
  [[nodiscard]] std::optional<Twin> match(std::uint8_t link, const proto::LogLine& line, Mono now);

 private:
  struct Seen {
    std::uint8_t link = 0;
    std::uint8_t group = 0;
    Mono when;
    std::optional<Duration> uptime;
    std::string thread;
    std::string body;
    bool had_heap_prefix = false;
    std::uint64_t cancelled_links = 0;  // bits of links whose double was dropped (links above 63 share a bit)
  };
  std::deque<Seen> seen_;  // of the last 2 s
};

}  // namespace leakhunt::recorder
