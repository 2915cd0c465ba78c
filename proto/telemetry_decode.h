// Telemetry payloads to records, every field by reflection. Private to proto/.
#pragma once

#include <google/protobuf/arena.h>

#include <string_view>
#include <vector>

#include "proto/records.h"

namespace leakhunt::proto {

// Appends the Telemetry in `payload`, or what is to be said about it, to `out`.
void decode_telemetry(std::string_view payload, const Packet& packet, google::protobuf::Arena& arena,
                      std::vector<Record>& out);

}  // namespace leakhunt::proto
