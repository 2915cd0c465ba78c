// The questions about what happened: events, packets, and the mark that adds an event.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "answer/bounds.h"
#include "answer/json_read.h"
#include "answer/questions.h"
#include "answer/times.h"
#include "answer/words.h"
#include "proto/records.h"

namespace leakhunt::answer {
namespace {

constexpr Duration kDefaultWindow = std::chrono::hours{24};
constexpr std::size_t kDefaultRows = 200;
constexpr std::size_t kMostRows = 10'000;
constexpr std::size_t kEventOverhead_bytes = 100;
constexpr std::size_t kLongestLabel = 200;
constexpr std::size_t kLongestText = 16'384;
constexpr Duration kClockTolerance = std::chrono::minutes{1};

constexpr std::array<std::string_view, 15> kKinds{"mark",
                                                  "connection_lost",
                                                  "connection_established",
                                                  "boot",
                                                  "firmware_changed",
                                                  "other_node",
                                                  "clock_step",
                                                  "gap",
                                                  "device_silent",
                                                  "released",
                                                  "recorder_start",
                                                  "recorder_stop",
                                                  "recorder_pause",
                                                  "recorder_resume",
                                                  "node_updated"};

std::size_t row_limit(std::int32_t max) {
  return max <= 0 ? kDefaultRows : std::min(static_cast<std::size_t>(max), kMostRows);
}

Result<std::vector<std::string>> kinds_of(const v1::EventsQuestion& question) {
  auto kinds = split_list(question.kinds());
  for (const std::string& kind : kinds) {
    if (std::find(kKinds.begin(), kKinds.end(), kind) == kKinds.end()) {
      return Error{ErrorCode::usage, "no kind of event is named \"" + kind + "\"", "--kind",
                   fmt::format("there are: {}", fmt::join(kKinds, ", "))};
    }
  }
  return kinds;
}

template <class T>
std::optional<T> whole_number(std::string_view text, int base) {
  T value{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value, base);
  const bool whole = parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size() && !text.empty();
  return whole ? std::optional{value} : std::nullopt;
}

Result<std::optional<std::uint32_t>> node_of(const std::string& text) {
  if (text.empty()) {
    return std::optional<std::uint32_t>{};
  }
  const auto node = text.starts_with('!') ? whole_number<std::uint32_t>(std::string_view{text}.substr(1), 16)
                                          : whole_number<std::uint32_t>(text, 10);
  if (!node) {
    return Error{ErrorCode::usage, "\"" + text + "\" is no node", "--from",
                 "a node is !1a2b3c4d or a number"};
  }
  return node;
}

std::string node_text(std::uint32_t node) {
  return fmt::format("!{:08x}", node);
}

std::string port_text(std::uint32_t port) {
  const std::string_view name = proto::port_name(port);
  return name.empty() ? std::to_string(port) : std::string{name};
}

bool is_port(const recorder::PacketRow& packet, const std::vector<std::string>& ports) {
  const auto is_meant = [&](std::string port) {
    std::transform(port.begin(), port.end(), port.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    const std::string name = port_text(packet.port);
    return port == name || port + "_APP" == name || port == std::to_string(packet.port);
  };
  return ports.empty() || std::any_of(ports.begin(), ports.end(), is_meant);
}

void fill(v1::Packet& out, const storage::Stamped<recorder::PacketRow>& packet) {
  const recorder::PacketRow& row = packet.row;
  out.set_ts(epoch(packet.utc));
  out.set_from(node_text(row.from));
  out.set_to(node_text(row.to));
  out.set_port(port_text(row.port));
  out.set_size_bytes(row.size_bytes);
  if (row.hop_start >= row.hop_limit && row.hop_start > 0) {
    out.set_hops(row.hop_start - row.hop_limit);
  }
  if (row.rssi_dbm) {
    out.set_rssi_dbm(*row.rssi_dbm);
  }
  if (row.snr_db) {
    out.set_snr_db(static_cast<double>(*row.snr_db));
  }
}

// Where a civil time stands on the device's own time: in the last boot that had begun by then.
std::optional<recorder::BootTime> device_time(const Asked& asked, Utc at) {
  const auto boots = asked.reader.boots(asked.device.id);
  const auto boot =
      std::find_if(boots.rbegin(), boots.rend(), [&](const auto& span) { return span.began <= at; });
  if (boot == boots.rend()) {
    return std::nullopt;
  }
  Utc zero = boot->began;
  for (const recorder::AnchorRow& anchor : boot->anchors) {
    if (anchor.utc_zero + anchor.since <= at) {
      zero = anchor.utc_zero;
    }
  }
  return recorder::BootTime{boot->boot.id, at - zero};
}

Result<Utc> mark_time(const Asked& asked, const std::string& at) {
  const auto time = parse_time(at.empty() ? "now" : at, asked.now);
  if (time && *time > asked.now + kClockTolerance) {
    return Error{ErrorCode::usage, "a mark cannot stand in the future", "--at " + at, ""};
  }
  return time;
}

Outcome check_mark(const Asked& asked, const v1::MarkRequest& request) {
  if (request.label().empty()) {
    return Error{ErrorCode::usage, "a mark needs a label", "", "leakhuntctl mark LABEL"};
  }
  if (request.label().size() > kLongestLabel) {
    return Error{ErrorCode::usage, "the label is longer than 200 bytes", "", "put the rest into --note"};
  }
  if (request.note().size() > kLongestText || request.data().size() > kLongestText) {
    return Error{ErrorCode::usage, "note or data are longer than 16 KB", "", "name a file there instead"};
  }
  if (asked.device.id == kNotInStore) {
    return Error{ErrorCode::no_data, "nothing of " + asked.device.name + " has been recorded yet", "",
                 "mark it once it is connected"};
  }
  return request.data().empty() ? Outcome{Done{}} : check_json_object(request.data());
}

// Of the newest `max` events, those that fit an answer.
std::size_t first_shown(const std::vector<recorder::EventRow>& events, std::size_t max) {
  std::size_t first = events.size();
  std::size_t bytes = 0;
  while (first > 0 && events.size() - first < max) {
    const recorder::EventRow& event = events[first - 1];
    bytes += event.label.size() + event.note.size() + event.data.size() + kEventOverhead_bytes;
    if (bytes > kListBytes) {
      break;
    }
    --first;
  }
  return first;
}

}  // namespace

void fill(v1::Event& out, const recorder::EventRow& event, const std::string& device) {
  out.set_ts(epoch(event.utc));
  out.set_kind(event.kind);
  out.set_device(event.device == recorder::DeviceId{0} ? "" : device);
  out.set_label(event.label);
  out.set_note(event.note);
  out.set_data(event.data);
  if (event.at) {
    out.set_boot(static_cast<std::int64_t>(event.at->boot));
  }
}

Result<v1::Events> answer_events(const Asked& asked, const v1::EventsQuestion& question) {
  const auto kinds = kinds_of(question);
  if (!kinds) {
    return kinds.error();
  }
  const auto window = window_of(asked, question.window(), kDefaultWindow);
  if (!window) {
    return window.error();
  }
  const auto events = asked.reader.events(asked.device.id, window->span, *kinds);
  v1::Events out;
  for (std::size_t i = first_shown(events, row_limit(question.max())); i < events.size(); ++i) {
    fill(*out.add_events(), events[i], asked.device.name);
  }
  out.set_device(asked.device.name);
  out.set_total_matched(static_cast<std::int64_t>(events.size()));
  fill(*out.mutable_window(), *window);
  out.set_offline(asked.offline);
  return out;
}

Result<v1::Packets> answer_packets(const Asked& asked, const v1::PacketsQuestion& question) {
  const auto from = node_of(question.from());
  if (!from) {
    return from.error();
  }
  const auto window = window_of(asked, question.window(), kDefaultWindow);
  if (!window) {
    return window.error();
  }
  const auto ports = split_list(question.ports());
  auto packets = asked.reader.packets(asked.device.id, window->span);
  std::erase_if(packets, [&](const auto& packet) {
    return (*from && packet.row.from != **from) || !is_port(packet.row, ports);
  });
  v1::Packets out;
  const std::size_t shown = std::min(packets.size(), row_limit(question.max()));
  for (std::size_t i = packets.size() - shown; i < packets.size(); ++i) {
    fill(*out.add_packets(), packets[i]);
  }
  out.set_device(asked.device.name);
  out.set_total_matched(static_cast<std::int64_t>(packets.size()));
  fill(*out.mutable_window(), *window);
  out.set_offline(asked.offline);
  return out;
}

Result<Reply> answer_mark(const Asked& asked, const v1::MarkRequest& request) {
  if (const auto checked = check_mark(asked, request); !checked) {
    return checked.error();
  }
  const auto utc = mark_time(asked, request.at());
  if (!utc) {
    return utc.error();
  }
  recorder::EventRow event;
  event.device = asked.device.id;
  event.utc = *utc;
  event.at = device_time(asked, *utc);
  event.kind = "mark";
  event.label = request.label();
  event.note = request.note();
  event.data = request.data();
  Reply reply;
  fill(*reply.answer.mutable_mark(), event, asked.device.name);
  if (event.at) {
    recorder::LogRow line;
    line.device = asked.device.id;
    line.at = *event.at;
    line.level = "MARK";
    line.text = "[mark] " + request.label() + (request.note().empty() ? "" : " - " + request.note());
    reply.rows.emplace_back(std::move(line));
  }
  reply.rows.emplace_back(std::move(event));
  return reply;
}

}  // namespace leakhunt::answer
