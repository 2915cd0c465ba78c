// One reader per line shape that carries figures.
#include "proto/log_body.h"

#include <limits>

#include "proto/log_alarm.h"
#include "proto/scan.h"

namespace leakhunt::proto {
namespace {

using Number = std::optional<std::int64_t>;

// The prefix wins as the free figure; the message's own is the same moment's.
void tell_free(LogLine& line, Number free, SampleSource source) {
  if (line.heap_free_bytes || !free) return;
  line.heap_free_bytes = plausible_heap(*free);
  line.heap_source = source;
}

Number heap_or_nothing(Number printed) {
  return printed ? plausible_heap(*printed) : std::nullopt;
}

// `F/T bytes free` in its two homes.
bool read_free_of_total(Cursor& at, LogLine& line, SampleSource source) {
  const Number free = at.integer();
  if (!free || !at.eat("/")) return false;
  const Number total = at.integer();
  if (!total || !at.eat(" bytes free")) return false;
  tell_free(line, free, source);
  line.heap_total_bytes = plausible_heap(*total);
  return true;
}

// `Heap status: F/T bytes free (D), running R/N threads`; D and threads are missing in old builds.
void read_heap_status(Cursor at, LogLine& line) {
  if (!read_free_of_total(at, line, SampleSource::debug_heap) || !at.eat(" (")) return;
  const Number delta = at.integer();
  if (delta && at.eat(")")) line.heap_delta_bytes = delta;
}

// `Heap: F/T bytes free (D since last), min M, largest block B`
void read_heap_line(Cursor at, LogLine& line) {
  if (!read_free_of_total(at, line, SampleSource::heap_line)) return;
  if (at.eat(" (")) {
    const Number delta = at.integer();
    if (delta && at.eat(" since last")) line.heap_delta_bytes = delta;
    at.eat(")");
  }
  if (at.eat(", min ")) line.min_free_bytes = heap_or_nothing(at.integer());
  if (at.eat(", largest block ")) line.largest_block_bytes = heap_or_nothing(at.integer());
}

// `Heap free: P% (F/T bytes)`
void read_heap_percent(Cursor at, LogLine& line) {
  if (!at.until("% (")) return;
  const Number free = at.integer();
  if (!free || !at.eat("/")) return;
  const Number total = at.integer();
  if (!total || !at.eat(" bytes")) return;
  tell_free(line, free, SampleSource::heap_line);
  line.heap_total_bytes = plausible_heap(*total);
}

// `Thread NAME leaked heap A -> B (D)`, between dashes or pluses where the firmware draws them.
void read_thread_event(Cursor at, LogLine& line) {
  HeapEvent event;
  auto name = at.until(" leaked heap ");
  if (!name) {
    name = at.until(" freed heap ");
    event.kind = HeapEvent::Kind::freed;
  }
  if (!name || name->size() > 64) return;
  const Number before = at.integer();
  if (!before || !at.eat(" -> ")) return;
  const Number after = at.integer();
  if (!after || !at.eat(" (")) return;
  const Number delta = at.integer();
  if (!delta || !at.eat(")") || !plausible_heap(*before) || !plausible_heap(*after)) return;
  event.thread = *name;
  event.before_bytes = *before;
  event.after_bytes = *after;
  event.delta_bytes = *delta;
  line.heap_event = std::move(event);
}

// `Alloc in CONTEXT pointer 0x..., size: S, free: N`
void read_alloc(Cursor at, LogLine& line) {
  const auto context = at.until(" pointer 0x");
  if (!context || !at.until(", size: ")) return;
  const Number size = at.integer();
  if (!size) return;
  line.alloc = Alloc{std::string{*context}, *size, std::nullopt};
  if (!at.eat(", free: ")) return;
  line.alloc->free_bytes = heap_or_nothing(at.integer());
  tell_free(line, line.alloc->free_bytes, SampleSource::alloc_line);
}

// `MemAudit[WHEN]: tag=bytes ... total=bytes`
void read_mem_audit(Cursor at, LogLine& line) {
  const auto when = at.until("]:");
  if (!when) return;
  MemAudit audit{std::string{*when}, {}, std::nullopt};
  for (at.skip_spaces(); !at.at_end(); at.skip_spaces()) {
    const auto tag = at.until("=");
    const Number bytes = tag ? at.integer() : std::nullopt;
    if (!bytes || tag->find(' ') != std::string_view::npos || (!at.at_end() && !at.rest().starts_with(' ')))
      break;
    if (*tag == "total") {
      audit.total_bytes = bytes;
    } else {
      audit.tags.emplace_back(*tag, *bytes);
    }
  }
  line.mem_audit = std::move(audit);
}

// `Free heap: N` at boot; `Free heap  :  N bytes` elsewhere.
void read_free_heap(Cursor at, LogLine& line) {
  at.skip_spaces();
  if (!at.eat(":")) return;
  at.skip_spaces();
  const Number free = at.integer();
  if (!free) return;
  if (at.at_end()) {
    tell_free(line, free, SampleSource::boot_line);
  } else if (at.eat(" bytes")) {
    tell_free(line, free, SampleSource::heap_line);
  }
}

void read_total_heap(Cursor at, LogLine& line) {
  at.skip_spaces();
  if (!at.eat(":")) return;
  at.skip_spaces();
  const Number total = at.integer();
  if (total && (at.at_end() || at.rest().starts_with(" bytes")))
    line.heap_total_bytes = plausible_heap(*total);
}

// `Boot heap watermark: only N of T bytes free (<20%)`
void read_watermark(Cursor at, LogLine& line) {
  const Number free = at.integer();
  if (!free || !at.eat(" of ")) return;
  const Number total = at.integer();
  if (!total || !at.eat(" bytes free")) return;
  tell_free(line, free, SampleSource::boot_line);
  line.heap_total_bytes = plausible_heap(*total);
}

// `Adding node to database with N nodes and F bytes free!`
void read_adding_node(Cursor at, LogLine& line) {
  if (!at.integer() || !at.eat(" nodes and ")) return;
  const Number free = at.integer();
  if (free && at.eat(" bytes free")) tell_free(line, free, SampleSource::heap_line);
}

// `Low heap (N bytes), ...`
void read_low_heap(Cursor at, LogLine& line) {
  const Number free = at.integer();
  if (free && at.eat(" bytes)")) tell_free(line, free, SampleSource::heap_line);
}

// `S:B:37,2.8.0.7754068,native,meshtastic`
void read_build(Cursor at, LogLine& line) {
  const Number hw_model = at.integer();
  if (!hw_model || *hw_model < 0 || *hw_model > std::numeric_limits<std::uint32_t>::max() || !at.eat(","))
    return;
  BuildInfo build{static_cast<std::uint32_t>(*hw_model), {}, {}};
  const auto version = at.until(",");
  const auto told = version ? version : at.whole_rest();
  if (!told) return;
  build.firmware_version = *told;
  // A line that was cut tells a part of a version, which would be taken for another one.
  if (std::count(build.firmware_version.begin(), build.firmware_version.end(), '.') < 2) return;
  if (version) {
    const auto env = at.until(",");
    build.pio_env = env ? *env : at.whole_rest().value_or("");
  }
  line.build = std::move(build);
}

using Reader = void (*)(Cursor, LogLine&);
struct Shape {
  std::string_view start;
  Reader read;
};
constexpr Shape shapes[] = {
    {"Heap status: ", read_heap_status},
    {"Heap: ", read_heap_line},
    {"Heap free: ", read_heap_percent},
    {"------ Thread ", read_thread_event},
    {"++++++ Thread ", read_thread_event},
    {"Thread ", read_thread_event},
    {"Alloc in ", read_alloc},
    {"MemAudit[", read_mem_audit},
    {"Free heap", read_free_heap},
    {"Total heap", read_total_heap},
    {"Boot heap watermark: only ", read_watermark},
    {"Adding node to database with ", read_adding_node},
    {"Low heap (", read_low_heap},
    {"S:B:", read_build},
};

// Lines of before 2.0.11 as people paste them: `[NodeInfo] Thread NodeInfo leaked heap ...`.
std::string_view without_bare_thread(std::string_view message) {
  if (!message.starts_with('[')) return message;
  const std::size_t at = message.find("] Thread ");
  return at == std::string_view::npos || at > 40 ? message : message.substr(at + 2);
}

}  // namespace

std::optional<std::int64_t> plausible_heap(std::int64_t printed) {
  if (printed < 0 || printed > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return printed;
}

void read_body(LogLine& line) {
  const std::string_view message = line.message();
  const std::string_view body = without_bare_thread(message);
  for (const Shape& shape : shapes) {
    if (!body.starts_with(shape.start)) continue;
    shape.read(Cursor{body.substr(shape.start.size()), line.cut}, line);
    break;
  }
  read_signs(message, line);
}

}  // namespace leakhunt::proto
