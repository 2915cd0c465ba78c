// Reads a store for those who answer questions: plain structs out. Knows nothing of verdicts or of devices.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "recorder/rows.h"
#include "storage/buckets.h"
#include "storage/line_search.h"
#include "storage/retention.h"
#include "storage/spans.h"

namespace leakhunt::storage {

// A question that could not be answered: the deadline passed, it was interrupted, the file is damaged. Ends
// the request; `error` is the line to show.
class ReadFailed : public std::runtime_error {
 public:
  explicit ReadFailed(Error error) : std::runtime_error(error.line()), error_(std::move(error)) {}
  [[nodiscard]] const Error& error() const { return error_; }

 private:
  Error error_;
};

struct Sample {
  recorder::BootId boot;
  Duration t{};
  Utc utc;
  std::int64_t value_bytes = 0;
  recorder::Source source = recorder::Source::poll;
  bool suspect = false;
};

struct SampleQuery {
  recorder::DeviceId device;
  std::optional<recorder::IdentityId> identity{};  // unset = all
  recorder::HeapField field = recorder::HeapField::heap_free_bytes;
  std::vector<recorder::Source> sources{};  // empty = all
  Window window = kAllTime;
};

struct Point {
  recorder::BootId boot;
  Duration t{};
  Utc utc;
  double value = 0;
  recorder::Source source = recorder::Source::stats;
};

// What all samples of one source within one stretch of a boot come to, suspect ones left out.
struct Figures {
  recorder::BootId boot;
  recorder::Source source = recorder::Source::poll;
  Utc utc_zero;              // utc = utc_zero + t
  Level level = Level::raw;  // the coarsest that whole parts were taken from
  Bucket bucket;             // of any width; without quantiles
  Duration first_t{};        // of bucket.first and bucket.last
  Duration last_t{};
};

// A bucket, or a sample (Level::raw, n = 1), of one source.
struct Part {
  recorder::BootId boot;
  recorder::Source source = recorder::Source::poll;
  Utc utc_zero;
  Level level = Level::raw;
  Duration t{};  // the mean time of its samples
  std::int64_t n = 0;
  std::int64_t min = 0;
  std::int64_t max = 0;
  Duration min_t{};
  Duration max_t{};
  std::optional<double> p05;  // of minutes
  std::optional<double> p80;
};

using OnPart = std::function<void(const Part&)>;

// One field within one hour of a boot's time.
struct FieldHour {
  recorder::BootId boot;
  Utc utc_zero;
  Duration start{};
  std::int64_t n = 0;
  double min = 0;
  double max = 0;
  double last = 0;
};

struct TelemetryQuery {
  recorder::DeviceId device;
  recorder::Variant variant = recorder::Variant::local;
  std::string field{};         // snake_case wire name
  std::uint32_t other_node{};  // 0 = the device's own node
  Window window = kAllTime;
};

// A field of which at least one value stands in the store. The heap fields are of Variant::local.
struct FieldSeen {
  recorder::Variant variant = recorder::Variant::local;
  std::string field{};
};

struct LogLine {
  recorder::LogRow row;
  Utc utc;
};

struct LogQuery {
  recorder::DeviceId device;
  Window window = kAllTime;
  std::vector<std::string> levels{};   // empty = all
  std::vector<std::string> threads{};  // empty = all
  bool tells_heap = false;             // only lines that are heap samples
  bool evidence = false;               // only alarm, reset and boot lines; by an index, so cheap
  bool alarm = false;                  // only lines with an alarm; likewise
  bool memory = false;                 // lines that tell heap, or evidence
  bool oldest_first = false;
  const LineSearch* search = nullptr;  // only lines whose text matches; null = all
};
// Called for each line, plain or packed; false ends the reading.
using OnLogLine = std::function<bool(const LogLine&)>;

// A row together with its civil time.
template <class T>
struct Stamped {
  T row;
  Utc utc;
};

struct AlertQuery {
  std::optional<recorder::DeviceId> device{};
  bool open_only = false;  // not those resolved
};

struct VerdictQuery {
  recorder::DeviceId device;
  std::optional<Duration> window{};
  std::size_t max = 100;  // the newest
};

// How many rows of a kind there are, and when the newest was. Kept by the writer, so reading it is cheap.
struct Total {
  std::int64_t rows = 0;
  std::optional<Utc> newest;
};
struct Totals {
  Total logs;
  Total telemetry;  // own-node records of any variant, and heap samples out of a line
  Total packets;
  Total events;
  Total heap_events;
  std::vector<std::pair<recorder::Variant, std::int64_t>> variants;  // own node's records
  std::int64_t samples_reported = 0;  // heap samples the device reported as telemetry
  std::int64_t samples_from_lines = 0;
  std::int64_t samples_too_late = 0;    // refused: older than the raw samples that are kept
  std::int64_t local_without_heap = 0;  // own LocalStats that held no heap field
  std::int64_t other_node_records = 0;
};

struct StoreInfo {
  std::string path;
  std::int64_t file_bytes = 0;
  std::int64_t wal_bytes = 0;
  std::int64_t page_bytes = 0;
  std::int64_t pages = 0;
  std::int64_t free_pages = 0;
  std::int64_t schema = 0;
  std::optional<Utc> heartbeat;
};

// A value as SQLite has it; the last is a blob.
struct Blob {
  std::string bytes;
};
using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string, Blob>;

struct SqlLimits {
  std::int64_t max_rows = 1'000'000;
  std::int64_t max_bytes = std::int64_t{64} << 20U;  // of the values
};
struct SqlResult {
  std::vector<std::string> columns;
  std::vector<std::vector<SqlValue>> rows;
  bool cut = false;  // there were more
};

struct TableSize {
  std::string table;
  std::int64_t rows = 0;
  std::int64_t bytes = 0;  // with its indexes
};

// What there is of one kind of a device's rows, and what retention took away.
struct Kept {
  Kind kind{};
  std::optional<Utc> oldest{};
  std::int64_t dropped_rows = 0;
  std::optional<Utc> dropped_until{};  // the newest of them
  std::string dropped_by{};            // age, size
};

// lasting: sees what is committed after it was opened. once: for a question or two, then closed. as_it_is:
// the same for what is asked of the file rather than of the record (info, check, copy_to), in whatever
// schema.
enum class Reading : std::uint8_t { lasting, once, as_it_is };

// A read-only view. Not thread-safe but for interrupt(). All questions throw ReadFailed. No read transaction
// lasts over a second: long answers are read page by page, so rows written meanwhile may show.
class Reader {
 public:
  class Impl;
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  // Questions past this moment fail; the default is never.
  void set_deadline(std::chrono::steady_clock::time_point deadline);
  void clear_deadline();
  // From any thread: the question under way and all later ones fail.
  void interrupt();

