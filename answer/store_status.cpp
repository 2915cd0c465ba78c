// Sizes from the file, the pace from what came of late, the rest from what retention noted.
#include "answer/store_status.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "answer/words.h"

namespace leakhunt::answer {
namespace {

// What the file may grow to: its limit, or what the disk has room for.
std::optional<double> room_bytes(const storage::StoreInfo& info, std::int64_t limit) {
  std::error_code failed;
  const auto space = std::filesystem::space(info.path, failed);
  if (failed) return limit > 0 ? std::optional{static_cast<double>(limit)} : std::nullopt;
  const double on_disk = static_cast<double>(info.file_bytes) + static_cast<double>(space.available);
  return limit > 0 ? std::min(on_disk, static_cast<double>(limit)) : on_disk;
}

void fill(v1::Kept& out, const storage::Kept& kept, const std::string& device,
          const std::optional<storage::Retention>& retention) {
  out.set_device(device);
  out.set_kind(std::string{word(kept.kind)});
  if (kept.oldest) out.set_oldest_ts(epoch(*kept.oldest));
  if (retention) out.set_keep_s(seconds(retention->age(kept.kind)));
  out.set_dropped_rows(kept.dropped_rows);
  if (kept.dropped_until) out.set_dropped_until(epoch(*kept.dropped_until));
  out.set_dropped_by(kept.dropped_by);
}

}  // namespace

void fill_store(v1::StoreStatus& out, storage::Reader& reader, const EngineSettings& settings, Utc now) {
  const storage::StoreInfo info = reader.info();
  if (out.path().empty()) out.set_path(info.path);
  if (out.state().empty()) out.set_state("ok");
  out.set_bytes(info.file_bytes + info.wal_bytes);
  out.set_wal_bytes(info.wal_bytes);
  const std::int64_t limit = settings.retention ? settings.retention->max_bytes : 0;
  out.set_limit_bytes(limit);
  const auto pace = reader.bytes_per_day(now);
  if (pace) out.set_bytes_per_day(*pace);
  const auto room = room_bytes(info, limit);
  if (pace && *pace > 0 && room) out.set_days_that_fit(*room / *pace);
  for (const recorder::DeviceRow& device : reader.devices()) {
    for (const storage::Kept& kept : reader.kept(device.id)) {
      if (kept.oldest || kept.dropped_rows > 0) fill(*out.add_kept(), kept, device.name, settings.retention);
    }
  }
}

}  // namespace leakhunt::answer
