// The thread that carries rows from the queue into the store and keeps trying when the store cannot take
// them. Knows neither devices nor questions.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "base/time.h"
#include "storage/queue.h"
#include "storage/writer.h"

namespace leakhunt::storage {

// How the store fares, for `status` and the store alert.
struct StoreHealth {
  bool ok = true;
  std::optional<WriteTrouble::Kind> kind;  // of the trouble
  std::string what;                        // one line, when not ok
  Utc since;                               // when this state began
  std::optional<Utc> last_commit;
  std::int64_t commits = 0;
  std::int64_t rows = 0;
  std::int64_t retries = 0;
  std::int64_t refused_rows = 0;
  std::string set_aside;            // where the last file went that could not be used
  bool heap_below_floor = false;    // samples younger than kHeapFloor had to go for want of space
  std::int64_t vanished_files = 0;  // files of the store that were removed or replaced while in use
};

struct WriterThreadOptions {
  std::chrono::milliseconds commit_interval{1000};  // real time a row waits at most
  std::size_t max_batch_rows = 8192;                // a batch is committed when it has so many
  std::chrono::milliseconds first_retry{50};        // real time; doubles up to last_retry
  std::chrono::milliseconds last_retry{5000};
};

class WriterThread {
 public:
  using OnHealth = std::function<void(const StoreHealth&)>;

  // Starts the thread. `on_health` is called on it whenever `ok` or the trouble changes. Queue and clock must
  // outlive it.
  WriterThread(Writer writer, RowQueue& queue, const Clock& clock, OnHealth on_health,
               WriterThreadOptions options = {});
  WriterThread(const WriterThread&) = delete;
  WriterThread& operator=(const WriterThread&) = delete;
  ~WriterThread();

  // Closes the queue, commits what is in it, checkpoints and ends the thread; gives up after `patience` when
  // the store takes nothing. Says what was lost, if anything.
  [[nodiscard]] Outcome stop(std::chrono::milliseconds patience = std::chrono::milliseconds{2000});

  // Gives what is free in the file back to the disk, a little after each batch; waits for it as long as
  // `limit`. From any thread, one at a time. An error when the store is in trouble or ends.
  struct Shrunk {
    std::int64_t bytes_before = 0;
    std::int64_t bytes_after = 0;
  };
  [[nodiscard]] Result<Shrunk> shrink(std::chrono::milliseconds limit);
  // Ends one that is under way, and all later ones at once: nobody waits for a store in trouble at the end.
  void refuse_shrinking();

  [[nodiscard]] StoreHealth health() const;
  // Rises with every turn of the loop; a watchdog sees by it that the thread lives.
  [[nodiscard]] std::uint64_t progress() const { return progress_.load(std::memory_order_relaxed); }

 private:
  void loop();
  void shrink_a_little();
  void end_shrinking(Result<Shrunk> done);
  [[nodiscard]] bool shrinking() const;
  bool commit(std::span<const recorder::Row> rows);
  // Between batches, while the queue is no more than one behind.
  void tend();
  void mend();
  void attempt_until_done(std::span<const recorder::Row> rows);
  void pause(std::chrono::milliseconds wait);
  [[nodiscard]] bool out_of_patience() const;
  void note_success(std::size_t rows);
  void note_trouble(const WriteTrouble& trouble);

  Writer writer_;
  RowQueue& queue_;
  const Clock& clock_;
  OnHealth on_health_;
  WriterThreadOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable shrunk_;
  bool no_shrinking_ = false;
  std::optional<Shrunk> shrinking_;         // asked for, with what was there before
  std::optional<Result<Shrunk>> shrunken_;  // how it ended
  StoreHealth health_;
  std::optional<std::chrono::steady_clock::time_point> give_up_;
  std::int64_t lost_rows_ = 0;
  std::optional<Error> finish_error_;
  std::atomic<std::uint64_t> progress_{0};
  std::thread thread_;
};

}  // namespace leakhunt::storage
