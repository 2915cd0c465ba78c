// Names taken apart into words, and the words looked up.
#include "recorder/csv_columns.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "recorder/log_shapes.h"

namespace leakhunt::recorder {
namespace {

using Words = std::vector<std::string>;

// `heapFree (MB)` -> heap free mb.
Words words_of(std::string_view name) {
  Words words;
  std::string word;
  char before = '\0';
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool hump = std::isupper(byte) != 0 && std::islower(static_cast<unsigned char>(before)) != 0;
    if ((std::isalnum(byte) == 0 || hump) && !word.empty()) {
      words.push_back(word);
      word.clear();
    }
    if (std::isalnum(byte) != 0) {
      word.push_back(static_cast<char>(std::tolower(byte)));
    }
    before = c;
  }
  if (!word.empty()) {
    words.push_back(word);
  }
  return words;
}

bool any(const Words& words, std::initializer_list<std::string_view> of) {
  return std::any_of(words.begin(), words.end(), [&of](const std::string& word) {
    return std::find(of.begin(), of.end(), word) != of.end();
  });
}

bool part(const Words& words, std::initializer_list<std::string_view> of) {
  return std::any_of(words.begin(), words.end(), [&of](const std::string& word) {
    return std::any_of(of.begin(), of.end(),
                       [&word](std::string_view piece) { return word.find(piece) != std::string::npos; });
  });
}

double memory_scale(const Words& words) {
  if (words.size() == 1 && words.front() == "ou") {
    return 1024;  // jstat's old generation
  }
  for (const auto& word : words) {
    if (word.size() >= 2 && (word.back() == 'b' || word == "bytes" || word == "pages")) {
      if (const auto unit = unit_bytes(word)) {
        return *unit;
      }
    }
  }
  return 1;
}

double time_scale(const Words& words) {
  if (any(words, {"ms", "msec", "millis", "milliseconds"})) {
    return 1e-3;
  }
  if (any(words, {"us", "micros", "microseconds"})) {
    return 1e-6;
  }
  if (any(words, {"min", "mins", "minute", "minutes"})) {
    return 60;
  }
  if (any(words, {"h", "hr", "hour", "hours"})) {
    return 3600;
  }
  return any(words, {"day", "days"}) ? 86400 : 1;
}

std::optional<Column> time_column(const Words& words) {
  if (any(words, {"uptime"})) {
    return Column{ColumnRole::uptime, time_scale(words)};
  }
  const bool whole = words.size() <= 3;
  const bool named = any(
      words, {"time",        "timestamp", "timestamps", "ts",    "date",     "datetime", "epoch",   "elapsed",
              "t",           "when",      "clock",      "at",    "unixtime", "changed",  "updated", "zeit",
              "zeitstempel", "uhrzeit",   "datum",      "fecha", "hora",     "heure",    "created"});
  // What Windows' performance logs call their first column.
  if (any(words, {"pdh"})) {
    return Column{ColumnRole::time};
  }
  const bool unit_alone =
      words.size() == 1 && any(words, {"s", "sec", "secs", "seconds", "ms", "millis", "min", "minutes",
                                       "minute", "h", "hour", "hours", "day", "days"});
  if ((named && whole && !part(words, {"heap", "mem", "rss", "free", "loop", "cpu"})) || unit_alone) {
    return Column{ColumnRole::time, time_scale(words)};
  }
  return std::nullopt;
}

bool of_local_stats(std::string_view name) {
  constexpr std::string_view kNames[] = {"channel_utilization", "air_util_tx",           "num_packets_tx",
                                         "num_packets_rx_bad",  "num_online_nodes",      "num_rx_dupe",
                                         "num_tx_relay",        "num_tx_relay_canceled", "num_tx_dropped",
                                         "noise_floor",         "battery_level",         "voltage"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

ColumnRole memory_role(const Words& words) {
  const bool memory = part(words, {"heap", "mem", "ram", "rss", "speicher"});
  if (any(words, {"psram", "flash", "disk", "swap", "wal", "stack", "cpu"}) ||
      any(words, {"percent", "pct", "frag", "count"})) {
    return ColumnRole::unknown;
  }
  if (part(words, {"watermark", "lowwater"}) ||
      (any(words, {"min", "minimum", "minever", "lowest"}) && (memory || part(words, {"free"})))) {
    return ColumnRole::low_water;
  }
  if (part(words, {"block", "largest", "biggest", "maxalloc"}) ||
      (any(words, {"max"}) && part(words, {"alloc"}))) {
    return ColumnRole::largest_block;
  }
  if (part(words, {"free", "avail", "libre"}) || any(words, {"frei", "freier", "freies"})) {
    return ColumnRole::free_level;
  }
  if (any(words, {"limit"}) || (any(words, {"total", "size"}) && memory)) {
    return ColumnRole::total;
  }
  const bool used = part(words, {"rss", "used", "private", "resident", "workingset", "usage", "footprint"}) ||
                    any(words, {"pss", "uss", "working", "memory", "mem", "allocated", "heapalloc", "belegt",
                                "benutzt", "ou"});
  return used ? ColumnRole::used_level : ColumnRole::unknown;
}

}  // namespace

Column column_of(std::string_view name) {
  const auto words = words_of(name);
  if (words.empty()) {
    return {};
  }
  if (name == "num_packets_rx") {
    return {ColumnRole::packets_rx};
  }
  if (name == "num_total_nodes") {
    return {ColumnRole::total_nodes};
  }
  // V8's heap grows with what it holds: no limit.
  if (of_local_stats(name) || name == "heapTotal") {
    return {ColumnRole::covariate};
  }
  if (const auto time = time_column(words)) {
    return *time;
  }
  if (words.size() <= 2 && any(words, {"device", "node", "host", "hostname", "container", "pod", "board",
                                       "unit", "instance", "name", "process", "command", "service"})) {
    return {ColumnRole::group};
  }
  const bool percent = name.find('%') != std::string_view::npos || any(words, {"percent", "pct", "perc"});
  if (percent && part(words, {"mem", "heap", "ram"}) && !part(words, {"frag", "cpu"})) {
    const bool free = part(words, {"free", "avail"});
    return {free ? ColumnRole::free_percent : ColumnRole::used_percent, kBytesPerPercent};
  }
  return {memory_role(words), memory_scale(words)};
}

}  // namespace leakhunt::recorder
