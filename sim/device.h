// A simulated Meshtastic device: boots, keeps time, answers its clients, prints its log, plays a scenario. It
// runs on virtual time that others hand in and writes to ports that others read; it knows no sockets, no
// clock, no arguments.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "sim/agenda.h"
#include "sim/memlog.h"
#include "sim/oddities.h"
#include "sim/port.h"
#include "sim/scenarios.h"
#include "sim/session.h"
#include "sim/wire.h"

namespace leakhunt::sim {

struct Setup {
  Identity identity = {};
  Security security = {};
  Oddities odd = {};
  bool debug_heap = false;    // a DEBUG_HEAP build
  bool text_only = false;     // a serial line never leaves text mode: nobody can talk there
  bool tcp_log = false;       // log records over TCP too, as no released firmware does
  bool old_console = false;   // before July 2026: text goes on beside frames while the API log is off
  bool says_rebooted = true;  // `rebooted` at boot on a serial line
  bool colour = true;
  bool reports_heap = true;         // false: a stock meshtasticd, whose LocalStats has no heap fields
  std::uint32_t reboot_count = 41;  // before the first boot of this run
  double uptime_s = 0;              // how long it has been running at the start
  double clock_set_s = 20;          // uptime at which its clock becomes real; ??:??:?? before
  std::optional<double> stale_pair_s = std::nullopt;  // the first pair has waited so long for a client
  std::optional<double> reboot_at_s = std::nullopt;   // one clean restart at this uptime
  double line_every_s = 5;                            // cadence of ordinary log lines
  double packet_every_s = 25;                         // cadence of other nodes' packets
};

struct Counters {
  std::uint64_t frames_sent = 0;
  std::uint64_t frames_heard = 0;
  std::uint64_t text_lines = 0;
  std::uint64_t log_records = 0;
  std::uint64_t stats_asked = 0;
  std::uint64_t stats_answered = 0;
  std::uint64_t boots = 0;
  std::uint64_t to_others = 0;  // packets a client had for other nodes: they would go over the air
};

class Device {
 public:
  // Powers it on at `start`. The ports must outlive the device; each has a session of its own.
  Device(Setup setup, Scenario scenario, Moment start, const std::vector<Port*>& ports);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // Does all that is due up to `now`.
  void run_until(Mono now);
  [[nodiscard]] std::optional<Mono> next() const { return agenda_.next(); }

  // The client's side of a port of this device.
  void opened(const Port& port, Mono now);
  void closed(const Port& port, Mono now);
  void heard(const Port& port, std::string_view bytes, Mono now);

  // Told of everything the device writes, right after a port was given it.
  using Tap = std::function<void(const Port& port, std::string_view bytes, Mono at)>;
  void tap(Tap tap) { tap_ = std::move(tap); }
  // Told of everything that clients send, also of what the device does not hear.
  void overhear(Tap tap) { overheard_ = std::move(tap); }

  // A test's hand on the device.
  void reboot(Restart why, Mono now);
  void say(const LogLine& line, Mono now);                             // a line of its log
  void write_raw(const Port& port, std::string_view bytes, Mono now);  // bytes as they are
  void junk(const Port& port, std::size_t bytes, Mono now);  // reproducible junk that holds no frame
  void stall(Duration length, Mono now);  // sends nothing meanwhile; what it would have sent is lost
  void fall_silent(bool silent) { silent_ = silent; }
  void set_free(double bytes, Mono now);              // moves the whole curve so that it reads this now
  void dip(double bytes, double length_s, Mono now);  // takes that much away for so long
  void hear_text(std::string_view text, Mono now);    // a text message of another node, and its log line
  void send_stats(Mono now);                          // LocalStats and device_metrics, unasked, now
  void send_nodes(Mono now);                          // all node infos, unasked
  void set_clock(Mono now);                           // its log shows the time of day from now on
  void become(std::uint32_t node) { setup_.identity.node = node; }
  void flash(std::string firmware, Mono now);  // another version, and a restart

  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] const Identity& identity() const { return setup_.identity; }
  // As the device keeps it, whatever it tells.
  [[nodiscard]] const Security& security() const { return setup_.security; }
  // Seconds since boot.
  [[nodiscard]] double uptime_s(Mono now) const { return seconds(now - boot_at_); }

 private:
  // Powered on at `on`; tells so only if that is now.
  void boot(Restart why, Mono on, Mono now);
  void announce_boot(Restart why, Mono at);
  void wait_with_stale_pair(double age_s, Mono now);
  void schedule_habits(Mono at);
  void schedule_memory_lines(Mono at);
  void schedule_scenario(Mono at);
  void add_flow(const ThreadFlow& flow, Mono at);
  // The first time not before `at` of a thing done at `first_s` of uptime and every `period_s` after.
  [[nodiscard]] Mono first_after(Mono at, double first_s, double period_s) const;
  void repeat(Mono at, double first_s, double period_s, Agenda::Task task);

