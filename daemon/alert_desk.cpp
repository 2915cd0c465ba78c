// The alert book at work: timers, rows and lines.
#include "daemon/alert_desk.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

namespace leakhunt::daemon {
namespace {

namespace asio = boost::asio;

constexpr recorder::DeviceId kRecorder{0};
// A row waits so long for its batch on the fastest disk.
constexpr std::chrono::seconds kCommitInterval{1};

Severity severity_of(proto::AlarmKind kind) {
  return kind == proto::AlarmKind::allocation_failure ? Severity::warning : Severity::critical;
}

Priority priority_of(const std::string& severity) {
  if (severity == "critical") return Priority::critical;
  return severity == "warning" ? Priority::warning : Priority::notice;
}

std::string line_of(const AlertChange& change) {
  const std::string head = "alert " + std::to_string(change.row.id) + " " + change.row.severity;
  if (change.what == AlertChange::What::resolved) return head + " is over: " + change.row.text;
  return head + ": " + change.row.text;
}

}  // namespace

class AlertDesk::Impl {
 public:
  using Way = std::function<void(const recorder::AlertRow&, const std::string&)>;

  Impl(Loop& loop, AlertBook book, storage::RowQueue& queue, const Clock& clock, const EventLog& log,
       StorePatience patience)
      : book_(std::move(book)),
        queue_(queue),
        clock_(clock),
        log_(log),
        patience_(patience),
        tick_(loop.context()),
        store_timer_(loop.context()),
        slow_timer_(loop.context()) {}

  void name(recorder::DeviceId device, std::string name) { names_[device] = std::move(name); }
  void tell_also(Way way) { way_ = std::move(way); }

  void tick() {
    tick_.expires_after(clock_.real(AlertBook::kCountInterval));
    tick_.async_wait([this](const boost::system::error_code& error) {
      if (error) return;
      hand_on(book_.due(clock_.now().utc));
      tick();
    });
  }

  // A commit that hangs in the system says nothing of itself: the row that waits longest does.
  void watch_queue() {
    slow_timer_.expires_after(patience_.look);
    slow_timer_.async_wait([this](const boost::system::error_code& error) {
      if (error) return;
      look_at_queue();
      watch_queue();
    });
  }

  void look_at_queue() {
    if (!store_ok_) return;  // that has an alert of its own
    const auto waited = clock_.real(queue_.stats().oldest_age);
    const bool slow = waited > patience_.trouble + kCommitInterval;
    if (slow && !slow_) {
      const auto whole = std::chrono::duration_cast<std::chrono::seconds>(waited);
      raise({kRecorder, "store", Severity::critical,
             "the disk is slow: rows have waited " + std::to_string(whole.count()) + " s to be written",
             true});
    } else if (!slow && slow_) {
      resolve(kRecorder, "store");
    }
    slow_ = slow;
  }

  void raise(const Cause& cause) { hand_on(book_.raise(cause, clock_.now().utc)); }
  void resolve(recorder::DeviceId device, std::string_view name) {
    hand_on(book_.resolve(device, name, clock_.now().utc));
  }
  void acknowledge(const std::vector<std::int64_t>& ids, const std::string& note) {
    hand_on(book_.acknowledge(ids, note, clock_.now().utc));
  }

  void looked(recorder::DeviceId device, const std::vector<Cause>& holding,
              const std::vector<std::string_view>& decided) {
    for (const std::string_view name : decided) {
      const auto found = std::find_if(holding.begin(), holding.end(),
                                      [&](const Cause& cause) { return cause.name == name; });
      if (found != holding.end()) {
        raise(*found);
      } else {
        resolve(device, name);
      }
    }
  }

