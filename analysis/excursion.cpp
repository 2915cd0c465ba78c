// Level before, worst within, level after, way back.
#include "analysis/excursion.h"

#include <algorithm>
#include <cmath>

#include "analysis/numbers.h"
#include "analysis/words.h"
#include "base/quantile.h"

namespace leakhunt::analysis {
namespace {

struct Parts {
  Values before;
  Values within;
  std::vector<const Point*> after;
};

Parts parts_of(const std::vector<Point>& points, double start_s, double end_s, double sign) {
  Parts out;
  for (const Point& p : points) {
    if (p.t_s < start_s) {
      out.before.push_back(sign * p.value);
    } else {
      if (p.t_s < end_s)
        out.within.push_back(sign * p.value);
      else
        out.after.push_back(&p);
    }
  }
  return out;
}

std::string kilobytes(double bytes) {
  return bytes < 2048 ? bytes_text(bytes) : number_text(bytes / 1024, bytes < 10240 ? 1 : 0) + " KB";
}

std::string sentence_of(const Excursion& e, const std::string& field, bool used, double noise) {
  const std::string moved = used ? " rose " : " dipped ";
  if (e.depth <= noise) {
    return field + " did not move beyond its noise (" + bytes_text(noise) +
           ") during the burst window: not a leak";
  }
  const std::string text = field + moved + kilobytes(e.depth) + " during the burst window, ";
  if (e.recovered) {
    const int cycles = e.cycles_to_baseline.value_or(1);
    return text + "recovered to baseline within " +
           count_text(static_cast<std::size_t>(cycles), "LocalStats cycle", "LocalStats cycles") +
           ": not a leak";
  }
  return text + "did not come back within " +
         count_text(static_cast<std::size_t>(std::max(0, e.cycles_seen)), "cycle", "cycles") + ", so far " +
         bytes_text(used ? e.left_over : -e.left_over) + ": repeat or wait, this alone is no leak";
}

}  // namespace

std::optional<Excursion> excursion(const std::vector<Point>& points, double start_s, double end_s,
                                   double cycle_s, Sense sense, const std::string& field_name) {
  const bool used = sense == Sense::used_rises_is_bad;
  const double sign = used ? -1.0 : 1.0;
  Parts parts = parts_of(points, start_s, end_s, sign);
  if (parts.before.size() < 3 || parts.after.empty()) return std::nullopt;
  Excursion e;
  e.noise_before = mad(parts.before);
  const double before = median(std::move(parts.before));
  // Back means within three times the noise, and at least within 256 bytes.
  const double band = std::max({3 * e.noise_before, 256.0, 0.002 * std::abs(before)});
  double worst = before;
  for (const double v : parts.within) worst = std::min(worst, v);
  for (const Point* p : parts.after) {
    const double v = sign * p->value;
    if (!e.recovered && v >= before - band) {
      e.recovered = true;
      const double back_s = std::max(0.0, p->t_s - end_s);
      e.minutes_to_baseline = back_s / 60;
      e.cycles_to_baseline = std::max(1, static_cast<int>(std::ceil(back_s / cycle_s - 1e-9)));
    }
    if (!e.recovered) worst = std::min(worst, v);
  }
  Values last;
  const std::size_t n = std::min<std::size_t>(3, parts.after.size());
  for (std::size_t i = parts.after.size() - n; i < parts.after.size(); ++i)
    last.push_back(sign * parts.after[i]->value);
  const double after = median(std::move(last));
  e.level_before = sign * before;
  e.lowest_within = sign * worst;
  e.depth = before - worst;
  e.level_after = sign * after;
  e.left_over = before - after;
  e.cycles_seen = static_cast<int>((parts.after.back()->t_s - end_s) / cycle_s);
  e.sentence = sentence_of(e, field_name, used, band);
  return e;
}

}  // namespace leakhunt::analysis
