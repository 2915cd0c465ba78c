// Warnings, and a y or N on the terminal.
#include "ctl/confirm.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <vector>

#include "proto/printable.h"

namespace leakhunt::ctl {
namespace {

void say(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

// Devices that are configured have links; the others are in the store alone.
std::vector<std::string> configured(const v1::Status& status) {
  std::vector<std::string> out;
  for (const v1::DeviceStatus& device : status.devices()) {
    if (!device.links().empty()) out.push_back(device.name());
  }
  return out;
}

Result<std::string> recorded_device(const std::string& asked, const std::vector<std::string>& configured) {
  if (configured.size() == 1) return configured.front();
  if (!asked.empty())
    return Error{ErrorCode::usage, "no device \"" + asked + "\" is configured", "",
                 "leakhuntctl devices lists those that are"};
  std::string names;
  for (const std::string& name : configured) names += (names.empty() ? "" : ", ") + name;
  return configured.empty()
             ? Error{ErrorCode::usage, "no device is configured", "", "add one to the configuration"}
             : Error{ErrorCode::usage, "which device?", "", "name one of: " + names};
}

bool agreed() {
  std::array<char, 64> line{};
  if (std::fgets(line.data(), line.size(), stdin) == nullptr) return false;
  return line[0] == 'y' || line[0] == 'Y';
}

}  // namespace

bool must_be_confirmed(const v1::Question& question) {
  return question.has_debug_log() || question.change_device().forget();
}

Result<std::string> device_meant(const v1::Question& question, const v1::Status& status) {
  const std::vector<std::string> recorded = configured(status);
  if (question.has_debug_log()) return recorded_device(question.device(), recorded);
  if (recorded.empty()) return question.device();
  return Error{ErrorCode::usage, "\"" + question.device() + "\" is being recorded", "forget",
               "take it out of the configuration and restart leakhuntd first"};
}

std::string warning_of(const v1::Question& question) {
  const std::string device = proto::printable(question.device());
  if (question.has_debug_log()) {
    return "This changes a setting of " + device +
           ": its API log (security.debug_log_api_enabled) is switched " +
           (question.debug_log().on() ? "on" : "off") +
           ", nothing else.\nIts security settings are read and written back for that, and it REBOOTS.\n"
           "Log lines come over a serial link alone: over TCP a device sends none, whatever this setting.\n";
  }
  if (question.change_device().forget())
    return "This deletes " + device + " and all that was ever recorded of it. It cannot be undone.\n";
  return "";
}

Outcome confirm(const std::string& warning, bool yes) {
  say(warning);
  if (yes) return Done{};
  if (::isatty(STDIN_FILENO) == 0) {
    return Error{ErrorCode::usage, "this must be confirmed, and there is no terminal to ask on", "",
                 "add --yes to agree beforehand"};
  }
  say("Go on? [y/N] ");
  if (!agreed()) return Error{ErrorCode::failed, "nothing was done", "", ""};
  return Done{};
}

}  // namespace leakhunt::ctl
