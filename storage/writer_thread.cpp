// One loop: take, commit, and try the same batch again for as long as it takes.
#include "storage/writer_thread.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace leakhunt::storage {
namespace {

// What a step of shrinking takes the writer away from its rows, and how long it goes back to them.
constexpr std::int64_t kPagesGivenBack = 128;
constexpr std::chrono::milliseconds kShrinkPause{10};

bool forgets(const recorder::Row& row) {
  return std::holds_alternative<recorder::ForgetDevice>(row);
}

// How many of the rows go in one transaction: what forgets a device goes by itself, which is when the writer
// can do it fast.
std::size_t batch_length(std::span<const recorder::Row> rows) {
  const auto end = !rows.empty() && forgets(rows.front())
                       ? std::find_if_not(rows.begin(), rows.end(), forgets)
                       : std::find_if(rows.begin(), rows.end(), forgets);
  return static_cast<std::size_t>(end - rows.begin());
}

}  // namespace

WriterThread::WriterThread(Writer writer, RowQueue& queue, const Clock& clock, OnHealth on_health,
                           WriterThreadOptions options)
    : writer_(std::move(writer)),
      queue_(queue),
      clock_(clock),
      on_health_(std::move(on_health)),
      options_(options) {
  health_.since = clock.now().utc;
  thread_ = std::thread([this] { loop(); });
}

WriterThread::~WriterThread() {
  if (thread_.joinable()) {
    static_cast<void>(stop());
  }
}

Outcome WriterThread::stop(std::chrono::milliseconds patience) {
  {
    const std::scoped_lock lock(mutex_);
    give_up_ = std::chrono::steady_clock::now() + patience;
  }
  wake_.notify_all();
  queue_.close();
  if (thread_.joinable()) {
    thread_.join();
  }
  if (lost_rows_ > 0) {
    return Error{ErrorCode::failed, std::to_string(lost_rows_) + " rows could not be stored before the end",
                 health_.what, "free the store of its trouble before the next start"};
  }
  return finish_error_ ? Outcome{*finish_error_} : Outcome{Done{}};
}

StoreHealth WriterThread::health() const {
  const std::scoped_lock lock(mutex_);
  return health_;
}

void WriterThread::loop() {
  for (bool more = true; more;) {
    const bool last_round = queue_.closed();
    const std::vector<recorder::Row> rows =
        queue_.take(options_.max_batch_rows, shrinking() ? kShrinkPause : options_.commit_interval);
    std::span<const recorder::Row> rest = rows;
    do {
      const std::size_t together = batch_length(rest);
      attempt_until_done(rest.first(together));
      rest = rest.subspan(together);
    } while (!rest.empty());
    queue_.done();
    shrink_a_little();
    if (!last_round && rows.size() < options_.max_batch_rows) {
      tend();
    }
    progress_.fetch_add(1, std::memory_order_relaxed);
    more = !(last_round && rows.empty());
  }
  end_shrinking(Error{ErrorCode::unreachable, "the daemon is ending", "", ""});
  if (Outcome finished = writer_.finish(); !finished) {
    finish_error_ = finished.error();
  }
}

Result<WriterThread::Shrunk> WriterThread::shrink(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  if (no_shrinking_ || queue_.closed()) {
    return Error{ErrorCode::unreachable, "the daemon is ending", "", ""};
  }
  shrunken_.reset();
  shrinking_ = Shrunk{};
  shrunk_.wait_for(lock, limit, [&] { return shrunken_.has_value(); });
  shrinking_.reset();
  return shrunken_ ? *std::exchange(shrunken_, std::nullopt)
                   : Error{ErrorCode::failed, "the file is not yet as small as it could be",
                           writer_.store().path(), "ask again; what was given back stays so"};
}

void WriterThread::refuse_shrinking() {
  {
    const std::scoped_lock lock(mutex_);
    no_shrinking_ = true;
  }
  end_shrinking(Error{ErrorCode::unreachable, "the daemon is ending", "", ""});
}

bool WriterThread::shrinking() const {
  const std::scoped_lock lock(mutex_);
  return shrinking_.has_value();
}

