// The devices of a bench: their making, their node numbers, their life beside the links' stories.
#include "daemon/bench.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <utility>

namespace leakhunt::daemon {
namespace {

namespace asio = boost::asio;

void rethrow(const std::exception_ptr& error) {
  if (error) std::rethrow_exception(error);
}

std::vector<std::string> names_of(const std::vector<DeviceConfig>& devices) {
  std::vector<std::string> names;
  for (const DeviceConfig& device : devices) names.push_back(device.name);
  return names;
}

}  // namespace

const recorder::DeviceState* state_of(const recorder::RecordState& restored, const std::string& name) {
  const auto found = std::find_if(restored.devices.begin(), restored.devices.end(),
                                  [&](const recorder::DeviceState& state) { return state.name == name; });
  return found != restored.devices.end() ? &*found : nullptr;
}

Bench::Bench(const std::vector<DeviceConfig>& devices, const recorder::RecordState& restored,
             LinkSurroundings around, storage::RowQueue& queue, const EventLog& log)
    : around_(std::move(around)), queue_(queue), log_(log), nodes_(names_of(devices), restored) {
  around_.several_devices = devices.size() > 1;
}

void Bench::add(DeviceConfig config, recorder::DeviceRecorder recorder, const recorder::DeviceState* restored,
                AlarmTap alarm_tap) {
  const std::size_t index = devices_.size();
  auto port = restored != nullptr ? restored->port : std::nullopt;
  auto& device = *devices_.emplace_back(std::make_unique<Device>(DeviceDesk{
      std::move(config), std::move(recorder), queue_, std::move(alarm_tap), log_, std::move(port)}));
  for (const LinkSpec& spec : device.desk.config().links) {
    const auto link_index = static_cast<recorder::LinkIndex>(device.links.size());
    device.links.push_back(std::make_unique<Link>(
        around_, spec, link_index, device.desk,
        [this, index, link_index](std::uint32_t node) { return claim(index, link_index, node); },
        Link::Neighbours{[this, index] { return nobody_else_hears(index); },
                         [this, index] { return somebody_is_unheard(index); },
                         [this, index, link_index] { return another_link_asks(index, link_index); }}));
  }
}

void Bench::spawn(const recorder::RecordState& restored) {
  if (restored.last_pause) restore_pause(*restored.last_pause);
  for (auto& device : devices_) {
    const auto* state = state_of(restored, device->desk.config().name);
    if (state != nullptr && state->last_release) restore_release(*device, *state->last_release);
    device->desk.flush();
    for (auto& link : device->links) asio::co_spawn(around_.executor, link->run(), rethrow);
  }
}

void Bench::stop() {
  const Moment now = around_.clock.now();
  for (auto& device : devices_) {
    for (auto& link : device->links) link->stop(now);
    device->desk.stop(now);
  }
}

void Bench::tick(bool slept) {
  if (paused_ && is_over(*paused_)) end_pause("the time is over");
  for (auto& device : devices_) {
    if (device->released && is_over(*device->released)) {
      take_back(*device, over_words(*device->released, ""));
    }
    device->desk.tick(around_.clock.now(), slept);
    for (auto& link : device->links) link->tend_errand(around_.clock.now().mono);
  }
}

void Bench::ports_changed() {
  for (auto& device : devices_) {
    for (auto& link : device->links) link->ports_changed();
  }
}

std::optional<std::size_t> Bench::index_of(recorder::DeviceId id) const {
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (devices_[i]->desk.recorder().id() == id) return i;
  }
  return std::nullopt;
}

void Bench::changed(const recorder::RenameDevice& change) {
  const auto index = index_of(change.device);
  if (!index) return;
  nodes_.rename(*index, change.name);
  devices_[*index]->desk.rename(change.name);
}

void Bench::changed(const recorder::MergeDevices& change) {
  const auto into = index_of(change.into);
  nodes_.gone(change.merged, into);
  if (into) devices_[*into]->desk.recorder().merged(change);
  forget_advice();
}

void Bench::changed(const recorder::ForgetDevice& change) {
  nodes_.gone(change.device, std::nullopt);
  forget_advice();
}

// It named a device that is no more.
void Bench::forget_advice() {
  for (auto& device : devices_) {
    for (auto& link : device->links) link->advise("");
  }
}

std::optional<std::string> Bench::claim(std::size_t index, std::size_t link, std::uint32_t node) {
  NodeBook::Answer answer = nodes_.claim(index, node);
  Device& device = *devices_[index];
  device.refused_for = answer.owner;
  if (!answer.granted) return std::move(answer.why);
  if (answer.loser) {
    const auto why = nodes_.claim(*answer.loser, node).why;
    devices_[*answer.loser]->refused_for = index;
    for (auto& loser : devices_[*answer.loser]->links) loser->refuse(why);
  }
  if (!answer.formerly.empty()) {
    device.links[link]->advise("this board was recorded as \"" + answer.formerly +
                               "\" before; `leakhuntctl device merge " + answer.formerly + " " +
                               device.desk.config().name + "` joins the two records");
  }
  return std::nullopt;
}

// A refused link throws its board's owner off the connection by each attempt: not while that one hears it.
bool Bench::nobody_else_hears(std::size_t index) const {
  const auto owner = devices_[index]->refused_for;
  if (!owner) return true;
  const auto& links = devices_[*owner]->links;
  return std::none_of(links.begin(), links.end(), [](const auto& link) { return link->hears(); });
}

bool Bench::somebody_is_unheard(std::size_t but) const {
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const auto& links = devices_[i]->links;
    if (i != but && std::none_of(links.begin(), links.end(), [](const auto& link) { return link->hears(); }))
      return true;
  }
  return false;
}

// One request a minute is what a device gets, however many links it has: the first live one asks.
bool Bench::another_link_asks(std::size_t index, recorder::LinkIndex link) const {
  const auto& links = devices_[index]->links;
  return std::any_of(links.begin(), links.begin() + link,
                     [](const auto& other) { return other->is_live() && other->asks(); });
}

BenchSnapshot Bench::snapshot() const {
  BenchSnapshot snapshot;
  for (const auto& device : devices_) {
    auto& each = snapshot.devices.emplace_back(DeviceSnapshot{device->desk.recorder().live(), {}, {}});
    each.live.name = device->desk.config().name;
    for (const auto& link : device->links) each.links.push_back(link->snapshot());
    if (device->released) each.released = device->released->told;
  }
  if (paused_) snapshot.paused = paused_->told;
  return snapshot;
}

std::vector<recorder::DeviceRow> Bench::devices() const {
  std::vector<recorder::DeviceRow> rows;
  for (const auto& device : devices_)
    rows.push_back({device->desk.recorder().id(), device->desk.config().name});
  return rows;
}

}  // namespace leakhunt::daemon
