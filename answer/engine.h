// A question message in, an answer message out. The one place that knows both the store and the analysis;
// knows nothing of sockets, links or threads: whoever owns an Engine calls it from one thread.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "leakhunt/v1/api.pb.h"
#include "recorder/rows.h"
#include "storage/retention.h"

namespace leakhunt::storage {
class Reader;
}

namespace leakhunt::answer {

struct EngineSettings {
  // The windows the schedule judges; a question about one of them tells the schedule's state.
  std::vector<Duration> scheduled_windows{std::chrono::hours{1}, std::chrono::hours{6},
                                          std::chrono::hours{168}};
  // Free memory at which a device is as good as dead, by name; else by its chip (15 KB on ESP32, else 1500
  // B).
  std::map<std::string, double> reserve_bytes;
  // A device's least acceptable level (`min_free_bytes`), by name.
  std::map<std::string, double> floor_bytes;
  // What the store keeps how long; unset where nobody knows what its recorder was told.
  std::optional<storage::Retention> retention;
};

// What stands around a question.
struct AnswerContext {
  Utc now;               // the daemon's clock; offline it is not read, the newest record stands for it
  bool offline = false;  // answered from a file, without a daemon
  // What only the running recorder knows: running, paused, started_at, version, pid, time_scale, store, and
  // of each device (by name) links, poll, counters and whatever else it has set. The engine adds what the
  // store knows and leaves alone what is set. Null offline, and when no recorder runs.
  const v1::Status* live = nullptr;
};

// An answer, and the rows that must be queued for it to become true (mark, ack, change_device); no rows for
// any other. A RenameDevice or MergeDevices row also concerns the recorder of a live device
// (DeviceRecorder::renamed, merged).
struct Reply {
  v1::Answer answer;
  std::vector<recorder::Row> rows;
};

class Engine {
 public:
  // `reader` must outlive the engine.
  Engine(storage::Reader& reader, EngineSettings settings);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Any question of api.proto but classify, which needs no store (answer/classify.h), those for the links
  // of a running recorder (release, resume, pause, debug_log, doctor), and those about the file (sql,
  // database). Errors: usage (unknown device, field, window, kind, expression: one line naming what is
  // allowed), no_data, or what the store says.
  [[nodiscard]] Result<Reply> answer(const v1::Question& question, const AnswerContext& context);

  // The schedule's judgement of the heap of `device` over the `window` that ends at `now`, by the default
  // rules. Its looks are counted here, per device and window (a new engine reads those of the store, or
  // replays the two before).
  [[nodiscard]] Result<v1::Verdict> judge_window(const std::string& device, Duration window, Utc now);

  class Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

// The row to store for a verdict of the schedule.
[[nodiscard]] recorder::VerdictRow verdict_row(recorder::DeviceId device, const v1::Verdict& verdict);

// Whether the second is stored after the first: when it says something else, and while an alarm stands now
// and then, so that a recorder that starts anew finds the looks that count (a sixth of the window apart; once
// confirmed, a window).
[[nodiscard]] bool worth_keeping(const v1::Verdict& before, const v1::Verdict& now);

// The verdict that stands for all scheduled windows: the most urgent confirmed one that is not steady, else
// the most urgent provisional one, else steady, else insufficient_data. Null when there are none.
[[nodiscard]] const v1::Verdict* headline(const std::vector<v1::Verdict>& verdicts);

// `SLOW LEAK` and `slow_leak`: the words of text and of JSON.
[[nodiscard]] std::string class_text(v1::VerdictClass c);
[[nodiscard]] std::string class_word(v1::VerdictClass c);

}  // namespace leakhunt::answer
