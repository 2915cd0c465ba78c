// A store made by hand for the tests of answers: one device, its boots, readings, lines and events.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "answer/engine.h"
#include "recorder/rows.h"
#include "storage/reader.h"

namespace leakhunt::answer::testing {

inline constexpr recorder::DeviceId kDevice{1};
inline constexpr recorder::IdentityId kIdentity{1};
inline constexpr std::uint32_t kNode = 0x42524331;
inline constexpr Utc kStart{1'764'500'000'000'000};  // the first boot begins

// A reading at second `s` of the boot.
using Level = std::function<std::int64_t(double s)>;

class World {
 public:
  World();
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void add(recorder::Row row) { rows_.push_back(std::move(row)); }
  // A boot that began `at_s` after kStart; later rows belong to it.
  void boot(double at_s, recorder::BootCause cause = recorder::BootCause::unknown, bool debug_heap = false,
            const std::string& pio_env = "heltec-v3");
  // A polled one comes with the record of its telemetry.
  void sample(double s, std::int64_t value, recorder::Source source = recorder::Source::poll,
              recorder::HeapField field = recorder::HeapField::heap_free_bytes);
  // From `from_s` to before `to_s`, each `step_s`.
  void samples(double from_s, double to_s, double step_s, const Level& level,
               recorder::Source source = recorder::Source::poll);
  void telemetry(double s, recorder::Variant variant, std::string_view field, double value);
  void line(double s, const std::string& text, const std::string& level = "INFO",
            const std::string& thread = "Router", const std::string& alarm = "");
  // A line of text mode; `body_offset` is where its message begins.
  void heap_prefix_line(double s, std::int64_t free, const std::string& message);
  void thread_event(double s, const std::string& thread, std::int64_t before, std::int64_t after);
  void event(double s, const std::string& kind, const std::string& label = "", const std::string& note = "");
  void packet(double s, std::uint32_t from, std::uint32_t port);

  // Second `s` of the last boot as civil time.
  [[nodiscard]] Utc utc(double s) const;

  // Writes what was added since the last call.
  void write();
  [[nodiscard]] storage::Reader& reader();
  [[nodiscard]] Engine& engine(EngineSettings settings = {});

  // As the daemon would at second `s` of the last boot, with a recorder that runs and a live serial link.
  [[nodiscard]] Result<Reply> ask(const v1::Question& question, double s);
  // From the file alone.
  [[nodiscard]] Result<Reply> ask_offline(const v1::Question& question);
  // What ask() hands to the engine as the running recorder's own knowledge.
  v1::Status live;

 private:
  std::filesystem::path folder_;
  std::vector<recorder::Row> rows_;
  recorder::BootId boot_{0};
  Utc began_ = kStart;
  std::unique_ptr<storage::Reader> reader_;
  std::unique_ptr<Engine> engine_;
};

// The report over a window such as "6h", or an error that fails the test.
[[nodiscard]] v1::Report report(World& world, double s, const std::string& window,
                                v1::Rules rules = v1::RULES_LEAKHUNT);
[[nodiscard]] v1::Question report_question(const std::string& window, v1::Rules rules = v1::RULES_LEAKHUNT);

// Readings of a plain leak: `slope_per_min` from 120 000 B on, with a little repeatable noise.
[[nodiscard]] Level leaking(double slope_per_min);

}  // namespace leakhunt::answer::testing
