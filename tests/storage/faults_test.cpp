// Every step at which the disk can fail, one after another: what was reported durable is there, whole and
// once.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>

#include "storage/sqlite.h"
#include "tests/storage/fault_vfs.h"
#include "tests/storage/support.h"

namespace leakhunt::storage::testing {
namespace {

using namespace std::chrono_literals;
using recorder::BootId;
using recorder::Row;

constexpr int kBatches = 24;
constexpr int kRowsPerBatch = 40;

std::string line_of(int batch, int i) {
  return "batch " + std::to_string(batch) + " line " + std::to_string(i) + std::string(150, '.');
}

// Samples, lines, and in every third batch an event, which makes it durable.
std::vector<Row> batch_of(int batch) {
  std::vector<Row> rows;
  for (int i = 0; i < kRowsPerBatch; ++i) {
    const Duration t{1'000'000LL * (batch * kRowsPerBatch + i)};
    rows.emplace_back(sample_row(BootId{1}, t, batch));
    rows.emplace_back(log_row(BootId{1}, t, line_of(batch, i)));
  }
  if (batch % 3 == 0) {
    recorder::EventRow mark;
    mark.device = kDevice;
    mark.utc = kBootUtc;
    mark.kind = "mark";
    mark.label = "batch " + std::to_string(batch);
    rows.emplace_back(mark);
  }
  return rows;
}

// A second device that comes and is forgotten, so that there are pages to give back.
std::vector<Row> visitor() {
  const recorder::DeviceId device{2};
  recorder::BootRow boot = boot_row(BootId{2});
  boot.device = device;
  boot.identity = {};
  std::vector<Row> rows{recorder::DeviceRow{device, "visitor"}, boot, anchor_row(BootId{2}, kBootUtc)};
  for (int i = 0; i < 400; ++i) {
    recorder::LogRow line = log_row(BootId{2}, Duration{i}, line_of(-1, i));
    line.device = device;
    rows.emplace_back(line);
  }
  return rows;
}

struct Progress {
  int committed = -1;  // the last batch that was reported written
  int durable = -1;    // the last that was reported durable
};

// Opens, writes, checkpoints, gives space back, closes and opens again. With a disk that fails for a while
// every step is tried again, as the writer thread does; with one that is dark it ends at the first failure.
class Life {
 public:
  Life(const Folder& folder, FaultVfs& disk) : folder_(folder), disk_(disk) {}

  Progress run() {
    int batch = 0;
    if (!open() || !write(beginnings()) || !write(visitor())) return progress_;
    for (; batch < kBatches / 2 && one(batch); ++batch) {
      if (batch == 5 && !write(std::vector<Row>{recorder::ForgetDevice{recorder::DeviceId{2}}}))
        return progress_;
      if (batch == 7 && !again([&] { return static_cast<bool>(writer_->give_back(8)); })) return progress_;
    }
    if (disk_.dark() || !close() || !open()) return progress_;
    for (; batch < kBatches && one(batch); ++batch) {
      if (batch == kBatches - 4) pack();
    }
    if (!disk_.dark()) static_cast<void>(close());
    return progress_;
  }

 private:
  template <class Step>
  bool again(Step step) {
    for (int tries = 0; tries < 100 && !disk_.dark(); ++tries) {
      if (step()) return true;
    }
    return false;
  }
  bool open() {
    return again([&] {
      auto store = open_for_writing(folder_.file(), {.busy_timeout = 1ms});
      if (!store) return false;
      EXPECT_EQ(store->set_aside(), "");
      writer_.emplace(*std::move(store), clock_, WriterOptions{.checkpoint_pages = 24});
      return true;
    });
  }
  bool write(const std::vector<Row>& rows) {
    return again([&] { return static_cast<bool>(writer_->write(rows)); });
  }
  // Lines of days ago become blocks; a step that fails is put off, as rows are more urgent.
  void pack() {
    for (int steps = 0; steps < 50 && (writer_->tend() || writer_->trouble()); ++steps) {
      clock_.advance(2min);
    }
  }
  bool one(int batch) {
    clock_.advance(7s);
    if (!write(batch_of(batch))) return false;
    progress_.committed = batch;
    if (!writer_->durable_due()) progress_.durable = batch;
    return true;
  }
  bool close() {
    const bool finished = again([&] { return static_cast<bool>(writer_->finish()); });
    if (finished) progress_.durable = progress_.committed;
    writer_.reset();
    return finished;
  }

