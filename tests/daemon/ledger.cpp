// Words and figures out of a board's bytes.
#include "tests/daemon/ledger.h"

#include <utility>

#include "tests/sim/bench.h"

namespace leakhunt::daemon::testing {
namespace {

constexpr std::uint32_t kLocalStats = 6;
constexpr std::uint32_t kHeapFree = 13;
constexpr std::string_view kFrame = "\x94\xC3";
constexpr std::size_t kHeader = 4;

// What follows `mark` and is made of `letters`, or empty.
std::string behind(std::string_view bytes, std::string_view mark, std::string_view letters) {
  const std::size_t at = bytes.find(mark);
  if (at == std::string_view::npos) return {};
  bytes.remove_prefix(at + mark.size());
  return std::string{bytes.substr(0, bytes.find_first_not_of(letters))};
}

}  // namespace

Ledger::Ledger(sim::Device& device, sim::LivePort& port) : device_(device), port_(port) {
  device_.tap([this](const sim::Port&, std::string_view bytes, Mono at) { note(bytes, at); });
}

void Ledger::note(std::string_view bytes, Mono at) {
  written_bytes_ += bytes.size();
  if (const auto unit = behind(bytes, "unit-", "0123456789abcdef"); !unit.empty())
    add(ItemKind::line, "unit-" + unit, at);
  if (bytes.substr(0, kFrame.size()) != kFrame) {
    if (auto heap = behind(bytes, "[heap ", "0123456789"); !heap.empty())
      add(ItemKind::prefix, std::move(heap), at);
    return;
  }
  const auto told = sim::test::telemetry(bytes.substr(kHeader));
  if (!told || told->variant != kLocalStats) return;
  add(told->request_id != 0 ? ItemKind::answer : ItemKind::unasked,
      std::to_string(sim::test::value_of(told->body, kHeapFree)), at);
}

void Ledger::add(ItemKind kind, std::string word, Mono at) {
  open_.push_back(items_.size());
  items_.push_back({kind, std::move(word), device_.counters().boots, at, false});
}

void Ledger::check() {
  if (open_.empty()) return;
  const sim::Traffic traffic = port_.traffic();
  const std::uint64_t lost = written_bytes_ - traffic.sent_bytes - traffic.waiting_bytes;
  // Something went missing, or another connection began: what is not known as delivered by now may be either.
  if (std::exchange(lost_bytes_, lost) != lost || std::exchange(opens_, traffic.opens) != traffic.opens) {
    opens_ = traffic.opens;
    open_.clear();
    return;
  }
  if (traffic.waiting_bytes > 0 || !port_.all_taken()) return;
  for (const std::size_t index : open_) items_[index].delivered = true;
  boot_heard_ = items_[open_.back()].boot;
  open_.clear();
}

}  // namespace leakhunt::daemon::testing
