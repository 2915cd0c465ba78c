// Time stamps in front of lines.
#include "recorder/stamps.h"

#include <gtest/gtest.h>

namespace leakhunt::recorder {
namespace {

TEST(Stamps, HostDates) {
  const auto bracketed = take_stamps("[2024-12-01 22:34:24] DEBUG | 22:34:18 6586 [WebServer] hi");
  EXPECT_EQ(bracketed.utc_s, 1733092464);
  EXPECT_EQ(bracketed.rest, "DEBUG | 22:34:18 6586 [WebServer] hi");
  EXPECT_EQ(take_stamps("2024-12-01T22:34:24.5+01:00 x").utc_s, 1733088864.5);
  EXPECT_EQ(take_stamps("1733092464 x").utc_s, 1733092464);
  EXPECT_EQ(take_stamps("1733092464250 x").utc_s, 1733092464.25);
}

TEST(Stamps, SyslogWithItsOrigin) {
  const auto line = take_stamps("Oct 27 02:20:14 host kernel: [12313888.554885] java invoked oom-killer");
  EXPECT_TRUE(line.utc_s);
  EXPECT_EQ(line.uptime_s, 12313888.554885);
  EXPECT_EQ(line.rest, "java invoked oom-killer");
}

TEST(Stamps, ClocksWithoutDate) {
  EXPECT_EQ(take_stamps("22:35:59.233 -> frag: 1%").clock_s, 81359.233);
  EXPECT_EQ(take_stamps("22:35:59.233 -> frag: 1%").rest, "frag: 1%");
  EXPECT_EQ(take_stamps("11:04:42[ERROR]RSS: 2055MB").rest, "[ERROR]RSS: 2055MB");
}

TEST(Stamps, TimeSinceBoot) {
  EXPECT_EQ(take_stamps("I (9380667) app_main: Free internal 1").uptime_s, 9380.667);
  EXPECT_EQ(take_stamps("[ 53100][D][WiFiGeneric.cpp:931] x").uptime_s, 53.1);
  EXPECT_EQ(take_stamps("1266608: Dummy: value 4").uptime_s, 1266.608);
  EXPECT_EQ(take_stamps("21342298   DEBUG   Async.cpp:878  heap").uptime_s, 21342.298);
}

TEST(Stamps, TwelveHourClocks) {
  EXPECT_EQ(take_stamps("12:00:01 AM 812344").clock_s, 1);
  EXPECT_EQ(take_stamps("12:00:01 PM heap=1").clock_s, 43201);
  EXPECT_EQ(take_stamps("1:05:09 pm heap=1").clock_s, 47109);
  EXPECT_EQ(take_stamps("[01:05:09 p.m.] heap=1").rest, "heap=1");
  EXPECT_EQ(take_stamps("10:00:00 amber").clock_s, 36000);
  EXPECT_FALSE(parse_clock("1:05:09"));
}

TEST(Stamps, DatesAsPeopleWriteThem) {
  constexpr double kTenOClock = 1772445600;  // 2026-03-02 10:00:00
  for (const char* text : {"02.03.2026 10:00:00", "2.3.2026 10:00", "03/02/2026 10:00:00",
                           "3/2/2026 10:00:00 AM", "2026/03/02 10:00:00", "Mon Mar  2 10:00:00 UTC 2026",
                           "Mon Mar  2 10:00:00 2026", "Mon  2 Mar 10:00:00 CET 2026",
                           "Monday, March 2, 2026 10:00:00 AM", "Mon, 02 Mar 2026 11:00:00 +0100"}) {
    EXPECT_EQ(parse_date_time(text), kTenOClock) << text;
  }
  EXPECT_EQ(parse_date_time("31/03/2026 10:00:00"), 1774951200);
  EXPECT_FALSE(parse_date_time("32.03.2026"));
  EXPECT_EQ(take_stamps("=== Mon Mar  2 10:00:00 UTC 2026 ===").utc_s, kTenOClock);
  EXPECT_EQ(take_stamps("> [10:00:00] free").clock_s, 36000);
}

TEST(Stamps, TheOriginOfAJournal) {
  EXPECT_EQ(take_stamps("2026-03-02T10:00:00+0000 box meshtasticd[812]: INFO  | x").rest, "INFO  | x");
  EXPECT_EQ(take_stamps("2026-03-02T10:00:00Z web 88.1MiB").rest, "web 88.1MiB");
}

TEST(Stamps, CompactAndWebServerDates) {
  EXPECT_EQ(take_stamps("20260302-100000 VmRSS 5 kB").utc_s, 1772445600);
  EXPECT_EQ(take_stamps("[02/Mar/2026:10:00:00 +0000] x").utc_s, 1772445600);
  EXPECT_EQ(take_stamps("10:05 PM  187 MB").clock_s, 79500);
  EXPECT_FALSE(take_stamps("10:05 187 MB").clock_s);
}

TEST(Stamps, TheFrameOfTheFirmwaresSyslog) {
  const auto framed = take_stamps("<134>1 - node1 Power - - - \xEF\xBB\xBF[812]: Heap: 1/2 bytes free");
  EXPECT_EQ(framed.uptime_s, 812);
  EXPECT_EQ(framed.rest, "Heap: 1/2 bytes free");
  EXPECT_EQ(take_stamps("<134>1 - node1 Power - - -  [812]: x").uptime_s, 812);
}

TEST(Stamps, FiguresAreNoStamps) {
  for (const char* line :
       {"Free heap:47720", "[   5320|  4328] processTeleg", "120452/205824 bytes", "42 apples",
        "192.168.1.2 up", "Mon dieu", "=== heap ===", "Monitor started", "1.2.3 boot", ""}) {
    const auto stamps = take_stamps(line);
    EXPECT_FALSE(stamps.utc_s || stamps.clock_s || stamps.uptime_s) << line;
    EXPECT_EQ(stamps.rest, line);
  }
}

}  // namespace
}  // namespace leakhunt::recorder
