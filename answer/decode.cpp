// Frames and lines to messages, messages to JSON.
#include "answer/decode.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "answer/classify.h"
#include "answer/json.h"
#include "answer/words.h"
#include "leakhunt/v1/api.pb.h"
#include "proto/framer.h"
#include "proto/printable.h"
#include "proto/records.h"
#include "proto/redact.h"
#include "recorder/csv_cells.h"
#include "recorder/csv_columns.h"
#include "recorder/csv_reader.h"
#include "recorder/line_reader.h"
#include "recorder/stamps.h"
#include "recorder/text_reader.h"

namespace leakhunt::answer {
namespace {

std::string hex_id(std::uint32_t node) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "!00000000";
  for (std::size_t i = out.size() - 1; i > 0; --i, node >>= 4U) {
    out[i] = kHex[node & 15U];
  }
  return out;
}

void fill_heap(v1::DecodedRecord& out, const proto::LogLine& line) {
  if (line.heap_free_bytes) out.set_heap_free_bytes(*line.heap_free_bytes);
  if (line.heap_total_bytes) out.set_heap_total_bytes(*line.heap_total_bytes);
  if (line.heap_delta_bytes) out.set_heap_delta_bytes(*line.heap_delta_bytes);
  if (line.largest_block_bytes) out.set_largest_block_bytes(*line.largest_block_bytes);
  if (line.min_free_bytes) out.set_min_free_bytes(*line.min_free_bytes);
  if (line.heap_event) {
    auto& event = *out.mutable_heap_event();
    event.set_kind(line.heap_event->kind == proto::HeapEvent::Kind::leaked ? "leaked" : "freed");
    event.set_thread(line.heap_event->thread);
    event.set_before(line.heap_event->before_bytes);
    event.set_after(line.heap_event->after_bytes);
    event.set_delta(line.heap_event->delta_bytes);
  }
  if (line.alloc) {
    out.set_call_site(line.alloc->context);
    out.set_alloc_bytes(line.alloc->size_bytes);
    if (line.alloc->free_bytes && !line.heap_free_bytes) out.set_heap_free_bytes(*line.alloc->free_bytes);
  }
  if (line.mem_audit) {
    auto& audit = *out.mutable_mem_audit();
    audit.set_when(line.mem_audit->when);
    for (const auto& [tag, bytes] : line.mem_audit->tags) (*audit.mutable_tags())[tag] = bytes;
    if (line.mem_audit->total_bytes) audit.set_total(*line.mem_audit->total_bytes);
  }
}

v1::DecodedRecord of_line(const proto::LogLine& line) {
  v1::DecodedRecord out;
  out.set_type("log");
  if (line.level != proto::Level::none) out.set_level(std::string{proto::word(line.level)});
  if (!line.clock.empty()) out.set_clock(line.clock);
  if (line.uptime) out.set_uptime_s(seconds(*line.uptime));
  if (!line.thread.empty()) out.set_thread(line.thread);
  out.set_message(std::string{line.message()});
  fill_heap(out, line);
  if (line.alarm) out.set_alarm(std::string{proto::word(*line.alarm)});
  if (line.boot) {
    out.mutable_boot()->set_sign(std::string{proto::word(line.boot->sign)});
    out.mutable_boot()->set_cause(std::string{proto::word(line.boot->cause)});
    out.mutable_boot()->set_detail(line.boot->detail);
  }
  if (line.build) {
    out.set_firmware_version(line.build->firmware_version);
    out.set_pio_env(line.build->pio_env);
    out.set_hw_model(line.build->hw_model);
  }
  if (line.routing_nak) out.set_routing_nak(true);
  if (line.cut) out.set_cut(true);
  return out;
}

void set_time(v1::DecodedRecord& out, std::uint32_t epoch_s) {
  if (epoch_s != 0) out.set_ts(epoch_s);
}

void fill(v1::DecodedRecord& out, const proto::MyInfo& info) {
  out.set_node(hex_id(info.node));
  out.set_reboot_count(info.reboot_count);
  if (!info.pio_env.empty()) out.set_pio_env(info.pio_env);
}

void fill(v1::DecodedRecord& out, const proto::NodeIdentity& node) {
  out.set_node(hex_id(node.node));
  out.set_long_name(node.long_name);
  out.set_short_name(node.short_name);
  out.set_hw_model(node.hw_model);
}

void fill(v1::DecodedRecord& out, const proto::Metadata& metadata) {
  out.set_firmware_version(metadata.firmware_version);
  out.set_hw_model(metadata.hw_model);
}

void fill(v1::DecodedRecord& out, const proto::ConfigComplete& complete) {
  out.set_nonce(complete.nonce);
}

void fill(v1::DecodedRecord& /*out*/, const proto::Rebooted& /*nothing*/) {}

void fill(v1::DecodedRecord& out, const proto::QueueStatus& status) {
  out.set_free(status.free);
}

void fill(v1::DecodedRecord& out, const proto::LogRecord& record) {
  out = of_line(record.line);
  set_time(out, record.time);
}

void fill(v1::DecodedRecord& out, const proto::Packet& packet) {
  auto& p = *out.mutable_packet();
  p.set_from(hex_id(packet.from));
  p.set_to(hex_id(packet.to));
  if (packet.portnum) {
    const auto name = proto::port_name(*packet.portnum);
    p.set_port(name.empty() ? std::to_string(*packet.portnum) : std::string{name});
  } else {
    p.set_port("encrypted");
  }
  p.set_size_bytes(packet.payload_bytes);
  if (packet.hop_start >= packet.hop_limit) p.set_hops(packet.hop_start - packet.hop_limit);
  if (packet.rx_rssi) p.set_rssi_dbm(*packet.rx_rssi);
  p.set_ts(packet.rx_time);
  set_time(out, packet.rx_time);
}

void fill(v1::DecodedRecord& out, const proto::Telemetry& telemetry) {
  auto& t = *out.mutable_telemetry();
  t.set_variant(std::string{proto::info(telemetry.variant).name});
  t.set_from(hex_id(telemetry.from));
  t.set_to(hex_id(telemetry.to));
  t.set_request_id(telemetry.request_id);
  for (const auto& field : telemetry.fields) {
    if (const auto value = proto::number(field.value))
      (*t.mutable_fields())[std::string{field.name}] = *value;
  }
  if (telemetry.heap) {
    out.set_heap_free_bytes(telemetry.heap->free_bytes);
    out.set_heap_total_bytes(telemetry.heap->total_bytes);
  }
  if (telemetry.uptime_s) out.set_uptime_s(*telemetry.uptime_s);
  set_time(out, telemetry.time != 0 ? telemetry.time : telemetry.rx_time);
}

void fill(v1::DecodedRecord& out, const proto::Notification& notification) {
  if (notification.level != proto::Level::none) out.set_level(std::string{proto::word(notification.level)});
  out.set_message(notification.message);
  set_time(out, notification.time);
}

void fill(v1::DecodedRecord& out, const proto::UnknownVariant& unknown) {
  out.set_kind(unknown.where == proto::UnknownVariant::Where::from_radio ? "from_radio" : "telemetry");
  out.set_field(unknown.field);
}

void fill(v1::DecodedRecord& out, const proto::Other& other) {
  out.set_kind(std::string{other.kind});
  out.set_size_bytes(other.bytes);
}

void fill(v1::DecodedRecord& out, const proto::Malformed& malformed) {
  out.set_why(malformed.why);
}

v1::DecodedRecord of_record(const proto::Record& record) {
  v1::DecodedRecord out;
  std::visit([&out](const auto& r) { fill(out, r); }, record);
  out.set_type(std::string{proto::type_word(record)});
  out.set_framed(true);
  return out;
}

std::int64_t whole(double bytes) {
  constexpr double kMost = 9e18;
  return static_cast<std::int64_t>(std::clamp(bytes, -kMost, kMost));
}

// What the firmware's grammar found stands.
void fill_found(v1::DecodedRecord& out, const recorder::ShapeFinds& finds) {
  if (finds.free && !out.has_heap_free_bytes()) out.set_heap_free_bytes(whole(*finds.free));
  if (finds.total && !out.has_heap_total_bytes()) out.set_heap_total_bytes(whole(*finds.total));
  if (finds.largest && !out.has_largest_block_bytes()) out.set_largest_block_bytes(whole(*finds.largest));
  if (finds.min && !out.has_min_free_bytes()) out.set_min_free_bytes(whole(*finds.min));
  if (finds.uptime_s && !out.has_uptime_s()) out.set_uptime_s(*finds.uptime_s);
  if (!finds.thread.empty() && !out.has_thread()) out.set_thread(proto::printable(finds.thread));
}

v1::DecodedRecord of_text(proto::TextReader& reader, std::string_view text, bool complete,
                          const recorder::ShapeTable& shapes) {
  const auto prefixed = [complete](std::string_view at) {
    return recorder::has_firmware_prefix(proto::parse_text_line(at, complete));
  };
  if (prefixed(text)) return of_line(reader.read(text, complete));
  // A terminal's own stamp may stand in front of the firmware's prefix.
  const auto stamps = recorder::take_stamps(text);
  const bool firmware = prefixed(stamps.rest);
  auto out = of_line(reader.read(firmware ? stamps.rest : text, complete));
  if (!firmware) fill_found(out, shapes.find(stamps.rest, !complete));
  if (stamps.utc_s) out.set_ts(*stamps.utc_s);
  return out;
}

void fill_cell(v1::DecodedRecord& out, std::string_view cell, const recorder::Column& column,
               char delimiter) {
  using Role = recorder::ColumnRole;
  if (column.role == Role::time) {
    if (const auto utc_s = recorder::take_stamps(cell).utc_s) out.set_ts(*utc_s);
    return;
  }
  const auto size = recorder::size_of_cell(cell, delimiter, column.scale);
  if (!size) return;
  if (column.role == Role::uptime) {
    out.set_uptime_s(size->bytes);
  } else if (column.role == Role::free_level && !out.has_heap_free_bytes()) {
    out.set_heap_free_bytes(whole(size->bytes));
  } else if (column.role == Role::largest_block) {
    out.set_largest_block_bytes(whole(size->bytes));
  } else if (column.role == Role::low_water) {
    out.set_min_free_bytes(whole(size->bytes));
  } else if (column.role == Role::total) {
    out.set_heap_total_bytes(whole(size->bytes));
  }
}

void decode_table(std::string_view bytes, const recorder::CsvLayout& layout, const LineSink& sink) {
  std::size_t number = 0;
  std::vector<std::string_view> cells;
  proto::TextReader reader;
  recorder::for_lines(bytes, [&](std::string_view line) {
    const bool row = number++ >= layout.header_line + (layout.has_header ? 1 : 0);
    if (recorder::trimmed(line).empty()) return true;
    v1::DecodedRecord out;
    out.set_type(row ? "row" : "log");
    out.set_message(std::string{reader.read(line, true).message()});
    recorder::split_cells(line, layout.delimiter, cells);
    for (std::size_t i = 0; row && i < std::min(cells.size(), layout.names.size()); ++i) {
      fill_cell(out, cells[i], recorder::column_of(layout.names[i]), layout.delimiter);
    }
    sink(to_json(out));
    return true;
  });
}

bool blank(std::string_view text) {
  return text.find_first_not_of(" \t") == std::string_view::npos;
}

}  // namespace

