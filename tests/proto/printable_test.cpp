// Hostile text is made harmless and stays readable.
#include "proto/printable.h"

#include <gtest/gtest.h>

namespace leakhunt::proto {
namespace {

TEST(Printable, KeepsOrdinaryTextOfAnyLanguage) {
  const std::string text = "Grüße, 世界 \xF0\x9F\x94\x8B — ok";
  EXPECT_EQ(printable(text), text);
}

TEST(Printable, MakesControlCharactersVisible) {
  EXPECT_EQ(printable("a\x1b[2Jb\r\n\tc\x7F"), "a\\x1b[2Jb\\x0d\\x0a c\\x7f");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\x9b31m")
      << "a C1 control is an escape to some terminals";
}

TEST(Printable, MakesDirectionAndZeroWidthCharactersVisible) {
  EXPECT_EQ(printable("a\xE2\x80\xAE"
                      "b\xE2\x80\x8B"
                      "c\xEF\xBB\xBF\xE2\x81\xA6"),
            "a\\u{202e}b\\u{200b}c\\u{feff}\\u{2066}");
}

TEST(Printable, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(printable("a\xFFz\xC0\xAF"), "a\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(printable("cut \xF0\x9F\x94"), "cut \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Utf8, KnowsSurrogatesAndOverlongForms) {
  EXPECT_TRUE(is_utf8("\xED\x9F\xBF"));
  EXPECT_FALSE(is_utf8("\xED\xA0\x80"));
  EXPECT_FALSE(is_utf8("\xE0\x80\xAF"));
  EXPECT_FALSE(is_utf8("\xF4\x90\x80\x80"));
  EXPECT_EQ(repaired_utf8("a\xFF\xFE\xFDz"), "a\xEF\xBF\xBDz");
}

}  // namespace
}  // namespace leakhunt::proto
