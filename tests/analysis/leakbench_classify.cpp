// leakbench_classify FOLDER [--published | --replay | --explain ID]: the verdicts of all series of a
// benchmark folder as CSV on stdout, in the columns that leakbench.py scores.
#include <cstdio>
#include <cstring>
#include <string>

#include "analysis/judge.h"
#include "tests/analysis/bench_files.h"

namespace {

using namespace leakhunt::analysis;

void print_row(const std::string& id, const Verdict& v) {
  std::printf("%s,%s,%d,", id.c_str(), std::string(text_word(v.verdict)).c_str(), v.leak ? 1 : 0);
  if (v.rules == Rules::published) {
    std::printf("%.3f,,,,,,,\n", v.slope_per_min_raw);
    return;
  }
  if (v.leak && v.trend_per_min) {
    std::printf("%.3f,%.3f,%.3f,", v.trend_per_min->value, v.trend_per_min->low, v.trend_per_min->high);
  } else {
    std::printf("0.000,,,");
  }
  if (v.minutes_to_oom) {
    std::printf("%.1f,%.1f,%.1f,", v.minutes_to_oom->value, v.minutes_to_oom->low, v.minutes_to_oom->high);
  } else {
    std::printf(",,,");
  }
  std::printf("%.1f,%s\n", v.mds_per_min.value_or(0), std::string(word(v.state)).c_str());
}

void explain(const std::string& id, const Question& q) {
  const Verdict v = judge_with_replay(q);
  std::printf("== %s: %s (%s), leak %d, shape %s\n", id.c_str(), std::string(text_word(v.verdict)).c_str(),
              std::string(word(v.state)).c_str(), v.leak ? 1 : 0, v.shape.c_str());
  for (const Finding& f : v.findings) std::printf("   %.1f %s\n", f.weight, f.text.c_str());
  for (const std::string& r : v.ruled_out) std::printf("   not %s\n", r.c_str());
  if (!v.needs.empty()) std::printf("   needs %s\n", v.needs.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: leakbench_classify FOLDER [--published | --replay | --explain ID|all]\n");
    return 2;
  }
  const bool published = argc > 2 && std::strcmp(argv[2], "--published") == 0;
  const bool replaying = argc > 2 && std::strcmp(argv[2], "--replay") == 0;
  const bool explaining = argc > 3 && std::strcmp(argv[2], "--explain") == 0;
  if (!explaining)
    std::printf("id,verdict,leak,slope_bpm,slope_lo,slope_hi,tte_min,tte_lo,tte_hi,mds_bpm,state\n");
  for (const bench_files::File& file : bench_files::list(argv[1])) {
    if (explaining && std::strcmp(argv[3], "all") != 0 && file.id.find(argv[3]) == std::string::npos)
      continue;
    const Question q = bench_files::read(file);
    if (explaining) {
      explain(file.id, q);
    } else {
      print_row(file.id, published ? judge_published(q) : (replaying ? judge_with_replay(q) : judge(q)));
    }
  }
  return 0;
}
