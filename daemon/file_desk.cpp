// One reader per question, opened and closed by it.
#include "daemon/file_desk.h"

#include <filesystem>
#include <utility>

#include "answer/file_questions.h"
#include "storage/copy.h"
#include "storage/reader.h"

namespace leakhunt::daemon {
namespace {

constexpr std::int64_t kWalRoomBytes = std::int64_t{64} << 20U;

Error ending() {
  return {ErrorCode::unreachable, "the daemon is ending", "", ""};
}

}  // namespace

FileDesk::FileDesk(std::string path, storage::WriterThread& writer, const EventLog& log, OnFatal on_fatal)
    : path_(std::move(path)),
      writer_(writer),
      log_(log),
      sql_("sql", on_fatal),
      file_("database", on_fatal) {}

bool FileDesk::is_for(const v1::Question& question) {
  return answer::is_for_file(question);
}

bool FileDesk::take(v1::Question question, std::chrono::milliseconds limit, OnAnswer on_answer) {
  Room& room = question.has_sql() ? sql_ : file_;
  const auto asked = std::chrono::steady_clock::now();
  return room.worker.submit(
      [this, &room, question = std::move(question), limit, asked, on_answer = std::move(on_answer)] {
        const auto waited =
            std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - asked);
        // Nobody waits for it any more.
        if (waited >= limit) return;
        on_answer(answer(room, question, limit - waited));
      });
}

void FileDesk::stop() {
  for (Room* room : {&sql_, &file_}) {
    const std::lock_guard lock{room->mutex};
    room->interrupted = true;
    if (room->reader != nullptr) room->reader->interrupt();
  }
  writer_.refuse_shrinking();
  sql_.worker.stop();
  file_.worker.stop();
}

Result<v1::Answer> FileDesk::answer(Room& room, const v1::Question& question,
                                    std::chrono::milliseconds limit) {
  if (question.database().has_vacuum()) return shrink(limit);
  try {
    auto answer = read(room, question, limit);
    if (answer && !answer->database().backup().empty()) {
      log_.say(Priority::notice, "", "store",
               "a copy of the store was written to " + answer->database().backup());
    }
    return answer;
  } catch (const storage::ReadFailed& failed) {
    return failed.error();
  }
}

Result<v1::Answer> FileDesk::read(Room& room, const v1::Question& question, std::chrono::milliseconds limit) {
  if (question.has_database()) {
    // It may read for minutes, and what is committed meanwhile stays in the WAL.
    const std::string folder = std::filesystem::path(path_).parent_path().string();
    if (const auto fits = storage::check_room(folder, kWalRoomBytes); !fits) return fits.error();
  }
  auto reader = storage::open_for_reading(path_);
  if (!reader) return reader.error();
  reader->set_deadline(std::chrono::steady_clock::now() + limit);
  {
    const std::lock_guard lock{room.mutex};
    if (room.interrupted) return ending();
    room.reader = &*reader;
  }
  struct Leave {
    Room& room;
    ~Leave() {
      const std::lock_guard lock{room.mutex};
      room.reader = nullptr;
    }
  } const leave{room};
  return answer::answer_of_file(*reader, question, answer::kMessageRowBytes);
}

Result<v1::Answer> FileDesk::shrink(std::chrono::milliseconds limit) {
  const auto done = writer_.shrink(limit);
  if (!done) return done.error();
  return answer::vacuumed(path_, done->bytes_before, done->bytes_after);
}

}  // namespace leakhunt::daemon