Outcome decode_bytes(std::string_view bytes, std::span<const recorder::LogShape> user_shapes,
                     const LineSink& sink) {
  const auto shapes = recorder::ShapeTable::make(user_shapes);
  if (!shapes) return shapes.error();
  if (recorder::look_at_text(bytes).good_frames == 0) {
    if (const auto layout = recorder::csv_layout(bytes)) {
      decode_table(bytes, *layout, sink);
      return Done{};
    }
  }
  proto::TextReader reader;
  const proto::Framer::Sink take = [&](const proto::StreamItem& item) {
    if (const auto* frame = std::get_if<proto::Frame>(&item)) {
      for (const auto& record : proto::decode_from_radio(frame->payload)) sink(to_json(of_record(record)));
      return;
    }
    const auto& line = std::get<proto::TextLine>(item);
    if (!blank(line.text)) sink(to_json(of_text(reader, line.text, line.complete && !line.cut, *shapes)));
  };
  proto::Framer framer;
  framer.feed({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, take);
  framer.finish(take);
  return Done{};
}

Outcome decode_file(const std::string& path, const std::string& config_path, const LineSink& sink) {
  std::vector<recorder::LogShape> shapes;
  if (!config_path.empty()) {
    auto read = read_log_formats(config_path);
    if (!read) return read.error();
    shapes = *std::move(read);
  }
  const auto bytes = recorder::read_whole_file(path);
  if (!bytes) return bytes.error();
  return decode_bytes(*bytes, shapes, sink);
}

}  // namespace leakhunt::answer
