// A whole bench in one process and in virtual time: simulated boards on real sockets and terminals, the
// links, the queue, and a store on disk, all on the test's own thread. Time stands still until nothing moves
// any more; then it goes on to the next thing that anybody waits for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/config.h"
#include "daemon/links.h"
#include "sim/device.h"
#include "sim/ports.h"
#include "storage/sqlite.h"
#include "storage/writer.h"
#include "tests/daemon/stepped_clock.h"

namespace leakhunt::daemon::testing {

// A folder of its own, gone with the test.
class BenchFolder {
 public:
  BenchFolder();
  BenchFolder(const BenchFolder&) = delete;
  BenchFolder& operator=(const BenchFolder&) = delete;
  ~BenchFolder();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct BoardSpec {
  sim::Setup setup = {};
  sim::Scenario scenario = {};
  bool tcp = false;
  std::string pty = {};         // its name in the folder of ports (ttyACM0); empty: it has none
  std::string usb_serial = {};  // of the pty; empty: no USB port
};

// A simulated board and what it is connected by.
class Board {
 public:
  Board(BoardSpec spec, const std::filesystem::path& ports_folder, Moment now);

  [[nodiscard]] sim::Device& device() { return *device_; }
  [[nodiscard]] sim::LivePort& tcp() { return *tcp_; }
  [[nodiscard]] sim::LivePort& pty() { return *pty_; }
  [[nodiscard]] bool has_tcp() const { return tcp_ != nullptr; }
  [[nodiscard]] bool has_pty() const { return pty_ != nullptr; }
  // As a link's address: tcp:127.0.0.1:PORT, serial:PATH.
  [[nodiscard]] std::string tcp_address() const;
  [[nodiscard]] std::string pty_address() const;
  [[nodiscard]] std::uint16_t tcp_port() const;
  // Comes back on the bus under another name of the folder.
  void replug(const std::string& name);
  // A command of docs/simulator.md; the test fails if it does.
  void command(const std::string& words, Mono now);
  // Called whenever the device is about to do what is due.
  void before_deeds(std::function<void(Mono now)> hook) { before_deeds_ = std::move(hook); }

  // Whether anything was due or to be fetched; does it.
  bool run(Mono now);
  [[nodiscard]] std::optional<Mono> next(Mono now) const;

 private:
  void describe(const std::string& name) const;
  [[nodiscard]] bool has_input() const;

  std::filesystem::path folder_;
  std::string pty_name_;
  std::string usb_serial_;
  std::unique_ptr<sim::LivePort> tcp_;
  std::unique_ptr<sim::LivePort> pty_;
  std::vector<sim::LivePort*> ports_;
  std::unique_ptr<sim::Device> device_;
  std::function<void(Mono now)> before_deeds_;
};

class SteppedBench {
 public:
  static constexpr Moment kStart{{1'790'000'000'000'000}, {5'000'000'000}};

  struct Options {
    std::uint32_t seed = 1;
    std::size_t queue_bytes = std::size_t{64} << 20;
    Duration write_every{1'000'000};  // how often the store takes what is queued
  };

  SteppedBench();
  explicit SteppedBench(Options options);
  SteppedBench(const SteppedBench&) = delete;
  SteppedBench& operator=(const SteppedBench&) = delete;
  ~SteppedBench();

  // Powers a board on.
  Board& plug(BoardSpec spec);
  // Before start(): a device of this name, its links written as in the configuration.
  void record(const std::string& name, const std::vector<std::string>& links,
              std::optional<Duration> poll = kDefaultPoll);
  // The recorder begins; may begin again after stop(), on the same store.
  void start();
  // It ends in good order, with all rows in the store.
  void stop();

  // Until nothing moves; no time passes.
  void settle();
  // Runs the boards and what is said to hold, in real time, until it holds or an acknowledgement would have
  // come; whether it holds.
  bool boards_until(const std::function<bool()>& holds);
  // Goes on by `d`, from deed to deed, and comes to rest.
  void advance(Duration d);
  // Boards do what is due and write it, and nobody reads: only the kernel has it.
  void boards_alone();

  [[nodiscard]] SteppedClock& clock() { return clock_; }
  [[nodiscard]] Mono now() const { return clock_.now().mono; }
  [[nodiscard]] BenchSnapshot snapshot();
  [[nodiscard]] Links& links() { return *running_links(); }
  [[nodiscard]] storage::RowQueue& queue() { return queue_; }
  // Called whenever the bench has come to rest.
  void at_rest(std::function<void()> hook) { at_rest_ = std::move(hook); }
  // While stalled the store takes nothing.
  void stall_store(bool stalled) { store_stalled_ = stalled; }
  // While stalled the recorder reads nothing.
  void stall_reader(bool stalled) { reader_stalled_ = stalled; }
  [[nodiscard]] std::string store_path() const { return (folder_.path() / "leakhunt.db").string(); }
  [[nodiscard]] storage::Connection store() const;

 private:
  class Recording;
  [[nodiscard]] Links* running_links();
  bool run_boards();
  void write_rows();
  [[nodiscard]] Mono next_deed(Mono limit) const;

  Options options_;
  BenchFolder folder_;
  std::filesystem::path ports_folder_;
  SteppedClock clock_{kStart};
  storage::RowQueue queue_;
  std::optional<storage::Writer> writer_;
  std::vector<std::unique_ptr<Board>> boards_;
  std::set<std::uint16_t> device_ports_;
  std::vector<DeviceConfig> devices_;
  std::unique_ptr<Recording> recording_;
  std::function<void()> at_rest_;
  bool store_stalled_ = false;
  bool reader_stalled_ = false;
  Mono next_write_;
};

}  // namespace leakhunt::daemon::testing
