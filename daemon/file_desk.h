// Answers what is asked of the store's file rather than of the record in it, on threads and connections of
// its own, so that no other question waits for a check or a copy that lasts minutes.
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "base/result.h"
#include "daemon/event_log.h"
#include "daemon/on_answer.h"
#include "daemon/worker.h"
#include "leakhunt/v1/api.pb.h"
#include "storage/reader.h"
#include "storage/writer_thread.h"

namespace leakhunt::daemon {

class FileDesk {
 public:
  // The writer must outlive it.
  FileDesk(std::string path, storage::WriterThread& writer, const EventLog& log, OnFatal on_fatal);

  [[nodiscard]] static bool is_for(const v1::Question& question);
  // As OnQuestion of the server.
  [[nodiscard]] bool take(v1::Question question, std::chrono::milliseconds limit, OnAnswer on_answer);
  // Interrupts what is under way and waits for its end.
  void stop();

 private:
  static constexpr std::size_t kWaiting = 2;

  // A thread that does one such question after another, and the reader it has open meanwhile.
  struct Room {
    Room(std::string name, const OnFatal& on_fatal) : worker(std::move(name), kWaiting, on_fatal) {}
    std::mutex mutex;
    storage::Reader* reader = nullptr;
    bool interrupted = false;
    Worker worker;  // ends before what its jobs use
  };

  [[nodiscard]] Result<v1::Answer> answer(Room& room, const v1::Question& question,
                                          std::chrono::milliseconds limit);
  [[nodiscard]] Result<v1::Answer> read(Room& room, const v1::Question& question,
                                        std::chrono::milliseconds limit);
  [[nodiscard]] Result<v1::Answer> shrink(std::chrono::milliseconds limit);

  std::string path_;
  storage::WriterThread& writer_;
  const EventLog& log_;
  Room sql_;
  Room file_;
};

}  // namespace leakhunt::daemon
