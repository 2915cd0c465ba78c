// When to ask a device for its LocalStats. Knows neither bytes nor clocks.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "base/time.h"

namespace leakhunt::daemon {

// Asks each `interval`. From the second request in a row without an answer on, the interval doubles up to 15
// min; an answer, however late, or a new boot brings the first interval back.
class PollPolicy {
 public:
  static constexpr Duration kLongest{15 * 60'000'000LL};

  // Unset: never asks.
  explicit PollPolicy(std::optional<Duration> interval);

  // The device can be asked from `now` on (handshake complete).
  void begin(Mono now);
  // It cannot any more (link lost, handshake begun again).
  void end() {
    next_.reset();
    waiting_.clear();
  }

  // Somebody else asks meanwhile.
  void leave(bool to_another) { left_ = to_another; }
  // When to ask next; unset: not at all.
  [[nodiscard]] std::optional<Mono> next() const { return left_ ? std::nullopt : next_; }
  // A request with this id was sent.
  void asked(std::uint32_t id, Mono now);
  // An answer to `id` came. False: not asked by us, or answered already.
  bool answered(std::uint32_t id, Mono now);
  // The device restarted: what it left unanswered counts no more.
  void booted();

  // "off", "every 60 s", "every 60 s, answered after 30 s", "unanswered, every 15 min".
  [[nodiscard]] std::string words() const;

 private:
  static constexpr std::size_t kRemembered = 16;
  static constexpr Duration kSlow{5'000'000};  // a device answers within about 0.1 s
  struct Waiting {
    std::uint32_t id = 0;
    Mono asked;
  };

  std::optional<Duration> configured_;
  Duration interval_{};
  std::optional<Mono> next_;
  std::optional<Mono> last_asked_;
  std::deque<Waiting> waiting_;  // without an answer, oldest first
  Duration took_{};              // the newest answer
  bool left_ = false;
  int unanswered_ = 0;  // requests in a row that nothing came back for before the next was sent
};

// "45 s", "15 min", "2 h", for a person.
[[nodiscard]] std::string duration_words(Duration d);

}  // namespace leakhunt::daemon
