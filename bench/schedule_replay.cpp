// schedule_replay FOLDER [--counted]: judges each series of a folder again and again, over the scheduled
// windows, as it would have been judged while it was recorded. Knows the entry points of the analysis alone.
//
// Looks every 5 minutes as the daemon does (once an hour at 7 d: its window moves by a thousandth), or, with
// --counted, only at looks that count (a sixth of the window apart). Prints id,window_s,at_s,class,leak,state
// for each look that differs from the last one at that window; at_s counts from the first reading.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "analysis/judge.h"
#include "tests/analysis/bench_files.h"

namespace {

using namespace leakhunt::analysis;

constexpr double kHour_s = 3600;

struct Window {
  double length_s;
  double look_every_s;
};

constexpr std::array<Window, 3> kAsDaemon{{{kHour_s, 300}, {6 * kHour_s, 300}, {168 * kHour_s, kHour_s}}};
constexpr std::array<Window, 3> kCounted{
    {{kHour_s, kHour_s / 6}, {6 * kHour_s, kHour_s}, {168 * kHour_s, 28 * kHour_s}}};

double first_reading_s(const Question& question) {
  return question.series.front().stretches.front().points.front().t_s;
}

double last_reading_s(const Question& question) {
  return question.series.front().stretches.back().points.back().t_s;
}

// What lies within [start_s, end_s) of rows sorted by t_s.
template <class Row>
std::vector<Row> within(const std::vector<Row>& rows, double start_s, double end_s) {
  const auto before = [](const Row& row, double t_s) { return row.t_s < t_s; };
  const auto begin = std::lower_bound(rows.begin(), rows.end(), start_s, before);
  return {begin, std::lower_bound(begin, rows.end(), end_s, before)};
}

// `frame` is `all` without readings and lines.
Question over(const Question& frame, const Question& all, double start_s, double end_s) {
  Question out = frame;
  for (const Stretch& stretch : all.series.front().stretches) {
    Stretch part{stretch.boot_id, stretch.began_s, stretch.cause, within(stretch.points, start_s, end_s)};
    if (!part.points.empty()) out.series.front().stretches.push_back(std::move(part));
  }
  out.lines = within(all.lines, start_s, end_s);
  out.window_start_s = start_s;
  out.window_end_s = end_s;
  return out;
}

bool within_one_boot(const Question& question, double window_s) {
  const auto& stretches = question.series.front().stretches;
  if (stretches.size() != 1) return false;
  const auto& points = stretches.front().points;
  return fills_window(points.back().x_s - points.front().x_s, window_s);
}

void replay(const std::string& id, const Question& all, const Window& window) {
  std::vector<Look> looks;
  std::string told;
  Question frame = all;
  frame.lines.clear();
  frame.series.front().stretches.clear();
  const double began_s = first_reading_s(all);
  for (double now_s = began_s + window.look_every_s; now_s <= last_reading_s(all);
       now_s += window.look_every_s) {
    const Question question = over(frame, all, now_s - window.length_s, now_s);
    Verdict verdict = judge(question);
    remember(looks, look_of(question, verdict), window.length_s);
    verdict.state = confirm(looks, window.length_s, within_one_boot(question, window.length_s)).state;
    const std::string says = std::string{text_word(verdict.verdict)} + (verdict.leak ? ",1," : ",0,") +
                             std::string{word(verdict.state)};
    if (says == told) continue;
    told = says;
    std::printf("%s,%.0f,%.0f,%s\n", id.c_str(), window.length_s, now_s - began_s, says.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: schedule_replay FOLDER [--counted]\n");
    return 2;
  }
  const bool counted = argc > 2 && std::strcmp(argv[2], "--counted") == 0;
  std::printf("id,window_s,at_s,class,leak,state\n");
  for (const bench_files::File& file : bench_files::list(argv[1])) {
    const Question all = bench_files::read(file);
    for (const Window& window : counted ? kCounted : kAsDaemon) replay(file.id, all, window);
  }
  return 0;
}
