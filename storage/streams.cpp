// Sums in memory, one upsert per kind and commit.
#include "storage/streams.h"

#include <algorithm>

namespace leakhunt::storage {

Streams::Streams(Connection& db)
    : add_(db.prepare("INSERT INTO stream VALUES(?1, ?2, ?3, ?4) ON CONFLICT(device, kind) DO UPDATE SET "
                      "rows = rows + excluded.rows, newest_us = max(coalesce(newest_us, excluded.newest_us), "
                      "coalesce(excluded.newest_us, newest_us))")),
      find_anchors_(db.prepare("SELECT since, utc_zero_us FROM anchor WHERE boot = ?1 ORDER BY since")) {}

Streams::Addition& Streams::addition(recorder::DeviceId device, const char* kind) {
  Addition& addition = additions_[{device, kind}];
  ++addition.rows;
  return addition;
}

void Streams::count(recorder::DeviceId device, const char* kind, recorder::BootTime at) {
  Addition& sum = addition(device, kind);
  sum.newest = sum.newest ? std::max(*sum.newest, at) : at;
}

void Streams::count(recorder::DeviceId device, const char* kind, Utc at) {
  Addition& sum = addition(device, kind);
  sum.newest_utc = sum.newest_utc ? std::max(*sum.newest_utc, at) : at;
}

std::optional<Utc> Streams::utc(recorder::BootTime at) {
  auto found = anchors_.find(at.boot);
  if (found == anchors_.end()) {
    constexpr std::size_t enough_boots = 64;
    if (anchors_.size() >= enough_boots) {
      anchors_.clear();
    }
    found = anchors_.try_emplace(at.boot).first;
    find_anchors_.bind(0, static_cast<std::int64_t>(at.boot));
    while (find_anchors_.step()) {
      found->second.emplace_back(Duration{find_anchors_.integer(0)}, Utc{find_anchors_.integer(1)});
    }
    find_anchors_.reset();
  }
  const auto& anchors = found->second;
  if (anchors.empty()) {
    return std::nullopt;
  }
  const auto after = std::upper_bound(anchors.begin(), anchors.end(), at.t,
                                      [](Duration t, const auto& anchor) { return t < anchor.first; });
  return (after == anchors.begin() ? after : std::prev(after))->second + at.t;
}

void Streams::flush() {
  for (const auto& [key, sum] : additions_) {
    std::optional<Utc> newest = sum.newest_utc;
    if (sum.newest) {
      newest = std::max(newest, utc(*sum.newest));
    }
    add_.bind(0, static_cast<std::int64_t>(key.first))
        .bind(1, std::string_view{key.second})
        .bind(2, sum.rows);
    add_.bind(3, newest ? std::optional{newest->us} : std::nullopt);
    add_.run();
  }
  additions_.clear();
}

void Streams::forget() {
  additions_.clear();
  anchors_.clear();
}

}  // namespace leakhunt::storage
