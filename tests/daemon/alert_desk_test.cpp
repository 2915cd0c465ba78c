// Trouble of the store becomes an alert when it lasts, is told outside of the store, and ends by itself.
#include "daemon/alert_desk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "storage/queue.h"

namespace leakhunt::daemon {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// Stands still until it is moved; an hour of it is nothing in real time, but what waits is waited for.
class HandClock final : public Clock {
 public:
  [[nodiscard]] Moment now() const override {
    const std::lock_guard lock{mutex_};
    return now_;
  }
  [[nodiscard]] std::chrono::nanoseconds real(Duration d) const override { return d; }
  void advance(Duration d) {
    const std::lock_guard lock{mutex_};
    now_ = {now_.utc + d, now_.mono + d};
  }

 private:
  mutable std::mutex mutex_;
  Moment now_{{1'764'500'000'000'000}, {5'000'000'000}};
};

class StoreAlert : public testing::Test {
 protected:
  StoreAlert() {
    desk_.tell_also([this](const recorder::AlertRow& alert, const std::string&) {
      {
        const std::lock_guard lock{mutex_};
        told_.push_back(alert);
      }
      more_.notify_all();
    });
    desk_.start();
    loop_.start();
  }
  ~StoreAlert() override { loop_.stop(); }

  // The first that was told in this state, once it is.
  recorder::AlertRow wait_for(const std::string& state) {
    std::unique_lock lock{mutex_};
    const auto found = [&] {
      return std::find_if(told_.begin(), told_.end(),
                          [&](const auto& alert) { return alert.state == state; });
    };
    more_.wait(lock, [&] { return found() != told_.end(); });
    return *found();
  }
  // Everything that was to be done until now is done.
  std::int64_t open() { return desk_.open().get().at(recorder::DeviceId{0}); }

  std::mutex mutex_;
  std::condition_variable more_;
  std::vector<recorder::AlertRow> told_;
  HandClock clock_;
  storage::RowQueue queue_{std::size_t{1} << 20U, clock_};
  EventLog log_;
  Loop loop_{"desk", [](const std::string&) {}};
  AlertDesk desk_{loop_, AlertBook{{}, 0}, queue_, clock_, log_, {.trouble = 5s, .look = 1ms}};
};

recorder::EventRow event() {
  return {recorder::DeviceId{1}, Utc{1}, std::nullopt, "mark", "", "", ""};
}

TEST_F(StoreAlert, AWriterThatHangsInTheSystemIsToldAndOverByItself) {
  queue_.push(event());
  const auto taken = queue_.take(10, 0ns);  // the writer has it, and does not come back
  ASSERT_EQ(taken.size(), 1U);
  clock_.advance(5s);
  EXPECT_EQ(open(), 0) << "a batch may wait a second and the disk five";
  clock_.advance(2s);
  const recorder::AlertRow alert = wait_for("open");
  EXPECT_EQ(alert.severity, "critical");
  EXPECT_THAT(alert.text, HasSubstr("the disk is slow: rows have waited 7 s"));
  queue_.done();
  EXPECT_EQ(wait_for("resolved").cause, "store");
  EXPECT_EQ(open(), 0);
}

TEST_F(StoreAlert, RowsThatAreWrittenInTimeAreNoAlert) {
  for (int i = 0; i < 20; ++i) {
    queue_.push(event());
    static_cast<void>(queue_.take(10, 0ns));
    clock_.advance(4s);
    EXPECT_EQ(open(), 0);
    queue_.done();
  }
}

}  // namespace
}  // namespace leakhunt::daemon
