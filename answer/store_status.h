// What status tells of the store: its size, how much fits, what is kept and what went.
#pragma once

#include "answer/engine.h"
#include "storage/reader.h"

namespace leakhunt::answer {

// Completes what the running recorder told. `now` is the daemon's clock, offline the newest record.
void fill_store(v1::StoreStatus& out, storage::Reader& reader, const EngineSettings& settings, Utc now);

}  // namespace leakhunt::answer
