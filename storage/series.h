// The series of a device that a question is about. Private to the reader.
#pragma once

#include <cstdint>
#include <vector>

#include "storage/reader.h"
#include "storage/sqlite.h"

namespace leakhunt::storage {

struct Series {
  std::int64_t id = 0;
  recorder::Source source = recorder::Source::poll;
};

[[nodiscard]] std::vector<Series> series_of(const Connection& db, const SampleQuery& query);

}  // namespace leakhunt::storage
