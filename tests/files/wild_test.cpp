// Kinds of logs and tables that people paste: tables inside logs, reports with one time, long tables, quotes.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "analysis/verdict.h"
#include "answer/recording_question.h"
#include "recorder/quoted.h"
#include "recorder/recording.h"

namespace leakhunt::recorder {
namespace {

Recording read(std::string_view bytes) {
  auto recording = read_recording(bytes);
  EXPECT_TRUE(recording);
  return recording ? *recording : Recording{};
}

TEST(LineTables, EachProcessOfARepeatedTableIsASeries) {
  const auto recording = read(
      "Mon Mar  2 10:00:00 UTC 2026\n    PID   RSS    VSZ COMMAND\n   4127 84512 912340 /usr/bin/a -x\n"
      "   4128 1000 2000 b\nMon Mar  2 10:01:00 UTC 2026\n    PID   RSS    VSZ COMMAND\n"
      "   4127 84516 912340 /usr/bin/a -x\n   4128 1004 2000 b\n");
  ASSERT_EQ(recording.metrics.size(), 2U);
  EXPECT_EQ(recording.time, TimeBase::utc);
  EXPECT_EQ(recording.metrics[0].owner, "/usr/bin/a");
  EXPECT_EQ(recording.metrics[0].sense, MetricSense::used_memory);
  EXPECT_EQ(recording.metrics[0].readings[1].value, 84516.0 * 1024);
  EXPECT_EQ(recording.metrics[0].readings[1].t_s - recording.metrics[0].readings[0].t_s, 60);
}

TEST(LineTables, TheAverageLineAndSentencesAreNoRows) {
  const auto recording = read(
      "10:00:01 AM   UID       PID  minflt/s  majflt/s     VSZ     RSS   %MEM  Command\n"
      "10:00:01 AM  1000     21544     12.40      0.00  724512  152340   3.81  gateway\n"
      "Average:     1000     21544     12.40      0.00  724512  155000   3.81  gateway\n"
      "the RSS of PID one is 5 or 6 or 7 or 8 or 9\n");
  ASSERT_EQ(recording.metrics.size(), 1U);
  ASSERT_EQ(recording.metrics[0].readings.size(), 1U);
  EXPECT_EQ(recording.metrics[0].readings[0].value, 152340.0 * 1024);
}

TEST(Reports, AHeadGivesItsTimeToTheLevelsBelow) {
  const auto recording = read(
      "=== 2026-03-02 10:00:00\nVmPeak: 9 kB\nVmRSS:  100 kB\n=== 2026-03-02 10:02:00\nVmRSS:  101 kB\n");
  ASSERT_EQ(recording.metrics.size(), 1U);
  EXPECT_EQ(recording.time, TimeBase::utc);
  EXPECT_NEAR(recording.metrics[0].readings[1].t_s - recording.metrics[0].readings[0].t_s, 120, 1);
}

TEST(Reports, OneTimeAtTheStartOfALogIsNoTimeOfItsReadings) {
  std::string log = "=== Monitor started\n10:00:00 port opened\n";
  for (int i = 0; i < 20; ++i) log += "free heap: " + std::to_string(40000 - i * 100) + "\n";
  EXPECT_EQ(read(log).time, TimeBase::none);
}

TEST(LongTables, ColumnsThatNameTheFigureMakeTheSeries) {
  const auto recording = read(
      "Timestamp,Provider,Counter Name,Counter Type,Mean/Increment\n"
      "03/02/2026 10:00:00,System.Runtime,CPU Usage (%),Metric,1\n"
      "03/02/2026 10:00:00,System.Runtime,Working Set (MB),Metric,212.5\n"
      "03/02/2026 10:01:00,System.Runtime,CPU Usage (%),Metric,1\n"
      "03/02/2026 10:01:00,System.Runtime,Working Set (MB),Metric,213\n");
  ASSERT_EQ(recording.metrics.size(), 1U);
  EXPECT_EQ(recording.metrics[0].name, "Working Set (MB)");
  ASSERT_EQ(recording.metrics[0].readings.size(), 2U);
  EXPECT_EQ(recording.metrics[0].readings[1].value, 213.0 * 1048576);
}

TEST(TablesOfSeveralDevices, GiveEachItsSeries) {
  const auto recording =
      read("time,device,free_heap\n0,a,90000\n0,b,40000\n60,a,90010\n60,b,39000\n120,a,90020\n120,b,38000\n");
  ASSERT_EQ(recording.metrics.size(), 2U);
  EXPECT_EQ(recording.metrics[0].name, "free_heap");
  EXPECT_EQ(recording.metrics[1].owner, "b");
  ASSERT_EQ(recording.metrics[1].readings.size(), 3U);
  EXPECT_EQ(recording.metrics[1].readings[2].value, 38000);
  EXPECT_EQ(recording.metrics[1].readings[2].t_s, 120);
  EXPECT_EQ(read("time,device,free_heap\n0,a,9\n60,a,8\n120,a,7\n").metrics.size(), 1U);
}

TEST(TablesOfSeveralDevices, TheMostUrgentIsToldAndTheOthersNamed) {
  std::string csv = "time,device,free_heap\n";
  std::string log;
  for (int i = 0; i < 240; ++i) {
    const std::string minute =
        std::to_string(10 + i / 60) + (i % 60 < 10 ? ":0" : ":") + std::to_string(i % 60);
    csv +=
        std::to_string(i * 60) + (i % 2 == 0 ? ",a,91000\n" : ",b," + std::to_string(48000 - i * 30) + "\n");
    log += minute + ":00\nPID RSS COMMAND\n1 90000 big\n2 " + std::to_string(30000 + i * 60) + " leaky\n";
  }
  for (const auto& [bytes, owner] : {std::pair(csv, "'b'"), std::pair(log, "'leaky'")}) {
    const auto judged = answer::judge_recording(read(bytes), {});
    ASSERT_TRUE(judged);
    EXPECT_EQ(judged->verdict.verdict, analysis::VerdictClass::slow_leak) << owner;
    EXPECT_NE(judged->notes.back().find(owner), std::string::npos) << judged->notes.back();
    EXPECT_NE(judged->notes.back().find("STEADY"), std::string::npos);
  }
}

TEST(Percentages, AreNoBytes) {
  const auto recording = read("time,mem_percent\n0,41.5\n60,41.5\n120,41.6\n");
  ASSERT_EQ(recording.metrics.size(), 1U);
  EXPECT_EQ(recording.metrics[0].sense, MetricSense::used_memory);
  EXPECT_EQ(recording.metrics[0].readings[0].total, 100.0 * 1048576);
  EXPECT_NE(recording.notes.at(0).find("percentage"), std::string::npos);
}

TEST(Totals, ATotalBelowTheLevelIsOfSomethingElse) {
  const auto recording = read("time,rss_bytes,heap_total\n0,141000000,66000000\n60,141000000,66000000\n");
  EXPECT_TRUE(std::isnan(recording.metrics.at(0).readings.at(0).total));
}

TEST(Quotes, OfOthersAreBlank) {
  for (const char* line :
       {"user@box:~$ echo Free heap: 1234", "$ grep 'out of memory' serial.log", ">>> print('malloc failed')",
        "GET /log?search=Guru+Meditation+malloc+failed HTTP/1.1",
        "[I] MQTT received message: out of memory, Free heap: 12",
        "user said \"Guru Meditation Error\" today"}) {
    const auto text = without_quotes(line);
    EXPECT_EQ(text.size(), std::string_view(line).size());
    for (const char* word : {"Free heap", "out of memory", "malloc failed", "Guru", "malloc+failed"}) {
      EXPECT_EQ(text.find(word), std::string::npos) << line;
    }
  }
}

TEST(Quotes, ALoggersOwnWordsAreNot) {
  for (const char* line :
       {R"({"level":"error","msg":"JavaScript heap out of memory"})", R"(level=error msg="out of memory")",
        "FATAL: out of memory", R"({"free":12,"text":"out of memory"})",
        R"(N: Send on /SYStoMQTT msg: {"freemem":1,"x":"out of memory"})"}) {
    EXPECT_NE(without_quotes(line).find("out of memory"), std::string::npos) << line;
  }
}

TEST(Quotes, ASlashBetweenTwoSizesIsNoAddress) {
  EXPECT_EQ(without_quotes("web 88.1MiB / 512MiB"), "web 88.1MiB / 512MiB");
  const auto recording =
      read("10:00:00 web 88.0MiB / 512MiB\n10:00:00 db 1MiB / 1GiB\n10:01:00 web 88.0MiB / 512MiB\n");
  ASSERT_EQ(recording.metrics.size(), 2U);
  EXPECT_EQ(recording.metrics[1].owner, "web");
  EXPECT_EQ(recording.metrics[1].readings[0].total, 512.0 * 1048576);
}

TEST(Quotes, NeverMakeTroubleOrFigures) {
  const auto recording = read(
      "user@box:~$ grep -n \"Guru Meditation\" serial.log\nuser@box:~$ echo \"Free heap: 1234\"\n"
      "192.0.2.4 - - [02/Mar/2026:10:00:01 +0000] \"GET /log?search=malloc+failed HTTP/1.1\" 200 5120\n");
  EXPECT_TRUE(recording.metrics.empty());
  EXPECT_TRUE(recording.lines.empty());
}

}  // namespace
}  // namespace leakhunt::recorder
