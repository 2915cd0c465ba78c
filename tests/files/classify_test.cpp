// `classify`: files in, verdict messages out.
#include "answer/classify.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace leakhunt::answer {
namespace {

class Classify : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              (std::string("classify-") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  static v1::Classified ask(const v1::ClassifyQuestion& question, v1::Rules rules = v1::RULES_LEAKHUNT,
                            const std::string& config = "") {
    const auto answer = classify(question, {rules, config, {}});
    EXPECT_TRUE(answer);
    return answer->classify();
  }

  // Free heap that falls by `per_min` over ten hours, a reading a minute.
  static std::string falling(double per_min) {
    std::string csv = "timestamp,heap_free_bytes\n";
    for (int i = 0; i < 600; ++i) {
      csv += std::to_string(60 * i) + "," +
             std::to_string(200000 - static_cast<int>(per_min * i) - (i % 7) * 40) + "\n";
    }
    return csv;
  }

  std::filesystem::path folder_;
};

TEST_F(Classify, ALeakAndAHealthyFile) {
  v1::ClassifyQuestion question;
  question.add_files(write("leaky.csv", falling(100)));
  question.add_files(write("healthy.csv", falling(0)));
  const auto classified = ask(question);
  ASSERT_EQ(classified.files_size(), 2);
  const auto& leaky = classified.files(0);
  EXPECT_EQ(leaky.id(), "leaky");
  EXPECT_EQ(leaky.kind(), "csv");
  EXPECT_EQ(leaky.metric(), "heap_free_bytes");
  EXPECT_EQ(leaky.samples(), 600);
  EXPECT_TRUE(leaky.leak());
  EXPECT_EQ(leaky.verdict().class_(), v1::VERDICT_CLASS_SLOW_LEAK);
  EXPECT_NEAR(leaky.verdict().trend_per_min().value(), -100, 2);
  EXPECT_EQ(classified.files(1).verdict().class_(), v1::VERDICT_CLASS_STEADY);
}

TEST_F(Classify, UsedMemoryHasItsSignTurned) {
  std::string csv = "timestamp,rss_bytes\n";
  for (int i = 0; i < 600; ++i)
    csv += std::to_string(60 * i) + "," + std::to_string(100000000 + 50000 * i) + "\n";
  v1::ClassifyQuestion question;
  question.add_files(write("rss.csv", csv));
  const auto classified = ask(question);
  EXPECT_EQ(classified.files(0).verdict().class_(), v1::VERDICT_CLASS_SLOW_LEAK);
  EXPECT_NEAR(classified.files(0).verdict().trend_per_min().value(), 50000, 500);
}

TEST_F(Classify, WithoutTimesNoRateIsClaimed) {
  std::string csv = "heap_free_bytes\n";
  for (int i = 0; i < 600; ++i) csv += std::to_string(200000 - 100 * i) + "\n";
  v1::ClassifyQuestion question;
  question.add_files(write("untimed.csv", csv));
  const auto classified = ask(question);
  EXPECT_EQ(classified.files(0).verdict().class_(), v1::VERDICT_CLASS_INSUFFICIENT_DATA);
  EXPECT_FALSE(classified.files(0).leak());
  EXPECT_FALSE(classified.files(0).verdict().has_slope_per_min());
  EXPECT_FALSE(classified.files(0).verdict().has_trend_per_min());
}

TEST_F(Classify, OneTimeInAllRowsIsNoRate) {
  std::string csv = "time,heap_free_bytes\n";
  for (int i = 0; i < 600; ++i) csv += "1700000000," + std::to_string(200000 - 100 * i) + "\n";
  v1::ClassifyQuestion question;
  question.add_files(write("still.csv", csv));
  const auto classified = ask(question);
  EXPECT_EQ(classified.files(0).verdict().class_(), v1::VERDICT_CLASS_INSUFFICIENT_DATA);
  EXPECT_FALSE(classified.files(0).verdict().has_slope_per_min());
}

TEST_F(Classify, CompanionLogTellsOfRebootsAndFailures) {
  std::string csv = "timestamp_s,heap_free_bytes\n";
  for (int i = 0; i < 120; ++i)
    csv += std::to_string(60 * i) + "," + std::to_string(100000 - (i % 5) * 20) + "\n";
  v1::ClassifyQuestion question;
  question.add_files(write("node.csv", csv));
  write("node.log", "3601.00\tINFO  | ??:??:?? 0 [Main] Booting\n3590.0\tEVENT connection_lost\n");
  EXPECT_EQ(ask(question).files(0).verdict().class_(), v1::VERDICT_CLASS_STEADY);
  question.set_companion_logs(true);
  EXPECT_EQ(ask(question).files(0).verdict().class_(), v1::VERDICT_CLASS_REBOOT_MID_WINDOW);
}

// The cause by the rule of text logs: the lines of the minute before, the weightiest first.
TEST_F(Classify, CompanionLogTellsWhyTheDeviceRestarted) {
  const struct {
    std::string name, lines, cause;
  } cases[] = {
      {"watchdog",
       "3600.5\tE (9) task_wdt: Task watchdog got triggered. The following tasks did not reset the watchdog "
       "in time:\n3620.0\tRebooting...\n",
       "watchdog"},
      {"panic",
       "3615.0\tGuru Meditation Error: Core  1 panic'ed (LoadProhibited). Exception was unhandled.\n",
       "panic"},
      {"planned", "3599.0\tINFO  | 10:00:00 500 [Main] Rebooting\n", "planned"},
      {"memory",
       "3610.0\tterminate called after throwing an instance of 'std::bad_alloc'\n"
       "3610.1\tabort() was called at PC 0x40082000 on core 1\n",
       "out_of_memory"},
      {"long_before",
       "1000.0\tGuru Meditation Error: Core  1 panic'ed (LoadProhibited). Exception was unhandled.\n", ""},
  };
  for (const bool uptime : {false, true}) {
    for (const auto& one : cases) {
      std::string csv = std::string("timestamp_s,heap_free_bytes") + (uptime ? ",uptime_s\n" : "\n");
      for (int i = 0; i < 120; ++i) {
        csv += std::to_string(60 * i) + "," + std::to_string(100000 - (i % 5) * 20);
        csv += uptime ? "," + std::to_string(i < 61 ? 60 * i + 5 : 60 * (i - 61) + 20) + "\n" : "\n";
      }
      v1::ClassifyQuestion question;
      question.set_companion_logs(true);
      question.add_files(write(one.name + ".csv", csv));
      write(one.name + ".log", one.lines +
                                   "3640.0\tets Jul 29 2019 12:21:46\n"
                                   "3640.1\trst:0xc (SW_CPU_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)\n");
      const auto verdict = ask(question).files(0).verdict();
      ASSERT_EQ(verdict.boots_size(), 2) << one.name;
      EXPECT_EQ(verdict.boots(1).cause(), one.cause) << one.name << uptime;
    }
  }
}

TEST_F(Classify, ALimitBelowTheReadingsIsNone) {
  std::string csv = "timestamp,used,limit\n";
  std::string bare = "timestamp,used\n";
  for (int i = 0; i < 600; ++i) {
    const std::string row = std::to_string(60 * i) + "," + std::to_string(100000000 + 50000 * i);
    csv += row + ",200000000\n";
    bare += row + "\n";
  }
  v1::ClassifyQuestion question;
  question.add_files(write("column.csv", csv));
  question.add_files(write("bare.csv", bare));
  const auto answer = classify(question, {v1::RULES_LEAKHUNT, "", 5000});
  ASSERT_TRUE(answer);
  const auto& column = answer->classify().files(0);
  EXPECT_EQ(column.notes_size(), 0);
  EXPECT_TRUE(column.verdict().has_minutes_to_oom());
  const auto& none = answer->classify().files(1);
  EXPECT_EQ(none.verdict().class_(), v1::VERDICT_CLASS_SLOW_LEAK);
  EXPECT_FALSE(none.verdict().has_minutes_to_oom());
  ASSERT_EQ(none.notes_size(), 1);
  EXPECT_EQ(none.notes(0), "the readings lie above the limit of 5,000 B: it is not used");
}

TEST_F(Classify, PublishedRulesOnRequest) {
  v1::ClassifyQuestion question;
  question.add_files(write("slow.csv", falling(100)));
  const auto classified = ask(question, v1::RULES_PUBLISHED);
  EXPECT_EQ(classified.files(0).verdict().rules(), v1::RULES_PUBLISHED);
  EXPECT_EQ(classified.files(0).verdict().class_(), v1::VERDICT_CLASS_SLOW_LEAK);
}

TEST_F(Classify, AnUnreadableFileDoesNotStopTheOthers) {
  v1::ClassifyQuestion question;
  question.add_files("/nonexistent/x.csv");
  question.add_files(write("leaky.csv", falling(100)));
  const auto classified = ask(question);
  EXPECT_TRUE(classified.files(0).has_error());
  EXPECT_EQ(classified.files(0).error().where(), "/nonexistent/x.csv");
  EXPECT_TRUE(classified.files(1).leak());
}

TEST_F(Classify, AMetricThatIsNotThereIsNamedWithThoseThatAre) {
  v1::ClassifyQuestion question;
  question.add_files(write("leaky.csv", falling(100)));
  question.set_metric("rss");
  const auto classified = ask(question);
  ASSERT_TRUE(classified.files(0).has_error());
  EXPECT_NE(classified.files(0).error().hint().find("heap_free_bytes"), std::string::npos);
}

TEST_F(Classify, TextAsWindowsShellsWriteIt) {
  std::string wide = "\xFF\xFE";
  for (const char c : falling(100)) {
    wide += c;
    wide += '\0';
  }
  v1::ClassifyQuestion question;
  question.add_files(write("wide.csv", wide));
  question.add_files(write("unmarked.csv", wide.substr(2)));
  const auto classified = ask(question);
  EXPECT_EQ(classified.files(0).samples(), 600);
  EXPECT_EQ(classified.files(1).samples(), 600);
}

TEST_F(Classify, LogFormatsOfTheConfiguration) {
  std::string log;
  for (int i = 0; i < 600; ++i)
    log += "t=" + std::to_string(60 * i) + " pool<" + std::to_string(200 - i / 10) + ">\n";
  v1::ClassifyQuestion question;
  question.add_files(write("own.log", log));
  const auto config = write("leakhunt.toml",
                            "[[log_format]]\nname = \"own\"\npattern = '''t=(?P<uptime>\\d+) "
                            "pool<(?P<free>\\d+)>'''\nunit = \"KiB\"\n");
  const auto classified = ask(question, v1::RULES_LEAKHUNT, config);
  EXPECT_EQ(classified.files(0).samples(), 600);
  EXPECT_EQ(classified.files(0).verdict().class_(), v1::VERDICT_CLASS_SLOW_LEAK);
  const auto broken = write("broken.toml", "[[log_format]]\nname = \"own\"\npattern = '('\n");
  const auto refused = classify(question, {v1::RULES_LEAKHUNT, broken, {}});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().line().find("own"), std::string::npos);
}

}  // namespace
}  // namespace leakhunt::answer