  void answer(Session& session, const ClientMessage& message, Mono at);
  void on(Session& session, const WantConfig& message, Mono at);
  void on(Session& session, const Heartbeat& message, Mono at);
  void on(Session& session, const Disconnect& message, Mono at);
  void on(Session& session, const StatsRequest& message, Mono at);
  void on(Session& session, const SecurityRequest& message, Mono at);
  void on(Session& session, const SecurityChange& message, Mono at);
  void on(Session& session, const OtherChange& message, Mono at);
  void on(Session& session, const BeginEdit& message, Mono at);
  void on(Session& session, const CommitEdit& message, Mono at);
  void on(Session& session, const RebootRequest& message, Mono at);
  void on(Session& session, const OtherPacket& message, Mono at);
  void on(Session& session, const Unknown& message, Mono at);
  // Confirms the packet in the transmit queue; false if its id was seen before, so that it is ignored.
  bool accept(Session& session, std::uint32_t packet_id, Mono at);
  [[nodiscard]] bool answers_now(Mono at);
  void changed(Mono at);
  void reboot_after(double delay_s, Mono at);
  void node_infos_for_ever(Session& session, std::uint64_t greeting, std::size_t next_node, Mono at);
  // To the client of this session after `delay_s`, or to nobody.
  void reply(Session& session, std::uint32_t port, std::uint32_t request_id, std::string payload,
             double delay_s, Mono at);
  // What is done `delay_s` later if the client is still the same.
  void later(Session& session, double delay_s, Mono at, Agenda::Task task);

  void tick(Mono at);
  void telemetry_run(Mono at);
  void deliver(const Packet& packet, Mono at);
  void deliver_to(Session& session, const Packet& packet, Mono at);
  void wait_for_client(const Packet& packet);
  void transmit(Session& session, const std::string& message, Mono at);
  void write(Session& session, std::string_view bytes, Mono at);
  void junk_to(Session& session, std::size_t bytes, Mono at);
  void log(const LogLine& line, Mono at);
  void log_to(Session& session, const LogLine& line, Mono at);
  [[nodiscard]] std::string as_text(const LogLine& line, Mono at);
  void raw_lines(const std::vector<std::string>& lines, Mono at);
  [[nodiscard]] bool mute(Mono at) const;
  [[nodiscard]] bool in_text_mode(const Session& session) const;
  [[nodiscard]] bool console_waits(Mono at);
  [[nodiscard]] Session& session_of(const Port& port);
  [[nodiscard]] std::vector<Identity> known_nodes() const;
  [[nodiscard]] Security told_security() const;
  [[nodiscard]] Packet local_packet(std::uint32_t port, std::string payload);
  [[nodiscard]] Stats stats(Mono at) const;
  [[nodiscard]] std::uint32_t free(Mono at) const;
  [[nodiscard]] std::uint32_t epoch_s(Mono at) const;
  [[nodiscard]] std::uint32_t fresh_id();

  Setup setup_;
  Scenario scenario_;
  Moment start_;
  Agenda agenda_;
  std::vector<Session> sessions_;  // one per port, for good: things to be done hold on to them
  Tap tap_;
  Tap overheard_;
  Counters counters_;
  std::deque<Packet> to_phone_;
  std::set<std::uint32_t> seen_;
  std::vector<Effect> own_effects_;  // of the scenario alone; a test's dips go with the next boot
  double own_base_bytes_ = 0;

  Mono boot_at_;
  Mono muted_until_;
  bool silent_ = false;
  bool editing_ = false;
  bool changed_ = false;
  std::optional<Mono> last_stats_at_;  // unasked LocalStats
  std::optional<Mono> last_asked_at_;
  double clock_set_s_ = 0;  // in this boot
  bool last_answered_ = false;
  std::uint32_t shown_uptime_s_ = 0;  // as the telemetry thread saw it last
  std::uint32_t lowest_free_ = 0;
  std::uint32_t status_free_ = 0;   // at the last "Heap status" line
  std::uint32_t summary_free_ = 0;  // at the last "Heap:" line
  std::uint32_t packets_rx_ = 0;
  std::uint32_t packets_tx_ = 0;
  std::uint64_t line_number_ = 0;
  std::uint64_t packet_number_ = 0;
  std::uint64_t ids_ = 0;
  std::uint64_t junk_ = 0;
};

}  // namespace leakhunt::sim
