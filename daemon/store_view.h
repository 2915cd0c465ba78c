// A read-only view of the store with an engine on it, for one thread that answers. Opens itself anew when it
// must.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "answer/engine.h"
#include "base/result.h"
#include "base/time.h"
#include "storage/reader.h"

namespace leakhunt::daemon {

class StoreView {
 public:
  static constexpr std::chrono::seconds kLongest{10};  // any question

  StoreView(std::string path, answer::EngineSettings settings);

  // From the one thread that owns the view. Fails when the store cannot be read or `limit` is over.
  [[nodiscard]] Result<answer::Reply> answer(const v1::Question& question,
                                             const answer::AnswerContext& context,
                                             std::chrono::milliseconds limit = kLongest);
  [[nodiscard]] Result<v1::Verdict> judge(const std::string& device, Duration window, Utc now);

  // From any thread: the question under way and all later ones fail.
  void interrupt();
  // Lets go of the file, once the thread that owns the view has ended: who closes it last takes -wal and -shm
  // away, which only the writer may.
  void close();
  // From any thread: another file stands in the place of the one that is open.
  void reopen() { stale_ = true; }
  // From any thread: what the configuration says of a device holds for its new name.
  void rename(const std::string& before, const std::string& now);

 private:
  [[nodiscard]] Outcome prepare(std::chrono::milliseconds limit);

  std::string path_;
  answer::EngineSettings settings_;
  std::mutex mutex_;  // of reader_ being replaced, and interrupted_
  std::optional<storage::Reader> reader_;
  std::unique_ptr<answer::Engine> engine_;
  std::atomic<bool> stale_{false};
  bool interrupted_ = false;
};

}  // namespace leakhunt::daemon
