// The commands about devices, ports and the recorder itself: their words made questions.
#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "answer/times.h"
#include "ctl/words.h"

namespace leakhunt::ctl {
namespace {

constexpr const char* kDeviceForms = "device rename OLD NEW, device merge FROM INTO, or device forget NAME";

Error wrong(std::string what, std::string where, std::string hint) {
  return {ErrorCode::usage, std::move(what), std::move(where), std::move(hint)};
}

// The line of usage of a command whose words CLI11 cannot know.
class Usage : public CLI::Formatter {
 public:
  explicit Usage(std::string words) : words_(std::move(words)) {}
  std::string make_usage(const CLI::App* /*app*/, std::string name) const override {
    return "Usage: " + name + " [OPTIONS] " + words_ + "\n";
  }

 private:
  std::string words_;
};

std::shared_ptr<Usage> usage(const char* words) {
  return std::make_shared<Usage>(words);
}

// A question about NAME, which may also have been given as --device.
Result<v1::Question> about(const Words& w, const std::string& name, const char* command) {
  v1::Question q = question_for(w);
  if (!name.empty() && !w.device.empty() && name != w.device)
    return wrong("two devices are named: " + name + " and " + w.device, command, "name one of them");
  if (!name.empty()) q.set_device(name);
  return {q};
}

Result<std::optional<double>> length_of(const Words& w) {
  if (w.length.empty()) return std::optional<double>{};
  const auto length = answer::parse_length(w.length);
  // A window may be written with a sign, what is to come may not.
  if (!length || w.length.find_first_of("+-") != std::string::npos)
    return wrong("'" + w.length + "' is no length of time", "--for", "15m, 1.5h, 2d, or seconds");
  return std::optional{seconds(*length)};
}

Result<What> build_devices(const Words& w) {
  v1::Question q = question_for(w);
  q.mutable_devices();
  return {q};
}

Result<What> build_doctor(const Words& w) {
  v1::Question q = question_for(w);
  q.mutable_doctor();
  return {q};
}

Result<What> build_release(const Words& w) {
  auto q = about(w, w.label, "release");
  if (!q) return q.error();
  const auto length = length_of(w);
  if (!length) return length.error();
  q->mutable_release();
  if (*length) q->mutable_release()->set_for_s(**length);
  if (w.command.empty()) return {*q};
  if (w.command.size() == 1)
    return wrong("no command stands behind --", "release", "release NAME -- COMMAND…");
  return {ReleaseCommand{*q, {w.command.begin() + 1, w.command.end()}}};
}

Result<What> build_resume(const Words& w) {
  auto q = about(w, w.label, "resume");
  if (!q) return q.error();
  q->mutable_resume();
  return {*q};
}

Result<What> build_pause(const Words& w) {
  if (!w.device.empty())
    return wrong("a pause is of the whole recorder", "pause --device", "leakhuntctl release " + w.device);
  v1::Question q = question_for(w);
  const auto length = length_of(w);
  if (!length) return length.error();
  q.mutable_pause();
  if (*length) q.mutable_pause()->set_for_s(**length);
  return {q};
}

Result<What> build_debug_log(const Words& w) {
  if (w.action != "on" && w.action != "off")
    return wrong("neither on nor off: '" + w.action + "'", "debug-log", "debug-log on|off NAME [--yes]");
  auto q = about(w, w.label, "debug-log");
  if (!q) return q.error();
  q->mutable_debug_log()->set_on(w.action == "on");
  return {*q};
}

Result<What> build_device(const Words& w) {
  const bool two = w.action == "rename" || w.action == "merge";
  if (!two && w.action != "forget") return wrong("unknown change '" + w.action + "'", "device", kDeviceForms);
  if (w.names.size() != (two ? 2U : 1U)) return wrong("which device?", "device " + w.action, kDeviceForms);
  auto q = about(w, w.names.front(), "device");
  if (!q) return q.error();
  v1::DeviceRequest& request = *q->mutable_change_device();
  if (w.action == "rename") request.set_rename_to(w.names.back());
  if (w.action == "merge") request.set_merge_into(w.names.back());
  if (w.action == "forget") request.set_forget(true);
  return {*q};
}

}  // namespace

void add_device_commands(CLI::App& app, Words& w, std::vector<Command>& out) {
  auto* devices = app.add_subcommand("devices", "Devices that are recorded, and the ports of this machine");
  out.push_back({devices, build_devices});

  auto* device = app.add_subcommand("device", "rename OLD NEW | merge FROM INTO | forget NAME [--yes]");
  device->formatter(usage("rename OLD NEW | merge FROM INTO | forget NAME"));
  device->add_option("action", w.action, "rename, merge or forget")->required();
  device->add_option("names", w.names, "the device, and its new name or the one it becomes a part of");
  device->add_flag("--yes", w.yes, "forget without asking");
  out.push_back({device, build_device});

  auto* release = app.add_subcommand(
      "release", "Hand a device's port to another program: release NAME [--for 15m] [-- COMMAND…]");
  release->formatter(usage("[NAME] [-- COMMAND…]"));
  release->add_option("name", w.label, "the device, default the only one");
  release->add_option("--for", w.length, "taken back after so long, default 15m, or when COMMAND ends");
  release->footer(
      "With COMMAND: runs it, takes the device back when it ends, and ends with the exit code of COMMAND.\n"
      "With both, what comes first takes the device back: --for also while COMMAND still runs.");
  out.push_back({release, build_release});

  auto* resume =
      app.add_subcommand("resume", "Take a released device back; without NAME all, and end a pause");
  resume->add_option("name", w.label, "the device");
  out.push_back({resume, build_resume});

  auto* pause = app.add_subcommand("pause", "Let go of all devices until `resume`");
  pause->add_option("--for", w.length, "go on after so long");
  out.push_back({pause, build_pause});

  auto* debug_log =
      app.add_subcommand("debug-log", "Switch a device's API log: debug-log on|off NAME. The device reboots");
  debug_log->formatter(usage("on|off [NAME]"));
  debug_log->add_option("action", w.action, "on or off")->required();
  debug_log->add_option("name", w.label, "the device, default the only one");
  debug_log->add_flag("--yes", w.yes, "do not ask");
  out.push_back({debug_log, build_debug_log});

  auto* doctor = app.add_subcommand("doctor", "What stands in the way of recording, and what to do about it");
  out.push_back({doctor, build_doctor});
}

}  // namespace leakhunt::ctl
