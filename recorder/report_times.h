// Times of reports of several lines, which tell theirs once, at the head. Knows nothing of figures.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "recorder/text_times.h"

namespace leakhunt::recorder {

class ReportTimes {
 public:
  // Every line, in the order of the file.
  void see(const std::vector<TextItem>& items, std::size_t at);

  // A level told at `at`, the last one of its series at `before`: without a time of its own it has that of
  // the head above it, if its series has told nothing since.
  void give(std::vector<TextItem>& items, std::size_t at, std::optional<std::size_t> before);

  // Takes all given times back where most levels have got none: the few lines with a time are no heads then.
  void settle(std::vector<TextItem>& items) const;

 private:
  std::optional<std::size_t> head_;  // the last line that told any time
  std::vector<std::size_t> given_;
  std::size_t without_ = 0;  // levels that have no time
};

}  // namespace leakhunt::recorder
