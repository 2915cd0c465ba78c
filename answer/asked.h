// What every question needs before it can be answered: whose record, up to when, over which window.
#pragma once

#include <string>
#include <vector>

#include "answer/engine.h"
#include "base/result.h"
#include "storage/reader.h"

namespace leakhunt::answer {

// A question about one device.
struct Asked {
  storage::Reader& reader;
  const EngineSettings& settings;
  recorder::DeviceRow device;  // id kNotInStore when nothing of it has been stored yet
  const v1::Status* live = nullptr;
  const v1::DeviceStatus* live_device = nullptr;
  Utc now;  // the daemon's clock; offline just behind the newest record
  bool offline = false;
  v1::Rules rules = v1::RULES_LEAKHUNT;
};

inline constexpr recorder::DeviceId kNotInStore{-1};

// Of the store and of the running recorder, each once, in the order of their names.
[[nodiscard]] std::vector<recorder::DeviceRow> known_devices(storage::Reader& reader, const v1::Status* live);

// The device of that name; with an empty name the only one. Errors list the devices.
[[nodiscard]] Result<Asked> ask_of(storage::Reader& reader, const EngineSettings& settings,
                                   const AnswerContext& context, const std::string& device, v1::Rules rules);
[[nodiscard]] Asked ask_of_known(storage::Reader& reader, const EngineSettings& settings,
                                 const AnswerContext& context, const recorder::DeviceRow& device,
                                 v1::Rules rules);

struct AskedWindow {
  storage::Window span;
  std::string asked;        // as in v1::Window
  bool is_default = false;  // the question may choose another
  bool ends_now = false;
};

// The window of a question. `all` and the default reach back to the first record or by `default_length`.
[[nodiscard]] Result<AskedWindow> window_of(const Asked& asked, const v1::WindowSpec& spec,
                                            Duration default_length);

void fill(v1::Window& out, const AskedWindow& window);

// INTERFACES "now offline": whose newest record is taken for now; empty online.
[[nodiscard]] std::string now_note(const Asked& asked);

}  // namespace leakhunt::answer
