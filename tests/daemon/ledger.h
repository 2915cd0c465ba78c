// What a board wrote to its port, and what of it was surely delivered; read back from its bytes without any
// decoder of the recorder's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "sim/device.h"
#include "sim/ports.h"

namespace leakhunt::daemon::testing {

enum class ItemKind : std::uint8_t {
  line,     // of the log, known by its word unit-HEX
  prefix,   // the reading of a `[heap N]`
  answer,   // the heap in a LocalStats that was asked for
  unasked,  // in one that was not: it may be stale, and then be of no use
};

// Something that should be found in the store.
struct Item {
  ItemKind kind = ItemKind::line;
  std::string word;        // unit-HEX, or the number of bytes
  std::uint64_t boot = 0;  // of the board, from 1
  Mono written;
  bool delivered = false;
};

class Ledger {
 public:
  // Of a board with one port; hears what the board writes from now on. All must outlive it.
  Ledger(sim::Device& device, sim::LivePort& port);

  // Asks the port what the other side has. To be called whenever the bench is at rest, and right before a
  // fault.
  void check();
  // Nothing waits to be known as delivered.
  [[nodiscard]] bool all_delivered() const { return open_.empty(); }
  // Something of the present boot was delivered.
  [[nodiscard]] bool heard_since_boot() const { return boot_heard_ == device_.counters().boots; }

  [[nodiscard]] const std::vector<Item>& items() const { return items_; }

 private:
  void note(std::string_view bytes, Mono at);
  void add(ItemKind kind, std::string word, Mono at);

  sim::Device& device_;
  sim::LivePort& port_;
  std::vector<Item> items_;
  std::vector<std::size_t> open_;  // those that may still prove delivered
  std::uint64_t written_bytes_ = 0;
  std::uint64_t lost_bytes_ = 0;
  std::uint64_t opens_ = 0;
  std::uint64_t boot_heard_ = 0;
};

}  // namespace leakhunt::daemon::testing
