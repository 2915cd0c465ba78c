// leakhuntctl: arguments in, words or JSON out. Knows neither SQL nor devices: the answer comes from the
// daemon, from a database file, or from recorded files.
#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "answer/classify.h"
#include "answer/decode.h"
#include "answer/exit_code.h"
#include "answer/json.h"
#include "answer/offline.h"
#include "ctl/arguments.h"
#include "ctl/classified.h"
#include "ctl/confirm.h"
#include "ctl/conversation.h"
#include "ctl/device_tables.h"
#include "ctl/doctor.h"
#include "ctl/page.h"
#include "ctl/release.h"
#include "ctl/tables.h"
#include "ctl/text.h"
#include "proto/printable.h"

namespace leakhunt::ctl {
namespace {

void print(const std::string& text, std::FILE* to = stdout) {
  std::fwrite(text.data(), 1, text.size(), to);
}

// Of the terminal that stdout is; none where it is none, or too narrow to care.
std::optional<std::size_t> terminal_columns() {
  constexpr unsigned short kNarrowest = 40;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < kNarrowest) return std::nullopt;
  return size.ws_col;
}

int fail(const Error& error) {
  print("leakhuntctl: " + proto::printable(error.line()) + "\n", stderr);
  return static_cast<int>(error.code);
}

// The question, once it is known which device it is about and a person agrees.
Result<v1::Question> agreed_upon(const std::vector<std::string>& candidates, const Invocation& call,
                                 v1::Question question) {
  v1::Question status;
  status.set_device(question.device());
  status.mutable_status();
  const auto known = ask_daemon(candidates, status);
  if (!known) return known.error();
  const auto device = device_meant(question, known->status());
  if (!device) return device.error();
  question.set_device(*device);
  if (const auto agreed = confirm(warning_of(question), call.yes); !agreed) return agreed.error();
  return question;
}

Result<v1::Answer> answer_of(const Invocation& call, const v1::Question& question) {
  if (question.has_classify())
    return answer::classify(question.classify(), {question.rules(), call.config.value_or(""), call.limit});
  if (call.database) return answer::answer_offline(*call.database, question);
  const auto candidates = socket_candidates(call.socket);
  if (question.has_doctor()) {
    v1::Answer out;
    *out.mutable_doctor() = examine(candidates, question);
    return out;
  }
  if (!must_be_confirmed(question)) return ask_daemon(candidates, question);
  const auto agreed = agreed_upon(candidates, call, question);
  if (!agreed) return agreed.error();
  return ask_daemon(candidates, *agreed);
}

std::string rendered(const v1::Answer& answer, const Invocation& call, const v1::Question& question) {
  switch (call.format) {
    case Format::json:
      return answer::to_json(answer::told(answer)) + "\n";
    case Format::csv:
      return csv_of(answer);
    case Format::table:
      break;
  }
  if (answer.has_resume()) return resumed_line(answer.resume(), question.device());
  std::string text = text_of(answer, call.brief);
  const auto columns = terminal_columns();
  if (!columns) return text;
  if (answer.has_report()) return fitted(text, *columns);
  const bool is_prose =
      answer.has_status() || answer.has_devices() || answer.has_doctor() || answer.has_classify();
  return is_prose ? wrapped(text, *columns) : text;
}

// None of the files could be judged.
bool all_skipped(const v1::Classified& classified) {
  return !classified.files().empty() &&
         std::all_of(classified.files().begin(), classified.files().end(),
                     [](const v1::ClassifiedFile& file) { return file.has_error(); });
}

int ask(const Invocation& call, const v1::Question& question) {
  auto answer = answer_of(call, question);
  if (!answer) return fail(answer.error());
  if (answer->has_classify() && call.format == Format::csv) refuse_twins(*answer->mutable_classify());
  print(skipped_lines(answer->classify(), call.format == Format::csv), stderr);
  if (all_skipped(answer->classify())) return static_cast<int>(ErrorCode::failed);
  print(rendered(*answer, call, question));
  return answer::exit_code(*answer, {call.fail_on.begin(), call.fail_on.end()});
}

int decode(const DecodeCommand& command) {
  int code = 0;
  for (const std::string& file : command.files) {
    const auto done =
        answer::decode_file(file, command.config, [](const std::string& line) { print(line + "\n"); });
    if (!done) code = fail(done.error());
  }
  return code;
}

int ask_lines(const Invocation& call, v1::Question question) {
  int worst = 0;
  for (std::string line; std::getline(std::cin, line);) {
    if (line.find_first_not_of(" \t\r;") == std::string::npos) continue;
    question.mutable_sql()->set_statement(line);
    const int code = ask(call, question);
    if (worst == 0) worst = code;
  }
  return worst;
}

int release_for(const Invocation& call, const ReleaseCommand& command) {
  if (call.database) return fail(answer::answer_offline(*call.database, command.question).error());
  return release_and_run(socket_candidates(call.socket), command);
}

int run(const std::vector<std::string>& arguments) {
  const auto call = parse_arguments(arguments);
  if (!call) return fail(call.error());
  if (const auto* notice = std::get_if<Notice>(&call->what)) {
    print(notice->text);
    return 0;
  }
  if (const auto* command = std::get_if<DecodeCommand>(&call->what)) return decode(*command);
  if (const auto* release = std::get_if<ReleaseCommand>(&call->what)) return release_for(*call, *release);
  if (const auto* lines = std::get_if<SqlLines>(&call->what)) return ask_lines(*call, lines->question);
  return ask(*call, std::get<v1::Question>(call->what));
}

}  // namespace
}  // namespace leakhunt::ctl

int main(int argc, char** argv) {
  // An answer that is none is told once, by us.
  google::protobuf::SetLogHandler(nullptr);
  try {
    return leakhunt::ctl::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    return leakhunt::ctl::fail({leakhunt::ErrorCode::failed, error.what(), "", ""});
  }
}
