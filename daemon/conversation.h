// What a link says to its device and when: the one place that decides to send. Knows no socket, port or clock
// of its own; told what was heard and what time it is, it tells what to send and when to be asked again.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/time.h"
#include "daemon/link_address.h"
#include "daemon/poll_policy.h"
#include "proto/records.h"
#include "proto/to_radio.h"

namespace leakhunt::daemon {

// How long a device may take before it counts as not answering.
struct Patience {
  Duration first_frame{20'000'000};  // from want_config to any frame
  Duration handshake{60'000'000};    // from want_config to config_complete
  Duration silence{60'000'000};      // from a heartbeat to any frame
  Duration connect{10'000'000};      // to a TCP connection
  Duration line{500'000};            // without a byte: a line without end is taken as it is

  // The defaults, but never shorter than one second of real time: virtual time makes no computer faster.
  [[nodiscard]] static Patience under(const Clock& clock);
};

// Traits of a link that change what silence means.
enum class Carrier : std::uint8_t { tcp, serial };

class Conversation {
 public:
  enum class Phase : std::uint8_t {
    listening,  // writes not one byte (for ever, or while `automatic` waits for a `[heap N]`)
    handshake,  // want_config sent, config_complete not yet seen
    live,       // config complete
    dormant,    // an open serial port whose device stopped answering; heard again it is greeted again
  };
  struct Greet {};  // proto::want_config()
  struct Beat {};   // proto::heartbeat()
  struct Ask {      // proto::local_stats_request(node, id)
    std::uint32_t node = 0;
    std::uint32_t id = 0;
  };
  // The link is of no use: close it. `not_meshtastic`: nothing there ever spoke the protocol.
  struct Close {
    std::string why;
    bool not_meshtastic = false;
  };
  using Action = std::variant<Greet, Beat, Ask, Close>;
  // The bytes of an action; none for Close. Nothing else is ever sent.
  [[nodiscard]] static proto::Bytes bytes_of(const Action& action);

  static constexpr int kHandshakes = 3;
  static constexpr Duration kQuietHeartbeat{60'000'000};  // while nothing else comes
  static constexpr Duration kHeartbeat{300'000'000};      // always
  static constexpr Duration kBootSettles{2'000'000};      // from the last sign of a boot to the greeting
  static constexpr Duration kDormantRetry{300'000'000};
  static constexpr Duration kLongestHandshake{15 * 60'000'000LL};  // that a device which never ends one gets
  static constexpr Duration kListensFirst{20'000'000};  // `automatic`: from the open, and from each boot

  // `fresh_id` gives a random number for each request; 0 is drawn again.
  Conversation(LinkMode mode, Carrier carrier, std::optional<Duration> poll, Patience patience,
               std::function<std::uint32_t()> fresh_id);

  // The stream is open. `known`: this port has answered as a Meshtastic device before.
  [[nodiscard]] std::vector<Action> opened(Mono now, bool known);
  // A frame's record was heard.
  void heard(const proto::Record& record, Mono now);
  // A line of text was heard.
  void heard(const proto::LogLine& line, Mono now);
  // Another link of the device asks for its LocalStats: this one does not, until told otherwise.
  void leave_asking(bool to_another) { poll_.leave(to_another); }
  // What is to be done at `now`.
  [[nodiscard]] std::vector<Action> due(Mono now);
  // When due() is to be called next, unless something is heard before.
  [[nodiscard]] std::optional<Mono> next() const;

  [[nodiscard]] Phase phase() const { return phase_; }
  // Why the device is not live, or empty.
  [[nodiscard]] std::string trouble() const;
  // "want_config at connect, heartbeat ..., LocalStats request every 60 s".
  [[nodiscard]] std::string sends() const;
  // The node was told since the last greeting.
  [[nodiscard]] bool node_told() const { return node_told_; }
  [[nodiscard]] const PollPolicy& poll() const { return poll_; }
  [[nodiscard]] std::uint32_t own_node() const { return own_node_; }

 private:
  void greet(Mono now, std::vector<Action>& actions);
  void handshake_due(Mono now, std::vector<Action>& actions);
  void live_due(Mono now, std::vector<Action>& actions);
  void give_up(Mono now, std::vector<Action>& actions, const std::string& why);
  void beat(Mono now, std::vector<Action>& actions);
  void boot_seen(Mono now);
  void listen_first(Mono now);
  void complete(Mono now);
  [[nodiscard]] Mono next_heartbeat() const;
  [[nodiscard]] Duration handshake_limit() const;
  [[nodiscard]] std::optional<Mono> silence_limit() const;
  [[nodiscard]] std::uint32_t fresh_id();

  LinkMode mode_;
  Carrier carrier_;
  Patience patience_;
  std::function<std::uint32_t()> draw_;
  PollPolicy poll_;
  Phase phase_ = Phase::listening;
  bool known_ = false;
  std::uint32_t own_node_ = 0;
  bool node_told_ = false;  // my_info came since the last want_config
  int unanswered_handshakes_ = 0;
  int endless_handshakes_ = 0;
  Mono greeted_;
  Mono last_frame_;
  Mono last_beat_;
  std::optional<Mono> unanswered_beat_;  // the first heartbeat since the last frame
  bool frame_since_greeting_ = false;
  std::optional<Mono> greet_at_;
  Mono listens_since_;  // `automatic`: the open, or the last sign of a boot
};

}  // namespace leakhunt::daemon
