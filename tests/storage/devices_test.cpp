// Devices that are renamed, merged, forgotten: everything recorded goes with them, and nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "storage/telemetry_columns.h"
#include "storage/writer_thread.h"
#include "tests/storage/support.h"

namespace leakhunt::storage::testing {
namespace {

using namespace std::chrono_literals;
using recorder::BootId;
using recorder::BootTime;
using recorder::DeviceId;
using recorder::IdentityId;
using recorder::Row;
using recorder::Source;
using recorder::Variant;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr DeviceId kOld{1};
constexpr DeviceId kNew{2};
constexpr std::uint32_t kOtherNode = 0x0badcafe;

struct Who {
  DeviceId device;
  IdentityId identity;
  std::uint32_t node = kNode;
};

// One row of every kind in the boot.
std::vector<Row> one_of_each(const Who& who, BootId boot) {
  const BootTime at{boot, 1s};
  recorder::LogRow line = log_row(boot, 1s, "out of memory");
  line.device = who.device;
  line.evidence = true;
  line.alarm = "out_of_memory";
  recorder::SampleRow sample = sample_row(boot, 1s, 100'000 + static_cast<std::int64_t>(boot));
  sample.device = who.device;
  sample.identity = who.identity;
  recorder::SampleRow nobodys = sample;
  nobodys.identity = recorder::kUnknownIdentity;
  nobodys.at.t = 2s;
  const std::int64_t id = static_cast<std::int64_t>(boot);
  std::vector<Row> rows{
      sample,
      nobodys,
      line,
      recorder::HeapEventRow{who.device, at, "MeshPacket", 90'000, 89'000},
      recorder::CallSiteRow{who.device, at, "Router::send", 432},
      recorder::MemAuditRow{who.device, at, "boot", {{"pool", 12}}, 12},
      recorder::PacketRow{who.device, at, 5, 6, 67, 40, 3, 7, -97, 5.25F},
      recorder::EventRow{who.device, kBootUtc + 1s, at, "mark", "x", "", ""},
      recorder::EventRow{who.device, kBootUtc, {}, "connection_lost", "", "", ""},
      recorder::GapRow{who.device, kBootUtc, kBootUtc + 5s, "queue", 1, 1},
      recorder::VerdictRow{who.device, kBootUtc, 1h, "steady", "confirmed", "leakhunt", "{}"},
      recorder::AlertRow{id, who.device, "panic", "critical", "open", {1}, {2}, 1, "it", ""},
      recorder::CounterRow{who.device, "frames", 10 * id},
      recorder::PortRow{who.device,
                        "/dev/ttyACM" + std::to_string(id),
                        "",
                        0x303a,
                        0x1001,
                        "S" + std::to_string(id),
                        {id}}};
  for (const TelemetryTable& table : telemetry_tables()) {
    rows.emplace_back(recorder::TelemetryRow{who.device,
                                             who.identity,
                                             who.node,
                                             table.variant,
                                             Source::stats,
                                             at,
                                             {{table.columns.front().name, 1.0}}});
  }
  return rows;
}

std::vector<Row> whole(const Who& who, const std::string& name, BootId boot) {
  recorder::BootRow begun = boot_row(boot);
  begun.device = who.device;
  begun.identity = who.identity;
  std::vector<Row> rows{recorder::DeviceRow{who.device, name},
                        recorder::IdentityRow{who.identity, who.device, who.node, name, "B", 43,
                                              kBootUtc + Duration{static_cast<std::int64_t>(who.identity)}},
                        begun, anchor_row(boot, kBootUtc + 1h * static_cast<int>(boot))};
  const std::vector<Row> more = one_of_each(who, boot);
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

class Devices : public ::testing::Test {
 protected:
  void write(Writer& writer, const std::vector<Row>& rows) {
    ASSERT_TRUE(writer.write(rows)) << writer.trouble()->error.line();
    ASSERT_EQ(writer.refused_rows(), 0);
  }
  // What nothing writes yet.
  static void add_rollup_and_block(Writer& writer, DeviceId device, BootId boot) {
    Connection& db = writer.store().connection();
    const std::string id = std::to_string(static_cast<std::int64_t>(device));
    const std::string of = std::to_string(static_cast<std::int64_t>(boot));
    const std::string of_series = " FROM series WHERE identity IS NOT NULL AND device = " + id;
    db.run("INSERT INTO rollup SELECT id, " + of + ", 1, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, NULL, NULL" +
           of_series + "; INSERT INTO rollup_state SELECT id, " + of + ", NULL, 3, 0, NULL, NULL" +
           of_series + "; INSERT INTO field_hour VALUES(" + of +
           ", 4, 0, 1, 1, 1, 1, 1); INSERT INTO log_block VALUES(" + of + ", 0, 1, 1, 0, 0, 0, 0, 0, x'00')");
  }
  void expect_sound() {
    EXPECT_EQ(integrity(folder_.file()), "ok");
    EXPECT_EQ(number_in(folder_.file(), "SELECT count(*) FROM pragma_foreign_key_check"), 0);
  }

  Folder folder_;
  SteppedClock clock_;
  const Who old_{kOld, IdentityId{1}, kNode};
  const Who new_{kNew, IdentityId{2}, kNode};
};

TEST_F(Devices, ARenamedOneKeepsItsRecord) {
  Writer writer = writer_of(folder_.file(), clock_);
  write(writer, whole(old_, "bench1", BootId{1}));
  write(writer, {recorder::RenameDevice{kOld, "bench2"}});
  Reader reader = reader_of(folder_.file());
  ASSERT_THAT(reader.devices(), SizeIs(1));
  EXPECT_EQ(reader.devices()[0].name, "bench2");
  EXPECT_THAT(reader.samples({.device = kOld}), SizeIs(2));
}

TEST_F(Devices, AForgottenOneLeavesNothing) {
  Folder alone;
  for (const std::string& path : {alone.file(), folder_.file()}) {
    Writer writer = writer_of(path, clock_);
    write(writer, whole(old_, "bench1", BootId{1}));
    add_rollup_and_block(writer, kOld, BootId{1});
    if (path == alone.file()) continue;
    write(writer, whole({kNew, IdentityId{2}, kOtherNode}, "bench2", BootId{2}));
    add_rollup_and_block(writer, kNew, BootId{2});
    write(writer, one_of_each({kNew, IdentityId{2}, kOtherNode}, BootId{2}));
    ASSERT_NE(contents(path), contents(alone.file()));
    write(writer, {recorder::ForgetDevice{kNew}});
    write(writer, one_of_each(old_, BootId{1}));
    EXPECT_EQ(writer.refused_rows(), 0);
  }
  Writer first = writer_of(alone.file(), clock_);
  write(first, one_of_each(old_, BootId{1}));
  EXPECT_EQ(contents(folder_.file()), contents(alone.file()));
  expect_sound();
}

TEST_F(Devices, AForgottenOneMayComeAgain) {
  Folder once;
  Writer first = writer_of(once.file(), clock_);
  write(first, whole(old_, "bench1", BootId{1}));
  Writer writer = writer_of(folder_.file(), clock_);
  write(writer, whole(old_, "bench1", BootId{1}));
  write(writer, {recorder::ForgetDevice{kOld}});
  write(writer, whole(old_, "bench1", BootId{1}));
  EXPECT_EQ(contents(folder_.file()), contents(once.file()));
}

TEST_F(Devices, ForgettingAmongOtherRowsOfABatchForgetsAsMuch) {
  Writer writer = writer_of(folder_.file(), clock_);
  std::vector<Row> rows = whole(old_, "bench1", BootId{1});
  const std::vector<Row> others = whole({kNew, IdentityId{2}, kOtherNode}, "bench2", BootId{2});
  rows.insert(rows.end(), others.begin(), others.end());
  rows.emplace_back(recorder::ForgetDevice{kOld});
  rows.emplace_back(sample_row(BootId{1}, 9s, 1));  // comes too late
  ASSERT_TRUE(writer.write(rows));
  EXPECT_EQ(writer.refused_rows(), 1);
  Reader reader = reader_of(folder_.file());
  EXPECT_THAT(reader.devices(), SizeIs(1));
  EXPECT_THAT(reader.samples({.device = kOld}), IsEmpty());
  EXPECT_THAT(reader.samples({.device = kNew}), SizeIs(2));
  EXPECT_EQ(reader.totals(kOld).logs.rows, 0);
  expect_sound();
}

TEST_F(Devices, KeysAreWatchedAgainAfterForgetting) {
  Writer writer = writer_of(folder_.file(), clock_);
  write(writer, whole(old_, "bench1", BootId{1}));
  write(writer, {recorder::ForgetDevice{kOld}});
  ASSERT_TRUE(writer.write({{Row{sample_row(BootId{1}, 9s, 1)}}}));
  EXPECT_EQ(writer.refused_rows(), 1);
  EXPECT_EQ(number_in(folder_.file(), "SELECT count(*) FROM sample"), 0);
}

TEST_F(Devices, TheThreadForgetsInTheOrderOfTheQueue) {
  RowQueue queue(std::size_t{1} << 20U, clock_);
  queue.push(whole(old_, "bench1", BootId{1}));
  queue.push(recorder::ForgetDevice{kOld});
  queue.push(whole(new_, "bench1", BootId{2}));
  WriterThread thread(writer_of(folder_.file(), clock_), queue, clock_, [](const StoreHealth&) {});
  ASSERT_TRUE(thread.stop());
  EXPECT_EQ(thread.health().refused_rows, 0);
  Reader reader = reader_of(folder_.file());
  ASSERT_THAT(reader.devices(), SizeIs(1));
  EXPECT_EQ(reader.devices()[0].id, kNew);
  expect_sound();
}

TEST_F(Devices, AnAlertOfAForgottenOneDoesNotComeBack) {
  Writer writer = writer_of(folder_.file(), clock_);
  write(writer, whole(old_, "bench1", BootId{1}));
  write(writer, {recorder::ForgetDevice{kOld}});
  const recorder::AlertRow late{1, kOld, "panic", "critical", "resolved", {1}, {2}, 1, "it", ""};
  const recorder::AlertRow own{2, DeviceId{0}, "store", "warning", "open", {1}, {2}, 1, "full", ""};
  write(writer, {late, own});
  const auto alerts = reader_of(folder_.file()).alerts({});
  ASSERT_THAT(alerts, SizeIs(1));
  EXPECT_EQ(alerts[0].id, 2);
}

class Merged : public Devices {
 protected:
  // The old one has boots 1 and 3, the new one boot 2.
  void merge(const Who& into) {
    Writer writer = writer_of(folder_.file(), clock_);
    write(writer, whole(old_, "bench1", BootId{1}));
    write(writer, whole(into, "bench2", BootId{2}));
    write(writer, whole(old_, "bench1", BootId{3}));
    for (const int boot : {1, 3}) add_rollup_and_block(writer, kOld, BootId{boot});
    add_rollup_and_block(writer, kNew, BootId{2});
    for (const auto& [table, rows] : contents(folder_.file())) before_[table] = rows.size();
    write(writer, {recorder::MergeDevices{kOld, into.device, {}, {}}});
    ASSERT_TRUE(writer.finish());
    expect_sound();
  }
  std::map<std::string, std::size_t> before_;
};

TEST_F(Merged, EveryRowIsThereAndOfTheOneThatStays) {
  merge({kNew, IdentityId{2}, kOtherNode});
  const auto after = contents(folder_.file());
  for (const auto& [table, rows] : after) {
    const bool summed = table == "counter" || table == "stream" || table == "field_seen" || table == "port";
    const bool gone = table == "device";
    const bool joined = table == "series";  // those of no known node
    EXPECT_EQ(rows.size(), summed ? before_[table] / 2 : before_[table] - (gone || joined ? 1 : 0)) << table;
  }
  for (const std::string& table : tables_of(folder_.file())) {
    const std::string has_device =
        "SELECT count(*) FROM pragma_table_info('" + table + "') WHERE name = 'device'";
    if (number_in(folder_.file(), has_device) == 0) continue;
    EXPECT_EQ(number_in(folder_.file(), "SELECT count(*) FROM " + table + " WHERE device = 1"), 0) << table;
  }
}

TEST_F(Merged, TheReaderTellsItAsOneRecord) {
  merge({kNew, IdentityId{2}, kOtherNode});
  Reader reader = reader_of(folder_.file());
  ASSERT_THAT(reader.devices(), SizeIs(1));
  EXPECT_EQ(reader.devices()[0].name, "bench2");
  EXPECT_THAT(reader.identities(kNew), SizeIs(2));
  std::vector<BootId> boots;
  for (const BootSpan& span : reader.boots(kNew)) boots.push_back(span.boot.id);
  EXPECT_THAT(boots, ElementsAre(BootId{1}, BootId{2}, BootId{3}));
  std::vector<std::int64_t> values;
  for (const Sample& sample : reader.samples({.device = kNew})) values.push_back(sample.value_bytes);
  EXPECT_THAT(values, ElementsAre(100'001, 100'001, 100'002, 100'002, 100'003, 100'003));
  EXPECT_EQ(reader.totals(kNew).logs.rows, 3);
  EXPECT_EQ(reader.totals(kNew).telemetry.rows, 24);
  EXPECT_EQ(reader.counters(kNew)[0].total, 50);  // 30 and 20
  EXPECT_THAT(reader.events(kNew, kAllTime, {"mark"}), SizeIs(3));
  EXPECT_THAT(reader.alerts({.device = kNew}), SizeIs(3));
  EXPECT_THAT(reader.verdicts({.device = kNew}), SizeIs(3));
  EXPECT_THAT(reader.gaps(kNew, kAllTime), SizeIs(3));
  EXPECT_THAT(reader.telemetry({.device = kNew, .variant = Variant::device, .field = "battery_level"}),
              SizeIs(3));
  int lines = 0;
  reader.logs({.device = kNew, .alarm = true}, [&](const LogLine&) { return ++lines > 0; });
  EXPECT_EQ(lines, 3);
}

TEST_F(Merged, ANodeThatBothHaveBecomesOneIdentity) {
  merge(new_);
  Reader reader = reader_of(folder_.file());
  const auto identities = reader.identities(kNew);
  ASSERT_THAT(identities, SizeIs(1));
  EXPECT_EQ(identities[0].id, IdentityId{2});
  EXPECT_EQ(identities[0].long_name, "bench2");
  EXPECT_EQ(identities[0].first_seen, kBootUtc + Duration{1});
  for (const BootSpan& span : reader.boots(kNew)) EXPECT_EQ(span.boot.identity, IdentityId{2});
  EXPECT_EQ(number_in(folder_.file(), "SELECT count(*) FROM series"), 2);
  EXPECT_EQ(number_in(folder_.file(), "SELECT count(*) FROM rollup"), 3);
  EXPECT_THAT(reader.samples({.device = kNew, .identity = IdentityId{2}}), SizeIs(3));
}

TEST_F(Merged, TheNewerPortStays) {
  merge(new_);
  const auto state = writer_of(folder_.file(), clock_).store().load_state();
  ASSERT_TRUE(state);
  ASSERT_THAT(state->devices, SizeIs(1));
  ASSERT_TRUE(state->devices[0].port);
  EXPECT_EQ(state->devices[0].port->path, "/dev/ttyACM3");
  EXPECT_EQ(state->devices[0].last_boot->id, BootId{3});
}

TEST_F(Devices, TheWriterGoesOnInTheMergedSeries) {
  Writer writer = writer_of(folder_.file(), clock_);
  write(writer, whole(old_, "bench1", BootId{1}));
  write(writer, whole(new_, "bench2", BootId{2}));
  recorder::SampleRow next = sample_row(BootId{2}, 1s, 7);  // its place is taken by one of `whole`
  next.device = kNew;
  next.identity = IdentityId{2};
  const recorder::AlertRow late{1, kOld, "panic", "critical", "resolved", {1}, {2}, 1, "it", ""};
  write(writer, {recorder::MergeDevices{kOld, kNew, {}, {}}, next, late});
  Reader reader = reader_of(folder_.file());
  EXPECT_THAT(reader.samples({.device = kNew, .identity = IdentityId{2}}), SizeIs(3));
  EXPECT_EQ(reader.alerts({.device = kNew, .open_only = true}).size(), 1U);
  EXPECT_EQ(reader.totals(kNew).samples_reported, 5);
  EXPECT_EQ(writer.store().load_state()->devices[0].port->path, "/dev/ttyACM2") << "the newer one stays";
  expect_sound();
}

TEST_F(Devices, AMergeThatCannotBeIsRefusedWhole) {
  Writer writer = writer_of(folder_.file(), clock_);
  write(writer, whole(old_, "bench1", BootId{1}));
  const auto before = contents(folder_.file());
  const std::vector<Row> wrong{
      recorder::MergeDevices{kOld, DeviceId{99}, {}, {}}, recorder::MergeDevices{DeviceId{99}, kOld, {}, {}},
      recorder::MergeDevices{kOld, kOld, {}, {}}, recorder::ForgetDevice{DeviceId{99}}};
  ASSERT_TRUE(writer.write(wrong));
  EXPECT_EQ(writer.refused_rows(), 4);
  EXPECT_EQ(contents(folder_.file()), before);
}

TEST_F(Devices, ANewFileKnowsThemAsTheyAreNow) {
  Writer writer = writer_of(folder_.file(), clock_);
  write(writer, whole(old_, "bench1", BootId{1}));
  write(writer, whole(new_, "bench2", BootId{2}));
  write(writer, whole(old_, "bench1", BootId{3}));
  write(writer, whole({DeviceId{3}, IdentityId{3}, kOtherNode}, "bench3", BootId{4}));
  write(writer, {recorder::MergeDevices{kOld, kNew, {}, {}}, recorder::RenameDevice{kNew, "both"}});
  write(writer, {recorder::ForgetDevice{DeviceId{3}}});
  std::filesystem::remove(folder_.file());
  ASSERT_FALSE(writer.write(std::vector<Row>{recorder::CounterRow{kNew, "frames", 1}}));
  ASSERT_TRUE(writer.begin_anew());
  const auto state = writer.store().load_state();
  ASSERT_TRUE(state);
  ASSERT_THAT(state->devices, SizeIs(1));
  const recorder::DeviceState& both = state->devices[0];
  EXPECT_EQ(both.name, "both");
  EXPECT_THAT(both.identities, SizeIs(1));
  EXPECT_EQ(both.last_boot->id, BootId{3});
  EXPECT_EQ(both.last_boot->identity, IdentityId{2});
  EXPECT_THAT(both.last_boot_anchors, SizeIs(1));
  ASSERT_TRUE(both.port);
  EXPECT_EQ(both.port->path, "/dev/ttyACM3");
  expect_sound();
}

TEST_F(Devices, ThePortSeenLastIsTheOneKept) {
  Writer writer = writer_of(folder_.file(), clock_);
  write(writer, beginnings());
  write(writer,
        {recorder::PortRow{kDevice, "/dev/ttyACM0", "", 0, 0, "", {5}},
         recorder::PortRow{kDevice, "/dev/ttyUSB1", "/dev/serial/by-id/usb-x", 0x10c4, 0xea60, "0001", {9}}});
  const auto state = writer.store().load_state();
  ASSERT_TRUE(state);
  const auto& port = state->devices[0].port;
  ASSERT_TRUE(port);
  EXPECT_EQ(port->path, "/dev/ttyUSB1");
  EXPECT_EQ(port->by_id, "/dev/serial/by-id/usb-x");
  EXPECT_EQ(port->usb_vendor, 0x10c4);
  EXPECT_EQ(port->usb_product, 0xea60);
  EXPECT_EQ(port->usb_serial, "0001");
  EXPECT_EQ(port->seen, Utc{9});
  EXPECT_EQ(number_in(folder_.file(), "SELECT count(*) FROM port"), 1);
}

}  // namespace
}  // namespace leakhunt::storage::testing
