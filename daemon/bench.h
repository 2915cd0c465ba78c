// All devices of a recorder and their links, on the links' thread: who stands behind which port, what is
// handed over, what is paused. Includes Asio by way of its links: for links.cpp alone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "daemon/debug_log_errand.h"
#include "daemon/holder_watch.h"
#include "daemon/link.h"
#include "daemon/links.h"
#include "daemon/node_book.h"

namespace leakhunt::daemon {

// What the store knows of the device of this name; null when it knows none.
[[nodiscard]] const recorder::DeviceState* state_of(const recorder::RecordState& restored,
                                                    const std::string& name);

class Bench {
 public:
  Bench(const std::vector<DeviceConfig>& devices, const recorder::RecordState& restored,
        LinkSurroundings around, storage::RowQueue& queue, const EventLog& log);

  // Called once per configured device, in their order.
  void add(DeviceConfig config, recorder::DeviceRecorder recorder, const recorder::DeviceState* restored,
           AlarmTap alarm_tap);
  // Takes up what the last run left released or paused, then starts all links.
  void spawn(const recorder::RecordState& restored);
  void stop();

  // Once a second: the clock, silence, releases whose time is over.
  void tick(bool slept);
  void ports_changed();
  void carry_out(const v1::Question& question, OnAnswer on_answer);
  // A person's change of what devices are called, which is on its way to the store.
  void changed(const recorder::RenameDevice& change);
  void changed(const recorder::MergeDevices& change);
  void changed(const recorder::ForgetDevice& change);

  [[nodiscard]] BenchSnapshot snapshot() const;
  [[nodiscard]] std::vector<recorder::DeviceRow> devices() const;

 private:
  // Handed over, or paused: for how long.
  struct Absence {
    Release told;
    std::optional<Mono> until;
    std::optional<HolderWatch> holder;
  };
  struct Device {
    explicit Device(DeviceDesk its_desk) : desk(std::move(its_desk)) {}
    DeviceDesk desk;
    std::vector<std::unique_ptr<Link>> links;
    std::optional<Absence> released;
    std::optional<std::size_t> refused_for;  // the device whose board was found here
  };

  [[nodiscard]] Result<Device*> device_of(const v1::Question& question);
  [[nodiscard]] Absence absence(std::optional<Duration> limit, std::optional<HolderWatch> holder) const;
  [[nodiscard]] bool is_over(const Absence& absence) const;
  void release(const v1::Question& question, OnAnswer on_answer);
  [[nodiscard]] std::optional<Error> already_handed_over(const Device& device,
                                                         const v1::ReleaseRequest& ask) const;
  // Why it is over, if it is.
  [[nodiscard]] std::string over_words(const Absence& absence, std::string otherwise) const;
  void resume(const v1::Question& question, const OnAnswer& on_answer);
  void pause(const v1::PauseRequest& ask, OnAnswer on_answer);
  void debug_log(const v1::Question& question, OnAnswer on_answer);
  void take_back(Device& device, const std::string& why);
  void end_pause(const std::string& why);
  void note_pause(const std::string& kind, const std::string& note, const std::string& data);
  void restore_release(Device& device, const recorder::EventRow& event);
  void restore_pause(const recorder::EventRow& event);
  [[nodiscard]] std::optional<std::size_t> index_of(recorder::DeviceId id) const;
  void forget_advice();
  static void hold(Device& device, Hold why, const std::shared_ptr<void>& until_closed);
  [[nodiscard]] std::optional<std::string> claim(std::size_t index, std::size_t link, std::uint32_t node);
  [[nodiscard]] bool nobody_else_hears(std::size_t index) const;
  [[nodiscard]] bool somebody_is_unheard(std::size_t but) const;
  [[nodiscard]] bool another_link_asks(std::size_t index, recorder::LinkIndex link) const;

  LinkSurroundings around_;
  storage::RowQueue& queue_;
  const EventLog& log_;
  NodeBook nodes_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::optional<Absence> paused_;
  std::mt19937 random_{std::random_device{}()};
};

}  // namespace leakhunt::daemon
