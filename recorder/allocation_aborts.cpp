// One look around each crash.
#include "recorder/allocation_aborts.h"

#include <string>

namespace leakhunt::recorder {
namespace {

constexpr std::size_t kAbortLines = 40;  // so far apart a failed allocation and its abort may stand

// An exception of C++ alone tells neither how much was asked for nor that memory is at its end.
bool is_failure(const RecordedLine& line) {
  return line.kind == RecordedLineKind::allocation_failure ||
         (line.kind == RecordedLineKind::out_of_memory && line.text.find("bad_alloc") == std::string::npos);
}

bool failed_near(const std::vector<RecordedLine>& lines, const std::vector<std::size_t>& at,
                 std::size_t crash) {
  for (std::size_t k = crash; k-- > 0 && at[crash] - at[k] < kAbortLines;) {
    if (is_failure(lines[k])) {
      return true;
    }
  }
  for (std::size_t k = crash + 1; k < lines.size() && at[k] - at[crash] < kAbortLines; ++k) {
    if (is_failure(lines[k])) {
      return true;
    }
  }
  return false;
}

}  // namespace

void mark_allocation_aborts(std::vector<RecordedLine>& lines, const std::vector<std::size_t>& line_items,
                            std::vector<TextItem>& items) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool crash = lines[i].kind == RecordedLineKind::abort || lines[i].kind == RecordedLineKind::panic;
    if (crash && failed_near(lines, line_items, i)) {
      lines[i].kind = RecordedLineKind::allocation_abort;
      items[line_items[i]].cause_hint = "out_of_memory";
    }
  }
}

}  // namespace leakhunt::recorder
