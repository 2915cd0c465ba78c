// Every other question over records made by hand, and every error it can give.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "answer/json.h"
#include "tests/answer/world.h"

namespace leakhunt::answer::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kHour = 3600;

Error error_of(World& world, const v1::Question& question) {
  const auto reply = world.ask(question, kHour);
  EXPECT_FALSE(reply);
  return reply ? Error{} : reply.error();
}

// ---- devices and fields

TEST(Device, MustBeNamedWhenThereAreSeveral) {
  World world;
  world.add(recorder::DeviceRow{recorder::DeviceId{2}, "attic"});
  v1::Question question = report_question("1h");
  EXPECT_EQ(error_of(world, question).line(),
            "there are several devices (say which: --device attic, bench1)");
  question.set_device("cellar");
  EXPECT_EQ(error_of(world, question).line(), "no device is named \"cellar\" (there are: attic, bench1)");
  EXPECT_EQ(error_of(world, question).code, ErrorCode::usage);
  question.set_device("attic");
  EXPECT_TRUE(world.ask(question, kHour));
}

TEST(Device, MayBeKnownToTheRecorderAlone) {
  World world;
  world.live.add_devices()->set_name("new");
  v1::Question question = report_question("1h");
  question.set_device("new");
  const auto reply = world.ask(question, kHour);
  ASSERT_TRUE(reply) << reply.error().line();
  EXPECT_EQ(reply->answer.report().check(), v1::REPORT_CHECK_NO_TELEMETRY);
}

v1::Question timeline_question(const std::string& field, const std::string& variant = "",
                               const std::string& window = "1h") {
  v1::Question question;
  question.mutable_timeline()->set_field(field);
  question.mutable_timeline()->set_variant(variant);
  question.mutable_timeline()->mutable_window()->set_window(window);
  return question;
}

v1::Timeline timeline(World& world, const v1::Question& question, double s = kHour) {
  const auto reply = world.ask(question, s);
  EXPECT_TRUE(reply) << (reply ? "" : reply.error().line());
  return reply ? reply->answer.timeline() : v1::Timeline{};
}

void small_record(World& world) {
  world.boot(0);
  world.samples(60, kHour, 60, leaking(0));
  world.telemetry(100, recorder::Variant::device, "battery_level", 80);
  world.telemetry(200, recorder::Variant::local, "num_packets_rx", 7);
}

TEST(Field, GoesByAllItsNames) {
  World world;
  small_record(world);
  for (const char* name : {"", "free_heap", "heap_free_bytes", "heapFreeBytes"}) {
    const v1::Timeline t = timeline(world, timeline_question(name));
    EXPECT_EQ(t.samples(), 59) << name;
    EXPECT_EQ(t.window().field(), "heap_free_bytes");
  }
  EXPECT_EQ(timeline(world, timeline_question("numPacketsRx", "local_stats")).samples(), 1);
}

TEST(Field, SelectsTheOnlyOtherVariantThatHasIt) {
  World world;
  small_record(world);
  const v1::Timeline t = timeline(world, timeline_question("battery_level"));
  EXPECT_EQ(t.window().variant(), "device");
  EXPECT_DOUBLE_EQ(t.last(), 80);
}

TEST(Field, ErrorsListWhatHasSamples) {
  World world;
  small_record(world);
  const Error unknown = error_of(world, timeline_question("nonsense"));
  EXPECT_EQ(unknown.code, ErrorCode::usage);
  EXPECT_THAT(unknown.line(), HasSubstr("variant local has no field \"nonsense\""));
  EXPECT_THAT(unknown.line(), HasSubstr("battery_level (device)"));
  EXPECT_THAT(unknown.line(), HasSubstr("heap_free_bytes"));
  EXPECT_THAT(error_of(world, timeline_question("voltage")).line(), HasSubstr("say --variant"));
  EXPECT_THAT(error_of(world, timeline_question("battery_level", "local")).line(),
              HasSubstr("variant local has no field"));
  EXPECT_THAT(error_of(world, timeline_question("", "device")).line(), HasSubstr("needs a field"));
  EXPECT_THAT(error_of(world, timeline_question("", "moon")).line(),
              HasSubstr("there are: device, environment, airQuality, power, local"));
}

// ---- timeline

