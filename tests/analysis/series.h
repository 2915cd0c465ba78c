// Makes series for tests: levels by a function of time, with repeatable noise.
#pragma once

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "analysis/input.h"
#include "analysis/verdict.h"

namespace leakhunt::analysis::testing {

inline constexpr double kStart_s = 1790000000;
inline constexpr double kHour_s = 3600;

struct Wave {
  double hours = 6;
  double cadence_s = 60;
  double noise = 40;
  double uptime_s = 5 * kHour_s;  // at the first reading
  std::int64_t boot = 1;
  double start_s = kStart_s;
  unsigned seed = 7;
};

// Free memory `level(seconds since the start)` plus normal noise, in steps of 4 bytes.
inline Stretch stretch(const Wave& w, const std::function<double(double)>& level) {
  std::mt19937 random(w.seed);
  std::normal_distribution<double> noise(0, w.noise);
  Stretch s;
  s.boot_id = w.boot;
  for (double t = 0; t < w.hours * kHour_s; t += w.cadence_s) {
    Point p;
    p.x_s = w.uptime_s + t;
    p.t_s = w.start_s + t;
    p.value = std::floor((level(t) + (w.noise > 0 ? noise(random) : 0.0)) / 4) * 4;
    s.points.push_back(p);
  }
  return s;
}

inline Question ask(std::vector<Stretch> stretches, std::string source = "poll") {
  Question q;
  q.uptime_known = true;
  q.series.push_back({std::move(source), std::move(stretches)});
  return q;
}

inline EvidenceLine line(LineKind kind, double after_s, std::string text) {
  EvidenceLine l;
  l.t_s = kStart_s + after_s;
  l.kind = kind;
  l.text = std::move(text);
  return l;
}

// Whether a finding or something ruled out holds these words.
inline bool says(const Verdict& v, const std::string& part) {
  const auto holds = [&part](const std::string& text) { return text.find(part) != std::string::npos; };
  return std::any_of(v.findings.begin(), v.findings.end(), [&](const Finding& f) { return holds(f.text); }) ||
         std::any_of(v.ruled_out.begin(), v.ruled_out.end(), holds);
}

// Where among the findings; behind the last where none holds these words.
inline std::size_t place(const Verdict& v, const std::string& part) {
  std::size_t i = 0;
  while (i < v.findings.size() && v.findings[i].text.find(part) == std::string::npos) ++i;
  return i;
}

inline Question steady() {
  return ask({stretch({}, [](double) { return 120000.0; })});
}

inline Question leaking(double per_min, const Wave& wave = {}) {
  return ask({stretch(wave, [per_min](double t) { return 120000 - per_min * t / 60; })});
}

}  // namespace leakhunt::analysis::testing
