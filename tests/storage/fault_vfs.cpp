// SQLite's interface for files, twice: ours above, its own below.
#include "tests/storage/fault_vfs.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace leakhunt::storage::testing {
namespace {

constexpr const char* kName = "leakhunt-faults";
constexpr std::size_t kSectorBytes = 512;

// Behind it in memory stands the file of the layer below.
struct File {
  sqlite3_file base;
  FaultVfs* faults;
  const std::string* path;  // null: a temporary file, left alone
};

File& ours(sqlite3_file* file) {
  return *reinterpret_cast<File*>(file);
}
sqlite3_file* below(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + sizeof(File));
}
template <class Call>
int pass(sqlite3_file* file, Call call) {
  return ours(file).path != nullptr && ours(file).faults->dark() ? SQLITE_IOERR : call(below(file));
}

int close_file(sqlite3_file* file) {
  const int code = below(file)->pMethods == nullptr ? SQLITE_OK : below(file)->pMethods->xClose(below(file));
  delete ours(file).path;
  return code;
}

int read_file(sqlite3_file* file, void* into, int bytes, sqlite3_int64 at) {
  return pass(file, [&](sqlite3_file* f) { return f->pMethods->xRead(f, into, bytes, at); });
}

int write_file(sqlite3_file* file, const void* from, int bytes, sqlite3_int64 at) {
  sqlite3_file* real = below(file);
  if (ours(file).path == nullptr) return real->pMethods->xWrite(real, from, bytes, at);
  FaultVfs& faults = *ours(file).faults;
  if (faults.dark()) return SQLITE_IOERR_WRITE;
  const Strike strike = faults.next(FaultVfs::Kind::write);
  if (strike == Strike::io_error) return SQLITE_IOERR_WRITE;
  if (strike == Strike::full) return SQLITE_FULL;
  auto size = static_cast<std::size_t>(bytes);
  if (strike == Strike::power_cut) size = faults.torn(size);
  faults.changed(*ours(file).path,
                 {FaultVfs::Change::What::write, at, {static_cast<const char*>(from), size}});
  if (strike == Strike::power_cut) return SQLITE_IOERR_WRITE;
  return real->pMethods->xWrite(real, from, bytes, at);
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  sqlite3_file* real = below(file);
  if (ours(file).path == nullptr) return real->pMethods->xTruncate(real, size);
  FaultVfs& faults = *ours(file).faults;
  if (faults.dark()) return SQLITE_IOERR_TRUNCATE;
  const Strike strike = faults.next(FaultVfs::Kind::truncate);
  if (strike == Strike::io_error) return SQLITE_IOERR_TRUNCATE;
  faults.changed(*ours(file).path, {FaultVfs::Change::What::truncate, size});
  if (strike == Strike::power_cut) return SQLITE_IOERR_TRUNCATE;
  return real->pMethods->xTruncate(real, size);
}

int sync_file(sqlite3_file* file, int flags) {
  sqlite3_file* real = below(file);
  if (ours(file).path == nullptr) return real->pMethods->xSync(real, flags);
  FaultVfs& faults = *ours(file).faults;
  faults.wait_while_held();
  if (faults.dark()) return SQLITE_IOERR_FSYNC;
  switch (faults.next(FaultVfs::Kind::sync)) {
    case Strike::io_error:
      return SQLITE_IOERR_FSYNC;
    case Strike::lost_sync:
      faults.lost(*ours(file).path);
      return SQLITE_IOERR_FSYNC;
    case Strike::power_cut:
      return SQLITE_IOERR_FSYNC;
    default:
      faults.synced(*ours(file).path);
      return SQLITE_OK;  // the disk is ours: there is nothing to wait for
  }
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return pass(file, [&](sqlite3_file* f) { return f->pMethods->xFileSize(f, size); });
}
int lock_file(sqlite3_file* file, int level) {
  return pass(file, [&](sqlite3_file* f) { return f->pMethods->xLock(f, level); });
}
int unlock_file(sqlite3_file* file, int level) {
  return below(file)->pMethods->xUnlock(below(file), level);
}
int reserved_lock(sqlite3_file* file, int* held) {
  return pass(file, [&](sqlite3_file* f) { return f->pMethods->xCheckReservedLock(f, held); });
}
int control_file(sqlite3_file* file, int what, void* value) {
  return below(file)->pMethods->xFileControl(below(file), what, value);
}
int sector_size(sqlite3_file* file) {
  return below(file)->pMethods->xSectorSize(below(file));
}
int characteristics(sqlite3_file* file) {
  return below(file)->pMethods->xDeviceCharacteristics(below(file));
}
int map_shared(sqlite3_file* file, int page, int bytes, int extend, void volatile** into) {
  return pass(file, [&](sqlite3_file* f) { return f->pMethods->xShmMap(f, page, bytes, extend, into); });
}
int lock_shared(sqlite3_file* file, int offset, int n, int flags) {
  return below(file)->pMethods->xShmLock(below(file), offset, n, flags);
}
void barrier(sqlite3_file* file) {
  below(file)->pMethods->xShmBarrier(below(file));
}
int unmap_shared(sqlite3_file* file, int remove) {
  return below(file)->pMethods->xShmUnmap(below(file), remove);
}

