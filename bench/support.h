// What the benchmarks share: recorded input, a folder that goes away, a store in it. Knows nothing of what is
// measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/store.h"

namespace leakhunt::bench {

// A folder of its own under the system's temporary one, removed with all in it.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string file() const { return (path_ / "leakhunt.db").string(); }

 private:
  std::filesystem::path path_;
};

// These throw std::runtime_error with the error's line: a benchmark that cannot begin has no figure.
[[nodiscard]] storage::Store opened(const std::string& path);
void must(const Outcome& outcome);

// 50 000 framed FromRadio of the node `kFramesNode`: 60 % log records, 20 % LocalStats, 16 % device_metrics,
// 4 % environment_metrics.
inline constexpr std::uint32_t kFramesNode = 0x42524331;
inline constexpr std::int64_t kFrames = 50'000;
[[nodiscard]] const std::string& frames();

// 200 000 lines of text mode with `[heap N]`, without colour codes.
[[nodiscard]] const std::string& log_text();
[[nodiscard]] const std::vector<std::string_view>& log_lines();

// What a link reads at once.
inline constexpr std::size_t kReadBytes = 16 * 1024;

[[nodiscard]] inline std::span<const std::uint8_t> bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace leakhunt::bench
