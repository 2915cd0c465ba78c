// Puts the parts together, in the order in which they need each other, and takes them apart again.
#include "daemon/daemon.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "daemon/alert_desk.h"
#include "daemon/doctor.h"
#include "daemon/event_log.h"
#include "daemon/file_desk.h"
#include "daemon/hook.h"
#include "daemon/links.h"
#include "daemon/loop.h"
#include "daemon/port_answer.h"
#include "daemon/port_catalogue.h"
#include "daemon/questions.h"
#include "daemon/schedule.h"
#include "daemon/server.h"
#include "daemon/status.h"
#include "daemon/store_view.h"
#include "recorder/ids.h"
#include "storage/queue.h"
#include "storage/reader.h"
#include "storage/store.h"
#include "storage/writer.h"
#include "storage/writer_thread.h"

namespace leakhunt::daemon {
namespace {

constexpr recorder::DeviceId kRecorder{0};
// A stop shorter than this leaves no gap worth telling. Links need seconds more until rows come again.
constexpr Duration kGapWorthTelling{5'000'000};
constexpr std::chrono::milliseconds kStoreStops{1'500};
constexpr std::chrono::seconds kLiveAnswers{1};

sigset_t ending_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGHUP);
  return signals;
}

std::unique_ptr<Clock> make_clock(const std::optional<VirtualTime>& virtual_time) {
  if (!virtual_time) return std::make_unique<SystemClock>();
  return std::make_unique<ScaledClock>(virtual_time->scale, virtual_time->origin);
}

// Under virtual time a clock of its own: anchors of other runs must not be taken for ones of this.
std::string host_boot_id(const std::optional<VirtualTime>& virtual_time) {
  std::string id;
  std::getline(std::ifstream{"/proc/sys/kernel/random/boot_id"}, id);
  if (!virtual_time) return id;
  return fmt::format("{}@{}x{}", id, virtual_time->origin.us, virtual_time->scale);
}

answer::EngineSettings engine_settings(const Config& config) {
  answer::EngineSettings settings;
  settings.retention = config.retention;
  for (const DeviceConfig& device : config.devices) {
    if (device.reserve_bytes)
      settings.reserve_bytes[device.name] = static_cast<double>(*device.reserve_bytes);
    if (device.min_free_bytes)
      settings.floor_bytes[device.name] = static_cast<double>(*device.min_free_bytes);
  }
  return settings;
}

// What the store says of the time before this run.
struct Before {
  recorder::RecordState state;
  std::vector<recorder::AlertRow> standing_alerts;
  std::vector<recorder::Row> rows;  // gaps since the last record of each device, and the start itself
};

Result<Before> read_before(storage::Store& store, const Config& config, Moment now) {
  auto state = store.load_state();
  if (!state) return state.error();
  Before before{*std::move(state), {}, {}};
  auto reader = storage::open_for_reading(store.path());
  if (!reader) return reader.error();
  try {
    before.standing_alerts = reader->alerts({std::nullopt, true});
    const auto heartbeat = reader->info().heartbeat;
    for (const recorder::DeviceState& device : before.state.devices) {
      const bool configured = std::any_of(config.devices.begin(), config.devices.end(),
                                          [&](const DeviceConfig& each) { return each.name == device.name; });
      const auto newest = reader->newest(device.id);
      if (!configured || !newest) continue;
      const Utc last = heartbeat ? std::max(*heartbeat, *newest) : *newest;
      if (now.utc - last < kGapWorthTelling) continue;
      before.rows.emplace_back(recorder::GapRow{device.id, last, now.utc, "the recorder did not run", 0, 0});
    }
  } catch (const storage::ReadFailed& failed) {
    return failed.error();
  }
  before.rows.emplace_back(
      recorder::EventRow{kRecorder, now.utc, std::nullopt, "recorder_start", "", "", ""});
  return before;
}

// Everything that runs, in the order of its making; taken apart by stop().
class Recorder {
 public:
  Recorder(const Config& config, std::optional<VirtualTime> virtual_time, storage::Store store, Before before,
           const Clock& clock, const EventLog& log)
      : config_(config),
        virtual_time_(virtual_time),
        clock_(clock),
        log_(log),
        started_at_(clock.now().utc),
        main_thread_(::pthread_self()),
        queue_(config.queue_bytes, clock),
        ids_(before.state),
        view_of_schedule_(config.database(), engine_settings(config)),
        view_of_questions_(config.database(), engine_settings(config)),
        hook_(config.hook, log, fatal()),
        serving_("serving", fatal()),
        recording_("links", fatal()),
        catalogue_(make_catalogue(config.ports_folder)),
        alerts_(serving_, AlertBook{std::move(before.standing_alerts), before.state.max_alert}, queue_, clock,
                log),
        writer_(storage::Writer{std::move(store), clock, {config.durable_interval, config.retention}}, queue_,
                clock, [this](const storage::StoreHealth& health) { on_health(health); }),
        links_(recording_, config.devices, before.state, ids_, queue_, clock, log,
               [this](const recorder::Alarm& alarm) { alerts_.alarm(alarm); }, *catalogue_,
               {config.record_others, host_boot_id(virtual_time), virtual_time.has_value(), {}}),
        files_(config.database(), writer_, log, fatal()),
        questions_(view_of_questions_, alerts_, queue_, clock, means(), fatal()),
        schedule_(
            watched(), answer::EngineSettings{}.scheduled_windows, view_of_schedule_, config.alerts, alerts_,
            queue_, clock, log, [this] { return writer_.health().ok; }, fatal()) {
    queue_.push(std::move(before.rows));
    for (const Watched& device : watched()) alerts_.name(device.id, device.name);
    alerts_.tell_also(
        [this](const recorder::AlertRow& alert, const std::string& device) { hook_.tell(alert, device); });
  }

