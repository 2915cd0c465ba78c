// Finds packets that came over two links of one device, so that each is kept once. Knows nothing of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

namespace leakhunt::recorder {

// A device gives a packet to each client that is connected, under one id (firmware PhoneAPI).
class DoublePackets {
 public:
  // Whether the packet came before, over another link. Remembers it otherwise. Id 0 identifies nothing.
  [[nodiscard]] bool is_double(std::uint8_t link, std::uint32_t from, std::uint32_t id);

 private:
  static constexpr std::size_t kRemembered = 256;
  struct Seen {
    std::uint8_t link = 0;
    std::uint32_t from = 0;
    std::uint32_t id = 0;
  };
  std::deque<Seen> seen_;
};

}  // namespace leakhunt::recorder
