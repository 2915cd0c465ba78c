// Writes rows in batches, each one transaction. Knows rows and tables, nothing of where rows come from.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/result.h"
#include "base/time.h"
#include "recorder/rows.h"
#include "storage/retention.h"
#include "storage/store.h"

namespace leakhunt::storage {

struct WriterOptions {
  // How long a commit may stay unsynced before a heartbeat syncs it (0 = every commit is synced).
  Duration durable_interval = std::chrono::seconds{60};
  Retention retention{};
  // How many pages gather in the log until they are moved into the file.
  int checkpoint_pages = 1000;
};

// Why a batch was not written. Transient trouble goes away by itself: write the same batch again.
struct WriteTrouble {
  enum class Kind { busy, full, io, read_only, corrupt, gone, other };
  Kind kind = Kind::other;
  Error error;
};

// Not thread-safe: lives on the writer thread.
class Writer {
 public:
  // The clock gives the stamp of heartbeats and tells when one is due; it must outlive the writer.
  Writer(Store store, const Clock& clock, WriterOptions options = {});
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  ~Writer();

  // Writes the batch in its order in one transaction; synced at once when one row must be durable, or when
  // a heartbeat is due. On an error nothing of the batch is written. A row the schema refuses (a boot nobody
  // announced) is counted in refused_rows() and does not hold up the others.
  [[nodiscard]] Outcome write(std::span<const recorder::Row> rows);
  // Why the last write failed; unset after one that did not.
  [[nodiscard]] const std::optional<WriteTrouble>& trouble() const;

  // One step of what a store needs beside new rows (packing old lines, retention), in a transaction of its
  // own and well under 50 ms; true when more waits to be done. Leaves trouble() set only when the file is
  // damaged.
  bool tend();

  // When write({}) should be called at the latest so that what was committed is synced; unset = nothing due.
  [[nodiscard]] std::optional<Mono> durable_due() const;

  // Syncs, checkpoints and empties the WAL, so that the file alone is whole.
  [[nodiscard]] Outcome finish();

  // Puts what stands in the file's place aside and goes on in a new one, in which the devices and their last
  // boots stand again: for a file that is corrupt or gone.
  [[nodiscard]] Outcome begin_anew();

  // What is free in the file goes back to the disk, at most `max_pages` of it; with none left the WAL is
  // emptied too, so that the file is as small as it says. Tells how many free pages are left.
  [[nodiscard]] Result<std::int64_t> give_back(std::int64_t max_pages);

  [[nodiscard]] std::int64_t refused_rows() const;
  // Heap samples younger than kHeapFloor had to go for want of space.
  [[nodiscard]] bool heap_below_floor() const;
  [[nodiscard]] Store& store();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace leakhunt::storage
