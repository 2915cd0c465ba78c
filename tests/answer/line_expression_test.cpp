// An expression finds in a run of lines just what it finds line by line.
#include "answer/line_expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace leakhunt::answer {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kLines{
    "DEBUG | 00:01:40 100 [Router] [heap 119529] Received from=0xd8f16adf",
    "",
    "HEAP  | 00:01:41 101 [Power] ------ Thread GPS leaked heap 103576 -> 102895 (-681) ------",
    "a.b (c) \\ [heap 12]",
    "x",
    "Grüße 0xD8F16ADF",
    " ends with a space ",
    "RECEIVED"};

std::vector<std::size_t> one_by_one(const std::string& expression) {
  const RE2 re(expression);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < kLines.size(); ++i) {
    if (RE2::PartialMatch(kLines[i], re)) found.push_back(i);
  }
  return found;
}

// As the store does it.
std::vector<std::size_t> in_one_run(const std::string& expression) {
  const auto search = LineExpression::compiled(expression);
  EXPECT_TRUE(search) << expression;
  std::string run;
  std::vector<std::size_t> ends;
  for (const std::string& line : kLines) {
    run += line + "\n";
    ends.push_back(run.size());
  }
  std::vector<std::size_t> found;
  for (std::size_t at = 0; at < run.size();) {
    const std::size_t byte = (*search)->find(run, at);
    if (byte >= run.size()) break;
    EXPECT_GE(byte, at);
    const auto line =
        static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), byte) - ends.begin());
    if ((*search)->matches(kLines[line])) found.push_back(line);
    at = ends[line];
  }
  return found;
}

class Expressions : public ::testing::TestWithParam<std::string> {};

TEST_P(Expressions, FindInARunWhatTheyFindInLines) {
  EXPECT_EQ(in_one_run(GetParam()), one_by_one(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(OfEveryKind, Expressions,
                         ::testing::Values("leaked heap", "\\[heap \\d+\\]", "\\[heap", "a\\.b", "a.b", "^$",
                                           "^", "$", "x*", ".", "^x$", "[^q]*heap", "\\s+", "\\n",
                                           "[\\s\\S]*x", "(?i)received", "(?s).*Power.*", "(?-m)^HEAP",
                                           "(?m)^H", "\\AHEAP", "------\\z", "\\bheap\\b", "\\Bx", "Grü.e",
                                           "GPS|x", "(?U)R.*d", "\\Qa.b (c)", "\\\\ \\[", "space $", "^ ",
                                           "0xd8f16adf", "nowhere", "(heap|Received).*0x", "[^\\d]", "\\C"));

TEST(LineExpression, RandomOnesAgreeToo) {
  const std::vector<std::string> atoms{"a", "heap", " ",   ".", "\\d", "[^a]", "\\s",
                                       "x", "0",    "\\[", "$", "^",   "(?i)r"};
  const std::vector<std::string> ends{"", "*", "+", "?", "{1,3}", "*?"};
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    std::string expression;
    for (auto n = 1 + random() % 4; n > 0; --n) {
      expression +=
          atoms[random() % atoms.size()] + ends[random() % ends.size()] + (random() % 5 == 0 ? "|" : "");
    }
    if (!RE2(expression, RE2::Quiet).ok()) continue;
    EXPECT_EQ(in_one_run(expression), one_by_one(expression)) << expression;
  }
}

TEST(LineExpression, SaysWhatItDoesNotUnderstand) {
  const auto wrong = LineExpression::compiled("a(b");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().line(), HasSubstr("is not understood: missing )"));
  EXPECT_FALSE(LineExpression::compiled(std::string(1001, 'a')));
}

}  // namespace
}  // namespace leakhunt::answer
