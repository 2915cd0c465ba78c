// From a question to its answer.
#include "daemon/questions.h"

#include <memory>
#include <thread>
#include <utility>

namespace leakhunt::daemon {

namespace {

// How the recorder fares, when its store cannot be read.
v1::Answer status_alone(const v1::Status& live, const std::string& device, const Error& trouble) {
  v1::Answer answer;
  v1::Status& status = *answer.mutable_status();
  status = live;
  if (!device.empty()) {
    status.clear_devices();
    for (const v1::DeviceStatus& each : live.devices()) {
      if (each.name() == device) *status.add_devices() = each;
    }
  }
  if (status.store().state() == "ok") status.mutable_store()->set_state(trouble.line());
  return answer;
}

}  // namespace

Questions::Questions(StoreView& view, AlertDesk& alerts, storage::RowQueue& queue, const Clock& clock,
                     Means means, OnFatal on_fatal)
    : view_(view),
      alerts_(alerts),
      queue_(queue),
      clock_(clock),
      means_(std::move(means)),
      worker_("questions", kWaiting, std::move(on_fatal)) {}

bool Questions::take(v1::Question question, std::chrono::milliseconds limit, OnAnswer on_answer) {
  if (means_.is_for_links(question)) {
    means_.carry_out(std::move(question), [this, on_answer = std::move(on_answer)](Result<v1::Answer> done) {
      answer_when_written(std::move(done), on_answer);
    });
    return true;
  }
  const auto asked = std::chrono::steady_clock::now();
  return worker_.submit(
      [this, question = std::move(question), limit, asked, on_answer = std::move(on_answer)] {
        const auto waited =
            std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - asked);
        // Nobody waits for it any more.
        if (waited >= limit) return;
        on_answer(answer(question, limit - waited));
      });
}

// What was promised must outlive a recorder that is killed the moment after.
void Questions::answer_when_written(Result<v1::Answer> done, const OnAnswer& on_answer) {
  const auto shared = std::make_shared<Result<v1::Answer>>(std::move(done));
  const bool taken = worker_.submit([this, shared, on_answer] {
    wait_until_written();
    on_answer(*shared);
  });
  if (!taken) on_answer(*shared);
}

Result<v1::Answer> Questions::answer(const v1::Question& question, std::chrono::milliseconds limit) {
  if (question.has_classify()) {
    return Error{ErrorCode::usage, "unsupported", "classify",
                 "leakhuntctl classify reads files without the daemon"};
  }
  const v1::Status live = means_.live();
  if (question.has_doctor()) {
    v1::Answer answer;
    *answer.mutable_doctor() = means_.examine(live);
    return answer;
  }
  auto reply = view_.answer(question, {clock_.now().utc, false, &live}, limit);
  if (!reply && question.has_status() && reply.error().code == ErrorCode::unreachable) {
    return status_alone(live, question.device(), reply.error());
  }
  if (!reply) return reply.error();
  if (reply->answer.has_devices()) means_.add_ports(*reply->answer.mutable_devices());
  if (!reply->rows.empty()) put(std::move(reply->rows));
  return std::move(reply->answer);
}

void Questions::put(std::vector<recorder::Row> rows) {
  means_.changed(rows);
  std::vector<std::int64_t> acknowledged;
  std::string note;
  for (const recorder::Row& row : rows) {
    if (const auto* alert = std::get_if<recorder::AlertRow>(&row)) {
      acknowledged.push_back(alert->id);
      note = alert->note;
    }
  }
  if (acknowledged.empty()) {
    queue_.push(std::move(rows));
  } else {
    // The book decides about alerts; its rows take the place of these.
    alerts_.acknowledge(std::move(acknowledged), note);
    alerts_.open().wait_for(std::chrono::seconds{1});
  }
  wait_until_written();
}

void Questions::wait_until_written() {
  const Mono pushed = clock_.now().mono;
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds{2};
  while (std::chrono::steady_clock::now() < give_up) {
    const Duration waited = clock_.now().mono - pushed;
    const storage::QueueStats stats = queue_.stats();
    if (stats.rows == 0 || stats.oldest_age < waited) return;
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
}

}  // namespace leakhunt::daemon
