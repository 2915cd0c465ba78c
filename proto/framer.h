// Splits a device's byte stream into frames and lines of text. Knows nothing of what either means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace leakhunt::proto {

// The payload of one frame (0 to 512 bytes, a FromRadio). The bytes are valid until the sink returns.
struct Frame {
  std::span<const std::uint8_t> payload;
};

// One line of text without its end: never empty, valid UTF-8, without NUL and colour codes. The text is valid
// until the sink returns.
struct TextLine {
  std::string_view text;
  bool complete = true;  // false: no line end came (pause, or frames took over); its tail may be missing
  bool cut = false;      // longer than Framer::max_line_bytes; the rest of it was dropped
};

using StreamItem = std::variant<Frame, TextLine>;

// Everything is counted since the framer was made.
struct FramerCounters {
  std::uint64_t bytes = 0;      // fed
  std::uint64_t frames = 0;     // given out
  std::uint64_t lines = 0;      // given out, complete or not
  std::uint64_t oversized = 0;  // 0x94 0xC3 with a length above 512
  std::uint64_t false_starts =
      0;                        // header and length in order, but the payload is no FromRadio, or never came
  std::uint64_t cut_lines = 0;  // lines longer than max_line_bytes
  std::uint64_t incomplete_lines = 0;  // lines given out without their end
  std::uint64_t discarded_bytes = 0;   // binary remains of broken frames, and tails of cut lines
};

// Framing of Meshtastic's client API: 0x94 0xC3, 16-bit big-endian length (at most 512), payload
// (firmware StreamAPI.cpp). How the bytes are split over feed() calls changes nothing in what comes out.
// Not thread-safe; one per connection.
class Framer {
 public:
  using Sink = std::function<void(const StreamItem&)>;

  static constexpr std::size_t max_payload_bytes = 512;
  static constexpr std::size_t max_line_bytes = 4096;

  // Gives every frame and line that `bytes` completes to `sink`, in the order of the stream.
  void feed(std::span<const std::uint8_t> bytes, const Sink& sink);

  // Call when nothing arrived for a while (half a second on a serial line): gives out a line without end. A
  // frame under way is kept the first time and given up at a second call without bytes in between.
  void flush_pause(const Sink& sink);

  // Call at the end of the stream: gives up any frame under way and gives out what is left.
  void finish(const Sink& sink);

  // Overwrites what was given out and is still in memory: it may have held keys. What is under way stays.
  void wipe();

  [[nodiscard]] const FramerCounters& counters() const { return counters_; }

 private:
  void take(std::span<const std::uint8_t>& rest, const Sink& sink);
  void take_frame_bytes(std::span<const std::uint8_t>& rest, const Sink& sink);
  void take_text(std::span<const std::uint8_t>& rest, const Sink& sink);
  void accept_frame(const Sink& sink);
  void reject_start(const Sink& sink);
  void begin_suspicion(const Sink& sink);
  void add_text(std::span<const std::uint8_t> run);
  void add_line_end(std::uint8_t byte, const Sink& sink);
  void end_line(bool complete, const Sink& sink);
  std::string_view salvaged_line();

  std::vector<std::uint8_t> frame_;  // from a 0x94 on, while it may be a frame
  std::size_t borrowed_bytes_ = 0;   // so many first bytes of frame_ are the end of a frame given out already
  std::string line_;                 // raw bytes of the line under way
  std::string clean_;                // scratch of end_line
  FramerCounters counters_;
  std::size_t frames_since_text_ = 0;
  std::size_t suspect_bytes_ = 0;  // so many bytes still to come may be remains of a broken frame
  bool line_is_suspect_ = false;
  bool line_has_header_ = false;  // a header with a bogus length stood in it
  bool line_cut_ = false;
  bool after_cr_ = false;
  bool stalled_ = false;  // flush_pause was called and nothing came since
};

}  // namespace leakhunt::proto
