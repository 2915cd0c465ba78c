// Compares messages encoded by @meshtastic/protobufs (npm/encode.mjs) with what libprotobuf and the decoder
// of records read from the same bytes, and the two schemas with each other.
#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace leakhunt::proto::testing {

struct VectorReport {
  std::size_t messages = 0;   // compared field by field
  std::size_t telemetry = 0;  // of them, compared as records too
  std::vector<std::string> differences;
};

// `vectors`: JSON lines of encode.mjs. `lacks`: the text of protobufs-2.7.18-lacks.json, which must name
// exactly the fields that only one of the two schemas has.
[[nodiscard]] VectorReport compare_vectors(std::istream& vectors, std::string_view lacks);

}  // namespace leakhunt::proto::testing
