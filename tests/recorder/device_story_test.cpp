// What becomes of a device's records beside its boots: whose they are, where figures come from, what is kept.
// Lines go through the real grammar, as they come from firmware.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "proto/redact.h"
#include "tests/recorder/story.h"

namespace leakhunt::recorder::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr std::uint32_t kOtherNode = 0x0badcafe;

Story met(RecorderOptions options = {}) {
  Story story{options};
  story.connect(7);
  story.poll(5000, 120'000);
  return story;
}

Story heard() {
  Story story;
  story.open(0, LinkKind::listen);
  return story;
}

void say(Story& story, std::string_view text, LinkIndex link = 0) {
  story.line(proto::read_text_line(text), link);
}

void log_record(Story& story, std::string_view message, proto::Level level, std::string_view source,
                LinkIndex link = 0) {
  story.record(proto::LogRecord{.line = proto::read_record_body(message, level, source), .time = 0}, link);
}

std::vector<std::pair<Source, std::int64_t>> figures(const Story& story, HeapField field) {
  std::vector<std::pair<Source, std::int64_t>> found;
  for (const auto& row : story.stored.samples) {
    if (row.field == field) {
      found.emplace_back(row.source, row.value_bytes);
    }
  }
  return found;
}

std::vector<std::pair<Source, std::int64_t>> free_heap(const Story& story) {
  return figures(story, HeapField::heap_free_bytes);
}

TEST(DeviceStory, AnAnswerIsPollAndTheRestStats) {
  Story story = met();
  story.pass(seconds{60});
  story.telemetry({.uptime_s = 5060, .free_bytes = 119'000});
  story.telemetry({.uptime_s = 5060, .free_bytes = 118'000, .request_id = 4242});
  EXPECT_THAT(free_heap(story), ElementsAre(Pair(Source::poll, 120'000), Pair(Source::stats, 119'000),
                                            Pair(Source::stats, 118'000)));
}

TEST(DeviceStory, PollsAreCountedAnsweredOrNot) {
  Story story = met();
  for (std::uint32_t id = 1; id <= 3; ++id) {
    story.recorder->asked(0, id, story.now);
    story.pass(seconds{60});
  }
  auto live = story.recorder->live();
  EXPECT_EQ(live.polls_asked, 4);
  EXPECT_EQ(live.polls_answered, 1);
  EXPECT_EQ(live.polls_unanswered_in_a_row, 2);
  story.telemetry({.uptime_s = 5180, .free_bytes = 1, .request_id = 3});  // 60 s late, yet an answer
  live = story.recorder->live();
  EXPECT_EQ(live.polls_answered, 2);
  EXPECT_EQ(live.polls_unanswered_in_a_row, 0);
  EXPECT_EQ(story.stored.samples.back().source, Source::poll);
}

// Fault "nodes mixed".
TEST(DeviceStory, AnotherNodesTelemetryIsNoSampleOfTheOwn) {
  for (const auto others : {RecordOthers::none, RecordOthers::counts, RecordOthers::all}) {
    Story story = met({.record_others = others});
    for (int i = 0; i < 5; ++i) {
      story.pass(seconds{60});
      story.telemetry({.from = kOtherNode, .uptime_s = 10, .free_bytes = 20'000});
      proto::Packet packet{};
      packet.from = kOtherNode;
      packet.portnum = 67;
      story.record(packet);
    }
    auto counters = story.recorder->live().counters;
    EXPECT_THAT(free_heap(story), ElementsAre(Pair(Source::poll, 120'000)));
    EXPECT_THAT(story.stored.boots, SizeIs(1)) << "its uptime is none of ours";
    const bool all = others == RecordOthers::all;
    EXPECT_THAT(story.stored.telemetry, SizeIs(all ? 6 : 1));
    EXPECT_THAT(story.stored.packets, SizeIs(all ? 5 : 0));
    EXPECT_EQ(counters["other_node_packets"], others == RecordOthers::none ? 0 : 5);
    EXPECT_EQ(counters["other_node_telemetry"], others == RecordOthers::none ? 0 : 5);
  }
}

// Fault "zero vanishes".
TEST(DeviceStory, NothingFreeIsASampleOfZero) {
  Story story = met();
  story.pass(seconds{60});
  story.telemetry({.uptime_s = 5060, .free_bytes = 0});
  EXPECT_EQ(free_heap(story).back(), std::pair(Source::stats, std::int64_t{0}));
}

TEST(DeviceStory, NoHeapFiguresAreNoSampleAndAreCounted) {
  Story story = met();
  story.pass(seconds{60});
  story.telemetry({.uptime_s = 5060});
  story.pass(seconds{60});
  story.telemetry({.uptime_s = 5120});
  EXPECT_THAT(free_heap(story), SizeIs(1));
  EXPECT_EQ(story.recorder->live().local_stats_without_heap, 2);
}

// Fault "sentinel".
TEST(DeviceStory, FourGibibytesFreeIsNoFigure) {
  Story story = heard();
  say(story, "DEBUG | 12:34:56 12.345 [Router] [heap 4294967295] handleReceived");
  EXPECT_THAT(free_heap(story), IsEmpty());
  EXPECT_EQ(story.recorder->live().boot->debug_heap, true);
  story.connect(7, 1);
  story.poll(5000, 4'294'967'295, 1);
  EXPECT_THAT(free_heap(story), IsEmpty());
}

// Faults "64-bit fields" and "unknown variants".
TEST(DeviceStory, EveryFieldOfEveryVariantIsKeptAndUnknownOnesAreCounted) {
  Story story = met();
  proto::Telemetry host{};
  host.from = kNode;
  host.variant = proto::Variant::host;
  host.uptime_s = 3;  // of the host it runs on, not of the device
  host.fields.push_back({"freemem_bytes", std::uint64_t{8'589'934'592}});
  host.fields.push_back({"load1", std::int64_t{17}});
  host.fields.push_back({"user_string", std::string{"words"}});
  story.record(host);
  story.record(
      proto::UnknownVariant{.where = proto::UnknownVariant::Where::telemetry, .field = 10, .from = kNode});
  story.recorder->tick(story.now);
  story.pass(seconds{61});
  story.recorder->tick(story.now);
  story.absorb();

  EXPECT_EQ(story.stored.telemetry.back().variant, Variant::host);
  EXPECT_THAT(story.stored.telemetry.back().values,
              ElementsAre(Pair("freemem_bytes", 8'589'934'592.0), Pair("load1", 17.0)));
  EXPECT_THAT(story.stored.boots, SizeIs(1));
  EXPECT_EQ(story.stored.counters["unknown_telemetry_10"], 1);
  EXPECT_EQ(story.stored.counters["unknown_variants"], 1);
}

TEST(DeviceStory, CounterNamesFromTheDeviceAreBounded) {
  Story story = met();
  for (std::uint32_t field = 0; field < 1000; ++field) {
    story.record(
        proto::UnknownVariant{.where = proto::UnknownVariant::Where::from_radio, .field = field, .from = 0});
  }
  EXPECT_LT(story.recorder->live().counters.size(), 200U);
}

TEST(DeviceStory, ATelemetryRowHoldsTheTotalButNotTheSample) {
  Story story = met();
  EXPECT_THAT(story.stored.telemetry.at(0).values,
              UnorderedElementsAre(Pair("uptime_seconds", 5000), Pair("heap_total_bytes", 300'000)));
  EXPECT_EQ(story.stored.telemetry[0].at, story.stored.samples[0].at);
}

TEST(DeviceStory, AReadingAboveTheTotalIsKeptButMarked) {
  Story story = met();
  story.pass(seconds{60});
  story.telemetry({.uptime_s = 5060, .free_bytes = 900'000});
  story.pass(seconds{60});
  story.telemetry({.uptime_s = 5120, .free_bytes = 300'300});
  ASSERT_THAT(story.stored.samples, SizeIs(3));
  EXPECT_FALSE(story.stored.samples[0].suspect);
  EXPECT_TRUE(story.stored.samples[1].suspect);
  EXPECT_FALSE(story.stored.samples[2].suspect) << "the total itself moves by some hundred bytes";
}

TEST(DeviceStory, EveryHeapLineGivesItsSamples) {
  Story story = heard();
  say(story, "INFO  | 12:34:56 61 [Main] [heap 88888] hello");
  say(story,
      "DEBUG | 12:34:57 62 [Power] Heap status: 123000/294912 bytes free (-456), running 14/22 threads");
  say(story,
      "HEAP | 12:34:58 63 [Power] [heap 91888] ------ Thread Screen leaked heap 92344 -> 91888 (-456) "
      "------");
  say(story,
      "HEAP | 12:34:59 64 [Router] [heap 91500] Alloc in Router::send pointer 0x3ffd1234, size: 388, free: "
      "91500");
  say(story,
      "INFO  | 12:35:00 65 [Power] Heap: 118432/294912 bytes free (-2144 since last), min 96204, largest "
      "block 65524");
  say(story, "INFO  | 12:35:01 66 [Power] Heap free: 40% (118000/294912 bytes)");
  say(story, "DEBUG | ??:??:?? 67 Free heap: 268412");
  say(story, "WARN  | 12:35:03 68 [WebServer] Low heap (9120 bytes), skipping HTTPS processing");

  EXPECT_THAT(free_heap(story),
              ElementsAre(Pair(Source::debug_heap, 88888), Pair(Source::debug_heap, 123000),
                          Pair(Source::debug_heap, 91888), Pair(Source::thread_event, 91888),
                          Pair(Source::debug_heap, 91500), Pair(Source::alloc_line, 91500),
                          Pair(Source::heap_line, 118432), Pair(Source::heap_line, 118000),
                          Pair(Source::boot_line, 268412), Pair(Source::heap_line, 9120)));
  EXPECT_THAT(figures(story, HeapField::min_free_bytes), ElementsAre(Pair(Source::heap_line, 96204)));
  EXPECT_THAT(figures(story, HeapField::largest_block_bytes), ElementsAre(Pair(Source::heap_line, 65524)));
  ASSERT_THAT(story.stored.heap_events, SizeIs(1));
  EXPECT_EQ(story.stored.heap_events[0].thread, "Screen");
  EXPECT_EQ(story.stored.heap_events[0].before_bytes, 92344);
  EXPECT_EQ(story.stored.heap_events[0].after_bytes, 91888);
  ASSERT_THAT(story.stored.call_sites, SizeIs(1));
  EXPECT_EQ(story.stored.call_sites[0].context, "Router::send");
  EXPECT_EQ(story.stored.call_sites[0].size_bytes, 388);
  for (const auto& row : story.stored.logs) {
    EXPECT_TRUE(row.tells_heap) << row.text;
  }
}

TEST(DeviceStory, AuditsAreRowsOfTheirOwn) {
  Story story = heard();
  say(story, "INFO  | 12:34:56 61 [Power] MemAudit[heap]: pool=-388 nodedb=13440 total=13052");
  ASSERT_THAT(story.stored.mem_audits, SizeIs(1));
  EXPECT_EQ(story.stored.mem_audits[0].when, "heap");
  EXPECT_THAT(story.stored.mem_audits[0].tag_bytes, ElementsAre(Pair("pool", -388), Pair("nodedb", 13440)));
  EXPECT_EQ(story.stored.mem_audits[0].total_bytes, 13052);
  EXPECT_THAT(free_heap(story), IsEmpty());
}

// Fault "quoted text".
TEST(DeviceStory, AQuotedHeapLineIsNoSample) {
  Story story = heard();
  say(story,
      "INFO  | 12:34:56 61 [Text] Received text msg from=0x1, id=0x2, msg=Heap status: 1/2 bytes free");
  EXPECT_THAT(free_heap(story), IsEmpty());
  EXPECT_THAT(story.stored.logs, SizeIs(1));
  EXPECT_EQ(story.stored.logs[0].text.find("1/2"), std::string::npos) << "and its text is private";
  EXPECT_GT(story.recorder->live().counters["redactions"], 0);
}

// Fault "level, thread, time of log records".
TEST(DeviceStory, LogRecordsKeepLevelAndThread) {
  Story story = met();
  log_record(story, "it failed", proto::Level::error, "Router");
  ASSERT_THAT(story.stored.logs, SizeIs(1));
  EXPECT_EQ(story.stored.logs[0].level, "ERROR");
  EXPECT_EQ(story.stored.logs[0].thread, "Router");
  EXPECT_EQ(story.stored.logs[0].text, "it failed");
  EXPECT_EQ(story.stored.logs[0].uptime_us, std::nullopt);
}

TEST(DeviceStory, TextLinesKeepTheirPrefixAndUptime) {
  Story story = heard();
  say(story, "WARN  | 12:34:56 61.5 [mqtt] MQTT not connected");
  ASSERT_THAT(story.stored.logs, SizeIs(1));
  EXPECT_EQ(story.stored.logs[0].text, "WARN  | 12:34:56 61.5 [mqtt] MQTT not connected");
  EXPECT_EQ(story.stored.logs[0].text.substr(story.stored.logs[0].body_offset), "MQTT not connected");
  EXPECT_EQ(story.stored.logs[0].uptime_us, 61'500'000);
}

// Faults "false OOM" and "missed OOM".
TEST(DeviceStory, AlarmsCannotWaitAndARoutingNakIsNone) {
  Story story = heard();
  say(story, "WARN  | 12:34:56 61 [Router] Alloc an err=5,to=0x433e2a10,idFrom=0x1f2e3d4c,id=0x5a6b7c8d");
  EXPECT_THAT(story.stored.alarms, IsEmpty());
  EXPECT_FALSE(story.stored.logs.back().evidence);
  say(story, "WARN  | 12:34:57 62 [Router] Failed to allocate zeroed memory");
  say(story,
      "ERROR | 12:34:57 62 Packet History - Memory allocation failed for size=100 entries / 2000 Bytes");
  say(story, "ERROR | 12:34:58 63 [Router] out of memory");
  say(story, "abort() was called at PC 0x4008a5d3 on core 1");
  say(story, "WARN  | 12:35:03 68 [WebServer] Low heap (9120 bytes), skipping HTTPS processing");
  std::vector<proto::AlarmKind> kinds;
  for (const auto& alarm : story.stored.alarms) {
    kinds.push_back(alarm.kind);
  }
  EXPECT_THAT(kinds, ElementsAre(proto::AlarmKind::allocation_failure, proto::AlarmKind::allocation_failure,
                                 proto::AlarmKind::out_of_memory, proto::AlarmKind::panic));
  EXPECT_EQ(story.stored.alarms[0].thread, "Router");
  EXPECT_EQ(story.stored.logs.back().alarm, "low_heap");
  EXPECT_TRUE(story.stored.logs.back().evidence);
}

TEST(DeviceStory, EvidenceIsBoundedPerDay) {
  Story story{{.evidence_lines_per_day = 3}};
  story.open(0, LinkKind::listen);
  const auto marked = [&] {
    return std::count_if(story.stored.logs.begin(), story.stored.logs.end(),
                         [](const LogRow& row) { return row.evidence; });
  };
  for (int i = 0; i < 10; ++i) {
    say(story, "ERROR | 12:34:58 63 [Router] out of memory");
  }
  EXPECT_EQ(marked(), 3);
  EXPECT_THAT(story.stored.logs, SizeIs(10));
  EXPECT_EQ(story.recorder->live().counters["evidence_lines_unmarked"], 7);
  story.step_clock(hours{48});
  say(story, "ERROR | 12:34:58 63 [Router] out of memory");
  EXPECT_EQ(marked(), 3) << "a stepped clock is no new day";
  story.pass(hours{24});
  say(story, "ERROR | 12:34:58 86463 [Router] out of memory");
  EXPECT_EQ(marked(), 4);
}

TEST(DeviceStory, TheBuildIsToldByItsLinesAndBelongsToTheBoot) {
  Story story = heard();
  EXPECT_FALSE(story.recorder->live().boot.has_value());
  say(story, "INFO  | 12:34:56 61 [Main] hello");
  EXPECT_EQ(story.recorder->live().boot->debug_heap, false);
  say(story, "INFO  | 12:34:56 61 [Main] [heap 88888] hello");
  EXPECT_EQ(story.recorder->live().boot->debug_heap, true);
  story.pass(minutes{10});
  say(story, "INFO  | 12:44:56 661 [Main] hello");
  EXPECT_EQ(story.recorder->live().boot->debug_heap, true) << "quiet minutes do not turn ON into OFF";
  say(story, "INFO  | 12:44:56 3 [Main] hello");
  EXPECT_EQ(story.recorder->live().boot->debug_heap, false);
}

TEST(DeviceStory, HeapLinesOfApiModeTellTheBuildToo) {
  Story story = met();
  EXPECT_EQ(story.recorder->live().boot->debug_heap, std::nullopt) << "no log line seen";
  log_record(story, "------ Thread Screen leaked heap 92344 -> 91888 (-456) ------", proto::Level::none,
             "Screen");
  EXPECT_EQ(story.recorder->live().boot->debug_heap, true);
}

TEST(DeviceStory, AMergedDeviceBringsItsBoardsAndItsCounts) {
  Story story = met();
  story.recorder->count("discarded_bytes", 5);
  const IdentityRow other{IdentityId{77}, DeviceId{9}, kOtherNode, "Other", "O", 43, story.now.utc};
  const IdentityRow twin{IdentityId{78}, DeviceId{9}, kNode, "Twin", "T", 43, story.now.utc};
  story.recorder->merged({DeviceId{9}, story.recorder->id(), {other, twin}, {{"discarded_bytes", 7}}});
  story.recorder->renamed("bench2");
  story.lose();
  story.pass(minutes{2});
  story.open();
  story.handshake(1, 0, kOtherNode);
  EXPECT_EQ(story.recorder->live().identity->id, IdentityId{77}) << "no new identity for a known board";
  EXPECT_EQ(story.recorder->live().counters["discarded_bytes"], 12);
  EXPECT_EQ(story.recorder->live().name, "bench2");
  story.lose();
  story.open();
  story.handshake(2, 0, kNode);
  EXPECT_NE(story.recorder->live().identity->id, IdentityId{78}) << "the own one stays";
}

TEST(DeviceStory, AWipedBoardIsANewIdentityAndABoot) {
  Story story = met();
  story.lose();
  story.pass(seconds{30});
  story.open();
  story.handshake(1, 0, kOtherNode);
  story.poll(100);
  EXPECT_THAT(story.stored.samples, SizeIs(1)) << "the answer is the other board's";
  EXPECT_THAT(story.stored.identities, SizeIs(2));
  EXPECT_THAT(story.stored.boots, SizeIs(2));
  ASSERT_THAT(story.stored.events_of("other_node"), SizeIs(1));
  EXPECT_EQ(story.stored.events_of("other_node")[0].label, "!0badcafe");
  EXPECT_NE(story.stored.events_of("other_node")[0].note.find("!11223344"), std::string::npos);

  story.lose();
  story.open();
  story.handshake(8);
  EXPECT_THAT(story.stored.identities, SizeIs(2)) << "the first board is known";
  EXPECT_EQ(story.recorder->live().identity->node, kNode);
}

TEST(DeviceStory, NamesAndHardwareOfTheOwnNodeAreKept) {
  Story story = met();
  proto::NodeIdentity other{};
  other.node = kOtherNode;
  other.long_name = "Other";
  story.record(other);
  proto::NodeIdentity own{};
  own.node = kNode;
  own.long_name = "Bench one";
  own.short_name = "B1";
  own.hw_model = 43;
  story.record(own);
  story.record(own);
  ASSERT_THAT(story.stored.identities, SizeIs(1));
  EXPECT_EQ(story.stored.identities.begin()->second.long_name, "Bench one");
  EXPECT_EQ(story.stored.identities.begin()->second.hw_model, 43U);
}

TEST(DeviceStory, OtherFirmwareIsAnEvent) {
  Story story = met();
  EXPECT_THAT(story.stored.events_of("firmware_changed"), IsEmpty());
  story.lose();
  story.open();
  story.handshake(8, 0, kNode, "2.8.0", "heltec-v3-debug");
  ASSERT_THAT(story.stored.events_of("firmware_changed"), SizeIs(1));
  EXPECT_EQ(story.stored.events_of("firmware_changed")[0].label, "2.8.0");
  EXPECT_EQ(story.stored.events_of("firmware_changed")[0].note,
            "2.7.11 (heltec-v3) became 2.8.0 (heltec-v3-debug)");
  EXPECT_EQ(story.recorder->live().boot->pio_env, "heltec-v3-debug");
  story.restart();
  story.connect(8);
  EXPECT_THAT(story.stored.events_of("firmware_changed"), SizeIs(2)) << "back to 2.7.11";
}

TEST(DeviceStory, EqualLinesOfTwoLinksAreStoredOnce) {
  Story story = met();
  story.open(1, LinkKind::listen);
  log_record(story, "queue is full", proto::Level::warn, "Router", 0);
  story.pass(milliseconds{300});
  say(story, "WARN  | 12:34:56 5001 [Router] queue is full", 1);
  EXPECT_THAT(story.stored.logs, SizeIs(1));
  EXPECT_EQ(story.recorder->live().counters["double_lines"], 1);

  say(story, "WARN  | 12:34:56 5001 [Router] queue is full", 1);
  EXPECT_THAT(story.stored.logs, SizeIs(2)) << "each cancels at most one";
  say(story, "WARN  | 12:34:56 5001 [Router] queue is full", 1);
  EXPECT_THAT(story.stored.logs, SizeIs(3)) << "two equal lines on one link are two";
}

TEST(DeviceStory, LinesThatDifferOrComeLateAreNoDoubles) {
  struct Case {
    const char* text;
    Duration later;
  };
  for (const auto& [text, later] : {Case{"WARN  | 12:34:56 5001 [Router] queue is fuller", seconds{0}},
                                    {"WARN  | 12:34:56 5001 [Main] queue is full", seconds{0}},
                                    {"ERROR | 12:34:56 5001 [Router] queue is full", seconds{0}},
                                    {"WARN  | 12:34:56 5003 [Router] queue is full", seconds{1}},
                                    {"WARN  | 12:34:56 5003 [Router] queue is full", seconds{3}}}) {
    Story story = met();
    story.open(1, LinkKind::listen);
    say(story, "WARN  | 12:34:56 5001 [Router] queue is full", 0);
    story.pass(later);
    say(story, text, 1);
    EXPECT_THAT(story.stored.logs, SizeIs(2)) << text;
  }
}

TEST(DeviceStory, ADoubleStillGivesTheFigureOnlyItHas) {
  Story story = met();
  story.open(1, LinkKind::listen);
  log_record(story, "------ Thread Screen leaked heap 92344 -> 91888 (-456) ------", proto::Level::none,
             "Screen", 0);
  say(story,
      "HEAP | 12:34:58 5001 [Screen] [heap 91888] ------ Thread Screen leaked heap 92344 -> 91888 (-456) "
      "------",
      1);
  EXPECT_THAT(story.stored.heap_events, SizeIs(1));
  EXPECT_THAT(free_heap(story), ElementsAre(Pair(Source::poll, 120'000), Pair(Source::thread_event, 91888),
                                            Pair(Source::debug_heap, 91888)));
}

TEST(DeviceStory, OneBannerOnTwoLinksIsOneBoot) {
  Story story = heard();
  story.open(1, LinkKind::listen);
  say(story, "INFO  | 12:34:56 5000 [Main] hello", 0);
  const char* reset = "rst:0xc (SW_CPU_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)";
  say(story, reset, 0);
  story.pass(milliseconds{50});
  say(story, reset, 1);
  EXPECT_THAT(story.stored.boots, SizeIs(2));
}

TEST(DeviceStory, MarksAreEventsAndLines) {
  Story story = met();
  story.pass(seconds{100});
  story.recorder->mark("burst-start", "200 packets", R"({"n":200})", std::nullopt, story.now);
  story.recorder->mark("earlier", "", "", story.now.utc - seconds{50}, story.now);
  story.recorder->mark("long ago", "", "", story.now.utc - hours{500}, story.now);
  story.absorb();
  ASSERT_THAT(story.stored.events_of("mark"), SizeIs(3));
  ASSERT_THAT(story.stored.logs, SizeIs(2));
  EXPECT_EQ(story.stored.logs[0].text, "[mark] burst-start - 200 packets");
  EXPECT_EQ(story.stored.logs[0].level, "MARK");
  EXPECT_EQ(story.stored.logs[0].thread, "mark_event");
  EXPECT_EQ(story.stored.logs[1].text, "[mark] earlier");
  EXPECT_EQ(*story.stored.utc(story.stored.logs[1].at), story.now.utc - seconds{50});
  EXPECT_EQ(story.stored.events_of("mark")[2].at, std::nullopt) << "before the current boot";
}

TEST(DeviceStory, EventsWithoutABootStandInCivilTimeAlone) {
  Story story;
  story.recorder->event("device_silent", "", "never answered", story.now);
  story.recorder->mark("early", "", "", std::nullopt, story.now);
  story.absorb();
  EXPECT_THAT(story.stored.boots, IsEmpty());
  ASSERT_THAT(story.stored.events, SizeIs(2));
  EXPECT_EQ(story.stored.events[0].at, std::nullopt);
}

TEST(DeviceStory, OnlyALinkThatWasUpIsLost) {
  Story story;
  story.open();
  story.recorder->handshake_began(0, story.now);
  story.lose();
  EXPECT_THAT(story.stored.events_of("connection_lost"), IsEmpty()) << "it never answered";
  story.connect(7);
  story.lose();
  EXPECT_THAT(story.stored.events_of("connection_established"), SizeIs(1));
  ASSERT_THAT(story.stored.events_of("connection_lost"), SizeIs(1));
  EXPECT_EQ(story.stored.events_of("connection_lost")[0].note, "end of file");
}

TEST(DeviceStory, CountersGoOnAfterARestart) {
  Story story = met();
  story.recorder->count("frames", 40);
  story.recorder->stop(story.now);
  story.restart();
  story.recorder->count("frames", 2);
  story.recorder->stop(story.now);
  story.absorb();
  EXPECT_EQ(story.stored.counters["frames"], 42);
}

TEST(DeviceStory, TheLiveViewTellsWhatStatusWants) {
  Story story = met();
  for (int i = 1; i <= 5; ++i) {
    story.pass(seconds{60} - milliseconds{100});
    story.poll(static_cast<std::uint32_t>(5000 + 60 * i), 120'000 - i);
  }
  const auto live = story.recorder->live();
  ASSERT_THAT(live.links, SizeIs(1));
  EXPECT_EQ(live.links[0].phase, LinkPhase::live);
  EXPECT_EQ(live.identity->node, kNode);
  EXPECT_EQ(live.boot->firmware_version, "2.7.11");
  EXPECT_TRUE(live.boot_start_known);
  EXPECT_EQ(live.uptime, seconds{5300});
  EXPECT_EQ(live.heap->value_bytes, 119'995);
  EXPECT_EQ(live.heap->source, Source::poll);
  EXPECT_EQ(live.cadence.at(Source::poll), seconds{60});
  EXPECT_EQ(live.heap_total_bytes, 300'000);
  EXPECT_EQ(live.last_received->mono, story.now.mono);
}

TEST(DeviceStory, WhatComesOverTwoClientsOfOneDeviceIsKeptOnce) {
  Story story = met();
  story.connect(7, 1, LinkKind::serial);
  const auto rows = [&] { return story.stored.samples.size() + story.stored.telemetry.size(); };
  proto::Telemetry unasked = telemetry_of({.uptime_s = 5'060, .free_bytes = 90'000});
  unasked.packet_id = 77;
  proto::Packet packet{};
  packet.from = kNode;
  packet.id = 77;
  for (const LinkIndex link : {LinkIndex{0}, LinkIndex{1}}) {
    story.pass(seconds{60});
    story.record(packet, link);
    story.record(unasked, link);
  }
  const std::size_t once = rows();
  EXPECT_THAT(story.stored.packets, SizeIs(1));
  EXPECT_EQ(story.recorder->live().counters["double_packets"], 1);
  // On one link it is another packet.
  story.record(unasked, 0);
  EXPECT_GT(rows(), once);
}

TEST(DeviceStory, PacketsOfTheOwnNodeAreSummaries) {
  Story story = met();
  proto::Packet packet{};
  packet.from = kNode;
  packet.to = 0xffffffff;
  packet.portnum = 3;
  packet.payload_bytes = 33;
  packet.hop_limit = 3;
  packet.hop_start = 3;
  packet.rx_rssi = -101;
  packet.rx_snr = 5.25F;
  story.record(packet);
  ASSERT_THAT(story.stored.packets, SizeIs(1));
  EXPECT_EQ(story.stored.packets[0].port, 3U);
  EXPECT_EQ(story.stored.packets[0].size_bytes, 33U);
  EXPECT_EQ(story.stored.packets[0].rssi_dbm, -101);
  EXPECT_EQ(story.stored.packets[0].snr_db, 5.25F);
}

}  // namespace
}  // namespace leakhunt::recorder::testing
