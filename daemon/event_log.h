// One line per important event, to the journal with fields of ours or to stderr. Never a line per sample.
#pragma once

#include <memory>
#include <string_view>

namespace leakhunt::daemon {

enum class Priority { critical, error, warning, notice, info };

// Thread-safe. Text from devices is made printable here.
class EventLog {
 public:
  // The journal when stderr is connected to it (systemd sets JOURNAL_STREAM), else stderr.
  EventLog();
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  // `device` may be empty; `kind` is the word of an event, alert or part of the program.
  void say(Priority priority, std::string_view device, std::string_view kind, std::string_view text) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace leakhunt::daemon
