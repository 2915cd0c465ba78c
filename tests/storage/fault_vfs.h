// A disk that fails: a layer over SQLite's own files that counts what is written, synced, truncated and
// removed, and at one of these steps fails, or loses its power. Knows nothing of what is in the files.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <vector>

namespace leakhunt::storage::testing {

enum class Strike {
  none,
  io_error,   // the step is not done and says so
  full,       // no space left; syncs and removals go through
  lost_sync,  // a sync fails, and what it should have written is lost while reads still show it, as Linux
              // does it
  power_cut,  // a part of the step is done, and nothing after it; of what was not synced each sector may be
              // lost
};

struct Fault {
  Strike strike = Strike::none;
  std::int64_t at = 0;      // the step it begins with, from 1; of lost syncs the first that may be lost
  std::int64_t lasts = 1;   // so many steps; a power cut lasts until restore()
  std::uint32_t seed = 1;   // what is lost
  std::int64_t cut_at = 0;  // and at this step the power goes; 0 = never
};

// While it lives every connection of this process that is opened uses it; one at a time.
class FaultVfs {
 public:
  FaultVfs();
  ~FaultVfs();
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;

  // Counts from here on.
  void arm(const Fault& fault);
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  [[nodiscard]] bool struck() const { return struck_; }
  // Syncs wait from here on, until they are let go.
  void hold_syncs();
  void let_syncs_go();
  // Until a sync waits.
  void wait_for_held_sync();
  // No step fails any more; after a power cut, when all connections are closed, the files become what the
  // disk holds.
  void restore();

  // What the layer calls.
  enum class Kind { write, sync, truncate, remove };
  struct Change {
    enum class What { write, truncate } what;
    std::int64_t at = 0;  // of a truncation the new size
    std::string bytes{};
  };
  // What a file is on the disk, and what has not reached it.
  struct Disk {
    bool exists = false;
    std::string bytes{};
    std::vector<Change> pending{};
    std::vector<Disk>
        removed{};  // the file of the same name before it, whose removal has not reached the disk
  };
  [[nodiscard]] Strike next(Kind kind);
  [[nodiscard]] bool dark() const { return dark_; }
  void opened(const std::string& path);
  void changed(const std::string& path, Change change);
  void synced(const std::string& path);
  void wait_while_held();
  void removed(const std::string& path, bool synced);
  void lost(const std::string& path) { disks_[path].pending.clear(); }
  // How many of the bytes the cut lets through.
  [[nodiscard]] std::size_t torn(std::size_t bytes);

 private:
  void sync_folder();
  void apply(Disk& disk, const Change& change, bool whole);
  void put_back(const std::string& path, Disk& disk);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false;
  int waiting_ = 0;
  Fault fault_;
  std::int64_t steps_ = 0;
  bool struck_ = false;
  std::int64_t strikes_ = 0;
  bool dark_ = false;
  std::minstd_rand random_{1};  // NOLINT: the same in each run
  std::map<std::string, Disk> disks_;
};

}  // namespace leakhunt::storage::testing