  [[nodiscard]] Outcome start() {
    auto server = Server::listen(
        serving_, config_.socket(),
        [this](v1::Question question, std::chrono::milliseconds limit, OnAnswer on_answer) {
          if (FileDesk::is_for(question))
            return files_.take(std::move(question), limit, std::move(on_answer));
          return questions_.take(std::move(question), limit, std::move(on_answer));
        },
        log_);
    if (!server) return server.error();
    server_ = *std::move(server);
    alerts_.start();
    serving_.start();
    links_.start();
    recording_.start();
    schedule_.start();
    return Done{};
  }

  // Answers end first, then recording; what was recorded is committed and the file made whole.
  [[nodiscard]] Outcome stop() {
    view_of_questions_.interrupt();
    view_of_schedule_.interrupt();
    schedule_.stop();
    questions_.stop();
    files_.stop();
    view_of_questions_.close();
    view_of_schedule_.close();
    recording_.stop();
    links_.stop();
    serving_.stop();
    hook_.stop();
    server_.reset();
    queue_.push(recorder::EventRow{kRecorder, clock_.now().utc, std::nullopt, "recorder_stop", "", "", ""});
    return writer_.stop(kStoreStops);
  }

  [[nodiscard]] bool failed() const { return failed_; }

 private:
  OnFatal fatal() {
    return [this](const std::string& what) {
      log_.say(Priority::critical, "", "fatal", what);
      failed_ = true;
      ::pthread_kill(main_thread_, SIGTERM);
    };
  }

  void on_health(const storage::StoreHealth& health) {
    // Another file may stand in the place of the one that is open.
    view_of_questions_.reopen();
    view_of_schedule_.reopen();
    if (!health.ok || !store_ok_)
      log_.say(health.ok ? Priority::notice : Priority::error, "", "store",
               health.ok ? "the store takes rows again" : health.what);
    store_ok_ = health.ok;
    alerts_.store_health(health);
  }

  Questions::Means means() {
    Questions::Means means;
    means.live = [this] { return live(); };
    means.is_for_links = Links::takes;
    means.carry_out = [this](v1::Question question, OnAnswer on_answer) {
      links_.carry_out(std::move(question), std::move(on_answer));
    };
    means.examine = [this](const v1::Status& live) { return examine(config_, catalogue_->ports(), &live); };
    means.add_ports = [this](v1::Devices& devices) {
      leakhunt::daemon::add_ports(catalogue_->ports(), devices);
    };
    means.changed = [this](const std::vector<recorder::Row>& rows) {
      links_.changed(rows);
      for (const recorder::Row& row : rows) {
        if (const auto* renamed = std::get_if<recorder::RenameDevice>(&row)) rename(*renamed);
      }
    };
    return means;
  }

  // A device goes by its id in all that runs; its name stands in what is asked and told.
  void rename(const recorder::RenameDevice& row) {
    serving_.post([this, row] { alerts_.name(row.device, row.name); });
    const std::string before = schedule_.rename(row.device, row.name);
    for (StoreView* view : {&view_of_schedule_, &view_of_questions_}) view->rename(before, row.name);
  }

  [[nodiscard]] std::vector<Watched> watched() const {
    std::vector<Watched> watched;
    const auto rows = links_.devices();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      watched.push_back({rows[i].id, rows[i].name, config_.devices[i].min_free_bytes});
    }
    return watched;
  }