  [[nodiscard]] std::vector<recorder::DeviceRow> devices();
  [[nodiscard]] std::vector<recorder::IdentityRow> identities(recorder::DeviceId device);
  // Those with rows in the window, in their order.
  [[nodiscard]] std::vector<BootSpan> boots(recorder::DeviceId device, const Window& window = kAllTime);
  // The newest of what the device sent; of its events where it sent nothing.
  [[nodiscard]] std::optional<Utc> newest(recorder::DeviceId device);

  // In the order of (boot, t).
  [[nodiscard]] std::vector<Sample> samples(const SampleQuery& query);
  // The same as figures alone: from whole buckets and from the samples at the ragged ends, so that the cost
  // does not grow with their number. Equal to those of samples(), but where samples are kept in buckets
  // alone: there a bucket counts if it begins in the window.
  [[nodiscard]] std::vector<Figures> figures(const SampleQuery& query);
  // In the order of (boot, source, t): buckets no coarser than `coarsest`, and samples where none fit.
  void parts(const SampleQuery& query, Level coarsest, const OnPart& on_part);
  [[nodiscard]] std::vector<Point> telemetry(const TelemetryQuery& query);
  // Of the device's own node; the hour that is not over has none.
  [[nodiscard]] std::vector<FieldHour> field_hours(const TelemetryQuery& query);
  [[nodiscard]] std::vector<FieldSeen> fields(recorder::DeviceId device);
  // The names a variant may have, in the order of the wire.
  [[nodiscard]] static std::vector<std::string> known_fields(recorder::Variant variant);

