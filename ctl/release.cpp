// Release, run, resume. The daemon watches this process: should it die, the device is taken back all the
// same.
#include "ctl/release.h"

#include <unistd.h>

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

}  // namespace

int release_and_run(const std::vector<std::string>& candidates, const ReleaseCommand& command) {
  v1::Question question = command.question;
  question.mutable_release()->set_holder_pid(::getpid());
  const auto released = ask_daemon(candidates, question);
  if (!released) {
    complain(released.error());
    return static_cast<int>(released.error().code);
  }
  say(released_line(released->release()));
  const int code = run_program(command.command);
  v1::Question back;
  back.set_device(released->release().device());
  back.mutable_resume();
  const auto resumed = ask_daemon(candidates, back);
  if (resumed) {
    say(resumed_line(resumed->resume()));
  } else {
    complain(resumed.error());
  }
  return code;
}

}  // namespace leakhunt::ctl
