// One link to one device, for as long as the daemon runs. Includes Asio: for links.cpp alone.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/time.h"
#include "daemon/backoff.h"
#include "daemon/conversation.h"
#include "daemon/device_desk.h"
#include "daemon/errand.h"
#include "daemon/link_status.h"
#include "daemon/port_catalogue.h"
#include "daemon/stream.h"
#include "daemon/timer.h"
#include "proto/framer.h"
#include "proto/redact.h"

namespace leakhunt::daemon {

// Why a link is kept closed although nothing is wrong with it.
enum class Hold : std::uint8_t { none, released, paused };

// What all links of a recorder share. What is referred to must outlive them.
struct LinkSurroundings {
  boost::asio::any_io_executor executor;
  const Clock& clock;
  const PortCatalogue& catalogue;
  bool only_ptys = false;                            // virtual time: no real device
  bool several_devices = false;                      // it may be another one's board that speaks
  std::function<Duration()> suspended = nullptr;     // how long the host has slept in all; must be set
  std::optional<std::uint32_t> seed = std::nullopt;  // of all that is drawn; unset: chance
};

class Link {
 public:
  // Whether the node may be recorded as this device; why not, if not.
  using Claim = std::function<std::optional<std::string>(std::uint32_t node)>;
  // What a link asks of the others.
  struct Neighbours {
    // No other device hears the board that this one was refused for.
    std::function<bool()> owner_is_unheard;
    // Some other device is not heard at the moment: it may be its board that speaks here.
    std::function<bool()> somebody_is_unheard;
    // Another link of this device asks for LocalStats already.
    std::function<bool()> another_link_asks;
  };

  Link(LinkSurroundings around, LinkSpec spec, recorder::LinkIndex index, DeviceDesk& desk, Claim claim,
       Neighbours neighbours);

  // Connects, converses, and begins again, for ever.
  [[nodiscard]] boost::asio::awaitable<void> run();
  [[nodiscard]] LinkSnapshot snapshot() const;
  // The stream is gone because the daemon ends.
  void stop(Moment now);

  // Gives the port or connection up and keeps it closed; `closed` is called when it and its locks are free.
  void hold(Hold why, std::function<void()> closed);
  // Ends a hold; also tries a link at once that waits or was left alone.
  void go_on();
  // Ends the stream: its board belongs to another device.
  void refuse(std::string why);
  // What a person could set up better, for `status`.
  void advise(std::string advice);
  // Ports came or went.
  void ports_changed();
  // Takes over an errand for the device; false when the link cannot run it (it only listens, is given up, or
  // has one).
  [[nodiscard]] bool take(std::shared_ptr<Errand> errand);
  [[nodiscard]] bool has_errand() const { return errand_ != nullptr; }
  // Lets an errand run out of patience while there is no connection.
  void tend_errand(Mono now);

  [[nodiscard]] bool is_live() const { return status_.state == LinkState::connected; }
  [[nodiscard]] bool asks() const { return spec_.mode == LinkMode::api || spec_.mode == LinkMode::automatic; }
  [[nodiscard]] bool hears() const { return is_live() || status_.state == LinkState::listening; }

 private:
  struct Ending {
    std::string why;
    bool not_meshtastic = false;
    bool refused = false;
  };
  // Something heard, kept back until it is known which board says it.
  struct Heard {
    std::variant<proto::LogLine, proto::Record> what;
    Moment when;
  };

  // The story (link.cpp).
  [[nodiscard]] boost::asio::awaitable<Ending> session();
  [[nodiscard]] boost::asio::awaitable<Result<Stream>> connect();
  [[nodiscard]] boost::asio::awaitable<Ending> converse(Stream& stream);
  [[nodiscard]] boost::asio::awaitable<Ending> cut_off();
  [[nodiscard]] boost::asio::awaitable<void> rest_after(Ending ending);
  [[nodiscard]] boost::asio::awaitable<void> rest(Duration d);
  [[nodiscard]] boost::asio::awaitable<void> wait_for_replug();
  [[nodiscard]] boost::asio::awaitable<void> wait_for_owner();
  [[nodiscard]] Result<std::string> path_now();
  [[nodiscard]] const recorder::PortRow* remembered() const;
  void given_up();
  void begin(Moment now);
  void end(const Ending& ending, Moment now);
  void drain(Stream& stream);
  void reflect();
  void tell_trouble(LinkState state, std::string trouble);
  void set_state(LinkState state, std::string trouble);

  // What is said and heard (link_talk.cpp).
  [[nodiscard]] boost::asio::awaitable<Ending> hear(Stream& stream);
  [[nodiscard]] boost::asio::awaitable<Ending> speak(Stream& stream);
  [[nodiscard]] boost::asio::awaitable<Ending> end_lines();
  [[nodiscard]] boost::asio::awaitable<std::optional<Ending>> perform(Stream& stream,
                                                                      Conversation::Action action);
  [[nodiscard]] boost::asio::awaitable<std::optional<Ending>> perform_all(
      Stream& stream, std::vector<Conversation::Action> actions);
  [[nodiscard]] boost::asio::awaitable<std::optional<Ending>> run_errand(Stream& stream);
  [[nodiscard]] boost::asio::awaitable<std::optional<Ending>> send(Stream& stream,
                                                                   std::span<const std::uint8_t> bytes);
  [[nodiscard]] std::optional<Mono> next_deed() const;
  void take_bytes(std::span<const std::uint8_t> bytes, Moment now);
  void mind_sleep(Moment now);
  void take_in(const proto::StreamItem& item, Moment now);
  void take_frame(const proto::Frame& frame, Moment now);
  void admit(Heard heard);
  void record(std::variant<proto::LogLine, proto::Record> what, Moment now);
  void record_held_back();
  void let_go_of_held_back();
  [[nodiscard]] bool may_keep_back(Moment now) const;
  [[nodiscard]] bool may_be_anothers() const;
  [[nodiscard]] bool on_its_own_port() const;
  [[nodiscard]] bool own_node_refused(const proto::Record& record);

  [[nodiscard]] Carrier carrier() const;
  [[nodiscard]] bool is_serial() const { return carrier() == Carrier::serial; }

  LinkSurroundings around_;
  LinkSpec spec_;
  recorder::LinkIndex index_;
  DeviceDesk& desk_;
  Claim claim_;
  Neighbours neighbours_;
  const Clock& clock_;
  Patience patience_;
  std::mt19937 random_;
  Backoff backoff_;
  Conversation conversation_;
  proto::Framer framer_;
  proto::TextReader text_reader_;
  Timer wake_;   // of speak()
  Timer quiet_;  // of end_lines()
  Timer cut_;    // of cut_off()
  Timer rest_;   // between two sessions, and during a hold
  Hold hold_ = Hold::none;
  std::function<void()> closed_;  // of the hold
  bool in_session_ = false;
  bool tried_again_ = false;  // a person asked for it
  std::optional<Ending> cut_why_;
  std::shared_ptr<Errand> errand_;
  std::vector<Heard> held_back_;
  bool keeps_back_ = false;
  bool bytes_came_ = false;
  bool frame_came_ = false;  // one that could be read, over this stream
  bool open_ = false;
  Duration suspended_;              // of the host, when something was last heard
  bool known_ = false;              // answered as a Meshtastic device since the daemon began
  std::string path_;                // of the port opened last
  PortInfo port_;                   // the same, with what the catalogue knows
  std::int64_t frames_before_ = 0;  // of earlier streams
  std::int64_t bad_bytes_before_ = 0;
  std::string advice_;
  std::string told_;  // the trouble logged last
  LinkSnapshot status_;
};

}  // namespace leakhunt::daemon
