// A device with a random life, of which the truth is known: no reconnect, stale pair or step of the clock may
// make a boot, no true reboot may be missed, and every row stands where it belongs.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <span>
#include <tuple>

#include "storage/reader.h"
#include "storage/store.h"
#include "storage/writer.h"
#include "tests/recorder/story.h"

namespace leakhunt::recorder::testing {
namespace {

constexpr Duration kUptimeRefresh = seconds{60};

struct Truth {
  int boot = 0;
  Duration uptime{};  // when the figure was made
  bool late = false;
  bool told = true;  // with an uptime that can be believed
};

struct Kind {
  const char* name;
  bool counts_reboots;
  bool tells_rebooted;  // a serial link that survives the reboot
  bool polled;
  bool clock_steps;
  bool host_reboots;
  bool listens = false;  // text lines alone
};

class RandomLife {
 public:
  RandomLife(const Kind& kind, unsigned seed) : kind_(kind), random_(seed) {
    booted_ = story.now.mono - seconds{pick(200, 5000)};
    connect();
    stay(4);
  }

  void live(int steps) {
    for (int i = 0; i < steps; ++i) {
      step();
    }
    if (!connected_) {
      connect();
    }
    stay(4);
  }

  Story story;
  std::vector<Truth> truths;
  std::set<int> told_boots;  // true boots of which the recorder could know
  int true_boots = 1;

 private:
  int pick(int low, int high) { return std::uniform_int_distribution<int>{low, high}(random_); }
  [[nodiscard]] Duration uptime() const { return story.now.mono - booted_; }

  // Uptimes are refreshed once a minute; 0 before the first time.
  [[nodiscard]] std::uint32_t told_uptime_s() const {
    return static_cast<std::uint32_t>(uptime() / kUptimeRefresh * 60);
  }

  std::int64_t figure(Duration made_at, bool late) {
    truths.push_back({.boot = true_boots - 1, .uptime = made_at, .late = late});
    return static_cast<std::int64_t>(truths.size()) - 1;
  }

