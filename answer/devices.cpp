// The questions about devices as such: which there are, and the changes a person makes of them.
#include <algorithm>

#include "answer/questions.h"
#include "answer/words.h"
#include "recorder/device_name.h"

namespace leakhunt::answer {
namespace {

constexpr const char* kChanges =
    "leakhuntctl device rename OLD NEW, device merge FROM INTO, or device forget NAME";

bool is_configured(const v1::Status* live, const std::string& name) {
  return live != nullptr &&
         std::any_of(live->devices().begin(), live->devices().end(),
                     [&](const v1::DeviceStatus& device) { return device.name() == name; });
}

// The device of that name, which must have been recorded already.
Result<recorder::DeviceRow> stored(const std::vector<recorder::DeviceRow>& devices, const std::string& name) {
  std::vector<std::string> names;
  for (const recorder::DeviceRow& device : devices) {
    if (device.name == name && device.id == kNotInStore) {
      return Error{ErrorCode::usage, "nothing of \"" + name + "\" has been recorded yet", "",
                   "change its name in the configuration"};
    }
    if (device.name == name) {
      return device;
    }
    names.push_back(device.name);
  }
  return Error{ErrorCode::usage, "no device is named \"" + name + "\"", "",
               names.empty() ? "no device has been recorded yet" : "there are: " + joined(names)};
}

Error still_configured(const std::string& name, const char* change) {
  return {ErrorCode::usage, "\"" + name + "\" is being recorded", change,
          "take it out of the configuration and restart leakhuntd first"};
}

Reply changed_reply(const std::string& before, const std::string& now, recorder::Row row) {
  Reply reply;
  reply.answer.mutable_change_device()->set_device(before);
  reply.answer.mutable_change_device()->set_now(now);
  reply.rows.push_back(std::move(row));
  return reply;
}

// What a change of a device is decided by.
struct Change {
  storage::Reader& reader;
  const v1::Status* live;
  std::vector<recorder::DeviceRow> devices;
  recorder::DeviceRow device;
};

Result<Reply> rename(const Change& change, const std::string& name) {
  if (!recorder::is_device_name(name)) {
    return Error{ErrorCode::usage, "\"" + name + "\" is no name for a device", "rename",
                 "allowed: " + std::string{recorder::kDeviceNameForms}};
  }
  const bool taken = std::any_of(change.devices.begin(), change.devices.end(),
                                 [&](const recorder::DeviceRow& device) { return device.name == name; });
  if (taken) {
    return Error{
        ErrorCode::usage, "there is a device named \"" + name + "\"", "rename",
        "another name; or make one of the two: leakhuntctl device merge " + change.device.name + " " + name};
  }
  Reply reply = changed_reply(change.device.name, name, recorder::RenameDevice{change.device.id, name});
  if (is_configured(change.live, change.device.name)) {
    reply.answer.mutable_change_device()->set_hint(
        "write name = \"" + name +
        "\" into the configuration too, or the next start of leakhuntd begins a new \"" + change.device.name +
        "\"");
  }
  return reply;
}

recorder::BootId last_boot(storage::Reader& reader, recorder::DeviceId device) {
  const auto boots = reader.boots(device);
  return boots.empty() ? recorder::kNoBoot : boots.back().boot.id;
}

Result<Reply> merge(const Change& change, const std::string& name) {
  const auto into = stored(change.devices, name);
  if (!into) {
    return into.error();
  }
  if (into->id == change.device.id) {
    return Error{ErrorCode::usage, "both are \"" + name + "\"", "merge", "name two devices"};
  }
  if (is_configured(change.live, change.device.name)) {
    return still_configured(change.device.name, "merge");
  }
  // Boots stand in the order of their ids, and the one being recorded is the last.
  const bool goes_on = is_configured(change.live, name);
  if (goes_on && last_boot(change.reader, change.device.id) > last_boot(change.reader, into->id)) {
    return Error{ErrorCode::failed,
                 "\"" + change.device.name + "\" has boots younger than the one \"" + name + "\" is in",
                 "merge", "wait until " + name + " has booted again, then merge"};
  }
  recorder::MergeDevices row{change.device.id, into->id, change.reader.identities(change.device.id), {}};
  for (const recorder::CounterRow& counter : change.reader.counters(change.device.id)) {
    row.counters.emplace_back(counter.name, counter.total);
  }
  return changed_reply(change.device.name, name, std::move(row));
}

Result<Reply> forget(const Change& change) {
  if (is_configured(change.live, change.device.name)) {
    return still_configured(change.device.name, "forget");
  }
  return changed_reply(change.device.name, "", recorder::ForgetDevice{change.device.id});
}

}  // namespace

Result<v1::Devices> answer_devices(storage::Reader& reader, const EngineSettings& settings,
                                   const AnswerContext& context, const std::string& device) {
  auto status = answer_status(reader, settings, context, device);
  if (!status) {
    return status.error();
  }
  v1::Devices out;
  out.set_offline(context.offline);
  for (v1::DeviceStatus& each : *status->mutable_devices()) {
    if (context.offline || is_configured(context.live, each.name())) {
      *out.add_devices() = std::move(each);
    } else {
      out.add_unused(each.name());
    }
  }
  return out;
}

Result<Reply> answer_change_device(storage::Reader& reader, const AnswerContext& context,
                                   const std::string& device, const v1::DeviceRequest& request) {
  const auto devices = known_devices(reader, context.live);
  const auto found = stored(devices, device);
  if (!found) {
    return found.error();
  }
  const Change change{reader, context.live, devices, *found};
  switch (request.change_case()) {
    case v1::DeviceRequest::kRenameTo:
      return rename(change, request.rename_to());
    case v1::DeviceRequest::kMergeInto:
      return merge(change, request.merge_into());
    case v1::DeviceRequest::kForget:
      return forget(change);
    default:
      return Error{ErrorCode::usage, "what is to be changed of \"" + device + "\"?", "", kChanges};
  }
}

}  // namespace leakhunt::answer