constexpr sqlite3_io_methods kMethods{
    2,           close_file,  read_file,     write_file,   truncate_file, sync_file,       file_size,
    lock_file,   unlock_file, reserved_lock, control_file, sector_size,   characteristics, map_shared,
    lock_shared, barrier,     unmap_shared,  nullptr,      nullptr};

sqlite3_vfs& real_vfs(sqlite3_vfs* vfs) {
  return *static_cast<sqlite3_vfs*>(vfs->pAppData);
}

FaultVfs* current = nullptr;  // NOLINT: SQLite's registry is as global

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out) {
  File& shim = ours(file);
  shim.base.pMethods = nullptr;
  shim.faults = current;
  shim.path = nullptr;
  below(file)->pMethods = nullptr;
  if (name != nullptr && current->dark()) return SQLITE_CANTOPEN;
  const int code = real_vfs(vfs).xOpen(&real_vfs(vfs), name, below(file), flags, out);
  if (below(file)->pMethods == nullptr) return code;
  shim.base.pMethods = &kMethods;
  if (name != nullptr && (flags & SQLITE_OPEN_DELETEONCLOSE) == 0) {
    shim.path = new std::string(name);
    current->opened(name);
  }
  return code;
}

int remove_file(sqlite3_vfs* vfs, const char* name, int sync_folder) {
  if (current->dark()) return SQLITE_IOERR_DELETE;
  const Strike strike = current->next(FaultVfs::Kind::remove);
  if (strike == Strike::io_error) return SQLITE_IOERR_DELETE;
  current->removed(name, sync_folder != 0 && strike != Strike::power_cut);
  if (strike == Strike::power_cut) return SQLITE_IOERR_DELETE;
  return real_vfs(vfs).xDelete(&real_vfs(vfs), name, 0);
}

int access_file(sqlite3_vfs* vfs, const char* name, int flags, int* result) {
  if (current->dark()) return SQLITE_IOERR_ACCESS;
  return real_vfs(vfs).xAccess(&real_vfs(vfs), name, flags, result);
}

// All else goes to the layer below as it is.
sqlite3_vfs& layer() {
  static sqlite3_vfs vfs = [] {
    sqlite3_vfs* real = sqlite3_vfs_find(nullptr);
    sqlite3_vfs made = *real;
    made.pNext = nullptr;
    made.zName = kName;
    made.szOsFile = static_cast<int>(sizeof(File)) + real->szOsFile;
    made.pAppData = real;
    made.xOpen = open_file;
    made.xDelete = remove_file;
    made.xAccess = access_file;
    return made;
  }();
  return vfs;
}

}  // namespace

FaultVfs::FaultVfs() {
  if (current != nullptr) throw std::logic_error("one disk at a time");
  current = this;
  sqlite3_vfs_register(&layer(), 1);
}

FaultVfs::~FaultVfs() {
  sqlite3_vfs_unregister(&layer());
  current = nullptr;
}

void FaultVfs::arm(const Fault& fault) {
  fault_ = fault;
  steps_ = 0;
  struck_ = false;
  strikes_ = 0;
  random_.seed(fault.seed);
}

void FaultVfs::hold_syncs() {
  const std::lock_guard lock{mutex_};
  held_ = true;
}

void FaultVfs::let_syncs_go() {
  {
    const std::lock_guard lock{mutex_};
    held_ = false;
  }
  changed_.notify_all();
}

