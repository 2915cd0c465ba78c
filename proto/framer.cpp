// The state of the byte stream between two feeds.
#include "proto/framer.h"

#include <algorithm>

#include "proto/salvage.h"

namespace leakhunt::proto {
namespace {

constexpr std::uint8_t start1 = 0x94;
constexpr std::uint8_t start2 = 0xC3;
constexpr std::size_t header_bytes = 4;
// Before July 2026 a line went on after the frame in its middle. A line still open after this many frames is
// one whose tail the firmware no longer writes.
constexpr std::size_t frames_until_line_is_over = 8;

std::size_t payload_length(const std::vector<std::uint8_t>& frame) {
  return static_cast<std::size_t>(frame[2]) << 8 | frame[3];
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
    if (payload_length(frame_) > max_payload_bytes) {
      ++counters_.oversized;
      return reject_start(sink);
    }
  }
  const std::size_t missing = header_bytes + payload_length(frame_) - frame_.size();
  const std::size_t taken = std::min(missing, rest.size());
  frame_.insert(frame_.end(), rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(taken));
  rest = rest.subspan(taken);
  if (taken < missing) return;
  if (looks_like_message(std::span{frame_}.subspan(header_bytes))) {
    accept_frame(sink);
  } else {
    reject_start(sink);
  }
}

void Framer::accept_frame(const Sink& sink) {
  ++counters_.frames;
  suspect_bytes_ = 0;
  const bool line_is_over = line_is_suspect_ || ++frames_since_text_ >= frames_until_line_is_over;
  if (!line_.empty() && line_is_over) end_line(false, sink);
  sink(Frame{std::span{frame_}.subspan(header_bytes)});
  frame_.clear();
}

// The start was none: its first byte is text, and the rest is looked at anew.
void Framer::reject_start(const Sink& sink) {
  const bool had_plausible_header =
      frame_.size() >= header_bytes && frame_[1] == start2 && payload_length(frame_) <= max_payload_bytes;
  if (had_plausible_header) {
    ++counters_.false_starts;
    if (!is_plain_text(std::span{frame_}.subspan(header_bytes))) begin_suspicion(sink);
  }
  const std::vector<std::uint8_t> again = std::move(frame_);
  frame_.clear();
  add_text(std::span{again}.first(1));
  std::span<const std::uint8_t> rest = std::span{again}.subspan(1);
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
  for (const std::uint8_t byte : run.first(kept)) line_.push_back(static_cast<char>(byte));
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
  std::string_view raw = line_;
  if (line_is_suspect_) {
    raw = recognised_line(raw);
    counters_.discarded_bytes += line_.size() - raw.size();
    if (!raw.empty()) suspect_bytes_ = 0;
  }
  if (!raw.empty()) emit(raw, complete, sink);
  line_.clear();
  line_is_suspect_ = false;
  line_cut_ = false;
  frames_since_text_ = 0;
}

void Framer::emit(std::string_view raw, bool complete, const Sink& sink) {
  tidy_line(raw, clean_);
  if (clean_.empty()) return;
  ++counters_.lines;
  if (!complete) ++counters_.incomplete_lines;
  sink(TextLine{clean_, complete, line_cut_});
}

void Framer::flush_pause(const Sink& sink) {
  if (!frame_.empty() && !stalled_) {
    stalled_ = true;
    return;
  }
  finish(sink);
}

void Framer::finish(const Sink& sink) {
  while (!frame_.empty()) reject_start(sink);
  if (!line_.empty()) end_line(false, sink);
}

}  // namespace leakhunt::proto
