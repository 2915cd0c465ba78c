// Every record with known truth: judged without a crash or a refusal, nearly always rightly, and never
// accusing the healthy with certainty.
#include "tests/files/corpus.h"

#include <gtest/gtest.h>

#include <random>

#include "analysis/verdict.h"
#include "answer/recording_question.h"

namespace leakhunt::files {
namespace {

// The whole input: the table with the log beside it, or the one file there is.
answer::JudgedRecording judge_whole(const CorpusCase& one) {
  const auto csv = one.folder / "input.csv";
  const auto log = one.folder / "input.log";
  const bool table = std::filesystem::exists(csv);
  auto recording = recorder::read_recording_file(table ? csv : log);
  EXPECT_TRUE(recording) << one.id;
  if (table && std::filesystem::exists(log)) {
    EXPECT_TRUE(recorder::add_companion_log(*recording, bytes_of(log))) << one.id;
  }
  auto judged = answer::judge_recording(*recording, {});
  EXPECT_TRUE(judged) << one.id;
  return *judged;
}

struct Set {
  const char* folder;
  int least_usable;  // cases with a series
  int right_of_100;  // the truth itself, not only what a careful tool may say as well
};

class Corpus : public testing::TestWithParam<Set> {
 protected:
  static std::vector<CorpusCase> corpus() { return cases_of(GetParam().folder); }
};

// Of the real records many are too short for anything but INSUFFICIENT DATA; the invented ones are not.
INSTANTIATE_TEST_SUITE_P(Sets, Corpus, testing::Values(Set{"corpus", 100, 55}, Set{"wild", 80, 85}),
                         [](const auto& set) { return std::string(set.param.folder); });

TEST_P(Corpus, NearlyAllVerdictsAreRightOrAcceptable) {
  int usable = 0;
  int good = 0;
  int right = 0;
  for (const auto& one : corpus()) {
    const auto judged = judge_whole(one);
    if (one.facts_only) continue;
    ++usable;
    const std::string verdict(analysis::text_word(judged.verdict.verdict));
    good += one.accepts(verdict) ? 1 : 0;
    right += verdict == one.truth ? 1 : 0;
    if (!one.accepts(verdict))
      std::printf("miss: %s says %s, truth %s\n", one.id.c_str(), verdict.c_str(), one.truth.c_str());
  }
  EXPECT_GE(usable, GetParam().least_usable);
  EXPECT_GE(good * 100, usable * 95);
  EXPECT_GE(right * 100, usable * GetParam().right_of_100);
}

TEST_P(Corpus, EachFileAloneIsMostlyJudgedRightly) {
  int files = 0;
  int good = 0;
  for (const auto& one : corpus()) {
    for (const char* name : {"input.csv", "input.log"}) {
      if (one.facts_only || !std::filesystem::exists(one.folder / name)) continue;
      const auto recording = recorder::read_recording_file(one.folder / name);
      ASSERT_TRUE(recording) << one.id;
      const auto judged = answer::judge_recording(*recording, {});
      ASSERT_TRUE(judged) << one.id;
      ++files;
      good += one.accepts(std::string(analysis::text_word(judged->verdict.verdict))) ? 1 : 0;
    }
  }
  EXPECT_GE(good, files * 9 / 10);
}

TEST_P(Corpus, NoHealthyCaseIsAccusedWithCertainty) {
  for (const auto& one : corpus()) {
    if (one.truth != "STEADY" && one.truth != "INSUFFICIENT DATA") continue;
    const auto judged = judge_whole(one);
    const auto verdict = judged.verdict.verdict;
    const bool accused =
        verdict == analysis::VerdictClass::slow_leak || verdict == analysis::VerdictClass::oom_imminent;
    EXPECT_FALSE(accused && judged.verdict.state == analysis::State::confirmed) << one.id;
  }
}

// Files are cut anywhere and bytes get lost: never a crash, never a refusal.
TEST_P(Corpus, DamagedFilesAreStillRead) {
  std::mt19937 random(20260801);
  for (const auto& one : corpus()) {
    for (const char* name : {"input.csv", "input.log"}) {
      const auto bytes = bytes_of(one.folder / name);
      for (int round = 0; round < 4 && !bytes.empty(); ++round) {
        auto damaged = bytes.substr(0, random() % bytes.size() + 1);
        for (int hit = 0; hit < 3; ++hit)
          damaged[random() % damaged.size()] = static_cast<char>(random() & 0xFFU);
        const auto recording = recorder::read_recording(damaged);
        ASSERT_TRUE(recording) << one.id;
        EXPECT_TRUE(answer::judge_recording(*recording, {})) << one.id;
      }
    }
  }
}

}  // namespace
}  // namespace leakhunt::files
