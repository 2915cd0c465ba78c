// Mends messages whose text fields are no UTF-8, as firmware that cuts names and lines in the middle of a
// character sends them. Private to proto/.
#pragma once

#include <google/protobuf/descriptor.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace leakhunt::proto {

// The same message with every string field, at any depth, made valid UTF-8; nothing when the bytes are no
// message at all.
[[nodiscard]] std::optional<std::string> with_valid_strings(const google::protobuf::Descriptor& type,
                                                            std::string_view bytes);

}  // namespace leakhunt::proto