void WriterThread::end_shrinking(Result<Shrunk> done) {
  {
    const std::scoped_lock lock(mutex_);
    if (shrinking_) shrunken_ = std::move(done);
    shrinking_.reset();
  }
  shrunk_.notify_all();
}

void WriterThread::shrink_a_little() {
  if (!shrinking()) {
    return;
  }
  const auto bytes = [&] {
    const Connection& db = writer_.store().connection();
    return db.integer("PRAGMA page_count") * db.integer("PRAGMA page_size");
  };
  Shrunk sizes;
  {
    const std::scoped_lock lock(mutex_);
    if (shrinking_ && shrinking_->bytes_before == 0) shrinking_->bytes_before = bytes();
    sizes = shrinking_.value_or(Shrunk{});
  }
  const auto left = writer_.give_back(kPagesGivenBack);
  if (!left) {
    end_shrinking(left.error());
  } else if (*left == 0) {
    sizes.bytes_after = bytes();
    end_shrinking(sizes);
  }
}

void WriterThread::attempt_until_done(std::span<const recorder::Row> rows) {
  std::chrono::milliseconds wait = options_.first_retry;
  while (lost_rows_ > 0 || !commit(rows)) {
    if (out_of_patience()) {
      lost_rows_ += static_cast<std::int64_t>(rows.size());
      return;
    }
    pause(wait);
    wait = std::min(2 * wait, options_.last_retry);
    progress_.fetch_add(1, std::memory_order_relaxed);
  }
}

bool WriterThread::commit(std::span<const recorder::Row> rows) {
  if (writer_.write(rows)) {
    note_success(rows.size());
    return true;
  }
  mend();
  return false;
}

void WriterThread::tend() {
  writer_.tend();
  if (writer_.trouble()) {
    mend();
  }
  StoreHealth changed;
  {
    const std::scoped_lock lock(mutex_);
    if (health_.heap_below_floor == writer_.heap_below_floor()) {
      return;
    }
    health_.heap_below_floor = writer_.heap_below_floor();
    changed = health_;
  }
  if (on_health_) {
    on_health_(changed);
  }
}

void WriterThread::mend() {
  note_trouble(*writer_.trouble());
  const bool gone = writer_.trouble()->kind == WriteTrouble::Kind::gone;
  const bool corrupt = writer_.trouble()->kind == WriteTrouble::Kind::corrupt;
  if ((gone || corrupt) && writer_.begin_anew()) {
    const std::scoped_lock lock(mutex_);
    health_.set_aside = writer_.store().set_aside();
    health_.vanished_files += gone ? 1 : 0;
  }
}

void WriterThread::pause(std::chrono::milliseconds wait) {
  std::unique_lock lock(mutex_);
  const auto until = std::chrono::steady_clock::now() + wait;
  wake_.wait_until(lock, give_up_ ? std::min(until, *give_up_) : until, [] { return false; });
}

bool WriterThread::out_of_patience() const {
  const std::scoped_lock lock(mutex_);
  return give_up_ && std::chrono::steady_clock::now() >= *give_up_;
}

void WriterThread::note_success(std::size_t rows) {
  const Utc now = clock_.now().utc;
  StoreHealth changed;
  {
    const std::scoped_lock lock(mutex_);
    const bool was_ok = health_.ok;
    if (!was_ok) {
      health_.ok = true;
      health_.kind.reset();
      health_.what.clear();
      health_.since = now;
    }
    if (rows > 0) {
      health_.last_commit = now;
      ++health_.commits;
      health_.rows += static_cast<std::int64_t>(rows);
    }
    health_.refused_rows = writer_.refused_rows();
    if (was_ok) {
      return;
    }
    changed = health_;
  }
  if (on_health_) {
    on_health_(changed);
  }
}

void WriterThread::note_trouble(const WriteTrouble& trouble) {
  StoreHealth changed;
  {
    const std::scoped_lock lock(mutex_);
    ++health_.retries;
    if (!health_.ok && health_.kind == trouble.kind) {
      return;
    }
    if (health_.ok) {
      health_.since = clock_.now().utc;
    }
    health_.ok = false;
    health_.kind = trouble.kind;
    health_.what = trouble.error.line();
    changed = health_;
  }
  if (on_health_) {
    on_health_(changed);
  }
}

}  // namespace leakhunt::storage
