// What kind of file it is, and who reads it.
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <utility>

#include "proto/printable.h"
#include "recorder/csv_reader.h"
#include "recorder/line_reader.h"
#include "recorder/recording.h"
#include "recorder/text_reader.h"

namespace leakhunt::recorder {
namespace {

constexpr std::uintmax_t kLargestFile_bytes = std::uintmax_t{1} << 30;

struct KindWord {
  std::string_view word;
  RecordedLineKind kind;
};
constexpr std::array kKindWords = {
    KindWord{"out_of_memory", RecordedLineKind::out_of_memory},
    KindWord{"allocation_abort", RecordedLineKind::allocation_abort},
    KindWord{"allocation_failure", RecordedLineKind::allocation_failure},
    KindWord{"low_memory", RecordedLineKind::low_memory},
    KindWord{"routing_nak", RecordedLineKind::routing_nak},
    KindWord{"panic", RecordedLineKind::panic},
    KindWord{"watchdog", RecordedLineKind::watchdog},
    KindWord{"abort", RecordedLineKind::abort},
    KindWord{"boot", RecordedLineKind::boot},
    KindWord{"planned_reboot", RecordedLineKind::planned_reboot},
    KindWord{"connection_lost", RecordedLineKind::connection_lost},
    KindWord{"connection_established", RecordedLineKind::connection_established},
    KindWord{"other", RecordedLineKind::other},
};

// A counter that never counted is no reading of anything.
void drop_dead_counters(Recording& recording) {
  std::erase_if(recording.metrics, [&recording](const Metric& metric) {
    const bool dead =
        metric.readings.size() >= 3 && std::all_of(metric.readings.begin(), metric.readings.end(),
                                                   [](const Reading& reading) { return reading.value == 0; });
    if (dead) {
      recording.notes.push_back("'" + metric.name + "' is always 0: a dead counter, not judged");
    }
    return dead;
  });
}

RecordingKind text_kind(const TextTraits& traits) {
  if (traits.good_frames > 0) {
    return RecordingKind::byte_capture;
  }
  const bool firmware = traits.firmware_lines > 0 && traits.firmware_lines * 10 >= traits.lines;
  return firmware ? RecordingKind::firmware_text : RecordingKind::foreign_log;
}

// `size` is what the file said of itself: 0 for a pipe, and it may have grown since.
std::string bytes_of(std::ifstream& in, std::size_t size) {
  std::string bytes(size, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(size));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  if (in) {
    bytes.append(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return bytes;
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr std::array<std::uint32_t, 4> kLead = {0, 0xC0, 0xE0, 0xF0};
  out.push_back(static_cast<char>(kLead[static_cast<std::size_t>(more)] | (code >> (6 * more))));
  for (int i = more - 1; i >= 0; --i) {
    out.push_back(static_cast<char>(0x80U | ((code >> (6 * i)) & 0x3FU)));
  }
}

struct Utf16 {
  bool big_endian = false;
  std::size_t begin = 0;  // behind the byte-order mark
};

// Windows shells write what a command prints as UTF-16, mostly with a byte-order mark; without one every
// other byte of the first line is 0.
std::optional<Utf16> utf16_of(std::string_view bytes) {
  if (bytes.starts_with("\xFE\xFF") || bytes.starts_with("\xFF\xFE")) {
    return Utf16{bytes.front() == '\xFE', 2};
  }
  constexpr std::size_t kLook = 16;
  std::array<std::size_t, 2> zeros{};
  for (std::size_t i = 0; i < kLook && i < bytes.size(); ++i) zeros[i % 2] += bytes[i] == '\0' ? 1U : 0U;
  const bool wide =
      bytes.size() >= kLook && std::max(zeros[0], zeros[1]) == kLook / 2 && std::min(zeros[0], zeros[1]) == 0;
  return wide ? std::optional(Utf16{zeros[0] > 0, 0}) : std::nullopt;
}

std::string utf8_of_utf16(std::string_view bytes, Utf16 form) {
  const auto unit_at = [&](std::size_t at) {
    const auto a = static_cast<std::uint8_t>(bytes[at]);
    const auto b = static_cast<std::uint8_t>(bytes[at + 1]);
    return static_cast<std::uint32_t>(form.big_endian ? (a << 8) | b : (b << 8) | a);
  };
  std::string out;
  for (std::size_t at = form.begin; at + 1 < bytes.size(); at += 2) {
    const auto unit = unit_at(at);
    const bool high = unit >= 0xD800 && unit < 0xDC00 && at + 3 < bytes.size();
    const auto low = high ? unit_at(at + 2) : 0;
    if (high && low >= 0xDC00 && low < 0xE000) {
      append_utf8(out, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
      at += 2;
    } else {
      append_utf8(out, unit >= 0xD800 && unit < 0xE000 ? 0xFFFD : unit);
    }
  }
  return out;
}

}  // namespace

std::string_view word(RecordingKind kind) {
  switch (kind) {
    case RecordingKind::csv:
      return "csv";
    case RecordingKind::firmware_text:
      return "firmware text";
    case RecordingKind::byte_capture:
      return "byte capture";
    case RecordingKind::foreign_log:
      return "log";
  }
  return "log";
}

std::optional<RecordedLineKind> recorded_line_kind(std::string_view word) {
  for (const auto& known : kKindWords) {
    if (known.word == word) {
      return known.kind;
    }
  }
  return std::nullopt;
}

Result<Recording> read_recording(std::string_view bytes, const ReadOptions& options) {
  const auto traits = look_at_text(bytes);
  if (traits.good_frames == 0) {
    if (const auto layout = csv_layout(bytes)) {
      auto recording = read_csv(bytes, *layout, options.keep_impossible);
      drop_dead_counters(recording);
      return recording;
    }
  }
  const auto shapes = ShapeTable::make(options.log_shapes);
  if (!shapes) {
    return shapes.error();
  }
  auto recording = read_text(bytes, text_kind(traits), *shapes);
  drop_dead_counters(recording);
  return recording;
}

Result<std::string> read_whole_file(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    return Error{ErrorCode::failed, std::string("cannot open the file: ") + std::strerror(errno), path, ""};
  }
  if (S_ISDIR(info.st_mode)) {
    return Error{ErrorCode::failed, "is a folder", path, "name the files in it"};
  }
  if (static_cast<std::uintmax_t>(info.st_size) > kLargestFile_bytes) {
    return Error{ErrorCode::failed, "is larger than 1 GiB", path,
                 "split it, for instance with split -C 500M"};
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return Error{ErrorCode::failed, std::string("cannot open the file: ") + std::strerror(errno), path, ""};
  }
  auto bytes = bytes_of(in, static_cast<std::size_t>(info.st_size));
  if (const auto wide = utf16_of(bytes)) {
    return utf8_of_utf16(bytes, *wide);
  }
  return bytes;
}

Result<Recording> read_recording_file(const std::string& path, const ReadOptions& options) {
  const auto bytes = read_whole_file(path);
  if (!bytes) {
    return bytes.error();
  }
  return read_recording(*bytes, options);
}

}  // namespace leakhunt::recorder
