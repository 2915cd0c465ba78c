// Answers out of a database file, without a daemon.
#include "answer/offline.h"

#include "answer/engine.h"
#include "answer/file_questions.h"
#include "storage/reader.h"

namespace leakhunt::answer {
namespace {

bool needs_daemon(const v1::Question& question) {
  return question.has_mark() || question.has_ack() || question.has_release() || question.has_resume() ||
         question.has_pause() || question.has_debug_log() || question.has_change_device() ||
         question.has_doctor();
}

}  // namespace

Result<v1::Answer> answer_offline(const std::string& database, const v1::Question& question) {
  if (needs_daemon(question)) {
    return Error{ErrorCode::usage, "this needs the daemon", database,
                 "leave out --db and ask the running recorder"};
  }
  if (is_for_file(question)) return answer_of_file(database, question);
  auto reader = storage::open_for_reading(database, storage::Reading::once);
  if (!reader) return reader.error();
  Engine engine{*reader, EngineSettings{}};
  try {
    auto reply = engine.answer(question, AnswerContext{SystemClock{}.now().utc, true, nullptr});
    if (!reply) return reply.error();
    return std::move(reply->answer);
  } catch (const storage::ReadFailed& failure) {
    return failure.error();
  }
}

}  // namespace leakhunt::answer
