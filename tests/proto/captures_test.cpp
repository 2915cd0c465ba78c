// A real meshtasticd, as its client read it: no unknown frame, the right figures, and no key in any record.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "leakhunt/device/v1/mesh.pb.h"
#include "proto/printable.h"
#include "proto/records.h"
#include "proto/redact.h"
#include "tests/proto/support.h"

namespace leakhunt::proto {
namespace {

using testing::Bytes;
using ::testing::HasSubstr;
using ::testing::Not;

struct Capture {
  testing::Collected stream;
  std::vector<Record> records;
  FramerCounters counters;
};

Capture capture(const std::string& name) {
  Capture out;
  out.stream = testing::collect(testing::bytes(testing::file("captures/" + name)), &out.counters);
  for (const Bytes& payload : out.stream.frames) {
    for (Record& record : decode_from_radio(payload)) out.records.push_back(std::move(record));
  }
  return out;
}

// Every text and every byte a record holds, for searching.
std::string everything(const Record& record) {
  struct Visitor {
    std::string operator()(const MyInfo& r) const { return r.pio_env; }
    std::string operator()(const NodeIdentity& r) const {
      return r.id + "|" + r.long_name + "|" + r.short_name;
    }
    std::string operator()(const Metadata& r) const { return r.firmware_version; }
    std::string operator()(const LogRecord& r) const { return r.line.text + "|" + r.line.thread; }
    std::string operator()(const Notification& r) const { return r.message; }
    std::string operator()(const Other& r) const { return std::string{r.kind}; }
    std::string operator()(const Malformed& r) const { return r.why; }
    std::string operator()(const Telemetry& r) const {
      std::string all;
      for (const auto& field : r.fields) {
        if (const auto* text = std::get_if<std::string>(&field.value)) all += *text + "|";
      }
      return all;
    }
    std::string operator()(const ConfigComplete&) const { return {}; }
    std::string operator()(const Rebooted&) const { return {}; }
    std::string operator()(const QueueStatus&) const { return {}; }
    std::string operator()(const Packet&) const { return {}; }
    std::string operator()(const UnknownVariant&) const { return {}; }
  };
  return std::visit(Visitor{}, record);
}

std::map<std::string_view, int> counts(const Capture& capture) {
  std::map<std::string_view, int> out;
  for (const Record& record : capture.records) ++out[type_word(record)];
  return out;
}

class CaptureTest : public ::testing::TestWithParam<const char*> {};

TEST_P(CaptureTest, HasNoUnknownFrameAndNoByteLeftOver) {
  const Capture got = capture(GetParam());
  const auto kinds = counts(got);
  EXPECT_EQ(kinds.count("unknown"), 0U);
  EXPECT_EQ(kinds.count("malformed"), 0U);
  EXPECT_EQ(kinds.at("my_info"), 1);
  EXPECT_EQ(kinds.at("config_complete"), 1);
  EXPECT_EQ(kinds.at("metadata"), 1);
  EXPECT_TRUE(got.stream.lines.empty());
  EXPECT_EQ(got.counters.false_starts + got.counters.oversized + got.counters.discarded_bytes, 0U);
  std::size_t framed = 0;
  for (const Bytes& payload : got.stream.frames) framed += payload.size() + 4;
  EXPECT_EQ(framed, got.counters.bytes);
}

// The secrets of the handshake: every bytes or opaque field in it that could be a key.
std::set<std::string> secrets(const std::vector<Bytes>& frames) {
  std::set<std::string> found;
  for (const Bytes& payload : frames) {
    device::v1::FromRadio message;
    EXPECT_TRUE(message.ParseFromArray(payload.data(), static_cast<int>(payload.size())));
    found.insert(message.node_info().user().public_key());
    found.insert(message.my_info().device_id());
    found.insert(message.config().security().public_key());
    found.insert(message.config().security().private_key());
    found.insert(message.config().network().wifi_psk());
  }
  found.erase("");
  return found;
}

TEST_P(CaptureTest, NoKeyOfTheHandshakeReachesARecord) {
  const Capture got = capture(GetParam());
  const auto keys = secrets(got.stream.frames);
  EXPECT_GE(keys.size(), 2U) << "the capture is known to hold a key pair";
  for (const Record& record : got.records) {
    const std::string all = everything(record);
    for (const std::string& key : keys) EXPECT_THAT(all, Not(HasSubstr(key)));
  }
}

INSTANTIATE_TEST_SUITE_P(Captures, CaptureTest,
                         ::testing::Values("meshtasticd-heap.bin", "meshtasticd-leak.bin",
                                           "meshtasticd-stock-19min.bin"),
                         [](const auto& which) {
                           std::string name{which.param};
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
                           return name;
                         });

std::vector<Telemetry> local_stats(const Capture& capture) {
  std::vector<Telemetry> out;
  for (const Record& record : capture.records) {
    const auto* telemetry = std::get_if<Telemetry>(&record);
    if (telemetry != nullptr && telemetry->variant == Variant::local) out.push_back(*telemetry);
  }
  return out;
}

// A line that drops, doubles and turns bytes: nothing breaks, no text is invalid, no key gets out.
TEST(Captures, DamageNeverLetsAKeyOut) {
  const Bytes whole = testing::bytes(testing::file("captures/meshtasticd-stock-19min.bin"));
  const auto keys = secrets(testing::collect(whole).frames);
  std::mt19937 random{11};
  std::uniform_int_distribution<std::size_t> position{0, whole.size() - 1};
  for (int round = 0; round < 400; ++round) {
    Bytes damaged = whole;
    for (int i = 0; i < 8; ++i) {
      const auto at =
          damaged.begin() + static_cast<std::ptrdiff_t>(std::min(position(random), damaged.size() - 1));
      if (i % 3 == 0) damaged.erase(at, at + std::min<std::ptrdiff_t>(round % 7 + 1, damaged.end() - at));
      if (i % 3 == 1) damaged.insert(at, *at);
      if (i % 3 == 2) *at ^= static_cast<std::uint8_t>(1U << (round % 8));
    }
    const auto stream = testing::collect(damaged);
    std::string all;
    for (const std::string& line : stream.lines) all += read_text_line(line).text + "\n";
    for (const Bytes& payload : stream.frames) {
      for (const Record& record : decode_from_radio(payload)) all += everything(record) + "\n";
    }
    EXPECT_TRUE(is_utf8(all));
    for (const std::string& key : keys)
      EXPECT_THAT(all, Not(HasSubstr(key.substr(0, 8)))) << "round " << round;
  }
}

TEST(Captures, TheHealthyOneStaysAndTheLeakingOneFalls) {
  const auto healthy = local_stats(capture("meshtasticd-heap.bin"));
  ASSERT_GE(healthy.size(), 10U);
  for (const Telemetry& stats : healthy) EXPECT_EQ(stats.heap->total_bytes, 409'600);
  EXPECT_EQ(healthy.back().heap->free_bytes, healthy[1].heap->free_bytes);
  const auto leaking = local_stats(capture("meshtasticd-leak.bin"));
  EXPECT_LT(leaking.back().heap->free_bytes, leaking.front().heap->free_bytes - 5'000);
}

TEST(Captures, AStockMeshtasticdReportsNoHeap) {
  const auto stock = local_stats(capture("meshtasticd-stock-19min.bin"));
  ASSERT_EQ(stock.size(), 2U);
  for (const Telemetry& stats : stock) EXPECT_FALSE(stats.heap);
}

TEST(Captures, LogRecordsAndStdoutTellTheSameThreadEvents) {
  const auto events = [](const auto& lines) {
    std::map<std::string, std::int64_t> net;
    for (const LogLine& line : lines) {
      if (line.heap_event) net[line.heap_event->thread] += line.heap_event->delta_bytes;
    }
    return net;
  };
  std::vector<LogLine> framed;
  for (const Record& record : capture("meshtasticd-leak.bin").records) {
    if (const auto* log = std::get_if<LogRecord>(&record)) framed.push_back(log->line);
  }
  std::vector<LogLine> printed;
  std::istringstream lines{testing::file("captures/meshtasticd-leak.stdout.log")};
  for (std::string line; std::getline(lines, line);) printed.push_back(parse_text_line(line));
  EXPECT_LT(events(framed).at("DeviceTelemetry"), 0);
  EXPECT_LT(events(printed).at("DeviceTelemetry"), 0);
  const auto has_prefix = [](const LogLine& line) { return line.has_heap_prefix; };
  EXPECT_EQ(std::count_if(framed.begin(), framed.end(), has_prefix), 0);
  EXPECT_GT(std::count_if(printed.begin(), printed.end(), has_prefix), 300);
}

}  // namespace
}  // namespace leakhunt::proto
