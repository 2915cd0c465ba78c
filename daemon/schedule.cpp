// The round of looks.
#include "daemon/schedule.h"

#include <exception>
#include <optional>
#include <utility>

#include "answer/times.h"

namespace leakhunt::daemon {

Schedule::Schedule(std::vector<Watched> devices, std::vector<Duration> windows, StoreView& view,
                   AlertLimits limits, AlertDesk& alerts, storage::RowQueue& queue, const Clock& clock,
                   const EventLog& log, StoreIsWhole store_is_whole, OnFatal on_fatal)
    : devices_(std::move(devices)),
      windows_(std::move(windows)),
      view_(view),
      rules_(limits),
      alerts_(alerts),
      queue_(queue),
      clock_(clock),
      log_(log),
      store_is_whole_(std::move(store_is_whole)),
      on_fatal_(std::move(on_fatal)) {}

Schedule::~Schedule() {
  stop();
}

void Schedule::start() {
  thread_ = std::thread([this] {
    name_thread("schedule");
    try {
      run();
    } catch (const std::exception& error) {
      on_fatal_(std::string{"the schedule ended: "} + error.what());
    }
  });
}

void Schedule::stop() {
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
    wake_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

std::string Schedule::rename(recorder::DeviceId id, std::string name) {
  const std::lock_guard lock{mutex_};
  for (Watched& device : devices_) {
    if (device.id == id) return std::exchange(device.name, std::move(name));
  }
  return {};
}

void Schedule::run() {
  for (Duration pause = kFirst; wait(pause); pause = kInterval) {
    if (!store_is_whole_()) continue;
    std::unique_lock lock{mutex_};
    const std::vector<Watched> devices = devices_;
    lock.unlock();
    for (const Watched& device : devices) look_at(device);
  }
}

bool Schedule::wait(Duration d) {
  std::unique_lock lock{mutex_};
  return !wake_.wait_for(lock, clock_.real(d), [this] { return stopping_; });
}

void Schedule::look_at(const Watched& device) {
  std::vector<Look> round;
  const Utc now = clock_.now().utc;
  for (const Duration window : windows_) {
    auto verdict = view_.judge(device.name, window, now);
    if (!verdict) {
      const std::string line = verdict.error().line();
      // A device nothing is known of yet is no trouble.
      if (verdict.error().code == ErrorCode::no_data || line == told_) continue;
      log_.say(Priority::warning, device.name, "schedule", line);
      told_ = line;
      continue;
    }
    keep(device, window, *verdict);
    std::optional<double> range;
    if (window == kSteepWindow && rules_.needs_range(*verdict)) range = range_of(device, now);
    round.push_back({window, *std::move(verdict), range});
  }
  if (round.empty()) return;
  auto holding = rules_.judge(device.id, device.min_free_bytes, round, now);
  alerts_.looked(device.id, std::move(holding), rules_.decided(device.id));
}

void Schedule::keep(const Watched& device, Duration window, const v1::Verdict& verdict) {
  const auto [entry, is_new] = last_.try_emplace({device.id, window});
  if (!is_new && !answer::worth_keeping(entry->second, verdict)) return;
  const bool said =
      is_new ? verdict.class_() != v1::VERDICT_CLASS_INSUFFICIENT_DATA
             : entry->second.class_() != verdict.class_() || entry->second.state() != verdict.state();
  entry->second = verdict;
  queue_.push(answer::verdict_row(device.id, verdict));
  if (!said) return;
  log_.say(Priority::notice, device.name, "verdict",
           answer::length_words(window) + ": " + answer::class_text(verdict.class_()) +
               (verdict.state() == v1::VERDICT_STATE_CONFIRMED ? " (confirmed)" : ""));
}

std::optional<double> Schedule::range_of(const Watched& device, Utc now) {
  v1::Question question;
  question.set_device(device.name);
  question.mutable_timeline()->mutable_window()->set_window(answer::length_words(kSteepWindow));
  const auto reply = view_.answer(question, {now});
  if (!reply || !reply->answer.has_timeline()) return std::nullopt;
  const v1::Timeline& timeline = reply->answer.timeline();
  if (!timeline.has_max() || !timeline.has_min()) return std::nullopt;
  return timeline.max() - timeline.min();
}

}  // namespace leakhunt::daemon
