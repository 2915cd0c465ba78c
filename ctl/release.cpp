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

void take_back(const std::vector<std::string>& candidates, const std::string& device) {
  v1::Question question;
  question.set_device(device);
  question.mutable_resume();
  const auto resumed = ask_daemon(candidates, question);
  if (!resumed) return complain(resumed.error());
  // The daemon may have seen the end of the command, or that of the time, before this question came.
  say(resumed->resume().devices().empty() ? proto::printable(device) + " was taken back already\n"
                                          : resumed_line(resumed->resume(), device));
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
