// What the storage tests share: a folder that goes away, rows with sensible fields, a clock that stands
// still.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/time.h"
#include "recorder/rows.h"
#include "storage/reader.h"
#include "storage/store.h"
#include "storage/writer.h"

namespace leakhunt::storage::testing {

class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string file(const std::string& name = "leakhunt.db") const {
    return (path_ / name).string();
  }
  [[nodiscard]] std::filesystem::path path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Moves only when told to.
class SteppedClock final : public Clock {
 public:
  [[nodiscard]] Moment now() const override { return now_; }
  [[nodiscard]] std::chrono::nanoseconds real(Duration d) const override { return d; }
  // The host's clock is set.
  void jump(Duration d) { now_.utc = now_.utc + d; }
  void advance(Duration d) { now_ = {now_.utc + d, now_.mono + d}; }

 private:
  Moment now_{{1'764'500'000'000'000}, {5'000'000'000}};
};

inline constexpr recorder::DeviceId kDevice{1};
inline constexpr recorder::IdentityId kIdentity{1};
inline constexpr std::uint32_t kNode = 0x42524331;
inline constexpr Utc kBootUtc{1'764'000'000'000'000};

// Opens for writing; fails the test when it does not work.
[[nodiscard]] Writer writer_of(const std::string& path, const Clock& clock, WriterOptions options = {});
[[nodiscard]] Reader reader_of(const std::string& path);

// A device, its identity, and a boot with an anchor: what must stand before other rows.
[[nodiscard]] std::vector<recorder::Row> beginnings(recorder::BootId boot = recorder::BootId{1});
[[nodiscard]] recorder::BootRow boot_row(recorder::BootId boot);
[[nodiscard]] recorder::AnchorRow anchor_row(recorder::BootId boot, Utc utc_zero, Duration since = {});
[[nodiscard]] recorder::SampleRow sample_row(recorder::BootId boot, Duration t, std::int64_t value,
                                             recorder::Source source = recorder::Source::poll);
[[nodiscard]] recorder::LogRow log_row(recorder::BootId boot, Duration t, const std::string& text);

// What PRAGMA integrity_check says of the file.
[[nodiscard]] std::string integrity(const std::string& path);
// The one integer the query returns.
[[nodiscard]] std::int64_t number_in(const std::string& path, const std::string& sql);

// The names of all tables, sorted.
[[nodiscard]] std::vector<std::string> tables_of(const std::string& path);
// Every row of every table as text, but for words and the heartbeat, which belong to no device.
[[nodiscard]] std::map<std::string, std::vector<std::string>> contents(const std::string& path);

}  // namespace leakhunt::storage::testing
