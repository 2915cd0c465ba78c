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

RunningSums RunningSums::moved(double by_t, double by_v) const {
  RunningSums out = *this;
  out.mean_t += by_t;
  out.mean_v += by_v;
  return out;
}

double RunningSums::slope() const {
  return m2_t > 0 ? c_tv / m2_t : 0;
}

void ExactSums::add(std::int64_t t_us, std::int64_t v) {
  const Wide t = t_us;
  ++n_;
  t_ += t;
  v_ += v;
  tt_ += t * t;
  vv_ += static_cast<Wide>(v) * v;
  tv_ += t * v;
}

RunningSums ExactSums::sums() const {
  if (n_ == 0) return {};
  const auto real = [](Wide w) { return static_cast<double>(w); };
  const double n = real(n_);
  constexpr double us = 1e-6;
  return {n_,
          real(t_) / n * us,
          real(v_) / n,
          real(n_ * tt_ - t_ * t_) / n * us * us,
          real(n_ * vv_ - v_ * v_) / n,
          real(n_ * tv_ - t_ * v_) / n * us};
}

}  // namespace leakhunt
