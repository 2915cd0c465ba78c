// leakbench_classify FOLDER [--published | --replay | --explain ID] [--without STEP]...: the verdicts of all
// series of a benchmark folder as CSV on stdout, in the columns that leakbench.py scores.
#include <algorithm>
#include <cstdio>
#include <optional>
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

// What the command line asks for.
struct Asked {
  std::string folder;
  bool published = false;
  bool replaying = false;
  std::string explained;  // a part of the id, "all", or nothing
  Steps steps;
};

// Nothing where the words are not understood.
std::optional<Asked> asked_by(int argc, char** argv) {
  if (argc < 2) return std::nullopt;
  Asked asked;
  asked.folder = argv[1];
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string next = i + 1 < argc ? argv[i + 1] : "";
    if (word == "--published") {
      asked.published = true;
    } else if (word == "--replay") {
      asked.replaying = true;
    } else if (word == "--explain" && !next.empty()) {
      asked.explained = argv[++i];
    } else if (word == "--without") {
      const auto step = std::find_if(kStepNames.begin(), kStepNames.end(),
                                     [&](const StepName& s) { return s.name == next; });
      if (step == kStepNames.end()) return std::nullopt;
      asked.steps.*(step->on) = false;
      ++i;
    } else {
      return std::nullopt;
    }
  }
  return asked;
}

Verdict verdict_on(const Question& q, const Asked& asked) {
  if (asked.published) return judge_published(q);
  return asked.replaying ? judge_with_replay(q) : judge(q, asked.steps);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--steps") {
    for (const StepName& step : kStepNames) std::printf("%s\n", std::string(step.name).c_str());
    return 0;
  }
  const std::optional<Asked> asked = asked_by(argc, argv);
  if (!asked) {
    std::fprintf(stderr,
                 "usage: leakbench_classify FOLDER [--published | --replay | --explain ID|all] "
                 "[--without STEP]...\n       leakbench_classify --steps\n");
    return 2;
  }
  if (asked->explained.empty())
    std::printf("id,verdict,leak,slope_bpm,slope_lo,slope_hi,tte_min,tte_lo,tte_hi,mds_bpm,state\n");
  for (const bench_files::File& file : bench_files::list(asked->folder)) {
    const std::string& part = asked->explained;
    if (!part.empty() && part != "all" && file.id.find(part) == std::string::npos) continue;
    const Question q = bench_files::read(file, asked->steps);
    if (part.empty()) {
      print_row(file.id, verdict_on(q, *asked));
    } else {
      explain(file.id, q);
    }
  }
  return 0;
}
