// leakhunt-sim: a scripted Meshtastic device on a TCP port or a pseudo-terminal.
#include <cstdio>
#include <fstream>

#include "sim/options.h"
#include "sim/server.h"

namespace leakhunt::sim {
namespace {

int complain(const Error& error) {
  std::fprintf(stderr, "leakhunt-sim: %s\n", error.line().c_str());
  return static_cast<int>(error.code);
}

// A port that only writes down what it is given.
class FilePort final : public Port {
 public:
  explicit FilePort(const std::string& path) : file_(path, std::ios::binary) {}
  void write(std::string_view bytes, Mono) override {
    file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  void drop_unsent() override {}
  void hang_up() override {}
  void restart(Mono) override {}
  [[nodiscard]] bool sound() { return static_cast<bool>(file_.flush()); }

 private:
  std::ofstream file_;
};

void print_counters(const Device& device, std::uint64_t dropped, std::uint64_t unheard) {
  const Counters& n = device.counters();
  std::printf(
      "sent frames %llu, log records %llu, text lines %llu; heard frames %llu; stats asked %llu, answered "
      "%llu; "
      "boots %llu; dropped bytes %llu, unheard bytes %llu\n",
      static_cast<unsigned long long>(n.frames_sent), static_cast<unsigned long long>(n.log_records),
      static_cast<unsigned long long>(n.text_lines), static_cast<unsigned long long>(n.frames_heard),
      static_cast<unsigned long long>(n.stats_asked), static_cast<unsigned long long>(n.stats_answered),
      static_cast<unsigned long long>(n.boots), static_cast<unsigned long long>(dropped),
      static_cast<unsigned long long>(unheard));
}

int record(const Options& options, Scenario scenario) {
  FilePort port{options.record_file};
  const Moment start = SystemClock{}.now();
  Device device{options.setup, std::move(scenario), start, port};
  device.run_until(start.mono + from_seconds(*options.duration_s));
  if (!port.sound())
    return complain({ErrorCode::failed, "cannot write", options.record_file, "is there room?"});
  print_counters(device, 0, 0);
  return 0;
}

int run(const Options& options) {
  Result<Scenario> scenario = make_scenario(options.scenario, options.shape);
  if (!scenario) return complain(scenario.error());
  if (!options.record_file.empty()) return record(options, std::move(*scenario));
  // Before anyone is told that it runs.
  const Descriptor stop = catch_stop_signals();
  const Mono origin = options.time_origin_us ? Mono{*options.time_origin_us} : SystemClock{}.now().mono;
  const ScaledClock clock{options.speed, origin};
  Result<std::unique_ptr<LivePort>> port =
      options.tcp_port ? open_tcp(*options.tcp_port) : open_pty(options.pty_link, options.speed);
  if (!port) return complain(port.error());
  std::printf("%s\n", (*port)->greeting().c_str());
  std::fflush(stdout);
  if ((options.wait || scenario->waits) && !wait_for_reader(**port, stop)) return 0;
  const Moment start = clock.now();
  Device device{options.setup, std::move(*scenario), start, **port};
  RunLimits limits{.until = std::nullopt, .commands = options.commands};
  if (options.duration_s) limits.until = start.mono + from_seconds(*options.duration_s);
  const Outcome served = serve(device, **port, clock, limits, stop);
  if (!served) return complain(served.error());
  print_counters(device, (*port)->dropped_bytes(), (*port)->unheard_bytes());
  return 0;
}

}  // namespace
}  // namespace leakhunt::sim

int main(int argc, char** argv) {
  const auto read = leakhunt::sim::read_options(argc, argv);
  if (!read) return leakhunt::sim::complain(read.error());
  if (const auto* print = std::get_if<leakhunt::sim::Print>(&*read)) {
    std::fputs(print->text.c_str(), stdout);
    return 0;
  }
  return leakhunt::sim::run(std::get<leakhunt::sim::Options>(*read));
}