  void store_health(const storage::StoreHealth& health) {
    if (!health.set_aside.empty() && health.set_aside != set_aside_) {
      set_aside_ = health.set_aside;
      raise({kRecorder, "store_set_aside", Severity::critical,
             "a file that could not go on as the store was put aside as " + set_aside_ +
                 " and a new one begun"});
    }
    if (health.vanished_files > vanished_files_) {
      vanished_files_ = health.vanished_files;
      raise({kRecorder, "store_gone", Severity::critical,
             "the store's file was removed or replaced while in use; a new one was begun"});
    }
    if (health.heap_below_floor && !below_floor_) {
      below_floor_ = true;
      raise({kRecorder, "store_full", Severity::warning,
             "the store is at its limit and heap samples of the last 30 days had to go; raise "
             "retention.max_bytes or "
             "record less"});
    }
    store_timer_.cancel();
    store_ok_ = health.ok;
    slow_ = false;
    if (health.ok) return resolve(kRecorder, "store");
    store_timer_.expires_after(patience_.trouble);
    store_timer_.async_wait([this, what = health.what](const boost::system::error_code& error) {
      if (!error) raise({kRecorder, "store", Severity::critical, "the store takes nothing: " + what, true});
    });
  }

  [[nodiscard]] OpenAlerts open() const {
    OpenAlerts open{{kRecorder, book_.open(kRecorder)}};
    for (const auto& [device, name] : names_) open[device] = book_.open(device);
    return open;
  }

 private:
  void hand_on(std::vector<AlertChange> changes) {
    for (AlertChange& change : changes) {
      if (change.tell()) {
        const auto found = names_.find(change.row.device);
        const std::string name = found != names_.end() ? found->second : "";
        log_.say(
            change.what == AlertChange::What::resolved ? Priority::notice : priority_of(change.row.severity),
            name, change.row.cause, line_of(change));
        if (way_) way_(change.row, name);
      }
      queue_.push(std::move(change.row));
    }
  }

  AlertBook book_;
  storage::RowQueue& queue_;
  const Clock& clock_;
  const EventLog& log_;
  StorePatience patience_;
  bool store_ok_ = true;
  bool slow_ = false;  // an alert tells of it
  std::map<recorder::DeviceId, std::string> names_;
  Way way_;
  std::string set_aside_;
  std::int64_t vanished_files_ = 0;
  bool below_floor_ = false;
  asio::steady_timer tick_;
  asio::steady_timer store_timer_;
  asio::steady_timer slow_timer_;
};

AlertDesk::AlertDesk(Loop& loop, AlertBook book, storage::RowQueue& queue, const Clock& clock,
                     const EventLog& log, StorePatience patience)
    : loop_(loop), impl_(std::make_unique<Impl>(loop, std::move(book), queue, clock, log, patience)) {}
AlertDesk::~AlertDesk() = default;

void AlertDesk::name(recorder::DeviceId device, std::string name) {
  impl_->name(device, std::move(name));
}

void AlertDesk::tell_also(std::function<void(const recorder::AlertRow&, const std::string&)> way) {
  impl_->tell_also(std::move(way));
}

void AlertDesk::start() {
  impl_->tick();
  impl_->watch_queue();
}

void AlertDesk::alarm(const recorder::Alarm& alarm) {
  if (waiting_alarms_ >= kWaitingAlarms) return;
  ++waiting_alarms_;
  Cause cause{alarm.device, std::string{proto::word(alarm.kind)}, severity_of(alarm.kind), alarm.text};
  loop_.post([this, cause = std::move(cause)] {
    --waiting_alarms_;
    impl_->raise(cause);
  });
}

void AlertDesk::store_health(const storage::StoreHealth& health) {
  loop_.post([this, health] { impl_->store_health(health); });
}

void AlertDesk::looked(recorder::DeviceId device, std::vector<Cause> holding,
                       std::vector<std::string_view> decided) {
  loop_.post([this, device, holding = std::move(holding), decided = std::move(decided)] {
    impl_->looked(device, holding, decided);
  });
}

void AlertDesk::acknowledge(std::vector<std::int64_t> ids, std::string note) {
  loop_.post([this, ids = std::move(ids), note = std::move(note)] { impl_->acknowledge(ids, note); });
}

std::future<OpenAlerts> AlertDesk::open() {
  auto promise = std::make_shared<std::promise<OpenAlerts>>();
  auto future = promise->get_future();
  loop_.post([this, promise] { promise->set_value(impl_->open()); });
  return future;
}

}  // namespace leakhunt::daemon