  const Folder& folder_;
  FaultVfs& disk_;
  SteppedClock clock_;
  std::optional<Writer> writer_;
  Progress progress_;
};

// Batches 0 to `last` are there, each whole and once, and nothing else of any.
int check_batches(const std::string& path) {
  Reader reader = reader_of(path);
  const auto number = [&](const std::string& sql) {
    const SqlResult result = reader.sql("SELECT ifnull((" + sql + "), 0)");
    return std::get<std::int64_t>(result.rows.at(0).at(0));
  };
  const std::int64_t batches = number("SELECT count(DISTINCT value) FROM sample");
  const std::int64_t rows = batches * kRowsPerBatch;
  EXPECT_EQ(number("SELECT count(*) FROM sample"), rows);
  EXPECT_EQ(number("SELECT max(value) + 1 FROM sample"), batches);
  EXPECT_EQ(number("SELECT count(*) FROM log_line WHERE boot = 1"), rows) << "plain and packed";
  EXPECT_EQ(number("SELECT count(DISTINCT text) FROM log_line WHERE boot = 1"), rows);
  EXPECT_EQ(number("SELECT count(*) FROM event WHERE kind = 'mark'"), (batches + 2) / 3);
  EXPECT_EQ(number("SELECT sum(rows) FROM stream WHERE kind = 'logs' AND device = 1"), rows);
  return static_cast<int>(batches) - 1;
}

void expect_sound(const Folder& folder) {
  const SteppedClock clock;
  {
    const auto store = open_for_writing(folder.file());
    ASSERT_TRUE(store) << store.error().line();
    EXPECT_EQ(store->set_aside(), "") << "it was taken for damaged";
  }
  EXPECT_EQ(integrity(folder.file()), "ok");
  EXPECT_EQ(number_in(folder.file(), "SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

bool all_steps() {
  const char* repeats = std::getenv("LEAKHUNT_REPEATS");
  return repeats != nullptr && std::string{repeats} == "long";
}

class Faults : public ::testing::Test {
 protected:
  // Does `each` for every step of a life, or in the short form for some forty of them from a random one on.
  template <class Each>
  static void at_steps(const Each& each) {
    std::int64_t steps = 0;
    {
      const Folder folder;
      FaultVfs disk;
      disk.arm({});
      const Progress done = Life(folder, disk).run();
      ASSERT_EQ(done.durable, kBatches - 1);
      steps = disk.steps();
      ASSERT_EQ(check_batches(folder.file()), kBatches - 1);
    }
    ASSERT_GT(steps, 300);
    const std::int64_t stride = all_steps() ? 1 : steps / 40;
    std::random_device device;
    for (std::int64_t at = 1 + device() % stride; at <= steps; at += stride) {
      SCOPED_TRACE("step " + std::to_string(at) + " of " + std::to_string(steps));
      each(at);
      if (HasFailure()) return;
    }
  }
  // Whether there was something to strike at.
  static bool survives(const Fault& fault) {
    const Folder folder;
    FaultVfs disk;
    disk.arm(fault);
    const Progress done = Life(folder, disk).run();
    const bool struck = disk.struck();
    EXPECT_EQ(done.durable, kBatches - 1) << "it did not go on";
    disk.restore();
    expect_sound(folder);
    EXPECT_EQ(check_batches(folder.file()), kBatches - 1);
    return struck;
  }
  // The power goes at `at`, having failed in another way before or not; what was durable is there.
  static void outlives_a_cut(const Fault& cut) {
    const Folder folder;
    FaultVfs disk;
    disk.arm(cut);
    const Progress done = Life(folder, disk).run();
    EXPECT_TRUE(disk.struck() || cut.strike == Strike::lost_sync) << "there may be no sync any more";
    disk.restore();
    expect_sound(folder);
    const int last = check_batches(folder.file());
    EXPECT_GE(last, done.durable);
    EXPECT_LE(last, done.committed + 1) << "more than was ever written";
  }
};

TEST_F(Faults, AnErrorAtAnyStepIsOutlived) {
  at_steps([](std::int64_t at) { EXPECT_TRUE(survives({Strike::io_error, at, 1, 1})); });
}

TEST_F(Faults, ErrorsForAWhileFromAnyStepOnAreOutlived) {
  at_steps([](std::int64_t at) { EXPECT_TRUE(survives({Strike::io_error, at, 17, 1})); });
}

TEST_F(Faults, AFullDiskFromAnyStepOnIsOutlived) {
  int lives = 0;
  int struck = 0;
  at_steps([&](std::int64_t at) {
    ++lives;
    struck += survives({Strike::full, at, 60, 1}) ? 1 : 0;
  });
  EXPECT_GT(10 * struck, 9 * lives) << "only the last steps may be syncs alone, which need no room";
}

TEST_F(Faults, APowerCutAtAnyStepLosesNothingDurable) {
  at_steps([](std::int64_t at) {
    outlives_a_cut({Strike::power_cut, at, 1, static_cast<std::uint32_t>(at)});
  });
}

// What a failed sync should have written may be lost though every later sync succeeds: it must be written
// again before anything is called durable.
TEST_F(Faults, APowerCutSomeTimeAfterALostSyncLosesNothingDurable) {
  at_steps([](std::int64_t at) {
    for (const std::int64_t later : {3, 70, 250}) {
      outlives_a_cut({Strike::lost_sync, at, 1, static_cast<std::uint32_t>(at), at + later});
    }
  });
}

// A store of an older schema as it is kept among the data of the tests.
void make_old(const std::string& path) {
  std::ifstream sql(LEAKHUNT_TEST_DATA "/store/version-1.sql");
  std::ofstream{path}.flush();  // a connection creates no file
  Connection(path, Connection::Mode::read_write).run({std::istreambuf_iterator<char>{sql}, {}});
}

TEST_F(Faults, APowerCutAtAnyStepOfAMigrationLosesNothing) {
  const Folder origin;
  make_old(origin.file());
  const auto before = contents(origin.file());
  bool goes_on = true;
  const std::int64_t stride = all_steps() ? 1 : 7;
  for (std::int64_t at = 1 + std::random_device{}() % stride; goes_on; at += stride) {
    SCOPED_TRACE("step " + std::to_string(at));
    const Folder folder;
    std::filesystem::copy_file(origin.file(), folder.file());
    FaultVfs disk;
    disk.arm({Strike::power_cut, at, 1, static_cast<std::uint32_t>(at)});
    static_cast<void>(open_for_writing(folder.file()));
    goes_on = disk.struck();
    disk.restore();
    expect_sound(folder);
    auto after = contents(folder.file());
    for (const auto& [table, rows] : before) EXPECT_EQ(after[table], rows) << table;
    EXPECT_EQ(contents(folder.file() + ".schema-1.bak"), before) << "the copy is whole, whenever it was made";
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace leakhunt::storage::testing
