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
  // The same pairs counted from another origin: t and v grow by these.
  [[nodiscard]] RunningSums moved(double by_t, double by_v) const;

  // Least-squares slope in v per t; 0 when all t are equal or n < 2.
  [[nodiscard]] double slope() const;
};

// Sums of integer pairs without any rounding, whatever the order they come in. Times are microseconds and
// values bytes, both from an origin near them: |t| up to 10 days and |v| up to 2^40 hold 10^7 pairs.
class ExactSums {
 public:
  void add(std::int64_t t_us, std::int64_t v);
  [[nodiscard]] std::int64_t n() const { return n_; }
  // With t in seconds, from the same origins.
  [[nodiscard]] RunningSums sums() const;

 private:
  __extension__ using Wide = __int128;
  std::int64_t n_ = 0;
  Wide t_ = 0;
  Wide v_ = 0;
  Wide tt_ = 0;
  Wide vv_ = 0;
  Wide tv_ = 0;
};

}  // namespace leakhunt
