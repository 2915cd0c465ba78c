// One link to one device, for as long as the daemon runs. Includes Asio: for links.cpp alone.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "base/time.h"
#include "daemon/backoff.h"
#include "daemon/conversation.h"
#include "daemon/device_desk.h"
#include "daemon/link_status.h"
#include "daemon/stream.h"
#include "proto/framer.h"
#include "proto/redact.h"

namespace leakhunt::daemon {

class Link {
 public:
  Link(boost::asio::any_io_executor executor, LinkSpec spec, recorder::LinkIndex index, DeviceDesk& desk,
       const Clock& clock, bool only_ptys);

  // Connects, converses, and begins again, for ever.
  [[nodiscard]] boost::asio::awaitable<void> run();
  [[nodiscard]] LinkSnapshot snapshot() const;
  // The stream is gone because the daemon ends.
  void stop(Moment now);

 private:
  using Timer = boost::asio::steady_timer;
  struct Ending {
    std::string why;
    bool not_meshtastic = false;
  };

  [[nodiscard]] boost::asio::awaitable<Result<Stream>> connect();
  [[nodiscard]] boost::asio::awaitable<Ending> converse(Stream& stream);
  [[nodiscard]] boost::asio::awaitable<Ending> hear(Stream& stream);
  [[nodiscard]] boost::asio::awaitable<Ending> speak(Stream& stream);
  [[nodiscard]] boost::asio::awaitable<Ending> end_lines();
  [[nodiscard]] boost::asio::awaitable<std::optional<Ending>> perform(Stream& stream,
                                                                      Conversation::Action action);
  [[nodiscard]] boost::asio::awaitable<void> wait_for_replug();
  void take_in(const proto::StreamItem& item, Moment now);
  void begin(Moment now);
  void end(const Ending& ending, Moment now);
  void reflect();
  void tell_trouble(LinkState state, std::string trouble);
  void set_state(LinkState state, std::string trouble);
  [[nodiscard]] Carrier carrier() const;
  [[nodiscard]] bool is_serial() const { return carrier() == Carrier::serial; }

  boost::asio::any_io_executor executor_;
  LinkSpec spec_;
  recorder::LinkIndex index_;
  DeviceDesk& desk_;
  const Clock& clock_;
  bool only_ptys_;
  Patience patience_;
  std::mt19937 random_{std::random_device{}()};
  Backoff backoff_;
  Conversation conversation_;
  proto::Framer framer_;
  proto::TextReader text_reader_;
  Timer wake_;   // of speak()
  Timer quiet_;  // of end_lines()
  bool bytes_came_ = false;
  bool frame_came_ = false;  // one that could be read, over this stream
  bool open_ = false;
  bool known_ = false;              // answered as a Meshtastic device since the daemon began
  std::string path_;                // of the port opened last
  std::int64_t frames_before_ = 0;  // of earlier streams
  std::int64_t bad_bytes_before_ = 0;
  std::string told_;  // the trouble logged last
  LinkSnapshot status_;
};

}  // namespace leakhunt::daemon
