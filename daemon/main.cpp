// The command line of leakhuntd.
#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "answer/json.h"
#include "daemon/config.h"
#include "daemon/daemon.h"
#include "daemon/doctor.h"
#include "daemon/port_answer.h"
#include "daemon/port_catalogue.h"
#include "daemon/port_choice.h"
#include "daemon/serial_port.h"

namespace leakhunt::daemon {
namespace {

constexpr double kMostTimeScale = 600;
constexpr const char* kServiceConfig = "/etc/leakhunt/leakhuntd.toml";

struct Arguments {
  std::string config_file;
  bool check = false;
  bool find_device = false;
  bool list_ports = false;
  bool doctor = false;
  std::string ports_folder;
  std::string state_dir;
  std::vector<std::string> devices;
  std::optional<double> time_scale;
  std::int64_t time_origin_us = 0;
};

int refuse(const Error& error) {
  std::cerr << "leakhuntd: " << error.line() << '\n';
  return static_cast<int>(error.code);
}

Result<Config> configure(const Arguments& arguments) {
  Config config;
  if (!arguments.config_file.empty()) {
    auto loaded = load_config(arguments.config_file);
    if (!loaded) return loaded.error();
    config = *std::move(loaded);
  }
  for (const std::string& device : arguments.devices) {
    if (const auto added = add_device_argument(config, device); !added) return added.error();
  }
  config.runtime_dir = service_runtime_dir();
  config.ports_folder = arguments.ports_folder;
  if (!arguments.state_dir.empty()) config.state_dir = arguments.state_dir;
  if (config.state_dir.empty()) {
    auto dir = default_state_dir();
    if (!dir) return dir.error();
    config.state_dir = *std::move(dir);
  }
  return config;
}

// Virtual time makes no sense with a device that lives in real time.
Outcome check_virtual_time(double scale, const Config& config) {
  if (!(scale > 0 && scale <= kMostTimeScale)) {
    return Error{ErrorCode::usage, fmt::format("--time-scale {} is not allowed", scale), "",
                 "above 0, up to 600"};
  }
  for (const DeviceConfig& device : config.devices) {
    for (const LinkSpec& link : device.links) {
      const auto* serial = std::get_if<SerialAddress>(&link.address);
      if (serial == nullptr || port_stamp(serial->path).empty() || is_pty(serial->path)) continue;
      return Error{ErrorCode::usage, "virtual time is for simulated devices, and this port is no pty",
                   serial->path, "start without --time-scale"};
    }
  }
  return Done{};
}

// On stdout in either case: what a script shows or takes.
int find_device(const Arguments& arguments) {
  const auto ports = make_catalogue(arguments.ports_folder)->ports();
  const auto port = find_port(AutoAddress{}, ports, nullptr);
  std::cout << (port ? stable_link(*port, ports) : port.error().line()) << '\n';
  return port ? 0 : static_cast<int>(port.error().code);
}

// The configured devices with their links alone: nothing runs.
v1::Devices devices_of(const Config& config) {
  v1::Devices devices;
  for (const DeviceConfig& device : config.devices) {
    v1::DeviceStatus& status = *devices.add_devices();
    status.set_name(device.name);
    for (const LinkSpec& link : device.links) status.add_links()->set_address(word(link.address));
  }
  return devices;
}

int list_ports(const Config& config) {
  v1::Devices devices = devices_of(config);
  add_ports(make_catalogue(config.ports_folder)->ports(), devices);
  std::cout << ports_text(devices);
  return 0;
}

int doctor(const Config& config) {
  const v1::Doctor found = examine(config, make_catalogue(config.ports_folder)->ports(), nullptr);
  std::cout << answer::to_json(found) << '\n';
  return 0;
}

// Without a file named, the doctor looks after the service.
Result<Config> configure_for_doctor(Arguments arguments) {
  std::error_code error;
  if (arguments.config_file.empty() && std::filesystem::exists(kServiceConfig, error))
    arguments.config_file = kServiceConfig;
  return configure(arguments);
}

int start(const Arguments& arguments) {
  if (arguments.find_device) return find_device(arguments);
  const auto config = arguments.doctor ? configure_for_doctor(arguments) : configure(arguments);
  if (!config) return refuse(config.error());
  if (arguments.list_ports) return list_ports(*config);
  if (arguments.doctor) return doctor(*config);
  std::optional<VirtualTime> virtual_time;
  if (arguments.time_scale) {
    virtual_time = VirtualTime{*arguments.time_scale, Mono{arguments.time_origin_us}};
    if (const auto fits = check_virtual_time(*arguments.time_scale, *config); !fits)
      return refuse(fits.error());
  }
  if (arguments.check) {
    std::cout << "the configuration is in order: " << config->devices.size() << " devices, state in "
              << config->state_dir.string() << '\n';
    if (config->devices.empty()) std::cerr << "leakhuntd: warning: " << kNoDevice << '\n';
    return 0;
  }
  return run(*config, virtual_time);
}

int parse_and_start(int argc, char** argv) {
  Arguments arguments;
  CLI::App app{"leakhuntd - records Meshtastic devices and tells whether they leak memory"};
  app.set_version_flag("--version", LEAKHUNT_VERSION);
  const CLI::Option* file = app.add_option("--config", arguments.config_file, "TOML file to read");
  app.add_flag("--check", arguments.check, "Check the configuration and end");
  app.add_option("--state-dir", arguments.state_dir, "Folder of leakhunt.db and control.sock");
  app.add_option(
         "--device", arguments.devices,
         "NAME=tcp:HOST[:PORT] | NAME=serial:PATH | NAME=usb:SERIALNUMBER | NAME=auto, each with #api, "
         "#listen, #auto or #gentle")
      ->allow_extra_args(false);
  app.add_flag("--find-device", arguments.find_device,
               "Print the link of the one port that is surely a device");
  app.add_flag("--list-ports", arguments.list_ports, "List the serial ports and how to name each as a link");
  app.add_flag("--doctor", arguments.doctor, "Look for what keeps devices from being recorded; prints JSON");
  app.add_option("--ports", arguments.ports_folder)->group("");
  app.add_option("--time-scale", arguments.time_scale)->group("");
  app.add_option("--time-origin", arguments.time_origin_us)->group("")->needs("--time-scale");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return refuse({ErrorCode::usage, error.what(), "", "see leakhuntd --help"});
  }
  if (file->count() > 0 && arguments.config_file.empty()) {
    return refuse(
        {ErrorCode::usage, "--config names no file", "", "name a TOML file, or leave --config out"});
  }
  return start(arguments);
}

}  // namespace
}  // namespace leakhunt::daemon

int main(int argc, char** argv) {
  // What a stranger sends is answered with an error, not with lines of a library.
  google::protobuf::SetLogHandler(nullptr);
  try {
    return leakhunt::daemon::parse_and_start(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "leakhuntd: " << error.what() << '\n';
    return 1;
  }
}