  void step() {
    switch (pick(0, 9)) {
      case 0:
        connected_ ? lose() : connect();
        break;
      case 1:
        reboot();
        break;
      case 2:
        if (kind_.clock_steps) {
          const std::array<Duration, 3> steps{hours{1}, -hours{1}, -hours{24 * 365 * 50}};
          story.step_clock(steps[static_cast<std::size_t>(pick(0, 2))]);
          story.recorder->tick(story.now);
        }
        break;
      case 3:
        restart();
        break;
      case 4:
        if (!connected_) {
          story.pass(seconds{pick(1, 40'000)});
        }
        break;
      default:
        stay(pick(1, 5));
    }
  }

  void connect() {
    if (kind_.listens) {
      story.open(0, LinkKind::listen);
      connected_ = true;
      return;
    }
    story.connect(kind_.counts_reboots ? count_ : 1U, 0, LinkKind::tcp);
    connected_ = true;
    if (kind_.counts_reboots) {
      told_boots.insert(true_boots - 1);
    }
    live_messages_ = 0;
    if (stale_made_ > Duration{0} && stale_made_ <= uptime()) {
      const auto made_s = static_cast<std::uint32_t>(stale_made_ / seconds{1});
      story.telemetry({.variant = proto::Variant::device, .uptime_s = made_s});
      story.telemetry({.uptime_s = made_s, .free_bytes = figure(stale_made_, true)});
      live_messages_ = 1;  // the next one is the second of its kind
    }
    stale_made_ = Duration{0};
  }

  void lose() {
    story.pass(milliseconds{1});
    story.lose();
    story.pass(milliseconds{1});
    connected_ = false;
    const Duration next = (uptime() / kUptimeRefresh + 1) * kUptimeRefresh;
    stale_made_ = next;
  }

  void restart() {
    const bool host = kind_.host_reboots && pick(0, 1) == 1;
    if (connected_) {
      lose();
    }
    const Duration up = uptime();
    story.restart(host, Mono{pick(10, 100) * 1'000'000LL});
    booted_ = story.now.mono - up;
    if (host) {
      story.pass(seconds{pick(1, 3000)});
    }
  }

  // Reboots closer together than the rule can tell apart are none of this test's business.
  void reboot() {
    if (uptime() < seconds{400}) {
      return;
    }
    story.pass(seconds{1});
    booted_ = story.now.mono;
    ++true_boots;
    ++count_;
    stale_made_ = kUptimeRefresh;
    if (connected_ && kind_.tells_rebooted && kind_.listens) {
      story.pass(seconds{pick(0, 3)});
      if (pick(0, 1) == 1) {
        story.line(boot_line(proto::BootSign::banner));
        told_boots.insert(true_boots - 1);
      }
    } else if (connected_ && kind_.tells_rebooted) {
      story.record(proto::Rebooted{});
      told_boots.insert(true_boots - 1);
      story.pass(seconds{pick(1, 5)});
      story.handshake(kind_.counts_reboots ? count_ : 1U);
      live_messages_ = 0;
      stale_made_ = Duration{0};
    } else if (connected_) {
      story.lose();
      connected_ = false;
    }
    story.pass(seconds{pick(1, 300)});
  }

  void stay(int messages) {
    for (int i = 0; i < messages && connected_; ++i) {
      if (kind_.listens) {
        stay_reading();
      } else if (kind_.polled) {
        stay_polling();
      } else {
        stay_unpolled();
      }
    }
  }

  void stay_polling() {
    story.pass(seconds{pick(10, 200)});
    story.recorder->asked(0, ++request_, story.now);
    story.pass(milliseconds{100});
    const std::uint32_t up = told_uptime_s();
    story.telemetry({.uptime_s = up, .free_bytes = figure(uptime(), false), .request_id = request_});
    if (up != 0) {
      told_boots.insert(true_boots - 1);
    } else {
      truths.back().told = false;
    }
  }

  // Text lines tell the whole seconds of an exact uptime.
  void stay_reading() {
    story.pass(seconds{pick(1, 200)});
    const Duration exact = uptime();
    proto::LogLine line;
    line.text = "[heap N]";
    line.uptime = std::chrono::floor<seconds>(exact);
    line.has_heap_prefix = true;
    line.heap_free_bytes = figure(exact, false);
    story.line(line);
    told_boots.insert(true_boots - 1);
  }

  // The device speaks when its telemetry thread runs, with an uptime just refreshed.
  void stay_unpolled() {
    const Duration next = (uptime() / kUptimeRefresh + 1) * kUptimeRefresh;
    story.pass(next - uptime());
    const std::uint32_t up = told_uptime_s();
    story.telemetry({.variant = proto::Variant::device, .uptime_s = up});
    if (++live_messages_ >= 2) {
      told_boots.insert(true_boots - 1);
      story.telemetry({.uptime_s = up, .free_bytes = figure(uptime(), false)});
    }
  }

  Kind kind_;
  std::mt19937 random_;
  Mono booted_;
  std::uint32_t count_ = 1;
  std::uint32_t request_ = 0;
  bool connected_ = false;
  int live_messages_ = 0;
  Duration stale_made_{};
};

constexpr Kind kPolled{"PolledTcp", true, false, true, true, false};
constexpr Kind kHostReboots{"HostReboots", true, false, true, false, true};

class RandomLives : public ::testing::TestWithParam<Kind> {};

void expect_rows_where_they_belong(const RandomLife& life) {
  const auto& stored = life.story.stored;
  std::map<int, BootId> boot_of;
  std::map<int, std::pair<Duration, Duration>> errors;
  for (const auto& row : stored.samples) {
    const Truth& truth = life.truths.at(static_cast<std::size_t>(row.value_bytes));
    if (!truth.told) {
      continue;
    }
    const auto [found, first] = boot_of.try_emplace(truth.boot, row.at.boot);
    EXPECT_EQ(found->second, row.at.boot) << "true boot " << truth.boot << " in two";
    if (truth.late) {
      EXPECT_LE(row.at.t, truth.uptime);  // earlier where it would otherwise stand after its arrival
      EXPECT_LE(truth.uptime - row.at.t, seconds{61});
      continue;
    }
    const Duration error = row.at.t - truth.uptime;
    EXPECT_LE(std::chrono::abs(error), seconds{61});
    auto& [least, most] = errors.try_emplace(truth.boot, error, error).first->second;
    least = std::min(least, error);
    most = std::max(most, error);
  }
  for (const auto& [boot, range] : errors) {
    EXPECT_LE(range.second - range.first, milliseconds{1}) << "one error for all rows of boot " << boot;
  }
  std::set<BootId> distinct;
  for (const auto& [truth, boot] : boot_of) {
    EXPECT_TRUE(distinct.insert(boot).second) << "two true boots in one";
  }
}

void expect_order_kept(const RandomLife& life) {
  const SampleRow* before = nullptr;
  for (const auto& row : life.story.stored.samples) {
    if (life.truths.at(static_cast<std::size_t>(row.value_bytes)).late) {
      continue;
    }
    if (before != nullptr) {
      EXPECT_LT(before->at, row.at);
    }
    before = &row;
  }
}

TEST_P(RandomLives, HoldTheRules) {
  for (unsigned seed = 1; seed <= 150; ++seed) {
    RandomLife life{GetParam(), seed};
    life.live(120);
    SCOPED_TRACE("seed " + std::to_string(seed));
    EXPECT_EQ(life.story.stored.boots.size(), life.told_boots.size());
    expect_order_kept(life);
    if (!GetParam().host_reboots) {
      expect_rows_where_they_belong(life);
    }
    if (HasFailure()) {
      break;
    }
  }
}

std::vector<std::tuple<BootId, Duration, std::int64_t>> sorted_samples(const std::vector<SampleRow>& rows) {
  std::vector<std::tuple<BootId, Duration, std::int64_t>> found;
  for (const auto& row : rows) {
    found.emplace_back(row.at.boot, row.at.t, row.value_bytes);
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(RandomLifeInTheStore, StandsThereAsTheModelSays) {
  for (const auto& [kind, seed] : {std::pair{kPolled, 1U}, {kPolled, 2U}, {kHostReboots, 3U}}) {
    RandomLife life{kind, seed};
    life.live(120);
    const std::vector<Row>& rows = life.story.stored.written;

    std::string folder = ::testing::TempDir() + "leakhunt-XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    const std::string path = folder + "/leakhunt.db";
    {
      auto store = storage::open_for_writing(path);
      ASSERT_TRUE(store) << store.error().line();
      const SystemClock clock;
      storage::Writer writer{std::move(*store), clock};
      for (std::size_t from = 0; from < rows.size(); from += 50) {
        ASSERT_TRUE(
            writer.write(std::span{rows}.subspan(from, std::min<std::size_t>(50, rows.size() - from))));
      }
      EXPECT_EQ(writer.refused_rows(), 0);
      ASSERT_TRUE(writer.finish());
    }
    auto reader = storage::open_for_reading(path);
    ASSERT_TRUE(reader) << reader.error().line();
    std::vector<std::tuple<BootId, Duration, std::int64_t>> found;
    for (const auto& sample : (*reader).samples({.device = life.story.recorder->id()})) {
      found.emplace_back(sample.boot, sample.t, sample.value_bytes);
    }
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, sorted_samples(life.story.stored.samples));
    std::filesystem::remove_all(folder);
  }
}

INSTANTIATE_TEST_SUITE_P(
    RandomLife, RandomLives,
    ::testing::Values(kPolled, Kind{"PolledTcpWithoutCount", false, false, true, true, false},
                      Kind{"UnpolledTcp", true, false, false, true, false},
                      Kind{"UnpolledTcpWithoutCount", false, false, false, true, false},
                      Kind{"Serial", true, true, true, true, false},
                      Kind{"SerialWithoutCount", false, true, true, true, false}, kHostReboots,
                      Kind{"ListeningToALiveLine", false, true, false, true, false, true},
                      Kind{"ListeningThroughGaps", false, false, false, true, false, true}),
    [](const auto& tested) { return std::string{tested.param.name}; });

}  // namespace
}  // namespace leakhunt::recorder::testing
