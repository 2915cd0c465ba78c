// Running sums of (t, v) pairs that can be merged: means, spread and the least-squares line of any union of
// parts equal those of the whole.
#pragma once

#include <cstdint>

namespace leakhunt {

// Count, means and centred second moments. Merging follows Chan, Golub, LeVeque (1979),
// "Updating formulae and a pairwise algorithm for computing sample variances".
struct RunningSums {
  std::int64_t n = 0;
  double mean_t = 0;
  double mean_v = 0;
  double m2_t = 0;  // sum of (t - mean_t)^2
  double m2_v = 0;  // sum of (v - mean_v)^2
  double c_tv = 0;  // sum of (t - mean_t)(v - mean_v)

  void add(double t, double v);
  void merge(const RunningSums& other);

  // Least-squares slope in v per t; 0 when all t are equal or n < 2.
  [[nodiscard]] double slope() const;
};

}  // namespace leakhunt
