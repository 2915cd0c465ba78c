// Release, run, resume. The daemon watches the process of the command: the device stays released as long as
// that runs, and is taken back at its end, whatever becomes of this program.
#include "ctl/release.h"

#include <cstdio>

#include "ctl/child.h"
#include "ctl/conversation.h"
#include "ctl/device_tables.h"
#include "proto/printable.h"

namespace leakhunt::ctl {
namespace {

void say(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void complain(const Error& error) {
  say("leakhuntctl: " + proto::printable(error.line()) + "\n");
}

v1::Question about(const std::string& device) {
  v1::Question question;
  question.set_device(device);
  return question;
}

bool is_released(const std::vector<std::string>& candidates, const std::string& device) {
  v1::Question question = about(device);
  question.mutable_status();
  const auto known = ask_daemon(candidates, question);
  return !known || known->status().devices().empty() || known->status().devices(0).has_released_since();
}

// The daemon may have seen the end of the command, or that of the time, before this question comes: then
// there is nothing to resume, and in a pause of the recorder not even a question about it.
void take_back(const std::vector<std::string>& candidates, const std::string& device) {
  v1::Question question = about(device);
  question.mutable_resume();
  const auto resumed = ask_daemon(candidates, question);
  if (resumed && !resumed->resume().devices().empty()) return say(resumed_line(resumed->resume(), device));
  if (!resumed && is_released(candidates, device)) return complain(resumed.error());
  say(proto::printable(device) + " was taken back already\n");
}

}  // namespace

int release_and_run(const std::vector<std::string>& candidates, const ReleaseCommand& command) {
  WaitingProgram program{command.command};
  v1::Question question = command.question;
  question.mutable_release()->set_holder_pid(program.pid());
  const auto released = ask_daemon(candidates, question);
  if (!released) {
    complain(released.error());
    return static_cast<int>(released.error().code);
  }
  say(released_line(released->release()));
  const int code = program.run();
  take_back(candidates, released->release().device());
  return code;
}

}  // namespace leakhunt::ctl
