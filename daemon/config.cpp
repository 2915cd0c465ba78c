// Reads the daemon's TOML. Every error names file, line, key, value and remedy.
#include "daemon/config.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <utility>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "answer/times.h"
#include "recorder/device_name.h"

namespace leakhunt::daemon {
namespace {

// Ends the reading of a file at its first fault; caught in parse_config.
struct Refused {
  Error error;
};

// Where a value stands: for messages.
struct Place {
  std::string_view file;
  std::string prefix;  // of the table's keys: "", "alerts.", "device[2]."
};

std::string shown(const toml::node& value) {
  std::ostringstream out;
  value.visit([&](const auto& node) { out << node; });
  std::string text = std::move(out).str();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.size() > 80 ? text.substr(0, 77) + "..." : text;
}

std::string at_line(std::string_view file, const toml::source_region& source) {
  return std::string{file} + ":" + std::to_string(source.begin.line);
}

[[noreturn]] void refuse(const Place& place, std::string_view key, const toml::node& value,
                         const std::string& allowed) {
  throw Refused{{ErrorCode::usage, place.prefix + std::string{key} + " = " + shown(value) + " is not allowed",
                 at_line(place.file, value.source()), "allowed: " + allowed}};
}

using Reader = std::function<void(const toml::node&)>;
struct Key {
  std::string_view name;
  Reader read;
};

std::string names_of(const std::vector<Key>& keys) {
  std::string all;
  for (const Key& key : keys) all += (all.empty() ? "" : ", ") + std::string{key.name};
  return all;
}

void read_table(const Place& place, const toml::table& table, const std::vector<Key>& keys) {
  for (const auto& [key, value] : table) {
    const auto found =
        std::find_if(keys.begin(), keys.end(), [&](const Key& k) { return k.name == key.str(); });
    if (found != keys.end()) {
      found->read(value);
      continue;
    }
    throw Refused{{ErrorCode::usage,
                   "the key " + place.prefix + std::string{key.str()} + " is unknown (" + shown(value) + ")",
                   at_line(place.file, key.source()), "allowed: " + names_of(keys)}};
  }
}

std::string text_of(const Place& place, std::string_view key, const toml::node& value) {
  const auto text = value.value_exact<std::string>();
  if (!text || text->empty()) refuse(place, key, value, "a text in quotes that is not empty");
  return *text;
}

Duration duration_of(const Place& place, std::string_view key, const toml::node& value, Duration least,
                     const std::string& allowed) {
  const auto text = value.value_exact<std::string>();
  if (!text) refuse(place, key, value, allowed);
  // A window may be written with a sign, a duration may not.
  if (text->starts_with('-') || text->starts_with('+')) refuse(place, key, value, allowed);
  const auto duration = answer::parse_length(*text);
  if (!duration || *duration < least) refuse(place, key, value, allowed);
  return *duration;
}

std::int64_t whole_of(const Place& place, std::string_view key, const toml::node& value, std::int64_t least,
                      std::int64_t most) {
  const auto number = value.value_exact<std::int64_t>();
  if (!number || *number < least || *number > most) {
    refuse(place, key, value, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return *number;
}

bool bool_of(const Place& place, std::string_view key, const toml::node& value) {
  const auto yes = value.value_exact<bool>();
  if (!yes) refuse(place, key, value, "true or false");
  return *yes;
}

double positive_of(const Place& place, std::string_view key, const toml::node& value) {
  const auto number = value.value<double>();
  if (!number || !std::isfinite(*number) || *number <= 0) refuse(place, key, value, "a number above 0");
  return *number;
}

template <class Word, std::size_t N>
Word word_of(const Place& place, std::string_view key, const toml::node& value,
             const std::array<std::pair<std::string_view, Word>, N>& words) {
  const auto text = value.value_exact<std::string>();
  std::string allowed;
  for (const auto& [name, word] : words) {
    if (text && *text == name) return word;
    allowed += (allowed.empty() ? "" : ", ") + std::string{name};
  }
  refuse(place, key, value, allowed);
}

constexpr std::array<std::pair<std::string_view, LinkMode>, 4> kModes{{{"api", LinkMode::api},
                                                                       {"listen", LinkMode::listen},
                                                                       {"auto", LinkMode::automatic},
                                                                       {"gentle", LinkMode::gentle}}};
constexpr std::array<std::pair<std::string_view, recorder::RecordOthers>, 3> kOthers{
    {{"none", recorder::RecordOthers::none},
     {"counts", recorder::RecordOthers::counts},
     {"all", recorder::RecordOthers::all}}};

constexpr std::uintmax_t kMostConfigBytes = std::uintmax_t{1} << 20;
constexpr std::int64_t kMost = std::int64_t{1} << 40;
constexpr std::string_view kNameForms = recorder::kDeviceNameForms;

LinkSpec link_of(const Place& place, std::string_view key, const toml::node& value, LinkMode mode) {
  const auto text = value.value_exact<std::string>();
  if (!text) refuse(place, key, value, std::string{kLinkForms});
  auto link = parse_link(*text, mode);
  if (!link) refuse(place, key, value, std::string{kLinkForms} + "; " + link.error().what);
  return *std::move(link);
}

void read_links(const Place& place, const toml::node& value, LinkMode mode, std::vector<LinkSpec>& links) {
  const toml::array* list = value.as_array();
  if (list == nullptr || list->empty()) refuse(place, "links", value, "a list of " + std::string{kLinkForms});
  for (const auto& item : *list) links.push_back(link_of(place, "links", item, mode));
}

void read_poll(const Place& place, const toml::node& value, DeviceConfig& device) {
  if (value.value_exact<std::string>() == "off") {
    device.poll.reset();
    return;
  }
  device.poll = duration_of(place, "poll", value, kShortestPoll, "\"off\" or a duration of at least \"10s\"");
}

DeviceConfig read_device(const Place& place, const toml::table& table) {
  DeviceConfig device;
  LinkMode mode = LinkMode::api;
  const toml::node* link = nullptr;
  const toml::node* links = nullptr;
  const toml::node* usb = nullptr;
  read_table(place, table,
             {{"name", [&](const auto& v) { device.name = text_of(place, "name", v); }},
              {"link", [&](const auto& v) { link = &v; }},
              {"links", [&](const auto& v) { links = &v; }},
              {"usb", [&](const auto& v) { usb = &v; }},
              {"mode", [&](const auto& v) { mode = word_of(place, "mode", v, kModes); }},
              {"poll", [&](const auto& v) { read_poll(place, v, device); }},
              {"reserve_bytes",
               [&](const auto& v) { device.reserve_bytes = whole_of(place, "reserve_bytes", v, 0, kMost); }},
              {"min_free_bytes", [&](const auto& v) {
                 device.min_free_bytes = whole_of(place, "min_free_bytes", v, 0, kMost);
               }}});
  if (link != nullptr && links != nullptr) refuse(place, "link", *link, "either link or links, not both");
  if (link != nullptr) device.links.push_back(link_of(place, "link", *link, mode));
  if (links != nullptr) read_links(place, *links, mode, device.links);
  if (usb != nullptr) {
    const auto port = parse_link("usb:" + text_of(place, "usb", *usb), mode);
    if (!port) refuse(place, "usb", *usb, "a USB serial number, which leakhuntctl devices lists");
    device.links.push_back(*port);
  }
  if (device.links.empty()) {
    throw Refused{{ErrorCode::usage, place.prefix + "link is missing", at_line(place.file, table.source()),
                   "allowed: link = \"" + std::string{kLinkForms} + "\", or links = [...]"}};
  }
  if (!recorder::is_device_name(device.name)) {
    const toml::node* name = table.get("name");
    if (name != nullptr) refuse(place, "name", *name, std::string{kNameForms});
    throw Refused{{ErrorCode::usage, place.prefix + "name is missing", at_line(place.file, table.source()),
                   "allowed: " + std::string{kNameForms}}};
  }
  return device;
}

// Calls `each` with the place and table of every [[key]].
template <class Each>
void for_each_table(std::string_view file, std::string_view key, const toml::node& value, Each each) {
  const Place whole{file, ""};
  const toml::array* list = value.as_array();
  if (list == nullptr) refuse(whole, key, value, "[[" + std::string{key} + "]] blocks");
  std::size_t index = 0;
  for (const auto& item : *list) {
    const Place place{file, std::string{key} + "[" + std::to_string(++index) + "]."};
    const toml::table* table = item.as_table();
    if (table == nullptr) refuse(whole, key, item, "[[" + std::string{key} + "]] blocks");
    each(place, *table);
  }
}

// Two readers of one link would take the device's words from each other.
std::string user_of(const Config& config, const Address& address, std::string_view but) {
  for (const DeviceConfig& device : config.devices) {
    const auto same = [&](const LinkSpec& link) { return link.address == address; };
    if (device.name != but && std::any_of(device.links.begin(), device.links.end(), same)) return device.name;
  }
  return "";
}

void refuse_shared_links(const Place& place, const toml::table& table, const Config& config,
                         const DeviceConfig& device) {
  const char* key = table.contains("link") ? "link" : table.contains("links") ? "links" : "usb";
  for (auto link = device.links.begin(); link != device.links.end(); ++link) {
    const auto same = [&](const LinkSpec& other) { return other.address == link->address; };
    if (std::any_of(device.links.begin(), link, same) || !user_of(config, link->address, device.name).empty())
      refuse(place, key, *table.get(key), "each link once, and of one device alone");
  }
}

void read_devices(std::string_view file, const toml::node& value, Config& config) {
  for_each_table(file, "device", value, [&](const Place& place, const toml::table& table) {
    DeviceConfig device = read_device(place, table);
    for (const DeviceConfig& other : config.devices) {
      if (other.name == device.name)
        refuse(place, "name", *table.get("name"), "a name that no other device has");
    }
    refuse_shared_links(place, table, config, device);
    config.devices.push_back(std::move(device));
  });
}

void read_log_formats(std::string_view file, const toml::node& value, Config& config) {
  for_each_table(file, "log_format", value, [&](const Place& place, const toml::table& table) {
    recorder::LogShape format;
    read_table(place, table,
               {{"name", [&](const auto& v) { format.name = text_of(place, "name", v); }},
                {"pattern", [&](const auto& v) { format.pattern = text_of(place, "pattern", v); }},
                {"unit", [&](const auto& v) { format.unit = text_of(place, "unit", v); }},
                {"event", [&](const auto& v) { format.event = text_of(place, "event", v); }},
                {"last", [&](const auto& v) { format.last = bool_of(place, "last", v); }}});
    if (format.name.empty() || format.pattern.empty()) {
      throw Refused{{ErrorCode::usage,
                     place.prefix + (format.name.empty() ? "name" : "pattern") + " is missing",
                     at_line(place.file, table.source()), "allowed: a name and a pattern with named groups"}};
    }
    if (const auto checked = recorder::ShapeTable::make({&format, 1}); !checked) {
      throw Refused{{ErrorCode::usage, place.prefix + "pattern: " + checked.error().what,
                     at_line(place.file, table.source()), checked.error().hint}};
    }
    config.log_formats.push_back(std::move(format));
  });
}

void refuse_inverted_horizons(std::string_view file, const toml::node& value, const AlertLimits& limits) {
  if (limits.warn_horizon >= limits.critical_horizon && limits.critical_horizon >= limits.imminent_horizon)
    return;
  throw Refused{{ErrorCode::usage, "the horizons of [alerts] are out of order", at_line(file, value.source()),
                 "allowed: warn_horizon >= critical_horizon >= imminent_horizon (by default 24h, 1h, 40m)"}};
}

// A program alone, or a list of it and its arguments.
std::vector<std::string> program_of(const Place& place, std::string_view key, const toml::node& value) {
  const std::string allowed = "a program in quotes, or a list of it and its arguments";
  if (const auto program = value.value_exact<std::string>(); program && !program->empty()) return {*program};
  const toml::array* list = value.as_array();
  if (list == nullptr || list->empty()) refuse(place, key, value, allowed);
  std::vector<std::string> words;
  for (const auto& item : *list) {
    const auto word = item.value_exact<std::string>();
    if (!word || (words.empty() && word->empty()) || word->find('\0') != std::string::npos)
      refuse(place, key, value, allowed);
    words.push_back(*word);
  }
  return words;
}

void read_alerts(std::string_view file, const toml::node& value, Config& config) {
  AlertLimits& limits = config.alerts;
  const toml::table* table = value.as_table();
  if (table == nullptr) refuse({file, ""}, "alerts", value, "an [alerts] block");
  const Place place{file, "alerts."};
  const auto horizon = [&](std::string_view key, Duration& limit) {
    return Key{key, [&place, key, &limit](const toml::node& v) {
                 limit = duration_of(place, key, v, Duration{1}, "a duration such as \"24h\"");
               }};
  };
  read_table(
      place, *table,
      {horizon("warn_horizon", limits.warn_horizon),
       horizon("critical_horizon", limits.critical_horizon),
       horizon("imminent_horizon", limits.imminent_horizon),
       {"steep_slope_bytes_per_min",
        [&](const auto& v) {
          limits.steep_slope_bytes_per_min = positive_of(place, "steep_slope_bytes_per_min", v);
        }},
       {"steep_range_bytes",
        [&](const auto& v) { limits.steep_range_bytes = whole_of(place, "steep_range_bytes", v, 0, kMost); }},
       {"hook", [&](const auto& v) { config.hook.program = program_of(place, "hook", v); }},
       {"hook_limit", [&](const auto& v) {
          config.hook.limit = std::chrono::duration_cast<std::chrono::milliseconds>(
              duration_of(place, "hook_limit", v, Duration{1'000'000}, "a duration of at least \"1s\""));
        }}});
  refuse_inverted_horizons(file, value, limits);
}

void read_retention(std::string_view file, const toml::node& value, storage::Retention& retention) {
  const toml::table* table = value.as_table();
  if (table == nullptr) refuse({file, ""}, "retention", value, "a [retention] block");
  const Place place{file, "retention."};
  bool minutes_given = false;
  const auto age = [&](std::string_view key, Duration& kept) {
    return Key{key, [&place, key, &kept, &minutes_given](const toml::node& v) {
                 constexpr Duration a_day = std::chrono::hours{24};
                 kept = duration_of(place, key, v, a_day, "a duration of at least \"1d\"");
                 minutes_given = minutes_given || key == "minute_buckets";
               }};
  };
  constexpr std::int64_t least_bytes = std::int64_t{16} << 20;
  read_table(place, *table,
             {age("text", retention.text),
              age("packets", retention.packets),
              age("telemetry_raw", retention.telemetry_raw),
              age("heap_raw", retention.heap_raw),
              age("minute_buckets", retention.minute_buckets),
              {"max_bytes", [&](const auto& v) {
                 retention.max_bytes = whole_of(place, "max_bytes", v, 0, kMost);
                 if (retention.max_bytes != 0 && retention.max_bytes < least_bytes) {
                   refuse(place, "max_bytes", v, "0 for no limit, or at least 16777216");
                 }
               }}});
  if (!minutes_given) retention.minute_buckets = 4 * retention.heap_raw;
}

Config read_root(std::string_view file, const toml::table& root) {
  Config config;
  const Place place{file, ""};
  read_table(place, root,
             {{"state_dir", [&](const auto& v) { config.state_dir = text_of(place, "state_dir", v); }},
              {"durable_interval",
               [&](const auto& v) {
                 config.durable_interval = duration_of(place, "durable_interval", v, Duration{1'000'000},
                                                       "a duration of at least \"1s\"");
               }},
              {"queue_bytes",
               [&](const auto& v) {
                 config.queue_bytes = static_cast<std::size_t>(
                     whole_of(place, "queue_bytes", v, 1 << 20, std::int64_t{1} << 32));
               }},
              {"retention", [&](const auto& v) { read_retention(file, v, config.retention); }},
              {"record_others",
               [&](const auto& v) { config.record_others = word_of(place, "record_others", v, kOthers); }},
              {"device", [&](const auto& v) { read_devices(file, v, config); }},
              {"log_format", [&](const auto& v) { read_log_formats(file, v, config); }},
              {"alerts", [&](const auto& v) { read_alerts(file, v, config); }}});
  return config;
}

// Empty when not set.
std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

Result<Config> parse_config(std::string_view text, std::string_view name) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    return Error{ErrorCode::usage, std::string{parsed.error().description()},
                 at_line(name, parsed.error().source()), "allowed: TOML 1.0"};
  }
  try {
    return read_root(name, parsed.table());
  } catch (Refused& refused) {
    return std::move(refused.error);
  }
}

Result<Config> load_config(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  const bool exists = std::filesystem::exists(status);
  if (exists && (!std::filesystem::is_regular_file(status) ||
                 std::filesystem::file_size(file, error) > kMostConfigBytes)) {
    return Error{ErrorCode::usage, "the config file is no regular file of at most 1 MiB", file.string(),
                 "name a TOML file with --config"};
  }
  std::ifstream in{file, std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
  if (!in.is_open() || in.bad()) {
    return Error{ErrorCode::usage, "the config file cannot be read", file.string(),
                 "name a readable file with --config"};
  }
  return parse_config(text, file.string());
}

Outcome add_device_argument(Config& config, std::string_view argument) {
  const auto equals = argument.find('=');
  const std::string_view name = argument.substr(0, equals);
  if (equals == std::string_view::npos || !recorder::is_device_name(name)) {
    return Error{ErrorCode::usage, "--device " + std::string{argument} + " is not NAME=LINK", "",
                 "NAME: " + std::string{kNameForms} + "; LINK: " + std::string{kLinkForms}};
  }
  auto link = parse_link(argument.substr(equals + 1), LinkMode::api);
  if (!link) return link.error();
  if (const std::string user = user_of(config, link->address, name); !user.empty()) {
    return Error{ErrorCode::usage, "--device " + std::string{argument} + " is the link of " + user, "",
                 "give each device a link of its own"};
  }
  const auto found = std::find_if(config.devices.begin(), config.devices.end(),
                                  [&](const DeviceConfig& device) { return device.name == name; });
  DeviceConfig& device = found != config.devices.end() ? *found : config.devices.emplace_back();
  device.name = name;
  device.links = {*std::move(link)};
  return Done{};
}

std::filesystem::path service_runtime_dir() {
  const auto dir = environment("RUNTIME_DIRECTORY");
  return std::filesystem::path{dir.substr(0, dir.find(':'))};
}

Result<std::filesystem::path> default_state_dir() {
  if (const auto dir = environment("STATE_DIRECTORY"); !dir.empty())
    return std::filesystem::path{dir.substr(0, dir.find(':'))};
  if (const auto dir = environment("XDG_STATE_HOME"); !dir.empty())
    return std::filesystem::path{dir} / "leakhunt";
  if (const auto dir = environment("HOME"); !dir.empty()) {
    return std::filesystem::path{dir} / ".local" / "state" / "leakhunt";
  }
  return Error{ErrorCode::usage, "no state folder: neither --state-dir nor HOME is set", "",
               "name one with --state-dir"};
}

}  // namespace leakhunt::daemon
