// Verdicts of recorded files as rows for a benchmark.
#include "ctl/classified.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace leakhunt::ctl {
namespace {

using ::testing::HasSubstr;

v1::ClassifiedFile& add_leak(v1::Classified& classified, const std::string& id,
                             const std::string& folder = "") {
  v1::ClassifiedFile& file = *classified.add_files();
  file.set_id(id);
  file.set_file(folder + id + ".csv");
  file.set_leak(true);
  file.set_samples(600);
  v1::Verdict& verdict = *file.mutable_verdict();
  verdict.set_class_(v1::VERDICT_CLASS_SLOW_LEAK);
  verdict.mutable_trend_per_min()->set_value(-82.1234);
  verdict.mutable_trend_per_min()->set_low(-83);
  verdict.mutable_trend_per_min()->set_high(-81);
  verdict.mutable_minutes_to_oom()->set_value(1127);
  verdict.mutable_minutes_to_oom()->set_low(1100);
  verdict.set_mds_per_min(6);
  return file;
}

std::string rows_of(const v1::Classified& classified) {
  const std::string text = classified_csv(classified);
  return text.substr(text.find('\n') + 1);
}

TEST(Classified, HasTheColumnsThatAreScored) {
  v1::Classified classified;
  add_leak(classified, "a");
  EXPECT_EQ(classified_csv(classified),
            "id,verdict,leak,slope_bpm,slope_lo,slope_hi,tte_min,tte_lo,tte_hi,mds_bpm\n"
            "a,SLOW LEAK,1,-82.123,-83.000,-81.000,1127.0,1100.0,inf,6.00\n");
}

TEST(Classified, LeavesEmptyWhatThereIsNot) {
  v1::Classified classified;
  v1::ClassifiedFile& file = *classified.add_files();
  file.set_id("short");
  file.mutable_verdict()->set_class_(v1::VERDICT_CLASS_INSUFFICIENT_DATA);
  EXPECT_EQ(rows_of(classified), "short,INSUFFICIENT DATA,0,,,,,,,\n");
}

TEST(Classified, ByThePublishedRulesHasTheirFigures) {
  v1::Classified classified;
  v1::Verdict& verdict = *add_leak(classified, "a").mutable_verdict();
  verdict.set_rules(v1::RULES_PUBLISHED);
  verdict.set_slope_per_min(-80);
  verdict.set_minutes_to_zero(1000);
  EXPECT_EQ(rows_of(classified), "a,SLOW LEAK,1,-80.000,,,1000.0,,,\n");
}

TEST(Classified, OfFilesWithOneIdOnlyTheFirstHasARow) {
  v1::Classified classified;
  add_leak(classified, "a", "first/");
  add_leak(classified, "a", "second/");
  refuse_twins(classified);
  EXPECT_EQ(rows_of(classified).find("a,"), rows_of(classified).rfind("a,"));
  EXPECT_THAT(skipped_lines(classified, true),
              ::testing::AllOf(HasSubstr("first/a.csv"), HasSubstr("second/a.csv")));
}

TEST(Classified, WhatCouldNotBeReadHasALineAndNoRow) {
  v1::Classified classified;
  v1::ClassifiedFile& gone = *classified.add_files();
  gone.set_id("gone");
  gone.set_file("gone\x1b[2J.csv");
  gone.mutable_error()->set_what("cannot open the file");
  EXPECT_EQ(rows_of(classified), "");
  const std::string line = skipped_lines(classified, false);
  EXPECT_THAT(line, HasSubstr("cannot open the file"));
  EXPECT_EQ(line.find('\x1b'), std::string::npos);
}

TEST(Classified, TellsAPersonTheTimeThatIsLeft) {
  v1::Classified classified;
  v1::Verdict& verdict = *add_leak(classified, "a").mutable_verdict();
  verdict.set_minutes_to_zero(1127);
  verdict.set_reserve_bytes(1500);
  verdict.set_reserve_reason("a file tells no chip");
  EXPECT_THAT(
      classified_text(classified),
      HasSubstr("est. time-to-OOM: ~1,127 min (~18.8 h) at current slope (95 %: 1,100 min to open, ~1,127 "
                "min until the reserve; reserve 1,500 B: a file tells no chip)\n"));
}

}  // namespace
}  // namespace leakhunt::ctl
