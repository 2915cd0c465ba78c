// The faults, one function each.
#include "tests/daemon/torture.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace leakhunt::daemon::testing {
namespace {

constexpr Duration kPoll{10'000'000};

// Nothing but what the test itself has it say, so that each reading is another one.
sim::Scenario quiet(std::uint64_t seed) {
  sim::Scenario scenario;
  scenario.name = "torture";
  scenario.heap.total_bytes = 8'000'000;
  scenario.heap.base_bytes = 7'100'000;
  scenario.heap.noise_bytes = 0;
  scenario.heap.held_bytes = 0;
  scenario.heap.seed = seed;
  scenario.chatters = false;
  scenario.lines = {{.line = {sim::Level::info, "Router", "unit-{} moves"}, .from_s = 2, .every_s = 3}};
  return scenario;
}

}  // namespace

Torture::Torture(std::uint32_t seed)
    : random_(seed), bench_({.seed = seed, .write_every = std::chrono::seconds{20}}) {
  for (int i = 0; i < 6; ++i) add("net" + std::to_string(i), true, i == 5 ? "#gentle" : "");
  for (int i = 0; i < 6; ++i)
    add("usb" + std::to_string(i), false, i < 3 ? "#listen" : i == 5 ? "#auto" : "");
  bench_.at_rest([this] {
    for (auto& victim : victims_) victim->ledger.check();
  });
}

void Torture::add(const std::string& name, bool tcp, const std::string& mode) {
  const auto number = static_cast<std::uint32_t>(victims_.size() + 1);
  const bool listen = mode == "#listen";
  BoardSpec spec;
  spec.setup.identity.node = 0x5000'0000 + number;
  spec.setup.debug_heap = listen;
  spec.setup.text_only = listen;
  spec.scenario = quiet(number);
  spec.tcp = tcp;
  if (!tcp) spec.pty = "ttyACM" + std::to_string(number);
  spec.usb_serial = "TORTURE-" + std::to_string(number);
  const std::string serial = spec.usb_serial;
  Board& board = bench_.plug(std::move(spec));
  sim::LivePort& port = tcp ? board.tcp() : board.pty();
  victims_.push_back(std::unique_ptr<Victim>(
      new Victim{name, board, Ledger{board.device(), port}, !listen, false, {bench_.now()}, std::nullopt}));
  Victim& victim = *victims_.back();
  board.before_deeds([&victim](Mono now) {
    victim.next_bytes -= 4;
    victim.board.device().set_free(victim.next_bytes, now);
  });
  bench_.record(name, {(tcp ? board.tcp_address() : "usb:" + serial) + mode}, kPoll);
}

double Torture::draw(double least, double most) {
  return std::uniform_real_distribution<double>{least, most}(random_);
}

void Torture::go_on(Duration d) {
  const Mono end = bench_.now() + d;
  while (!remedies_.empty() && remedies_.begin()->first <= end) {
    bench_.advance(std::max(remedies_.begin()->first - bench_.now(), Duration{0}));
    const auto remedy = std::move(remedies_.begin()->second);
    remedies_.erase(remedies_.begin());
    remedy();
    bench_.settle();
  }
  bench_.advance(end - bench_.now());
}

void Torture::run(int faults) {
  bench_.start();
  go_on(std::chrono::seconds{60});
  for (int i = 0; i < faults; ++i) {
    go_on(from_seconds(draw(0.3, 8)));
    strike();
  }
  go_on(std::chrono::seconds{300});
  bench_.stop();
}

// Each fault meets a board that is well: the recorder hears it and has heard it since its last restart.
bool Torture::may_strike(const Victim& victim) {
  if (victim.busy || !victim.ledger.heard_since_boot()) return false;
  const BenchSnapshot snapshot = bench_.snapshot();
  const auto found = std::find_if(snapshot.devices.begin(), snapshot.devices.end(),
                                  [&](const DeviceSnapshot& each) { return each.live.name == victim.name; });
  const LinkState state = found->links.front().state;
  return victim.hears_frames ? state == LinkState::connected : state == LinkState::listening;
}

