// leakbench_properties FOLDER [SHARE]: what must not change a verdict, over all series of a benchmark folder.
// Prints each verdict that changes and why it may; exits 1 where one may not, or where dropping readings
// changes more than SHARE (0.01) of the confirmed verdicts.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <random>
#include <set>
#include <string>

#include "analysis/judge.h"
#include "tests/analysis/bench_files.h"

namespace {

using namespace leakhunt::analysis;
using bench_files::Record;

constexpr double kLeastValue = 16384;

std::string told(const Verdict& v) {
  return std::string(text_word(v.verdict)) + (v.leak ? " leak" : "") + " (" + std::string(word(v.state)) +
         ")";
}

bool runs_out(const Verdict& v) {
  return v.underlying == VerdictClass::oom_imminent || v.verdict == VerdictClass::oom_imminent;
}

// Everything that is printed of it.
bool same(const Verdict& a, const Verdict& b) {
  const auto texts = [](const Verdict& v) {
    std::string all = told(v) + v.shape;
    for (const Finding& f : v.findings) all += f.text;
    for (const std::string& r : v.ruled_out) all += r;
    return all;
  };
  const bool slopes = !a.trend_per_min || (a.trend_per_min->value == b.trend_per_min->value &&
                                           a.trend_per_min->low == b.trend_per_min->low);
  return texts(a) == texts(b) && slopes && a.mds_per_min == b.mds_per_min;
}

// As if recorded at another time; the device's own clock goes on as it did.
Record shifted(Record r, double by_s) {
  for (Row& row : r.rows) row.t_s += by_s;
  for (EvidenceLine& line : r.lines) line.t_s += by_s;
  return r;
}

Record mapped(Record r, const std::function<double(double)>& f) {
  for (Row& row : r.rows) {
    row.point.value = f(row.point.value);
    row.point.largest_block = f(row.point.largest_block);
    row.point.total = f(row.point.total);
    row.point.min_free = f(row.point.min_free);
  }
  return r;
}

Record thinned(Record r, std::mt19937& random) {
  std::erase_if(r.rows, [&](const Row&) { return std::uniform_real_distribution<>(0, 1)(random) < 0.1; });
  return r;
}

// The most that can be added with every value above 16 KB and below twice the highest reading, which stands
// for the total.
bool may_add(const Record& r, double by) {
  double highest = 0;
  for (const Row& row : r.rows) highest = std::max(highest, row.point.value);
  return std::all_of(r.rows.begin(), r.rows.end(), [&](const Row& row) {
    return row.point.value + by > kLeastValue && row.point.value + by < 4 * highest;
  });
}

// The series of FOLDER/truth.json that have a leak; the file has one entry of an object a line.
std::set<std::string> true_leaks(const std::string& folder) {
  std::set<std::string> out;
  std::ifstream in(folder + "/truth.json");
  std::string id;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("\"id\": \"")) id = line.substr(7, line.find('"', 7) - 7);
    if (line.starts_with("\"leak\": true")) out.insert(id);
  }
  return out;
}

struct Tally {
  int faults = 0;
  int other_direction = 0;
  int confirmed = 0;
  int dropped_changes = 0;
};

class Checks {
 public:
  Checks(std::string id, Record record, bool leaks, Tally& tally)
      : id_(std::move(id)),
        record_(std::move(record)),
        leaks_(leaks),
        tally_(tally),
        base_(judge_with_replay(bench_files::ask(record_))) {}

  void time() {
    for (const double by : {-86400.0 * 365 * 20, 86400.0 * 365, 0.123456, 3600.5}) {
      const Verdict v = judge_with_replay(bench_files::ask(shifted(record_, by)));
      if (!same(base_, v)) fault("time by " + std::to_string(by), v);
    }
  }
  void scale() {
    for (const double by : {1.25, 2.0, 3.0, 4.0}) {
      size("bytes times " + std::to_string(by), mapped(record_, [by](double v) { return by * v; }));
    }
    for (const double by : {4096.0, 65536.0}) {
      if (may_add(record_, by))
        size("bytes plus " + std::to_string(by), mapped(record_, [by](double v) { return v + by; }));
    }
  }
  void drop() {
    if (base_.state != State::confirmed) return;
    ++tally_.confirmed;
    std::mt19937 random(static_cast<unsigned>(std::hash<std::string>{}(id_)));
    const Verdict v = judge_with_replay(bench_files::ask(thinned(record_, random)));
    if (v.verdict == base_.verdict && v.leak == base_.leak) return;
    ++tally_.dropped_changes;
    std::printf("%s: a tenth of the readings dropped: %s -> %s\n", id_.c_str(), told(base_).c_str(),
                told(v).c_str());
  }

 private:
  void fault(const std::string& what, const Verdict& v) {
    ++tally_.faults;
    std::printf("FAULT %s: %s: %s, %s -> %s, %s\n", id_.c_str(), what.c_str(), told(base_).c_str(),
                base_.shape.c_str(), told(v).c_str(), v.shape.c_str());
  }
  void size(const std::string& what, const Record& r) {
    const Verdict v = judge_with_replay(bench_files::ask(r));
    if (runs_out(base_) || runs_out(v) || v.leak == base_.leak) return;
    if (leaks_ && base_.leak && base_.state == State::confirmed) return fault(what, v);
    ++tally_.other_direction;
    std::printf("%s: %s: %s, %s -> %s, %s; was %s\n", id_.c_str(), what.c_str(), told(base_).c_str(),
                base_.shape.c_str(), told(v).c_str(), v.shape.c_str(),
                base_.ruled_out.empty() ? "below the least that counts" : base_.ruled_out.back().c_str());
  }

  std::string id_;
  Record record_;
  bool leaks_;
  Tally& tally_;
  Verdict base_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: leakbench_properties FOLDER [SHARE]\n");
    return 2;
  }
  const double share = argc > 2 ? std::atof(argv[2]) : 0.01;
  Tally tally;
  const std::set<std::string> leaking = true_leaks(argv[1]);
  if (leaking.empty()) {
    std::fprintf(stderr, "no truth.json with leaks in %s\n", argv[1]);
    return 2;
  }
  int series = 0;
  for (const bench_files::File& file : bench_files::list(argv[1])) {
    Checks checks(file.id, bench_files::read_record(file), leaking.contains(file.id), tally);
    checks.time();
    checks.scale();
    checks.drop();
    ++series;
  }
  std::printf(
      "%d series: %d faults, %d changes in the other direction; %d of %d confirmed verdicts change with a "
      "tenth of the readings dropped\n",
      series, tally.faults, tally.other_direction, tally.dropped_changes, tally.confirmed);
  return tally.faults > 0 || tally.dropped_changes > share * tally.confirmed || series == 0 ? 1 : 0;
}
