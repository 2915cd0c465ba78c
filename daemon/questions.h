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

  // What only the running recorder can do. Called on the thread of the questions, but `carry_out`.
  struct Means {
    std::function<v1::Status()> live;
    // Whether a question is for the links, and does what it asks (Links::carry_out).
    std::function<bool(const v1::Question&)> is_for_links;
    std::function<void(v1::Question, OnAnswer)> carry_out;
    // Looks at this machine.
    std::function<v1::Doctor(const v1::Status& live)> examine;
    // Adds the ports of this machine to the devices.
    std::function<void(v1::Devices&)> add_ports;
    // Rows that a question leads to are on their way to the store.
    std::function<void(const std::vector<recorder::Row>&)> changed;
  };

  // What is referred to must outlive it.
  Questions(StoreView& view, AlertDesk& alerts, storage::RowQueue& queue, const Clock& clock, Means means,
            OnFatal on_fatal);

  // As OnQuestion of the server.
  [[nodiscard]] bool take(v1::Question question, std::chrono::milliseconds limit, OnAnswer on_answer);
  // Waits for the question under way: interrupt the view first.
  void stop() { worker_.stop(); }

 private:
  [[nodiscard]] Result<v1::Answer> answer(const v1::Question& question, std::chrono::milliseconds limit);
  void answer_when_written(Result<v1::Answer> done, const OnAnswer& on_answer);
  void put(std::vector<recorder::Row> rows);
  void wait_until_written();

  StoreView& view_;
  AlertDesk& alerts_;
  storage::RowQueue& queue_;
  const Clock& clock_;
  Means means_;
  Worker worker_;
};

}  // namespace leakhunt::daemon
