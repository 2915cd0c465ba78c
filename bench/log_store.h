// A store that holds the 200 000 recorded log lines as a listening link would have brought them: as rows, or
// packed.
#pragma once

#include <cstdint>
#include <string>

#include "bench/support.h"
#include "storage/reader.h"

namespace leakhunt::bench {

class LogStore {
 public:
  explicit LogStore(bool packed);

  [[nodiscard]] std::string file() const { return folder_.file(); }
  [[nodiscard]] storage::Reader reader() const;
  [[nodiscard]] Utc end() const { return end_; }
  // Of the lines' texts.
  [[nodiscard]] std::int64_t text_bytes() const { return text_bytes_; }
  // What the pages hold that lines take: rows, blocks, the index of evidence.
  [[nodiscard]] double bytes_per_line() const;
  [[nodiscard]] double longest_step_ms() const { return longest_step_ms_; }

 private:
  Folder folder_;
  Utc end_;
  std::int64_t text_bytes_ = 0;
  double longest_step_ms_ = 0;
};

}  // namespace leakhunt::bench
