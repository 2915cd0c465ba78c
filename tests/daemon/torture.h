// Twelve boards that are unplugged, cut off, half open, drowned in garbage and restarted, at moments and in
// an order drawn from a seed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/daemon/ledger.h"
#include "tests/daemon/stepped.h"

namespace leakhunt::daemon::testing {

// A board of the bench, and what is known of it.
struct Victim {
  std::string name;
  Board& board;
  Ledger ledger;
  bool hears_frames = true;    // not a line that is only listened to
  bool busy = false;           // a fault is under way
  std::vector<Mono> began;     // its boots
  std::optional<Mono> unseen;  // when the recorder could first hear of a boot it has not seen
  double next_bytes = 7'000'000;
};

class Torture {
 public:
  explicit Torture(std::uint32_t seed);
  // So many faults, then peace until all is well again; the recorder ends.
  void run(int faults);

  [[nodiscard]] SteppedBench& bench() { return bench_; }
  [[nodiscard]] const std::vector<std::unique_ptr<Victim>>& victims() const { return victims_; }
  // What was done, one line each, for whoever looks into a failing seed.
  [[nodiscard]] const std::vector<std::string>& diary() const { return diary_; }
  [[nodiscard]] const std::map<std::string, int>& faults_done() const { return done_; }

 private:
  using Fault = void (Torture::*)(Victim&);
  void add(const std::string& name, bool tcp, const std::string& mode);
  void strike();
  [[nodiscard]] bool may_strike(const Victim& victim);
  void command(Victim& victim, const std::string& words);
  // Undoes a fault after so long.
  void later(Victim& victim, double least_s, double most_s, std::function<void()> remedy);
  void go_on(Duration d);
  // The board has just spoken, and the recorder has not run since.
  void speak_unheard(Victim& victim);

  void disconnect(Victim& victim);
  void unplug(Victim& victim);
  void half_open(Victim& victim);
  void garbage(Victim& victim);
  void reboot(Victim& victim);
  void reboot_unplugged(Victim& victim);
  void restart(Victim& victim, const std::string& how);

  [[nodiscard]] double draw(double least, double most);
  [[nodiscard]] bool chance(double share) { return draw(0, 1) < share; }

  std::mt19937 random_;
  SteppedBench bench_;
  std::vector<std::unique_ptr<Victim>> victims_;
  std::multimap<Mono, std::function<void()>> remedies_;
  std::vector<std::string> diary_;
  std::map<std::string, int> done_;
  int names_ = 20;  // of ports
};

}  // namespace leakhunt::daemon::testing
