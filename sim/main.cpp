// leakhunt-sim: a scripted Meshtastic device on a TCP port, a pseudo-terminal or both.
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
  PortKind kind() const override { return PortKind::serial; }
  void write(std::string_view bytes, Mono) override {
    file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  std::size_t waiting_bytes(Mono) override { return 0; }
  void drop_unsent() override {}
  void hang_up() override {}
  void restart(Mono) override {}
  [[nodiscard]] bool sound() { return static_cast<bool>(file_.flush()); }

 private:
  std::ofstream file_;
};

int record(const Options& options, Scenario scenario) {
  FilePort port{options.record_file};
  const Moment start = SystemClock{}.now();
  Device device{options.setup, std::move(scenario), start, {&port}};
  device.run_until(start.mono + from_seconds(*options.duration_s));
  if (!port.sound())
    return complain({ErrorCode::failed, "cannot write", options.record_file, "is there room?"});
  std::printf("%s\n", summary(device, {}).c_str());
  return 0;
}

using OwnedPorts = std::vector<std::unique_ptr<LivePort>>;

Outcome open_ports(const Options& options, OwnedPorts& ports) {
  const auto take = [&ports](Result<std::unique_ptr<LivePort>> opened) -> Outcome {
    if (!opened) return opened.error();
    ports.push_back(std::move(*opened));
    return Done{};
  };
  if (options.tcp_port)
    if (Outcome taken = take(open_tcp(*options.tcp_port)); !taken) return taken;
  if (!options.pty_link.empty()) return take(open_pty(options.pty_link, options.speed));
  return Done{};
}

int play(const Options& options, Scenario scenario) {
  // Before anyone is told that it runs.
  const Descriptor stop = catch_stop_signals();
  const Mono origin = options.time_origin_us ? Mono{*options.time_origin_us} : SystemClock{}.now().mono;
  const ScaledClock clock{options.speed, origin};
  OwnedPorts owned;
  if (const Outcome opened = open_ports(options, owned); !opened) return complain(opened.error());
  LivePorts ports;
  for (const auto& port : owned) {
    ports.push_back(port.get());
    std::printf("%s\n", port->greeting().c_str());
  }
  std::fflush(stdout);
  if ((options.wait || scenario.waits) && !wait_for_reader(ports, stop)) return 0;
  const Moment start = clock.now();
  Device device{options.setup, std::move(scenario), start, {ports.begin(), ports.end()}};
  RunLimits limits{.until = std::nullopt, .commands = options.commands};
  if (options.duration_s) limits.until = start.mono + from_seconds(*options.duration_s);
  if (const Outcome served = serve(device, ports, clock, limits, stop); !served)
    return complain(served.error());
  std::printf("%s\n", summary(device, ports).c_str());
  return 0;
}

int run(const Options& options) {
  Result<Scenario> scenario = make_scenario(options.scenario, options.shape);
  if (!scenario) return complain(scenario.error());
  if (!options.record_file.empty()) return record(options, std::move(*scenario));
  return play(options, std::move(*scenario));
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
