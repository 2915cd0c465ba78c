// The state of the byte stream between two feeds.
#include "proto/framer.h"

#include <string.h>

#include <algorithm>
#include <utility>

#include "proto/printable.h"
#include "proto/salvage.h"

namespace leakhunt::proto {
namespace {

constexpr std::uint8_t start1 = 0x94;
constexpr std::uint8_t start2 = 0xC3;
constexpr std::size_t header_bytes = 4;
constexpr std::uint8_t max_length_high_byte = Framer::max_payload_bytes >> 8;
// Before July 2026 a line went on after the frame in its middle. A line still open after this many frames is
// one whose tail the firmware no longer writes.
constexpr std::size_t frames_until_line_is_over = 8;

std::size_t payload_length(const std::vector<std::uint8_t>& frame) {
  return static_cast<std::size_t>(frame[2]) << 8 | frame[3];
}

bool is_control(std::uint8_t byte) {
  return byte < 0x20 && byte != '\t' && byte != '\r' && byte != '\n';
}

// How much of a header with a bogus length cannot be text. 0x94 0xC3 and a continuation byte can: the end of
// one character and the begin of the next.
std::size_t bogus_header_bytes(const std::vector<std::uint8_t>& header) {
  if (header[2] >= 0x80 && header[2] < 0xC0) return 0;
  if (!is_control(header[2])) return 2;
  return is_control(header[3]) ? 4 : 3;
}

// A frame that lost a byte takes the start of the next one for its own end. Where in an accepted frame such a
// start stands; its size when there is none. To be looked at again, beside the frame.
std::size_t swallowed_start(const std::vector<std::uint8_t>& frame) {
  for (std::size_t at = frame.size() - 1; at > header_bytes; --at) {
    if (frame[at] != start1) continue;
    const std::size_t behind = frame.size() - at;
    const bool is_start = behind < 2 || frame[at + 1] == start2;
    const bool has_length = behind < 3 || frame[at + 2] <= max_length_high_byte;
    if (is_start && has_length) return at;
  }
  return frame.size();
}

}  // namespace

void Framer::feed(std::span<const std::uint8_t> bytes, const Sink& sink) {
  counters_.bytes += bytes.size();
  if (!bytes.empty()) stalled_ = false;
  while (!bytes.empty()) take(bytes, sink);
}

void Framer::take(std::span<const std::uint8_t>& rest, const Sink& sink) {
  if (frame_.empty()) {
    take_text(rest, sink);
  } else {
    take_frame_bytes(rest, sink);
  }
}

// Eats text up to the next line end or 0x94, which may begin a frame.
void Framer::take_text(std::span<const std::uint8_t>& rest, const Sink& sink) {
  const auto stop = std::find_if(rest.begin(), rest.end(), [](std::uint8_t byte) {
    return byte == start1 || byte == '\n' || byte == '\r';
  });
  const auto run = static_cast<std::size_t>(stop - rest.begin());
  if (run > 0) add_text(rest.first(run));
  rest = rest.subspan(run);
  if (rest.empty()) return;
  const std::uint8_t byte = rest.front();
  rest = rest.subspan(1);
  if (byte == start1) {
    frame_.push_back(byte);
  } else {
    add_line_end(byte, sink);
  }
}

void Framer::take_frame_bytes(std::span<const std::uint8_t>& rest, const Sink& sink) {
  if (frame_.size() < header_bytes) {
    frame_.push_back(rest.front());
    rest = rest.subspan(1);
    if (frame_.size() == 2 && frame_[1] != start2) return reject_start(sink);
    if (frame_.size() < header_bytes) return;
    if (payload_length(frame_) > max_payload_bytes) return reject_start(sink);
  }
  const std::size_t missing = header_bytes + payload_length(frame_) - frame_.size();
  const std::size_t taken = std::min(missing, rest.size());
  frame_.insert(frame_.end(), rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(taken));
  rest = rest.subspan(taken);
  if (taken < missing) return;
  if (looks_like_from_radio(std::span{frame_}.subspan(header_bytes))) {
    accept_frame(sink);
  } else {
    reject_start(sink);
  }
}

void Framer::accept_frame(const Sink& sink) {
  ++counters_.frames;
  suspect_bytes_ = 0;
  borrowed_bytes_ = 0;
  const bool line_is_over = line_is_suspect_ || ++frames_since_text_ >= frames_until_line_is_over;
  if (!line_.empty() && line_is_over) end_line(false, sink);
  sink(Frame{std::span{frame_}.subspan(header_bytes)});
  frame_.erase(frame_.begin(), frame_.begin() + static_cast<std::ptrdiff_t>(swallowed_start(frame_)));
  borrowed_bytes_ = frame_.size();
}

// The start was none: what cannot be text is left out, and the rest is looked at anew.
void Framer::reject_start(const Sink& sink) {
  const std::vector<std::uint8_t> again = std::move(frame_);
  frame_.clear();
  std::size_t left_out = std::exchange(borrowed_bytes_, 0);
  if (left_out > 0) {
    std::span<const std::uint8_t> rest = std::span{again}.subspan(left_out);
    while (!rest.empty()) take(rest, sink);
    return;
  }
  if (again.size() >= header_bytes && payload_length(again) <= max_payload_bytes) {
    ++counters_.false_starts;
    left_out = header_bytes;
    if (!is_plain_text(std::span{again}.subspan(header_bytes))) begin_suspicion(sink);
  } else if (again.size() >= header_bytes) {
    ++counters_.oversized;
    left_out = bogus_header_bytes(again);
    line_has_header_ = line_has_header_ || left_out > 0;
  }
  counters_.discarded_bytes += left_out;
  const std::size_t text_bytes = left_out == 0 ? 1 : 0;
  if (text_bytes > 0) add_text(std::span{again}.first(text_bytes));
  std::span<const std::uint8_t> rest = std::span{again}.subspan(left_out + text_bytes);
  while (!rest.empty()) take(rest, sink);
}

// What follows may be the remains of a frame; what stood before is text.
void Framer::begin_suspicion(const Sink& sink) {
  if (!line_.empty() && !line_is_suspect_) end_line(false, sink);
  suspect_bytes_ = header_bytes + max_payload_bytes;
}

void Framer::add_text(std::span<const std::uint8_t> run) {
  frames_since_text_ = 0;
  after_cr_ = false;
  if (suspect_bytes_ > 0) {
    suspect_bytes_ -= std::min(suspect_bytes_, run.size());
    line_is_suspect_ = true;
  }
  const std::size_t kept = std::min(run.size(), max_line_bytes - line_.size());
  line_.append(static_cast<const char*>(static_cast<const void*>(run.data())), kept);
  if (kept == run.size()) return;
  if (!line_cut_) ++counters_.cut_lines;
  line_cut_ = true;
  counters_.discarded_bytes += run.size() - kept;
}

void Framer::add_line_end(std::uint8_t byte, const Sink& sink) {
  const bool second_of_pair = byte == '\n' && after_cr_;
  after_cr_ = byte == '\r';
  if (!second_of_pair) end_line(true, sink);
}

void Framer::end_line(bool complete, const Sink& sink) {
  const bool needs_no_care = !line_is_suspect_ && is_plain_ascii(line_);
  if (!needs_no_care) tidy_line(salvaged_line(), clean_);
  const std::string_view text = needs_no_care ? line_ : clean_;
  if (!text.empty()) {
    ++counters_.lines;
    if (!complete) ++counters_.incomplete_lines;
    sink(TextLine{text, complete, line_cut_});
  }
  line_.clear();
  line_is_suspect_ = false;
  line_has_header_ = false;
  line_cut_ = false;
  frames_since_text_ = 0;
}

// What of the line under way is text; remains of a broken frame in it make the next lines suspect.
std::string_view Framer::salvaged_line() {
  std::string_view text = without_leading_junk(line_);
  const bool binary = has_binary(text);
  if (binary && (line_has_header_ || has_header_remains(line_)))
    suspect_bytes_ = header_bytes + max_payload_bytes;
  if (line_is_suspect_ || binary) {
    text = recognised_line(text);
    if (!text.empty()) suspect_bytes_ = 0;
  } else if (!is_utf8(text)) {
    // Junk before it must not cost a line its reading; without a line in it, it stays as it is.
    const std::string_view line = recognised_line(text);
    if (!line.empty()) text = line;
  }
  counters_.discarded_bytes += line_.size() - text.size();
  return text;
}

void Framer::flush_pause(const Sink& sink) {
  if (frame_.size() > borrowed_bytes_ && !stalled_) {
    stalled_ = true;
    return;
  }
  finish(sink);
}

void Framer::wipe() {
  const auto wipe_unused = [](auto& buffer) {
    const std::size_t used = buffer.size();
    if (used == buffer.capacity()) return;
    buffer.resize(buffer.capacity());
    ::explicit_bzero(buffer.data() + used, buffer.size() - used);
    buffer.resize(used);
  };
  wipe_unused(frame_);
  wipe_unused(line_);
  wipe_unused(clean_);
}

void Framer::finish(const Sink& sink) {
  while (!frame_.empty()) reject_start(sink);
  if (!line_.empty()) end_line(false, sink);
}

}  // namespace leakhunt::proto
