// Blocks of equal time and their levels.
#include "analysis/envelope.h"

#include <algorithm>
#include <cmath>

#include "base/quantile.h"

namespace leakhunt::analysis {
namespace {

constexpr double kLevelQuantile = 0.8;
constexpr double kDip = 6;  // times the usual depth below the levels around
constexpr std::size_t kFewestBins = 12;
constexpr double kLowQuantile = 0.05;  // of the lower envelope, for comparison only

Block make_block(const Track& track, Range r, double level_quantile) {
  Block b;
  b.x = mean(slice(track.x, r));
  b.level = quantile(slice(track.v, r), level_quantile);
  b.begin_x = track.x[r.from];
  b.end_x = track.x[r.to - 1];
  if (!track.nodes.empty()) b.nodes = quantile(slice(track.nodes, r), 1 - kLevelQuantile);
  if (!track.packets.empty()) {
    b.packets_first = track.packets[r.from];
    b.packets_last = track.packets[r.to - 1];
  }
  if (!track.block.empty()) b.largest = median(slice(track.block, r));
  return b;
}

// As many readings in each: where most of the time nothing was recorded, bins of equal time would be few.
std::vector<Range> equal_shares(std::size_t n, std::size_t k) {
  std::vector<Range> out;
  for (std::size_t i = 0; i < k; ++i) out.push_back({i * n / k, (i + 1) * n / k});
  return out;
}

}  // namespace

std::vector<Range> bins(const Values& x, std::size_t k) {
  const double start = x.front();
  const double width = (x.back() - start) / static_cast<double>(k);
  std::vector<Range> out;
  std::size_t current = k;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double place = width > 0 ? (x[i] - start) / width : 0;
    const std::size_t bin = std::min(k - 1, static_cast<std::size_t>(place));
    if (bin != current) out.push_back({i, i});
    current = bin;
    out.back().to = i + 1;
  }
  return out;
}

Values slice(const Values& v, Range r) {
  return Values(v.begin() + static_cast<std::ptrdiff_t>(r.from),
                v.begin() + static_cast<std::ptrdiff_t>(r.to));
}

std::vector<Block> blocks(const Track& track, const Steps& steps) {
  const double q = steps.upper_envelope ? kLevelQuantile : kLowQuantile;
  const std::size_t n = track.x.size();
  std::vector<Block> out;
  if (n < 24) {
    for (std::size_t i = 0; i < n; ++i) out.push_back(make_block(track, {i, i + 1}, q));
    return out;
  }
  const std::size_t k = std::max<std::size_t>(12, std::min(kBlocks, n / 4));
  std::vector<Range> ranges = bins(track.x, k);
  if (ranges.size() < kFewestBins) ranges = equal_shares(n, kFewestBins);
  for (const Range r : ranges) out.push_back(make_block(track, r, q));
  return out;
}

std::vector<std::size_t> at_rest(const Values& y, double least) {
  const std::size_t reach = y.size() / 8;
  Values depth;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto at = y.begin() + static_cast<std::ptrdiff_t>(i);
    const auto first = y.begin() + static_cast<std::ptrdiff_t>(i < reach ? 0 : i - reach);
    const auto last = y.begin() + static_cast<std::ptrdiff_t>(std::min(y.size(), i + reach + 1));
    depth.push_back(std::min(*std::max_element(first, at + 1), *std::max_element(at, last)) - *at);
  }
  const double limit = std::max(least, kDip * 1.4826 * median(depth));
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (depth[i] <= limit) out.push_back(i);
  }
  return out;
}

Values times(const std::vector<Block>& blocks) {
  Values out;
  for (const Block& b : blocks) out.push_back(b.x);
  return out;
}

Values levels(const std::vector<Block>& blocks) {
  Values out;
  for (const Block& b : blocks) out.push_back(b.level);
  return out;
}

}  // namespace leakhunt::analysis
