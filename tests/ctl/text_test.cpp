// How numbers, times and cells look.
#include "ctl/text.h"

#include <gtest/gtest.h>

namespace leakhunt::ctl {
namespace {

TEST(Text, NumbersAreGrouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(-1000), "-1,000");
  EXPECT_EQ(grouped(4294967295), "4,294,967,295");
}

TEST(Text, ASlowSlopeIsNotZero) {
  EXPECT_EQ(figure(-0.35), "-0.35");
  EXPECT_EQ(figure(-82.4), "-82");
  EXPECT_EQ(figure(0.001), "0");
  EXPECT_EQ(figure(124008), "124,008");
}

TEST(Text, SpansTakeTwoUnits) {
  EXPECT_EQ(span(8), "8s");
  EXPECT_EQ(span(90), "90s");
  EXPECT_EQ(span(5400), "1h30m");
  EXPECT_EQ(span(21600), "6h");
  EXPECT_EQ(span(200000), "2d7h");
}

TEST(Text, OffsetsAreHoursAndMinutes) {
  EXPECT_EQ(offset(4 * 3600 + 12 * 60 + 5), "+4h12m");
  EXPECT_EQ(offset(65), "+1m05s");
  EXPECT_EQ(offset(6 * 86400 + 23 * 3600 + 47 * 60), "+6d23h");
}

TEST(Text, MinutesCarryTheirHours) {
  EXPECT_EQ(minutes_words(1127), "~1,127 min (~18.8 h)");
  EXPECT_EQ(minutes_words(45), "~45 min");
}

TEST(Text, TablesLineUpAndHoldNoControlCharacters) {
  const std::string out = table({{"a", "b"}, {"longer", "x\x1b[31my"}});
  EXPECT_EQ(out.find('\x1b'), std::string::npos);
  EXPECT_EQ(out.substr(0, 10), "a       b\n");
}

TEST(Text, LongLinesAreBrokenAtSpacesAndHangBehindTheirLabel) {
  EXPECT_EQ(wrapped("    not     : no log lines over TCP\nnext\n", 24),
            "    not     : no log\n"
            "            lines over\n"
            "            TCP\n"
            "next\n");
  EXPECT_EQ(wrapped("plain words without a label at all", 20), "plain words without\n  a label at all");
  EXPECT_EQ(wrapped("fits exactly here", 17), "fits exactly here");
  EXPECT_EQ(wrapped("Grüße überall wörter", 13), "Grüße überall\n  wörter") << "columns, not bytes";
}

TEST(Text, AWordThatIsTooLongStaysWhole) {
  EXPECT_EQ(wrapped("port: /dev/serial/by-id/usb-x", 12), "port: /dev/serial/by-id/usb-x");
  EXPECT_EQ(wrapped("a /dev/serial/by-id/usb-x b", 10), "a\n  /dev/serial/by-id/usb-x\n  b");
  EXPECT_EQ(wrapped("\n\n", 10), "\n\n");
}

TEST(Text, CsvCellsAreQuotedAndNeverFormulas) {
  EXPECT_EQ(csv({{"a,b", "c\"d", "=1+1", "-82.5"}}), "\"a,b\",\"c\"\"d\",'=1+1,-82.5\n");
  EXPECT_EQ(csv({{"x\x1b[31my"}}).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace leakhunt::ctl
