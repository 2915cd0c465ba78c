// Warnings, and a y or N on the terminal.
#include "ctl/confirm.h"

#include <unistd.h>

#include <array>
#include <cstdio>

#include "proto/printable.h"

namespace leakhunt::ctl {
namespace {

void say(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

std::string whose(const std::string& device) {
  return device.empty() ? "the device" : proto::printable(device);
}

bool agreed() {
  std::array<char, 64> line{};
  if (std::fgets(line.data(), line.size(), stdin) == nullptr) return false;
  return line[0] == 'y' || line[0] == 'Y';
}

}  // namespace

std::string warning_of(const v1::Question& question) {
  const std::string device = whose(question.device());
  if (question.has_debug_log()) {
    return "This changes a setting of " + device +
           ": its API log (security.debug_log_api_enabled) is switched " +
           (question.debug_log().on() ? "on" : "off") +
           ", nothing else.\nIts security settings are read and written back for that, and it REBOOTS.\n";
  }
  if (question.change_device().forget()) {
    return "This deletes " + device + " and all that was ever recorded of it. It cannot be undone.\n";
  }
  return "";
}

Outcome confirm(const std::string& warning, bool yes) {
  if (warning.empty()) return Done{};
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
