// The printer holds the rules of INTERFACES "JSON", and what it wrote can be read back.
#include "answer/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "answer/json_read.h"
#include "leakhunt/v1/api.pb.h"

namespace leakhunt::answer {
namespace {

TEST(Json, PrintsIntegersOf64BitsAsNumbers) {
  v1::SourceStatus source;
  source.set_samples(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(to_json(source), R"({"source":"","samples":9223372036854775807})");
}

TEST(Json, PrintsZerosAndEmptyListsButNoUnsetOptionals) {
  EXPECT_EQ(to_json(v1::StreamTotals{}), R"({"lines":0})");
  EXPECT_EQ(to_json(v1::Alerts{}), R"({"alerts":[],"offline":false})");
}

TEST(Json, PrintsASetOptionalZero) {
  v1::StreamTotals totals;
  totals.set_last_ts(0);
  EXPECT_EQ(to_json(totals), R"({"lines":0,"last_ts":0})");
}

TEST(Json, PrintsEnumWordsInLowerCaseWithoutTheirPrefix) {
  v1::PublishedVerdict verdict;
  verdict.set_class_(v1::VERDICT_CLASS_SLOW_LEAK);
  EXPECT_EQ(to_json(verdict), R"({"class":"slow_leak","rule":""})");
}

TEST(Json, PrintsAnUnknownEnumNumberAsTheNumber) {
  v1::PublishedVerdict verdict;
  verdict.set_class_(static_cast<v1::VerdictClass>(77));
  EXPECT_EQ(to_json(verdict), R"({"class":77,"rule":""})");
}

TEST(Json, PrintsNullForWhatIsNoNumber) {
  v1::Estimate estimate;
  estimate.set_value(std::nan(""));
  estimate.set_low(-std::numeric_limits<double>::infinity());
  estimate.set_high(std::numeric_limits<double>::infinity());
  EXPECT_EQ(to_json(estimate), R"({"value":null,"low":null,"high":null})");
}

TEST(Json, PrintsTimesWithAtMostSixDecimals) {
  v1::PointOut point;
  point.set_ts(1764500000.1234567);
  point.set_value(0.1);
  EXPECT_EQ(to_json(point), R"({"ts":1764500000.123457,"value":0.1,"source":""})");
  point.set_ts(1764500000);
  EXPECT_EQ(to_json(point), R"({"ts":1764500000,"value":0.1,"source":""})");
}

TEST(Json, PrintsMapsAsObjectsByRisingKey) {
  v1::Timeline timeline;
  (*timeline.mutable_sources())["stats"] = 2;
  (*timeline.mutable_sources())["poll"] = 1;
  EXPECT_NE(to_json(timeline).find(R"("sources":{"poll":1,"stats":2})"), std::string::npos);
}

TEST(Json, EscapesControlCharactersAndReplacesBadBytes) {
  EXPECT_EQ(json_string("a\"b\\c\n\x01\x7f\t"), R"("a\"b\\c\n\u0001\u007f\t")");
  EXPECT_EQ(json_string("x\xff y"), "\"x\xef\xbf\xbd y\"");
}

TEST(Json, PrintsOneRecordALine) {
  std::string out;
  append_json_line(out, v1::StreamTotals{});
  append_json_line(out, v1::StreamTotals{});
  EXPECT_EQ(out, "{\"lines\":0}\n{\"lines\":0}\n");
}

TEST(Json, PrintsWhatAnAnswerTells) {
  v1::Answer answer;
  answer.mutable_alerts()->set_offline(true);
  EXPECT_EQ(to_json(told(answer)), R"({"alerts":[],"offline":true})");
}

v1::Verdict full_verdict() {
  v1::Verdict verdict;
  verdict.set_class_(v1::VERDICT_CLASS_REBOOT_MID_WINDOW);
  verdict.set_underlying(v1::VERDICT_CLASS_SLOW_LEAK);
  verdict.set_state(v1::VERDICT_STATE_CONFIRMED);
  verdict.set_slope_per_min(-82.25);
  verdict.mutable_trend_per_min()->set_value(-81);
  verdict.mutable_minutes_to_oom()->set_low(10.5);
  verdict.add_findings()->set_text("loses \"82\" B/min \xe2\x80\xa6");
  verdict.add_suspects()->set_net_bytes(-3124);
  verdict.add_boots()->set_verdict(v1::VERDICT_CLASS_STEADY);
  verdict.set_ts(1764500000.25);
  verdict.set_urgent(true);
  return verdict;
}

TEST(JsonRead, ReadsBackWhatThePrinterWrote) {
  v1::Verdict read;
  ASSERT_TRUE(read_json(to_json(full_verdict()), read));
  EXPECT_EQ(read.SerializeAsString(), full_verdict().SerializeAsString());
}

TEST(JsonRead, ReadsMapsBack) {
  v1::DeviceStatus status;
  (*status.mutable_counters())["bad frames"] = 3;
  v1::DeviceStatus read;
  ASSERT_TRUE(read_json(to_json(status), read));
  EXPECT_EQ(read.counters().at("bad frames"), 3);
}

TEST(JsonRead, PassesOverUnknownNamesAndNulls) {
  v1::StreamTotals totals;
  EXPECT_TRUE(read_json(R"({"new":[1,{"a":null}],"lines":4,"last_ts":null})", totals));
  EXPECT_EQ(totals.lines(), 4);
  EXPECT_FALSE(totals.has_last_ts());
}

TEST(JsonRead, RefusesWhatDoesNotFit) {
  v1::StreamTotals totals;
  for (const char* text : {"", "[]", R"({"lines":"4"})", R"({"lines":4.5})", R"({"lines":4)",
                           R"({"lines":4}})", R"({"lines":9223372036854775808})"}) {
    EXPECT_FALSE(read_json(text, totals)) << text;
  }
}

TEST(JsonRead, ChecksAnObject) {
  EXPECT_TRUE(check_json_object(R"( {"a":[1,-2.5e3,"\u00e9\ud83d\ude00",true,null]} )"));
  EXPECT_EQ(check_json_object("[1]").error().code, ErrorCode::usage);
  for (const char* text : {"{", "{\"a\" 1}", "{\"a\":01}", "{\"a\":1,}", "{\"a\":tru}", "{\"a\":\"\\x\"}",
                           "{\"a\":\"\n\"}", "{\"a\":1.}", "{'a':1}"}) {
    EXPECT_FALSE(check_json_object(text)) << text;
  }
}

TEST(JsonRead, BoundsTheDepth) {
  const std::string deep(100'000, '[');
  EXPECT_FALSE(check_json_object("{\"a\":" + deep));
}

}  // namespace
}  // namespace leakhunt::answer