  // Newest first unless asked otherwise.
  void logs(const LogQuery& query, const OnLogLine& on_line);

  [[nodiscard]] std::vector<Stamped<recorder::HeapEventRow>> heap_events(recorder::DeviceId device,
                                                                         const Window& window);
  [[nodiscard]] std::vector<Stamped<recorder::CallSiteRow>> call_sites(recorder::DeviceId device,
                                                                       const Window& window);
  [[nodiscard]] std::vector<Stamped<recorder::MemAuditRow>> mem_audits(recorder::DeviceId device,
                                                                       const Window& window);
  [[nodiscard]] std::vector<Stamped<recorder::PacketRow>> packets(recorder::DeviceId device,
                                                                  const Window& window);
  // By the civil time they were seen at; of the device and, when asked, of the recorder itself (device 0).
  // `kinds` empty = all.
  [[nodiscard]] std::vector<recorder::EventRow> events(recorder::DeviceId device, const Window& window,
                                                       const std::vector<std::string>& kinds = {},
                                                       bool with_recorder = true);
  // Those that touch the window.
  [[nodiscard]] std::vector<recorder::GapRow> gaps(recorder::DeviceId device, const Window& window);
  [[nodiscard]] std::vector<recorder::AlertRow> alerts(const AlertQuery& query);
  // Newest first.
  [[nodiscard]] std::vector<recorder::VerdictRow> verdicts(const VerdictQuery& query);
  [[nodiscard]] std::vector<recorder::CounterRow> counters(recorder::DeviceId device);
  [[nodiscard]] Totals totals(recorder::DeviceId device);
  [[nodiscard]] StoreInfo info();
  // One for each of kKinds, in their order.
  [[nodiscard]] std::vector<Kept> kept(recorder::DeviceId device);
  // How much the rows of the last days will take in the long run; unset when they tell of less than an hour.
  [[nodiscard]] std::optional<double> bytes_per_day(Utc now);

  // One statement that only reads: SELECT, VALUES, WITH, EXPLAIN, and the pragmas that tell of tables. Times
  // of the question hold; a failure is a ReadFailed (ErrorCode::usage) with SQLite's words.
  [[nodiscard]] SqlResult sql(const std::string& statement, const SqlLimits& limits = {});

  // These last as long as they must: for a connection of their own.
  [[nodiscard]] std::vector<TableSize> table_sizes();
  // What is wrong with the file, a line each; empty when nothing is.
  [[nodiscard]] std::vector<std::string> check();
  // Writes what the store holds now to a new file (copy_store); returns its size.
  [[nodiscard]] Result<std::int64_t> copy_to(const std::string& path);

 private:
  friend Result<Reader> open_for_reading(const std::string& path, Reading reading);
  explicit Reader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Opens a store that a daemon may be writing, a copy of one, or one on a medium that cannot be written: read
// only; if that fails and there is no -wal, as immutable; with a -wal but no -shm, on a private copy in the
// temporary folder. `once`: a file at rest (no -wal, no holder of its lock) is opened as immutable, so that
// nothing is left beside it. A file of an older schema is read from a private copy brought up to date. Errors
// (ErrorCode::unreachable): not there, not a database, not ours, a newer schema.
[[nodiscard]] Result<Reader> open_for_reading(const std::string& path, Reading reading = Reading::lasting);

}  // namespace leakhunt::storage
