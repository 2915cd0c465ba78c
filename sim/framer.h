// The device's side of the stream framing: 0x94 0xC3, a big-endian length, the message. A framer of its own,
// so that the recorder's is checked against another. Knows nothing of what a message holds.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace leakhunt::sim {

// The largest message either side may send; a longer length is bogus. [StreamAPI.cpp]
inline constexpr std::size_t kLargestMessage = 512;

// The frame around a message of at most kLargestMessage bytes.
[[nodiscard]] std::string framed(std::string_view message);

// Finds the messages of a client in what it sends; anything that is no frame is skipped, as the firmware
// does.
class FrameReader {
 public:
  // The messages completed by these bytes, in order.
  [[nodiscard]] std::vector<std::string> feed(std::string_view bytes);
  // Forgets a message under way: a new client, or a restart.
  void reset() { pending_.clear(); }

 private:
  std::string pending_;
};

}  // namespace leakhunt::sim
