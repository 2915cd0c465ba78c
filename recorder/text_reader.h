// Reads a text log or byte capture, line by line and frame by frame, into a Recording. Knows nothing of CSV.
#pragma once

#include <string_view>

#include "recorder/log_shapes.h"
#include "recorder/recording.h"

namespace leakhunt::recorder {

// What the first part of a file looks like.
struct TextTraits {
  std::size_t lines = 0;
  std::size_t firmware_lines = 0;  // with the prefix of the firmware's log
  std::size_t good_frames = 0;     // frames that hold a FromRadio
};
[[nodiscard]] TextTraits look_at_text(std::string_view bytes);

// `kind` is any but csv.
[[nodiscard]] Recording read_text(std::string_view bytes, RecordingKind kind, const ShapeTable& shapes);

}  // namespace leakhunt::recorder
