// Twelve boards through two hundred faults: what was delivered is stored once, nothing is stored twice, each
// restart is found, no reconnect is taken for one.
#include "tests/daemon/torture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace leakhunt::daemon::testing {
namespace {

// What a store says of one device.
struct Stored {
  std::map<std::pair<bool, std::string>, std::vector<std::size_t>> found;  // (line, word) -> number of boot
  std::vector<Mono> began;
};

std::size_t number_of(const std::vector<std::int64_t>& boots, std::int64_t boot) {
  return static_cast<std::size_t>(std::find(boots.begin(), boots.end(), boot) - boots.begin()) + 1;
}

Stored stored(const storage::Connection& db, const std::string& name) {
  Stored all;
  std::vector<std::int64_t> boots;
  auto boot = db.prepare(
      "SELECT boot.id, (SELECT mono_zero_us FROM anchor WHERE anchor.boot = boot.id ORDER BY since LIMIT 1) "
      "FROM boot JOIN device ON device.id = boot.device WHERE name = ? ORDER BY boot.id");
  boot.bind(0, std::string_view{name});
  while (boot.step()) {
    boots.push_back(boot.integer(0));
    all.began.push_back(Mono{boot.integer(1)});
  }
  auto sample = db.prepare(
      "SELECT value, boot FROM sample_view WHERE device = ? AND field = 'heap_free_bytes' AND source IN "
      "('poll', "
      "'stats', 'debug_heap')");
  sample.bind(0, std::string_view{name});
  while (sample.step())
    all.found[{false, std::to_string(sample.integer(0))}].push_back(number_of(boots, sample.integer(1)));
  auto line = db.prepare(
      "SELECT substr(text, instr(text, 'unit-'), instr(text, ' moves') - instr(text, 'unit-')), boot FROM "
      "log_view "
      "WHERE device = ? AND text LIKE '%unit-%'");
  line.bind(0, std::string_view{name});
  while (line.step())
    all.found[{true, std::string{line.text(0)}}].push_back(number_of(boots, line.integer(1)));
  return all;
}

std::string told(const Item& item) {
  char when[32];
  std::snprintf(when, sizeof when, "%.3f", seconds(item.written - SteppedBench::kStart.mono));
  return item.word + " of boot " + std::to_string(item.boot) + ", written at " + when +
         (item.delivered ? ", delivered" : "");
}

// One sentence for each thing that is not as it must be.
std::vector<std::string> complaints(const Victim& victim, const Stored& stored) {
  std::vector<std::string> all;
  // A word is written twice when two things happen at one moment.
  std::map<std::pair<bool, std::string>, std::size_t> written;
  std::map<std::pair<bool, std::string>, std::size_t> delivered;
  for (const Item& item : victim.ledger.items()) {
    const auto key = std::pair{item.kind == ItemKind::line, item.word};
    ++written[key];
    if (item.delivered && item.kind != ItemKind::unasked) ++delivered[key];
  }
  for (const Item& item : victim.ledger.items()) {
    const auto key = std::pair{item.kind == ItemKind::line, item.word};
    const auto found = stored.found.find(key);
    const std::size_t times = found == stored.found.end() ? 0 : found->second.size();
    if (times > written[key]) all.push_back("stored " + std::to_string(times) + " times: " + told(item));
    if (times < delivered[key]) all.push_back("not stored: " + told(item));
    if (times > 0 && found->second.front() != item.boot)
      all.push_back("in boot " + std::to_string(found->second.front()) + ": " + told(item));
  }
  for (const auto& [key, boots] : stored.found)
    if (written.count(key) == 0) all.push_back("stored, but never written: " + key.second);
  if (stored.began.size() != victim.began.size()) {
    all.push_back(std::to_string(stored.began.size()) + " boots stored, " +
                  std::to_string(victim.began.size()) + " were");
    return all;
  }
  // An uptime that was asked for is up to 60 s old: so much later may a boot seem to have begun.
  for (std::size_t i = 0; i < stored.began.size(); ++i) {
    const double off_s = seconds(stored.began[i] - victim.began[i]);
    if (off_s < -3 || off_s > 61)
      all.push_back("boot " + std::to_string(i + 1) + " begins " + std::to_string(off_s) + " s off");
  }
  return all;
}

std::size_t delivered(const Torture& torture) {
  std::size_t count = 0;
  for (const auto& victim : torture.victims())
    for (const Item& item : victim->ledger.items()) count += item.delivered ? 1 : 0;
  return count;
}

void survive(std::uint32_t seed, int faults) {
  SCOPED_TRACE("LEAKHUNT_SEED=" + std::to_string(seed));
  ::testing::internal::CaptureStderr();
  Torture torture{seed};
  torture.run(faults);
  const std::string log = ::testing::internal::GetCapturedStderr();
  const auto db = torture.bench().store();
  bool sound = true;
  std::size_t written = 0;
  for (const auto& victim : torture.victims()) {
    const auto wrong = complaints(*victim, stored(db, victim->name));
    written += victim->ledger.items().size();
    for (std::size_t i = 0; i < wrong.size() && i < 10; ++i)
      ADD_FAILURE() << victim->name << ": " << wrong[i];
    sound = sound && wrong.empty();
  }
  if (!sound) {
    for (const std::string& deed : torture.diary()) std::fprintf(stderr, "%s\n", deed.c_str());
    std::fprintf(stderr, "%s", log.c_str());
  }
  // Else the run proves nothing.
  EXPECT_GT(delivered(torture), written * 7 / 10);
  for (const auto& [fault, times] : torture.faults_done()) std::printf("  %s %d\n", fault.c_str(), times);
  std::printf("  %zu written, %zu delivered\n", written, delivered(torture));
}

std::uint32_t number_in(const char* variable, std::uint32_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10)) : otherwise;
}

// LEAKHUNT_SEED begins elsewhere, LEAKHUNT_SEEDS takes more than one.
TEST(Torture, TwelveBoardsThroughTwoHundredFaults) {
  const std::uint32_t first = number_in("LEAKHUNT_SEED", 1);
  const std::uint32_t count = number_in("LEAKHUNT_SEEDS", 1);
  for (std::uint32_t seed = first; seed < first + count; ++seed) survive(seed, 200);
}

}  // namespace
}  // namespace leakhunt::daemon::testing