void FaultVfs::wait_for_held_sync() {
  std::unique_lock lock{mutex_};
  changed_.wait(lock, [this] { return waiting_ > 0; });
}

void FaultVfs::wait_while_held() {
  std::unique_lock lock{mutex_};
  ++waiting_;
  changed_.notify_all();
  changed_.wait(lock, [this] { return !held_; });
  --waiting_;
}

Strike FaultVfs::next(Kind kind) {
  ++steps_;
  if (fault_.strike == Strike::power_cut ? steps_ == fault_.at : steps_ == fault_.cut_at) {
    struck_ = dark_ = true;
    return Strike::power_cut;
  }
  const bool over =
      fault_.strike == Strike::lost_sync ? strikes_ == fault_.lasts : steps_ >= fault_.at + fault_.lasts;
  if (fault_.strike == Strike::none || steps_ < fault_.at || over) return Strike::none;
  if (fault_.strike == Strike::lost_sync && kind != Kind::sync) return Strike::none;
  if (fault_.strike == Strike::full && kind != Kind::write) return Strike::none;
  struck_ = true;
  ++strikes_;
  return fault_.strike;
}

std::size_t FaultVfs::torn(std::size_t bytes) {
  return random_() % (bytes + 1);
}

void FaultVfs::opened(const std::string& path) {
  const auto [entry, is_new] = disks_.try_emplace(path);
  if (!is_new) return;
  std::ifstream file(path, std::ios::binary);
  entry->second.exists = static_cast<bool>(file) && file.peek() != std::ifstream::traits_type::eof();
  entry->second.bytes.assign(std::istreambuf_iterator<char>{file}, {});
}

void FaultVfs::changed(const std::string& path, Change change) {
  disks_[path].pending.push_back(std::move(change));
}

void FaultVfs::synced(const std::string& path) {
  Disk& disk = disks_[path];
  // With the first sync of a new file SQLite syncs the folder too: what was removed from it is gone for good.
  if (!disk.exists) sync_folder();
  for (const Change& change : disk.pending) apply(disk, change, true);
  disk.pending.clear();
  disk.exists = true;
}

void FaultVfs::removed(const std::string& path, bool synced) {
  Disk before = std::move(disks_[path]);
  disks_[path] = {};
  disks_[path].removed.push_back(std::move(before));
  if (synced) sync_folder();
}

void FaultVfs::sync_folder() {
  for (auto& [path, disk] : disks_) disk.removed.clear();
}

// Of a write that nobody synced each sector reaches the disk or not.
void FaultVfs::apply(Disk& disk, const Change& change, bool whole) {
  disk.exists = true;
  const auto at = static_cast<std::size_t>(change.at);
  if (change.what == Change::What::truncate) {
    disk.bytes.resize(std::min(at, disk.bytes.size()));
    return;
  }
  for (std::size_t done = 0; done < change.bytes.size();) {
    const std::size_t n = std::min(kSectorBytes - (at + done) % kSectorBytes, change.bytes.size() - done);
    if (whole || random_() % 2 == 0) {
      disk.bytes.resize(std::max(disk.bytes.size(), at + done + n));
      std::memcpy(disk.bytes.data() + at + done, change.bytes.data() + done, n);
    }
    done += n;
  }
}

void FaultVfs::put_back(const std::string& path, Disk& disk) {
  if (!disk.removed.empty() && random_() % 2 == 0) {
    Disk before = std::move(disk.removed.back());
    disk = std::move(before);
  }
  for (const Change& change : disk.pending) {
    const auto luck = random_() % 4;
    if (luck == 0) continue;
    apply(disk, change, luck == 1);
  }
  disk.pending.clear();
  if (disk.exists) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << disk.bytes;
  } else {
    std::filesystem::remove(path);
  }
}

void FaultVfs::restore() {
  fault_ = {};
  if (!dark_) return;
  for (auto& [path, disk] : disks_) {
    // What the program has renamed is no longer a file of SQLite's.
    const bool wal_or_journal = path.ends_with("-wal") || path.ends_with("-journal");
    if (!wal_or_journal && !std::filesystem::exists(path)) continue;
    put_back(path, disk);
  }
  for (const auto& [path, disk] : disks_) std::filesystem::remove(path + "-shm");
  disks_.clear();
  dark_ = false;
}

}  // namespace leakhunt::storage::testing
