// Picks device, present moment and window of a question. See asked.h.
#include "answer/asked.h"

#include <algorithm>

#include "answer/times.h"
#include "answer/words.h"

namespace leakhunt::answer {
namespace {

constexpr Duration kJustBehind{1};

const v1::DeviceStatus* live_device(const v1::Status* live, const std::string& name) {
  if (live == nullptr) {
    return nullptr;
  }
  const auto found = std::find_if(live->devices().begin(), live->devices().end(),
                                  [&](const v1::DeviceStatus& d) { return d.name() == name; });
  return found == live->devices().end() ? nullptr : &*found;
}

std::string names_of(const std::vector<recorder::DeviceRow>& devices) {
  std::vector<std::string> names;
  for (const auto& device : devices) {
    names.push_back(device.name);
  }
  return joined(names);
}

Error which_device(const std::vector<recorder::DeviceRow>& devices, const std::string& name) {
  if (devices.empty()) {
    return {ErrorCode::no_data, "no device has been recorded yet", "",
            "give the recorder one: leakhuntd --device NAME=tcp:HOST or NAME=serial:PATH"};
  }
  if (name.empty()) {
    return {ErrorCode::usage, "there are several devices", "", "say which: --device " + names_of(devices)};
  }
  return {ErrorCode::usage, "no device is named \"" + name + "\"", "", "there are: " + names_of(devices)};
}

}  // namespace

std::vector<recorder::DeviceRow> known_devices(storage::Reader& reader, const v1::Status* live) {
  std::vector<recorder::DeviceRow> devices = reader.devices();
  if (live != nullptr) {
    for (const v1::DeviceStatus& status : live->devices()) {
      const bool stored = std::any_of(devices.begin(), devices.end(),
                                      [&](const auto& device) { return device.name == status.name(); });
      if (!stored) {
        devices.push_back({kNotInStore, status.name()});
      }
    }
  }
  std::sort(devices.begin(), devices.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return devices;
}

Asked ask_of_known(storage::Reader& reader, const EngineSettings& settings, const AnswerContext& context,
                   const recorder::DeviceRow& device, v1::Rules rules) {
  Asked asked{reader,      settings,        device, context.live, live_device(context.live, device.name),
              context.now, context.offline, rules};
  if (context.offline) {
    const auto newest = reader.newest(device.id);
    asked.now = newest ? *newest + kJustBehind : context.now;
  }
  return asked;
}

Result<Asked> ask_of(storage::Reader& reader, const EngineSettings& settings, const AnswerContext& context,
                     const std::string& device, v1::Rules rules) {
  const auto devices = known_devices(reader, context.live);
  const auto found = std::find_if(devices.begin(), devices.end(),
                                  [&](const auto& candidate) { return candidate.name == device; });
  if (found != devices.end()) {
    return ask_of_known(reader, settings, context, *found, rules);
  }
  if (device.empty() && devices.size() == 1) {
    return ask_of_known(reader, settings, context, devices.front(), rules);
  }
  return which_device(devices, device);
}

// All that is recorded, wherever a clock that was set has put it, and up to now.
storage::Window all_of(const Asked& asked) {
  storage::Window all{asked.now - kJustBehind, asked.now};
  const auto hold = [&all](Utc when) {
    all.start = std::min(all.start, when);
    all.end = std::max(all.end, when + kJustBehind);
  };
  for (const storage::BootSpan& boot : asked.reader.boots(asked.device.id)) {
    for (const storage::BootRange& range : storage::ranges(boot, storage::kAllTime)) {
      hold(range.utc_zero + std::max(range.from, boot.first_t));
      hold(range.utc_zero + std::min(range.to, boot.last_t));
    }
  }
  for (const auto& event : asked.reader.events(asked.device.id, storage::kAllTime, {}, false))
    hold(event.utc);
  return all;
}

Result<AskedWindow> window_of(const Asked& asked, const v1::WindowSpec& spec, Duration default_length) {
  const auto parsed = parse_window({spec.window(), spec.start(), spec.end()}, asked.now, default_length);
  if (!parsed) {
    return parsed.error();
  }
  AskedWindow window;
  window.asked = parsed->asked;
  window.is_default = parsed->is_default;
  if (parsed->span) {
    window.span = *parsed->span;
  } else if (parsed->is_default) {
    window.span = {asked.now - default_length, asked.now};
  } else {
    window.span = all_of(asked);
  }
  window.ends_now = window.span.end >= asked.now;
  return window;
}

void fill(v1::Window& out, const AskedWindow& window) {
  out.set_start(epoch(window.span.start));
  out.set_end(epoch(window.span.end));
  out.set_asked(window.asked);
}

std::string now_note(const Asked& asked) {
  return asked.offline ? "the newest record of " + asked.device.name + " stands for now" : "";
}

}  // namespace leakhunt::answer
