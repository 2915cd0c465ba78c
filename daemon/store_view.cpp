// Opening, deadlines and interruption around an engine.
#include "daemon/store_view.h"

#include <utility>

namespace leakhunt::daemon {

StoreView::StoreView(std::string path, answer::EngineSettings settings)
    : path_(std::move(path)), settings_(std::move(settings)) {}

Outcome StoreView::prepare(std::chrono::milliseconds limit) {
  const std::lock_guard lock{mutex_};
  if (interrupted_) return Error{ErrorCode::unreachable, "the daemon is ending", "", ""};
  if (stale_.exchange(false)) {
    engine_.reset();
    reader_.reset();
  }
  if (!reader_) {
    auto opened = storage::open_for_reading(path_);
    if (!opened) return opened.error();
    reader_.emplace(*std::move(opened));
    engine_ = std::make_unique<answer::Engine>(*reader_, settings_);
  }
  reader_->set_deadline(std::chrono::steady_clock::now() + limit);
  return Done{};
}

Result<answer::Reply> StoreView::answer(const v1::Question& question, const answer::AnswerContext& context,
                                        std::chrono::milliseconds limit) {
  if (const auto ready = prepare(limit); !ready) return ready.error();
  try {
    return engine_->answer(question, context);
  } catch (const storage::ReadFailed& failed) {
    return failed.error();
  }
}

Result<v1::Verdict> StoreView::judge(const std::string& device, Duration window, Utc now) {
  if (const auto ready = prepare(kLongest); !ready) return ready.error();
  try {
    return engine_->judge_window(device, window, now);
  } catch (const storage::ReadFailed& failed) {
    return failed.error();
  }
}

void StoreView::rename(const std::string& before, const std::string& now) {
  const std::lock_guard lock{mutex_};
  for (auto* figures : {&settings_.reserve_bytes, &settings_.floor_bytes}) {
    auto entry = figures->extract(before);
    if (entry.empty()) continue;
    entry.key() = now;
    figures->insert(std::move(entry));
  }
  stale_ = true;
}

void StoreView::close() {
  const std::lock_guard lock{mutex_};
  interrupted_ = true;
  engine_.reset();
  reader_.reset();
}

void StoreView::interrupt() {
  const std::lock_guard lock{mutex_};
  interrupted_ = true;
  if (reader_) reader_->interrupt();
}

}  // namespace leakhunt::daemon