  v1::Status live() {
    LiveParts parts;
    auto bench = links_.snapshot();
    auto open = alerts_.open();
    if (bench.wait_for(kLiveAnswers) == std::future_status::ready) parts.bench = bench.get();
    if (open.wait_for(kLiveAnswers) == std::future_status::ready) parts.open_alerts = open.get();
    parts.now = clock_.now().utc;
    parts.started_at = started_at_;
    if (virtual_time_) parts.time_scale = virtual_time_->scale;
    parts.store_path = config_.database();
    parts.queue = queue_.stats();
    parts.store = writer_.health();
    return live_status(parts);
  }

  const Config& config_;
  std::optional<VirtualTime> virtual_time_;
  const Clock& clock_;
  const EventLog& log_;
  Utc started_at_;
  pthread_t main_thread_;
  std::atomic<bool> failed_{false};
  storage::RowQueue queue_;
  recorder::Ids ids_;
  StoreView view_of_schedule_;
  StoreView view_of_questions_;
  Hook hook_;
  Loop serving_;
  Loop recording_;
  std::unique_ptr<PortCatalogue> catalogue_;
  AlertDesk alerts_;
  bool store_ok_ = true;  // as the writer's thread told last
  storage::WriterThread writer_;
  Links links_;
  FileDesk files_;
  Questions questions_;
  Schedule schedule_;
  std::unique_ptr<Server> server_;
};

int tell(const Error& error) {
  std::cerr << "leakhuntd: " << error.line() << '\n';
  return static_cast<int>(error.code);
}

Outcome make_state_dir(const std::filesystem::path& dir) {
  std::error_code error;
  const bool is_new = std::filesystem::create_directories(dir, error);
  if (error || !std::filesystem::is_directory(dir, error)) {
    return Error{ErrorCode::usage, "the state folder cannot be made: " + error.message(), dir.string(),
                 "name another with --state-dir"};
  }
  using std::filesystem::perms;
  if (is_new)
    std::filesystem::permissions(dir, perms::owner_all | perms::group_read | perms::group_exec, error);
  return Done{};
}

// What takes long before the recorder is ready: told to whoever reads the log, and to systemd, which would
// end it.
void tell_start(const EventLog& log, const std::string& line) {
  log.say(Priority::notice, "", "store", line);
  ::sd_notify(0, ("STATUS=" + line + "\nEXTEND_TIMEOUT_USEC=60000000").c_str());
}

// A name lookup that hangs can hold up the end of a thread; everything is committed by then.
void end_in_time() {
  std::thread{[] {
    std::this_thread::sleep_for(std::chrono::milliseconds{300});
    std::_Exit(0);
  }}.detach();
}

void wait_for_end() {
  const sigset_t signals = ending_signals();
  int signal = 0;
  ::sigwait(&signals, &signal);
}

}  // namespace

int run(const Config& config, std::optional<VirtualTime> virtual_time) {
  // Threads inherit the mask: a signal comes to wait_for_end() alone.
  const sigset_t signals = ending_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGPIPE, SIG_IGN);

  const EventLog log;
  const std::unique_ptr<Clock> clock = make_clock(virtual_time);
  if (const auto made = make_state_dir(config.state_dir); !made) return tell(made.error());
  auto store = storage::open_for_writing(
      config.database(), {.on_progress = [&log](const std::string& line) { tell_start(log, line); }});
  if (!store) return tell(store.error());
  auto before = read_before(*store, config, clock->now());
  if (!before) return tell(before.error());
  if (!store->set_aside().empty()) {
    log.say(Priority::critical, "", "store",
            "the store was damaged; it was put aside as " + store->set_aside());
  }

  Recorder recorder{config, virtual_time, *std::move(store), *std::move(before), *clock, log};
  if (const auto started = recorder.start(); !started) {
    static_cast<void>(recorder.stop());
    return tell(started.error());
  }
  ::sd_notify(0, "READY=1\nSTATUS=recording");
  log.say(Priority::notice, "", "recorder_start",
          fmt::format("version {}, {} {}, state in {}", LEAKHUNT_VERSION, config.devices.size(),
                      config.devices.size() == 1 ? "device" : "devices", config.state_dir.string()));
  if (config.devices.empty()) log.say(Priority::warning, "", "config", kNoDevice);
  wait_for_end();
  ::sd_notify(0, "STOPPING=1");
  const auto stopped = recorder.stop();
  log.say(Priority::notice, "", "recorder_stop", stopped ? "all is committed" : stopped.error().line());
  if (recorder.failed() || !stopped) return static_cast<int>(ErrorCode::failed);
  end_in_time();
  return 0;
}

}  // namespace leakhunt::daemon
