// Times and windows in every form a person may write them, and what is said of every other.
#include "answer/times.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace leakhunt::answer {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr Utc kNow{1'000'000'000'000};

// Sets the zone of the process for one test.
class Zone {
 public:
  explicit Zone(const char* name) {
    setenv("TZ", name, 1);
    tzset();
  }
  ~Zone() {
    unsetenv("TZ");
    tzset();
  }
  Zone(const Zone&) = delete;
  Zone& operator=(const Zone&) = delete;
};

double time_s(const char* text, Utc now = kNow) {
  const auto time = parse_time(text, now);
  return time ? seconds(*time) : -1;
}

TEST(Time, ReadsTheCasesOfTheOldTool) {
  const Zone utc{"UTC"};
  EXPECT_DOUBLE_EQ(time_s("-15m"), 999'100);                              // time-092
  EXPECT_DOUBLE_EQ(time_s("-1d"), 913'600);                               // time-094
  EXPECT_DOUBLE_EQ(time_s("now"), 1'000'000);                             // time-095
  EXPECT_DOUBLE_EQ(time_s("2026-01-01T00:00:00", Utc{}), 1'767'225'600);  // time-097
  EXPECT_FALSE(parse_time("not a time", Utc{}));                          // time-098
}

TEST(Time, ReadsEveryUnitAndFractions) {
  EXPECT_DOUBLE_EQ(time_s("-90s"), 999'910);
  EXPECT_DOUBLE_EQ(time_s("-2h"), 992'800);
  EXPECT_DOUBLE_EQ(time_s("-1w"), 395'200);
  EXPECT_DOUBLE_EQ(time_s("-1.5h"), 994'600);
}

TEST(Time, ReadsEpochSeconds) {
  EXPECT_DOUBLE_EQ(time_s("1764500000.25"), 1'764'500'000.25);
  EXPECT_DOUBLE_EQ(time_s("0"), 0);
}

TEST(Time, RefusesMillisecondsNamingTheUnit) {
  const auto time = parse_time("1764500000000", kNow);
  ASSERT_FALSE(time);
  EXPECT_EQ(time.error().code, ErrorCode::usage);
  EXPECT_NE(time.error().line().find("milliseconds"), std::string::npos);
}

TEST(Time, ReadsIsoInLocalTimeUnlessAnOffsetStandsThere) {
  const Zone berlin{"CET-1CEST,M3.5.0,M10.5.0/3"};
  EXPECT_DOUBLE_EQ(time_s("2026-01-01T00:00:00"), 1'767'222'000);
  EXPECT_DOUBLE_EQ(time_s("2026-07-01T00:00"), 1'782'856'800);
  EXPECT_DOUBLE_EQ(time_s("2026-01-01"), 1'767'222'000);
  EXPECT_DOUBLE_EQ(time_s("2026-01-01T00:00:00Z"), 1'767'225'600);
  EXPECT_DOUBLE_EQ(time_s("2026-01-01 00:00:00.5+00:00"), 1'767'225'600.5);
  EXPECT_DOUBLE_EQ(time_s("2026-01-01T02:00-0330"), 1'767'245'400);
}

TEST(Time, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "-", "-5", "-5x", "-5mm", "5m", "1e9", "2026-13-01", "2026-02-29", "2026-01-01T25:00",
        "2026-01-01T00:00:00.", "2026-01-01T00:00+25:00", "2026-1-1", "0x10", "--5m", " now"}) {
    const auto time = parse_time(text, kNow);
    ASSERT_FALSE(time) << text;
    const std::string line = time.error().line();
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_NE(line.find("a time is now, -15m"), std::string::npos) << line;
  }
}

storage::Window span(const WindowWords& words, Utc now = kNow) {
  const auto window = parse_window(words, now, minutes{15});
  EXPECT_TRUE(window) << (window ? "" : window.error().line());
  return window && window->span ? *window->span : storage::Window{};
}

TEST(WindowWords, ReadsLengthsWithAndWithoutASign) {
  for (const char* text : {"3d", "-3d", "72h", "259200"}) {
    EXPECT_EQ(span({text, "", ""}).end, kNow);
    EXPECT_EQ(kNow - span({text, "", ""}).start, hours{72}) << text;
  }
  EXPECT_EQ(kNow - span({"0.5h", "", ""}).start, minutes{30});
}

TEST(WindowWords, ReadsStartAndEnd) {
  const auto both = span({"-2h..-1h", "", ""});
  EXPECT_EQ(both.start, kNow - hours{2});
  EXPECT_EQ(both.end, kNow - hours{1});
  const auto start = span({"", "-15m", ""});
  EXPECT_EQ(start.start, kNow - minutes{15});
  EXPECT_EQ(start.end, kNow);
  const auto end = span({"", "", "-1h"});
  EXPECT_EQ(end.start, kNow - minutes{75});
  EXPECT_EQ(end.end, kNow - hours{1});
}

TEST(WindowWords, TellsAllAndTheDefaultApart) {
  EXPECT_FALSE(parse_window({"all", "", ""}, kNow, hours{1})->span);
  EXPECT_FALSE(parse_window({"all", "", ""}, kNow, hours{1})->is_default);
  EXPECT_TRUE(parse_window({"", "", ""}, kNow, hours{1})->is_default);
  EXPECT_EQ(parse_window({"6h", "", ""}, kNow, hours{1})->asked, "6h");
}

TEST(WindowWords, SaysWhatIsAllowed) {
  for (const char* text : {"0", "0h", "-0s", "5x", "5 h", "x", "6hh", "..", "-1h..", "..now", "-1h..-2h",
                           "now..now", "99999999999999999999", "1e3"}) {
    const auto window = parse_window({text, "", ""}, kNow, hours{1});
    ASSERT_FALSE(window) << text;
    EXPECT_EQ(window.error().code, ErrorCode::usage);
    EXPECT_EQ(window.error().line().find('\n'), std::string::npos);
    EXPECT_NE(window.error().line().find("is 30m, 6h, -3d"), std::string::npos) << window.error().line();
  }
}

TEST(WindowWords, RefusesAWindowBesideAStart) {
  EXPECT_FALSE(parse_window({"6h", "-1h", ""}, kNow, hours{1}));
}

TEST(LengthWords, UsesTheFewestUnits) {
  EXPECT_EQ(length_words(hours{6}), "6h");
  EXPECT_EQ(length_words(hours{36}), "1d 12h");
  EXPECT_EQ(length_words(std::chrono::seconds{90}), "1m 30s");
}

}  // namespace
}  // namespace leakhunt::answer