TEST(Timeline, KeepsTheExtremesOfEachBucketWithinMaxPoints) {
  World world;
  world.boot(0);
  world.samples(1, kHour, 1, [](double s) { return s == 1800 ? 50'000 : s == 1801 ? 190'000 : 120'000; });
  v1::Question question = timeline_question("");
  question.mutable_timeline()->set_max_points(20);
  const v1::Timeline t = timeline(world, question);
  EXPECT_EQ(t.samples(), 3599);
  EXPECT_LE(t.points_size(), 20);
  EXPECT_GE(t.points_size(), 10);
  double low = 1e9;
  double high = 0;
  for (const v1::PointOut& point : t.points()) {
    low = std::min(low, point.value());
    high = std::max(high, point.value());
  }
  EXPECT_DOUBLE_EQ(low, 50'000);
  EXPECT_DOUBLE_EQ(high, 190'000);
  EXPECT_DOUBLE_EQ(t.min(), 50'000);
  EXPECT_DOUBLE_EQ(t.max(), 190'000);
  EXPECT_NEAR(t.cadence_s(), 1, 1e-9);
}

TEST(Timeline, DrawsNoLineAcrossAReboot) {
  World world;
  world.boot(0);
  world.samples(60, 1800, 60, [](double s) { return std::lround(100'000 - s); });
  world.boot(1800);
  world.samples(60, 1800, 60, [](double s) { return std::lround(140'000 - s); });
  const v1::Timeline t = timeline(world, timeline_question(""), 1800);
  EXPECT_NEAR(t.slope_per_min(), -60, 0.1);
  EXPECT_GT(t.slope_per_min_raw(), 100);
  ASSERT_EQ(t.boots_size(), 2);
  EXPECT_EQ(t.boots(0).samples(), 29);
  EXPECT_NEAR(t.boots(1).slope_per_min(), -60, 0.1);
}

TEST(Timeline, MergesTheSourcesButThreadsOnlyWhenAsked) {
  World world;
  small_record(world);
  world.sample(333, 90'000, recorder::Source::debug_heap);
  world.sample(334, 80'000, recorder::Source::thread_event);
  const v1::Timeline all = timeline(world, timeline_question(""));
  EXPECT_EQ(all.sources().size(), 2U);
  EXPECT_EQ(all.sources().at("poll"), 59);
  EXPECT_EQ(all.sources().at("debug_heap"), 1);
  v1::Question question = timeline_question("");
  question.mutable_timeline()->add_sources("thread_event,debug_heap");
  const v1::Timeline some = timeline(world, question);
  EXPECT_EQ(some.samples(), 2);
  EXPECT_EQ(some.points(1).source(), "thread_event");
  question.mutable_timeline()->add_sources("psychic");
  EXPECT_THAT(error_of(world, question).line(), HasSubstr("no source is named \"psychic\""));
}

TEST(Timeline, SpansAllRecordsWhenAsked) {
  World world;
  world.boot(0);
  world.sample(10, 1000);
  world.boot(5e6);
  world.sample(20, 2000);
  const v1::Timeline t = timeline(world, timeline_question("", "", "all"), 21);
  EXPECT_EQ(t.samples(), 2);
  EXPECT_EQ(t.window().asked(), "all");
  const auto offline = world.ask_offline(timeline_question("", "", "all"));
  ASSERT_TRUE(offline);
  EXPECT_EQ(offline->answer.timeline().samples(), 2);
  EXPECT_TRUE(offline->answer.timeline().offline());
}

// ---- logs

v1::Logs logs(World& world, const std::function<void(v1::LogsQuestion&)>& with, double s = kHour) {
  v1::Question question;
  question.mutable_logs()->mutable_window()->set_window("1h");
  with(*question.mutable_logs());
  const auto reply = world.ask(question, s);
  EXPECT_TRUE(reply) << (reply ? "" : reply.error().line());
  return reply ? reply->answer.logs() : v1::Logs{};
}

std::vector<std::string> texts(const v1::Logs& logs) {
  std::vector<std::string> out;
  for (const v1::LineOut& line : logs.lines()) {
    out.push_back(line.text());
  }
  return out;
}

void three_lines(World& world) {
  world.boot(0);
  world.line(1000, "alpha", "INFO", "A");
  world.line(1001, "bravo failed", "WARN", "B");
  world.line(1002, "charlie failed", "ERROR", "C");
}

TEST(Logs, FiltersByLevelsGrepAndThreads) {
  World world;
  three_lines(world);
  EXPECT_EQ(logs(world, [](auto& q) { q.add_levels("WARN|ERROR"); }).total_matched(), 2);  // logs-100
  EXPECT_EQ(logs(world, [](auto& q) { q.set_grep("failed$"); }).total_matched(), 2);       // logs-101
  EXPECT_THAT(texts(logs(world, [](auto& q) { q.add_threads("A,C"); })),
              ElementsAre("alpha", "charlie failed"));
  EXPECT_THAT(texts(logs(world, [](auto& q) { q.add_levels("warning"); })), ElementsAre("bravo failed"));
}

TEST(Logs, GivesTheNewestMatchesOldestFirst) {
  World world;
  three_lines(world);
  const v1::Logs two = logs(world, [](auto& q) { q.set_max(2); });
  EXPECT_THAT(texts(two), ElementsAre("bravo failed", "charlie failed"));
  EXPECT_EQ(two.total_matched(), 3);
}

TEST(Logs, SearchesTheLineAsStoredWithItsPrefix) {
  World world;
  world.boot(0);
  for (int i = 0; i < 5; ++i) {
    world.heap_prefix_line(3500 + i, 90'000 + i, "tick");
  }
  v1::Question question;
  question.mutable_logs()->mutable_window()->set_start("-2m");
  question.mutable_logs()->set_grep(R"(\[heap \d+\])");
  question.mutable_logs()->set_max(3);
  const auto reply = world.ask(question, kHour);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->answer.logs().total_matched(), 5);
  EXPECT_EQ(reply->answer.logs().lines_size(), 3);
}

TEST(Logs, CarriesTheHeapEventOfALine) {
  World world;
  world.boot(0);
  world.thread_event(100, "MeshPacket", 5000, 4400);
  const v1::Logs found = logs(world, [](auto& q) { q.set_grep("leaked heap"); });
  ASSERT_EQ(found.lines_size(), 1);
  const v1::HeapEvent& event = found.lines(0).heap_event();
  EXPECT_EQ(event.kind(), "leaked");
  EXPECT_EQ(event.thread(), "MeshPacket");
  EXPECT_EQ(event.before(), 5000);
  EXPECT_EQ(event.after(), 4400);
  EXPECT_EQ(event.delta(), -600);
  EXPECT_DOUBLE_EQ(found.lines(0).uptime_s(), 100);
}

TEST(Logs, MemoryFindsEveryLineOfTheOldSearch) {
  World world;
  three_lines(world);
  world.line(1, "Heap status: 1/2 bytes free (0)");
  world.line(2, "Alloc an err=5,to=0x1");
  world.line(3, "kernel Panic");
  world.line(4, "ABORT() was called");
  world.line(5, "watch out", "INFO", "Router", "watchdog");
  EXPECT_EQ(logs(world, [](auto& q) { q.set_memory(true); }).total_matched(), 5);
}

TEST(Logs, CountsWhatHadToGo) {
  World world;
  three_lines(world);
  world.add(recorder::GapRow{kDevice, world.utc(500), world.utc(600), "queue full", 12, 0});
  EXPECT_EQ(logs(world, [](auto&) {}).dropped(), 12);
}

TEST(Logs, RefusesBadExpressionsAndLevels) {
  World world;
  three_lines(world);
  v1::Question question;
  question.mutable_logs()->set_grep("(unclosed");
  EXPECT_EQ(error_of(world, question).code, ErrorCode::usage);
  EXPECT_THAT(error_of(world, question).line(), HasSubstr("missing )"));
  question.mutable_logs()->set_grep("((a{1000}){1000}){1000}");
  EXPECT_EQ(error_of(world, question).code, ErrorCode::usage);
  question.mutable_logs()->set_grep(std::string(2000, 'a'));
  EXPECT_THAT(error_of(world, question).line(), HasSubstr("longer than 1000"));
  question.mutable_logs()->set_grep("");
  question.mutable_logs()->add_levels("LOUD");
  EXPECT_THAT(error_of(world, question).line(), HasSubstr("there are: TRACE, DEBUG, INFO"));
}

TEST(Logs, AnswersAnExpressionMadeToBacktrack) {
  World world;
  world.boot(0);
  world.line(1, std::string(400, 'a'));
  EXPECT_EQ(logs(world, [](auto& q) { q.set_grep("(a*)*(a*)*(a*)*b"); }).total_matched(), 0);
}

TEST(Logs, RepairsTextThatIsNoUtf8) {
  World world;
  world.boot(0);
  world.line(1, "bad \xff byte");
  EXPECT_THAT(texts(logs(world, [](auto&) {})), ElementsAre("bad \xef\xbf\xbd byte"));
}

TEST(Logs, FitAFrameHoweverManyAreAsked) {
  World world;
  world.boot(0);
  for (int i = 0; i < 9000; ++i) {
    world.line(1 + i * 0.1, std::string(500, 'x'));
  }
  v1::Question question;
  question.mutable_logs()->mutable_window()->set_window("1h");
  question.mutable_logs()->set_max(9000);
  const auto reply = world.ask(question, kHour);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->answer.logs().total_matched(), 9000);
  EXPECT_LT(reply->answer.ByteSizeLong(), std::size_t{4} << 20);
  EXPECT_GT(reply->answer.logs().lines_size(), 4000);
}

// ---- events, packets, marks

TEST(Events, AreFilteredByKind) {
  World world;
  world.boot(0);
  world.event(10, "connection_lost");
  world.event(20, "mark", "burst-start", "before the test");
  v1::Question question;
  question.mutable_events()->add_kinds("mark");
  const auto reply = world.ask(question, kHour);
  ASSERT_TRUE(reply);
  ASSERT_EQ(reply->answer.events().events_size(), 1);
  const v1::Event& mark = reply->answer.events().events(0);
  EXPECT_EQ(mark.label(), "burst-start");
  EXPECT_EQ(mark.note(), "before the test");
  EXPECT_EQ(mark.device(), "bench1");
  EXPECT_EQ(mark.boot(), 1);
  question.mutable_events()->add_kinds("eclipse");
  EXPECT_THAT(error_of(world, question).line(),
              HasSubstr("no kind of event is named \"eclipse\": --kind (there are: mark, connection_lost,"));
}

TEST(Packets, AreFilteredByNodeAndPort) {
  World world;
  world.boot(0);
  world.packet(10, 0x11, 67);
  world.packet(11, 0x12, 67);
  world.packet(12, 0x11, 1);
  v1::Question question;
  question.mutable_packets()->set_from("!11");
  question.mutable_packets()->add_ports("telemetry_app");
  const auto reply = world.ask(question, kHour);
  ASSERT_TRUE(reply) << reply.error().line();
  ASSERT_EQ(reply->answer.packets().total_matched(), 1);
  const v1::Packet& packet = reply->answer.packets().packets(0);
  EXPECT_EQ(packet.from(), "!00000011");
  EXPECT_EQ(packet.to(), "!ffffffff");
  EXPECT_EQ(packet.port(), "TELEMETRY_APP");
  EXPECT_EQ(packet.hops(), 1);
  EXPECT_EQ(packet.rssi_dbm(), -90);
  question.mutable_packets()->set_from("me");
  EXPECT_THAT(error_of(world, question).line(), HasSubstr("a node is !1a2b3c4d or a number"));
}

v1::Question mark_question(const std::string& label, const std::string& note = "",
                           const std::string& data = "", const std::string& at = "") {
  v1::Question question;
  question.mutable_mark()->set_label(label);
  question.mutable_mark()->set_note(note);
  question.mutable_mark()->set_data(data);
  question.mutable_mark()->set_at(at);
  return question;
}

TEST(Mark, IsAnEventAndALineOfTheLog) {
  World world;
  small_record(world);
  const auto reply = world.ask(mark_question("burst-start", "a note", R"({"n":1})", "-5m"), kHour);
  ASSERT_TRUE(reply) << reply.error().line();
  EXPECT_DOUBLE_EQ(reply->answer.mark().ts(), 1'764'500'000 + kHour - 300);
  for (const recorder::Row& row : reply->rows) {
    world.add(row);
  }
  world.write();
  const v1::Logs found = logs(world, [](auto& q) { q.add_levels("MARK"); });
  ASSERT_EQ(found.lines_size(), 1);
  EXPECT_EQ(found.lines(0).text(), "[mark] burst-start - a note");
  EXPECT_EQ(found.lines(0).tag(), "mark_event");
  EXPECT_DOUBLE_EQ(found.lines(0).ts(), reply->answer.mark().ts());
  const v1::Report r = report(world, kHour, "1h");
  ASSERT_EQ(r.marks_size(), 1);
  EXPECT_EQ(r.marks(0).data(), R"({"n":1})");
}

TEST(Mark, RefusesWhatMakesNoSense) {
  World world;
  small_record(world);
  EXPECT_THAT(error_of(world, mark_question("")).line(), HasSubstr("needs a label"));
  EXPECT_THAT(error_of(world, mark_question("x", "", "{oops")).line(), HasSubstr("no JSON (byte 1)"));
  EXPECT_THAT(error_of(world, mark_question("x", "", "[1]")).line(), HasSubstr("no object"));
  EXPECT_THAT(error_of(world, mark_question("x", std::string(20'000, 'n'))).line(), HasSubstr("16 KB"));
  EXPECT_THAT(error_of(world, mark_question("x", "", "", "2040-01-01")).line(), HasSubstr("future"));
  EXPECT_THAT(error_of(world, mark_question("x", "", "", "soon")).line(), HasSubstr("a time is now"));
  const auto offline = world.ask_offline(mark_question("x"));
  ASSERT_FALSE(offline);
  EXPECT_EQ(offline.error().code, ErrorCode::unreachable);
}

// ---- alerts and verdicts

void add_alert(World& world, std::int64_t id, const std::string& state) {
  recorder::AlertRow alert;
  alert.id = id;
  alert.device = kDevice;
  alert.cause = "out_of_memory";
  alert.severity = "critical";
  alert.state = state;
  alert.first = kStart;
  alert.last = kStart;
  alert.text = "out of memory";
  world.add(alert);
}

TEST(Alerts, AreAcknowledgedByNumber) {
  World world;
  add_alert(world, 1, "open");
  add_alert(world, 2, "open");
  add_alert(world, 3, "resolved");
  v1::Question question;
  question.mutable_ack()->add_ids(2);
  question.mutable_ack()->set_note("seen");
  const auto reply = world.ask(question, kHour);
  ASSERT_TRUE(reply) << reply.error().line();
  ASSERT_EQ(reply->rows.size(), 1U);
  world.add(reply->rows.front());
  world.write();
  v1::Question list;
  list.mutable_alerts();
  const auto alerts = world.ask(list, kHour);
  ASSERT_TRUE(alerts);
  ASSERT_EQ(alerts->answer.alerts().alerts_size(), 3);
  int acknowledged = 0;
  for (const v1::Alert& alert : alerts->answer.alerts().alerts()) {
    EXPECT_EQ(alert.device(), "bench1");
    acknowledged += alert.state() == "acknowledged" && alert.id() == 2 && alert.note() == "seen" ? 1 : 0;
  }
  EXPECT_EQ(acknowledged, 1);
}

TEST(Alerts, AnUnknownNumberListsTheOpenOnes) {
  World world;
  add_alert(world, 1, "open");
  v1::Question question;
  question.mutable_ack()->add_ids(9);
  EXPECT_EQ(error_of(world, question).line(), "no open alert has the number 9 (open are: 1)");
}

TEST(Alerts, AllOpenOnesAreAcknowledgedWithoutNumbers) {
  World world;
  add_alert(world, 1, "open");
  add_alert(world, 2, "acknowledged");
  v1::Question question;
  question.mutable_ack();
  const auto reply = world.ask(question, kHour);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->rows.size(), 1U);
}

TEST(Alerts, OfAWindowCountFromTheNewestRecordOffline) {
  World world;
  small_record(world);
  add_alert(world, 1, "resolved");
  v1::Question question;
  question.mutable_alerts()->mutable_window()->set_window("2h");
  const auto wide = world.ask_offline(question);
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->answer.alerts().alerts_size(), 1);
  question.mutable_alerts()->mutable_window()->set_window("10m");
  EXPECT_EQ(world.ask_offline(question)->answer.alerts().alerts_size(), 0);
}

TEST(Verdicts, OfTheScheduleAreStoredAndToldAgain) {
  World world;
  world.boot(0);
  world.samples(60, 7 * kHour, 60, leaking(-82));
  const auto judged = world.engine().judge_window("bench1", std::chrono::hours{6}, world.utc(7 * kHour));
  ASSERT_TRUE(judged) << judged.error().line();
  EXPECT_EQ(judged->class_(), v1::VERDICT_CLASS_SLOW_LEAK);
  world.add(verdict_row(kDevice, *judged));
  world.write();
  v1::Question question;
  question.mutable_verdicts();
  const auto reply = world.ask(question, 7 * kHour + 1);
  ASSERT_TRUE(reply);
  ASSERT_EQ(reply->answer.verdicts().verdicts_size(), 1);
  EXPECT_EQ(to_json(reply->answer.verdicts().verdicts(0)), to_json(*judged));
}

TEST(Verdicts, AQuestionOverAScheduledWindowTellsTheScheduleState) {
  World world;
  world.boot(0);
  world.samples(60, 7 * kHour, 60, leaking(-82));
  v1::Verdict stored;
  stored.set_class_(v1::VERDICT_CLASS_SLOW_LEAK);
  stored.set_state(v1::VERDICT_STATE_PROVISIONAL);
  stored.set_ts(1'764'500'000 + 7 * kHour);
  stored.set_window_s(6 * kHour);
  world.add(verdict_row(kDevice, stored));
  EXPECT_EQ(report(world, 7 * kHour, "6h").verdict().state(), v1::VERDICT_STATE_PROVISIONAL);
  stored.set_state(v1::VERDICT_STATE_CONFIRMED);
  stored.set_ts(stored.ts() + 1);
  world.add(verdict_row(kDevice, stored));
  world.write();
  EXPECT_EQ(report(world, 7 * kHour, "6h").verdict().state(), v1::VERDICT_STATE_CONFIRMED);
}

TEST(Verdicts, TheScheduleConfirmsOnlyWithTime) {
  World world;
  world.boot(0);
  world.samples(60, 3 * kHour, 60, leaking(-300));
  const auto young = world.engine().judge_window("bench1", std::chrono::hours{1}, world.utc(1.5 * kHour));
  ASSERT_TRUE(young);
  EXPECT_EQ(young->class_(), v1::VERDICT_CLASS_SLOW_LEAK);
  EXPECT_EQ(young->state(), v1::VERDICT_STATE_PROVISIONAL);
  v1::VerdictState state = v1::VERDICT_STATE_PROVISIONAL;
  for (double s = 1.5 * kHour + 300; s <= 2.5 * kHour; s += 300) {
    state = world.engine().judge_window("bench1", std::chrono::hours{1}, world.utc(s))->state();
  }
  EXPECT_EQ(state, v1::VERDICT_STATE_CONFIRMED);
}

TEST(Verdicts, SixHoursOfOneBootConfirmALongerWindowAtOnce) {
  World world;
  world.boot(0);
  world.samples(60, 8.5 * kHour, 60, leaking(-82));
  const auto v = world.engine().judge_window("bench1", std::chrono::hours{168}, world.utc(8.5 * kHour));
  ASSERT_TRUE(v);
  EXPECT_EQ(v->class_(), v1::VERDICT_CLASS_SLOW_LEAK);
  EXPECT_EQ(v->state(), v1::VERDICT_STATE_CONFIRMED);
}

v1::Verdict verdict(v1::VerdictClass c, v1::VerdictState s, double window_s) {
  v1::Verdict out;
  out.set_class_(c);
  out.set_state(s);
  out.set_window_s(window_s);
  return out;
}

TEST(Headline, IsTheMostUrgentConfirmedVerdict) {
  const auto leak = verdict(v1::VERDICT_CLASS_SLOW_LEAK, v1::VERDICT_STATE_CONFIRMED, 1);
  const auto oom = verdict(v1::VERDICT_CLASS_OOM_IMMINENT, v1::VERDICT_STATE_PROVISIONAL, 2);
  const auto steady = verdict(v1::VERDICT_CLASS_STEADY, v1::VERDICT_STATE_CONFIRMED, 3);
  const auto none = verdict(v1::VERDICT_CLASS_INSUFFICIENT_DATA, v1::VERDICT_STATE_PROVISIONAL, 4);
  EXPECT_DOUBLE_EQ(headline({none, steady, oom, leak})->window_s(), 1);
  EXPECT_DOUBLE_EQ(headline({none, steady, oom})->window_s(), 2);
  EXPECT_DOUBLE_EQ(headline({none, steady})->window_s(), 3);
  EXPECT_DOUBLE_EQ(headline({none})->window_s(), 4);
  EXPECT_EQ(headline({}), nullptr);
  auto reboot = verdict(v1::VERDICT_CLASS_REBOOT_MID_WINDOW, v1::VERDICT_STATE_CONFIRMED, 5);
  reboot.set_underlying(v1::VERDICT_CLASS_OOM_IMMINENT);
  EXPECT_DOUBLE_EQ(headline({leak, reboot})->window_s(), 5);
}

// ---- status

TEST(Status, AddsWhatTheStoreKnowsToWhatTheRecorderTold) {
  World world;
  world.boot(0, recorder::BootCause::unknown, true);
  world.samples(60, kHour, 60, leaking(0));
  world.line(10, "hello");
  world.event(11, "connection_established");
  world.packet(12, 0x11, 67);
  add_alert(world, 1, "open");
  world.add(recorder::CounterRow{kDevice, "frames", 42});
  world.live.set_pid(77);
  world.live.mutable_devices(0)->set_poll("every 60 s");
  v1::Question question;
  question.mutable_status();
  const auto reply = world.ask(question, kHour);
  ASSERT_TRUE(reply) << reply.error().line();
  const v1::Status& status = reply->answer.status();
  EXPECT_TRUE(status.running());
  EXPECT_EQ(status.pid(), 77);
  EXPECT_DOUBLE_EQ(status.now(), 1'764'500'000 + kHour);
  EXPECT_EQ(status.files().telemetry().lines(), 59);
  EXPECT_EQ(status.files().logs().lines(), 1);
  EXPECT_EQ(status.files().packets().lines(), 1);
  EXPECT_EQ(status.files().events().lines(), 1);
  EXPECT_EQ(status.open_alerts(), 1);
  EXPECT_GT(status.store().bytes(), 0);
  EXPECT_EQ(status.store().state(), "ok");
  ASSERT_EQ(status.devices_size(), 1);
  const v1::DeviceStatus& device = status.devices(0);
  EXPECT_EQ(device.node(), "!42524331");
  EXPECT_EQ(device.hardware(), "HELTEC_V3");
  EXPECT_EQ(device.chip(), "esp32s3");
  EXPECT_EQ(device.firmware_version(), "2.7.9");
  EXPECT_EQ(device.poll(), "every 60 s");
  EXPECT_EQ(device.links_size(), 1);
  EXPECT_TRUE(device.debug_heap());
  EXPECT_EQ(device.boots(), 1);
  EXPECT_DOUBLE_EQ(device.uptime_s(), kHour);
  ASSERT_EQ(device.sources_size(), 1);
  EXPECT_EQ(device.sources(0).source(), "poll");
  EXPECT_EQ(device.sources(0).samples(), 59);
  EXPECT_NEAR(device.sources(0).cadence_s(), 60, 1e-6);
  EXPECT_EQ(device.counters().at("frames"), 42);
}

TEST(Status, OfAnUnknownDeviceIsAnError) {
  World world;
  v1::Question question;
  question.set_device("nobody");
  question.mutable_status();
  EXPECT_THAT(error_of(world, question).line(), HasSubstr("there are: bench1"));
}

TEST(Status, IsAnsweredFromTheFileAlone) {
  World world;
  small_record(world);
  v1::Question question;
  question.mutable_status();
  const auto reply = world.ask_offline(question);
  ASSERT_TRUE(reply);
  EXPECT_FALSE(reply->answer.status().running());
  EXPECT_TRUE(reply->answer.status().offline());
  EXPECT_EQ(reply->answer.status().files().telemetry().lines(), 61);
}

TEST(Engine, RefusesAQuestionItDoesNotKnow) {
  World world;
  EXPECT_THAT(error_of(world, v1::Question{}).line(), HasSubstr("unsupported"));
}

TEST(Engine, TurnsAnInterruptedReadIntoAnError) {
  World world;
  small_record(world);
  world.reader().set_deadline(std::chrono::steady_clock::now() - std::chrono::seconds{1});
  EXPECT_FALSE(world.ask(report_question("1h"), kHour));
}

}  // namespace
}  // namespace leakhunt::answer::testing