void Torture::strike() {
  constexpr std::array<Fault, 10> kFaults{
      &Torture::disconnect, &Torture::disconnect,      &Torture::disconnect, &Torture::unplug,
      &Torture::unplug,     &Torture::half_open,       &Torture::garbage,    &Torture::reboot,
      &Torture::reboot,     &Torture::reboot_unplugged};
  for (;;) {
    Victim& victim = *victims_[static_cast<std::size_t>(draw(0, 11.999))];
    if (may_strike(victim)) {
      if (chance(0.5)) speak_unheard(victim);
      const Fault fault = kFaults[static_cast<std::size_t>(draw(0, 9.999))];
      victim.ledger.check();
      (this->*fault)(victim);
      // The recorder may be held up meanwhile, and then find the fault and much else at once.
      if (chance(0.3)) bench_.clock().move_to(bench_.now() + from_seconds(draw(0, 12)));
      return bench_.settle();
    }
    go_on(std::chrono::seconds{1});
  }
}

void Torture::speak_unheard(Victim& victim) {
  bench_.clock().move_to(bench_.now() + from_seconds(draw(0.01, 1.5)));
  const Mono now = bench_.now();
  victim.next_bytes -= 4;
  victim.board.device().set_free(victim.next_bytes, now);
  if (victim.board.has_tcp()) victim.board.device().send_stats(now);
  bench_.boards_alone();
  if (!victim.board.has_tcp()) return;
  bench_.boards_until([&] {
    victim.ledger.check();
    return victim.ledger.all_delivered();
  });
}

void Torture::command(Victim& victim, const std::string& words) {
  char when[32];
  std::snprintf(when, sizeof when, "%10.3f ", seconds(bench_.now() - SteppedBench::kStart.mono));
  diary_.push_back(when + victim.name + " " + words);
  victim.board.command(words, bench_.now());
}

void Torture::later(Victim& victim, double least_s, double most_s, std::function<void()> remedy) {
  victim.busy = true;
  remedies_.emplace(bench_.now() + from_seconds(draw(least_s, most_s)),
                    [&victim, remedy = std::move(remedy)] {
                      victim.busy = false;
                      remedy();
                    });
}

void Torture::disconnect(Victim& victim) {
  if (!victim.board.has_tcp()) return unplug(victim);
  const bool reset = chance(0.5);
  ++done_[reset ? "reset" : "fin"];
  command(victim, reset ? "reset" : "drop");
}

void Torture::unplug(Victim& victim) {
  const bool renamed = !victim.board.has_tcp() && chance(0.6);
  ++done_[renamed ? "rename" : "unplug"];
  command(victim, "unplug");
  later(victim, 0.2, 45, [this, &victim, renamed] {
    if (!renamed) return command(victim, "plug");
    victim.board.replug("ttyACM" + std::to_string(++names_));
  });
}

void Torture::half_open(Victim& victim) {
  if (victim.board.has_tcp() && chance(0.5)) {
    ++done_["vanish"];
    return command(victim, "vanish");
  }
  ++done_["freeze"];
  command(victim, "freeze");
  later(victim, 1, 150, [this, &victim] { command(victim, "thaw"); });
}

void Torture::garbage(Victim& victim) {
  ++done_["garbage"];
  command(victim, "garbage " + std::to_string(static_cast<int>(draw(10, 1'500))));
}

void Torture::restart(Victim& victim, const std::string& how) {
  ++done_[how];
  command(victim, how);
  victim.began.push_back(bench_.now());
}

void Torture::reboot(Victim& victim) {
  constexpr std::array<const char*, 3> kHow{"reboot", "panic", "watchdog"};
  // Signs of different kinds within a minute are one boot, by rule: of two boots the second would begin late.
  constexpr Duration kApart = std::chrono::seconds{75};
  if (victim.unseen && bench_.now() - *victim.unseen < kApart) return disconnect(victim);
  restart(victim, kHow[static_cast<std::size_t>(draw(0, 2.999))]);
}

void Torture::reboot_unplugged(Victim& victim) {
  // By its lines alone a boot is known if it is younger than the line before, or begins clearly later.
  constexpr double kOldEnough_s = 100;
  if (victim.board.device().uptime_s(bench_.now()) < kOldEnough_s) return unplug(victim);
  ++done_["unplugged"];
  command(victim, "unplug");
  later(victim, 0.2, 20, [this, &victim] {
    restart(victim, "reboot");
    later(victim, 0.2, 20, [this, &victim] {
      command(victim, "plug");
      victim.unseen = bench_.now();
    });
  });
}

}  // namespace leakhunt::daemon::testing
