// The links' thread: one coroutine per link and one that looks at the clock.
#include "daemon/links.h"

#include <time.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <utility>

#include "daemon/link.h"

namespace leakhunt::daemon {
namespace {

namespace asio = boost::asio;

// How long the host has been suspended in all.
Duration suspended() {
  timespec with{};
  timespec without{};
  ::clock_gettime(CLOCK_BOOTTIME, &with);
  ::clock_gettime(CLOCK_MONOTONIC, &without);
  return Duration{(with.tv_sec - without.tv_sec) * 1'000'000 + (with.tv_nsec - without.tv_nsec) / 1'000};
}

const recorder::DeviceState* find_state(const recorder::RecordState& restored, const std::string& name) {
  const auto found = std::find_if(restored.devices.begin(), restored.devices.end(),
                                  [&](const recorder::DeviceState& state) { return state.name == name; });
  return found != restored.devices.end() ? &*found : nullptr;
}

void rethrow(const std::exception_ptr& error) {
  if (error) std::rethrow_exception(error);
}

}  // namespace

class Links::Impl {
 public:
  struct Device {
    DeviceDesk desk;
    std::vector<std::unique_ptr<Link>> links;
  };

  Impl(Loop& loop, const Clock& clock) : loop_(loop), clock_(clock) {}

  void add(DeviceConfig config, recorder::DeviceRecorder recorder, storage::RowQueue& queue,
           AlarmTap alarm_tap, const EventLog& log, bool only_ptys) {
    auto& device = *devices_.emplace_back(std::make_unique<Device>(
        Device{DeviceDesk{std::move(config), std::move(recorder), queue, std::move(alarm_tap), log}, {}}));
    for (const LinkSpec& spec : device.desk.config().links) {
      const auto index = static_cast<recorder::LinkIndex>(device.links.size());
      device.links.push_back(std::make_unique<Link>(loop_.context().get_executor(), spec, index, device.desk,
                                                    clock_, only_ptys));
    }
  }

  void spawn() {
    for (auto& device : devices_) {
      device->desk.flush();
      for (auto& link : device->links) asio::co_spawn(loop_.context(), link->run(), rethrow);
    }
    asio::co_spawn(loop_.context(), watch_clock(), rethrow);
  }

  void stop() {
    const Moment now = clock_.now();
    for (auto& device : devices_) {
      for (auto& link : device->links) link->stop(now);
      device->desk.stop(now);
    }
  }

  [[nodiscard]] std::vector<DeviceSnapshot> snapshot() const {
    std::vector<DeviceSnapshot> snapshots;
    for (const auto& device : devices_) {
      auto& each = snapshots.emplace_back(DeviceSnapshot{device->desk.recorder().live(), {}});
      for (const auto& link : device->links) each.links.push_back(link->snapshot());
    }
    return snapshots;
  }

  [[nodiscard]] std::vector<recorder::DeviceRow> devices() const {
    std::vector<recorder::DeviceRow> rows;
    for (const auto& device : devices_)
      rows.push_back({device->desk.recorder().id(), device->desk.config().name});
    return rows;
  }

 private:
  // Each second; in virtual time often enough that no minute passes between two looks.
  asio::awaitable<void> watch_clock() {
    constexpr Duration kLook{1'000'000};
    constexpr Duration kVirtualLook{20'000'000};
    constexpr Duration kSlept{2'000'000};
    const bool is_virtual = clock_.real(kLook) < kLook;
    Duration suspended_before = suspended();
    for (;;) {
      co_await pause_for(clock_, is_virtual ? kVirtualLook : kLook);
      const Duration suspended_now = suspended();
      const bool slept = suspended_now - suspended_before > kSlept;
      suspended_before = suspended_now;
      for (auto& device : devices_) device->desk.tick(clock_.now(), slept);
    }
  }

  Loop& loop_;
  const Clock& clock_;
  std::vector<std::unique_ptr<Device>> devices_;
};

Links::Links(const std::vector<DeviceConfig>& devices, const recorder::RecordState& restored,
             recorder::Ids& ids, storage::RowQueue& queue, const Clock& clock, const EventLog& log,
             AlarmTap alarm_tap, OnFatal on_fatal, LinksOptions options)
    : loop_("links", std::move(on_fatal)), impl_(std::make_unique<Impl>(loop_, clock)) {
  recorder::RecorderOptions recording;
  recording.record_others = options.record_others;
  for (const DeviceConfig& config : devices) {
    impl_->add(config,
               recorder::DeviceRecorder{config.name, recording, ids, options.host_boot,
                                        find_state(restored, config.name)},
               queue, alarm_tap, log, options.only_ptys);
  }
}

Links::~Links() {
  loop_.stop();
}

void Links::start() {
  impl_->spawn();
  loop_.start();
}

void Links::stop() {
  loop_.stop();
  impl_->stop();
}

std::future<std::vector<DeviceSnapshot>> Links::snapshot() {
  auto promise = std::make_shared<std::promise<std::vector<DeviceSnapshot>>>();
  auto future = promise->get_future();
  loop_.post([this, promise] { promise->set_value(impl_->snapshot()); });
  return future;
}

std::vector<recorder::DeviceRow> Links::devices() const {
  return impl_->devices();
}

}  // namespace leakhunt::daemon
