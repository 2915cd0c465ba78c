#include "base/sums.h"

namespace leakhunt {

void RunningSums::add(double t, double v) {
  merge({1, t, v, 0, 0, 0});
}

void RunningSums::merge(const RunningSums& other) {
  if (other.n == 0) return;
  if (n == 0) {
    *this = other;
    return;
  }
  const double na = static_cast<double>(n);
  const double nb = static_cast<double>(other.n);
  const double all = na + nb;
  const double dt = other.mean_t - mean_t;
  const double dv = other.mean_v - mean_v;
  const double weight = na * nb / all;
  m2_t += other.m2_t + dt * dt * weight;
  m2_v += other.m2_v + dv * dv * weight;
  c_tv += other.c_tv + dt * dv * weight;
  mean_t += dt * nb / all;
  mean_v += dv * nb / all;
  n += other.n;
}

double RunningSums::slope() const {
  return m2_t > 0 ? c_tv / m2_t : 0;
}

}  // namespace leakhunt
