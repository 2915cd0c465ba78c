// The pace of LocalStats requests. Pure.
#include "daemon/poll_policy.h"

#include <algorithm>

namespace leakhunt::daemon {

PollPolicy::PollPolicy(std::optional<Duration> interval)
    : configured_(interval), interval_(interval.value_or(Duration::zero())) {}

void PollPolicy::begin(Mono now) {
  if (!configured_) return;
  next_ = last_asked_ ? std::max(now, *last_asked_ + interval_) : now;
}

void PollPolicy::asked(std::uint32_t id, Mono now) {
  if (!waiting_.empty() && ++unanswered_ >= 2)
    interval_ = std::min(interval_ * 2, std::max(kLongest, *configured_));
  waiting_.push_back({id, now});
  if (waiting_.size() > kRemembered) waiting_.pop_front();
  last_asked_ = now;
  next_ = now + interval_;
}

bool PollPolicy::answered(std::uint32_t id, Mono now) {
  const auto request =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& w) { return w.id == id; });
  if (request == waiting_.end()) return false;
  took_ = now - request->asked;
  const bool slowed = interval_ != *configured_;
  waiting_.clear();
  unanswered_ = 0;
  interval_ = *configured_;
  if (slowed && next_) next_ = std::max(now, *last_asked_ + interval_);
  return true;
}

void PollPolicy::booted() {
  waiting_.clear();
  unanswered_ = 0;
  interval_ = configured_.value_or(Duration::zero());
}

std::string PollPolicy::words() const {
  if (!configured_) return "off";
  if (left_) return "off: another link asks";
  if (unanswered_ >= 2) return "unanswered, every " + duration_words(interval_);
  return "every " + duration_words(interval_) +
         (took_ > kSlow ? ", answered after " + duration_words(took_) : "");
}

std::string duration_words(Duration d) {
  const std::int64_t s = d.count() / 1'000'000;
  if (s >= 7'200 && s % 3'600 == 0) return std::to_string(s / 3'600) + " h";
  if (s >= 120 && s % 60 == 0) return std::to_string(s / 60) + " min";
  return std::to_string(s) + " s";
}

}  // namespace leakhunt::daemon
