// Answers questions one after another on a thread of its own: the live state from the recorder, the rest from
// the store. What a question changes (a mark, an acknowledgement) is in the store when its answer goes out.
#pragma once

#include <functional>

#include "base/time.h"
#include "daemon/alert_desk.h"
#include "daemon/server.h"
#include "daemon/store_view.h"
#include "daemon/worker.h"
#include "storage/queue.h"

namespace leakhunt::daemon {

class Questions {
 public:
  static constexpr std::size_t kWaiting = 16;  // one per client

  // Called on the thread of the questions.
  using LiveStatus = std::function<v1::Status()>;

  // What is referred to must outlive it.
  Questions(StoreView& view, AlertDesk& alerts, storage::RowQueue& queue, const Clock& clock, LiveStatus live,
            OnFatal on_fatal);

  // As OnQuestion of the server.
  [[nodiscard]] bool take(v1::Question question, std::chrono::milliseconds limit, OnAnswer on_answer);
  // Waits for the question under way: interrupt the view first.
  void stop() { worker_.stop(); }

 private:
  [[nodiscard]] Result<v1::Answer> answer(const v1::Question& question, std::chrono::milliseconds limit);
  void put(std::vector<recorder::Row> rows);
  void wait_until_written();

  StoreView& view_;
  AlertDesk& alerts_;
  storage::RowQueue& queue_;
  const Clock& clock_;
  LiveStatus live_;
  Worker worker_;
};

}  // namespace leakhunt::daemon
