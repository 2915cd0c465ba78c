// The trend of the largest free block against its own past, the free memory and the low-water mark; figures
// of it that cannot be what they say.
#include "analysis/fragmentation.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/examine.h"
#include "analysis/trend.h"
#include "analysis/words.h"

namespace leakhunt::analysis {
namespace {

constexpr double kUsableBlock = 4096;  // a TLS record, a file buffer, a task's stack
constexpr double kTimesAsMuch = 5;
constexpr double kHeld_s = 60;
constexpr double kWrap = 65536;
constexpr double kNearWrap = 16384;       // a jump from one quarter's end to the other's
constexpr double kInternalHeap = 524288;  // no ESP32 has more inside
constexpr double kLeastExternal = 1.2e6;  // PSRAM comes in 2, 4, 8, 16, 32 MB
constexpr double kMostExternal = 3.5e7;
constexpr double kMostUnknown = 9e6;  // of a device that tells neither chip nor total

bool is_in_pieces(const Point& p) {
  return present(p.largest_block) && p.largest_block > 0 && p.largest_block < kUsableBlock &&
         p.value >= kTimesAsMuch * p.largest_block;
}

Values marks_of(const Stretch& stretch) {
  Values out;
  for (const Point& p : stretch.points) {
    if (present(p.min_free)) out.push_back(p.min_free);
  }
  return out;
}

bool held(const Values& marks) {
  return marks.size() >= 8 && marks.front() - marks.back() <= std::max(kLeastLoss, 0.02 * marks.front());
}

bool has_block(const Point& p) {
  return present(p.largest_block) && p.largest_block > 0;
}

void look_at_block(const Stretch& stretch, const std::vector<Block>& blocks, bool leak, const Values& marks,
                   Pieces& out) {
  const auto last = std::find_if(stretch.points.rbegin(), stretch.points.rend(), has_block);
  if (last == stretch.points.rend()) return;
  if (wraps_at_16_bits(stretch)) {
    out.unusable = "the largest free block wraps at 65,536: a counter of 16 bits, not used";
  } else if (exceeds_free(stretch)) {
    out.unusable = "the largest free block is told to be larger than all that is free: not used";
  } else if (out.external && last->largest_block > kInternalHeap) {
    out.unusable = "the largest free block of " + bytes_text(last->largest_block) +
                   " lies in external memory: pieces of the internal heap are not seen";
  }
  if (!out.unusable.empty()) return;
  out.largest = last->largest_block;
  out.free_at_end = last->value;
  out.fall = falling_block(blocks, held(marks) && !leak);
  if (!out.fall) out.fall = no_usable_block(stretch);
}

}  // namespace

Pieces in_pieces(const Question& question, const Stretch& stretch, const std::vector<Block>& blocks,
                 bool leak) {
  Pieces out;
  if (stretch.points.empty()) return out;
  const Values marks = marks_of(stretch);
  if (marks.size() >= 2 && marks.back() < marks.front()) {
    out.mark_fell_from = marks.front();
    out.mark_fell_to = marks.back();
  }
  if (counts_external_memory(question, stretch)) out.external = stretch.points.back().value;
  look_at_block(stretch, blocks, leak, marks, out);
  return out;
}

std::optional<BlockFall> falling_block(const std::vector<Block>& blocks, bool watermark_holds) {
  if (blocks.size() < 8) return std::nullopt;
  Values y;
  for (const Block& b : blocks) {
    if (!present(b.largest)) return std::nullopt;
    y.push_back(b.largest);
  }
  const Values x = times(blocks);
  const Trend t = trend(x, y);
  const double drop = -t.per_min * (x.back() - x.front()) / 60;
  const double free_at_end = blocks.back().level;
  if (t.p_fall >= kAlpha || drop <= 0.2 * y.front()) return std::nullopt;
  const bool small = y.back() < 0.6 * free_at_end;
  const bool smaller =
      y.back() < 0.8 * free_at_end && y.back() / free_at_end < 0.8 * y.front() / blocks.front().level;
  if (!small && !(watermark_holds && smaller)) return std::nullopt;
  return BlockFall{y.front(), y.back(), free_at_end, t.p_fall, watermark_holds};
}

std::optional<BlockFall> no_usable_block(const Stretch& stretch) {
  const std::vector<Point>& points = stretch.points;
  std::size_t from = points.size();
  while (from > 0 && is_in_pieces(points[from - 1])) --from;
  if (from == points.size() || points.back().x_s - points[from].x_s < kHeld_s) return std::nullopt;
  const Point& before = points[from > 0 && present(points[from - 1].largest_block) ? from - 1 : from];
  return BlockFall{before.largest_block, points.back().largest_block, points.back().value, 0, false};
}

bool wraps_at_16_bits(const Stretch& stretch) {
  std::size_t jumps = 0;
  const Point* before = nullptr;
  for (const Point& p : stretch.points) {
    if (!has_block(p)) continue;
    if (p.largest_block >= kWrap) return false;
    if (before != nullptr) {
      const double low = std::min(before->largest_block, p.largest_block);
      const double high = std::max(before->largest_block, p.largest_block);
      const bool across = low < kNearWrap && high > kWrap - kNearWrap;
      const bool room = std::min(before->value, p.value) >= kWrap;
      if (across && room && std::abs(p.value - before->value) < kNearWrap) ++jumps;
    }
    before = &p;
  }
  return jumps >= 2;
}

bool exceeds_free(const Stretch& stretch) {
  std::size_t seen = 0;
  std::size_t beyond = 0;
  for (const Point& p : stretch.points) {
    if (!has_block(p) || p.value <= 0) continue;
    ++seen;
    if (p.largest_block > 1.1 * p.value) ++beyond;
  }
  return beyond >= 2 && 10 * beyond >= seen;
}

bool counts_external_memory(const Question& question, const Stretch& stretch) {
  constexpr std::array without{"esp32c3", "esp32c6", "nrf52", "stm32", "native"};
  const bool never =
      std::any_of(without.begin(), without.end(), [&](const char* chip) { return question.chip == chip; });
  if (never || question.sense != Sense::free_falls_is_bad || question.measure != Measure::level) return false;
  const double level = stretch.points.back().value;
  const double total = question.total_bytes.value_or(0);
  const bool told = total > 0 || (!question.chip.empty() && question.chip != "unknown");
  return level > kLeastExternal && level < (told ? kMostExternal : kMostUnknown) && total < kMostExternal;
}

}  // namespace leakhunt::analysis
