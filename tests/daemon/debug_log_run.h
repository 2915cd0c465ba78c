// An errand on a bench: what it sends is kept as plain bytes, its end is kept, and every block of memory that
// it gives back is looked at for a key.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/debug_log_errand.h"
#include "tests/proto/freed_memory.h"
#include "tests/proto/wire.h"

namespace leakhunt::daemon::testing {

using Bytes = proto::testing::Bytes;

class ErrandRun {
 public:
  static constexpr Mono kStart{5'000'000'000};
  static constexpr std::uint32_t kFirstId = 0x0A0B0C01;

  // `key` is what must not be left behind; it stays valid as long as the run.
  explicit ErrandRun(bool on, std::string_view key, Mono start = kStart) : now(start), key_(key) {
    errand.emplace(
        "bench1", on,
        DebugLogErrand::Means{.fresh_id = [this] { return next_id++; },
                              .plan_reboot = [this] { ++plans; },
                              .done = [this](Result<v1::DebugLog> ending) { note(std::move(ending)); }});
  }

  void live(std::uint32_t node) {
    watched([&] { errand->live(node, now); });
    pump();
  }
  void lost() {
    watched([&] { errand->lost(now); });
    pump();
  }
  void hear(std::span<const std::uint8_t> from_radio) {
    watched([&] { errand->heard(from_radio, now); });
    pump();
  }
  // Lets time pass, doing everything when it is due.
  void pass(Duration d) {
    const Mono until = now + d;
    while (errand->next() && *errand->next() <= until) {
      now = std::max(now, *errand->next());
      pump();
    }
    now = until;
  }
  void pump() {
    watched([&] {
      for (const proto::SecretBytes& frame : errand->due(now)) {
        const auto bytes = frame.view();
        sent.emplace_back(bytes.begin(), bytes.end());
      }
    });
  }
  void destroy() {
    watched([&] { errand.reset(); });
  }

  [[nodiscard]] std::string error() const { return end && !*end ? end->error().line() : "no error"; }
  [[nodiscard]] ErrorCode code() const { return end->error().code; }
  [[nodiscard]] std::uint32_t last_id() const { return next_id - 1; }

  std::uint32_t next_id = kFirstId;
  Mono now;
  std::optional<DebugLogErrand> errand;
  std::vector<Bytes> sent;
  std::optional<Result<v1::DebugLog>> end;
  int ends = 0;
  int plans = 0;
  std::size_t left_behind = 0;  // blocks given back with the key in them

 private:
  template <class Call>
  void watched(Call call) {
    const proto::testing::FreedMemoryWatch watch{key_};
    call();
    left_behind += watch.blocks();
  }
  void note(Result<v1::DebugLog> result) {
    ++ends;
    end.emplace(std::move(result));
  }

  std::string_view key_;
};

}  // namespace leakhunt::daemon::testing
