// Journal and stderr. The one place that knows sd-journal and spdlog.
#include "daemon/event_log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <syslog.h>
#include <systemd/sd-journal.h>

#include <array>
#include <cstdlib>
#include <string>

#include "proto/printable.h"

namespace leakhunt::daemon {
namespace {

// systemd names the journal's stream as DEVICE:INODE; stderr may have been redirected since.
bool stderr_is_journal() {
  const char* stream = std::getenv("JOURNAL_STREAM");
  struct stat status {};
  if (stream == nullptr || ::fstat(STDERR_FILENO, &status) != 0) return false;
  return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino) == stream;
}

int syslog_level(Priority priority) {
  switch (priority) {
    case Priority::critical:
      return LOG_CRIT;
    case Priority::error:
      return LOG_ERR;
    case Priority::warning:
      return LOG_WARNING;
    case Priority::notice:
      return LOG_NOTICE;
    case Priority::info:
      break;
  }
  return LOG_INFO;
}

spdlog::level::level_enum spdlog_level(Priority priority) {
  switch (priority) {
    case Priority::critical:
      return spdlog::level::critical;
    case Priority::error:
      return spdlog::level::err;
    case Priority::warning:
      return spdlog::level::warn;
    case Priority::notice:
    case Priority::info:
      break;
  }
  return spdlog::level::info;
}

void send_to_journal(Priority priority, std::string_view device, std::string_view kind,
                     const std::string& text) {
  std::array<std::string, 4> fields{"MESSAGE=" + text, "PRIORITY=" + std::to_string(syslog_level(priority)),
                                    "KIND=" + std::string{kind}, "DEVICE=" + std::string{device}};
  std::array<iovec, 4> parts{};
  for (std::size_t i = 0; i < fields.size(); ++i) parts[i] = {fields[i].data(), fields[i].size()};
  ::sd_journal_sendv(parts.data(), device.empty() ? 3 : 4);
}

}  // namespace

class EventLog::Impl {
 public:
  Impl()
      : journal_(stderr_is_journal()),
        logger_("leakhuntd", std::make_shared<spdlog::sinks::stderr_sink_mt>()) {
    logger_.set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
    logger_.flush_on(spdlog::level::info);
  }

  void say(Priority priority, std::string_view device, std::string_view kind, std::string_view text) {
    const std::string shown = (device.empty() ? "" : std::string{device} + ": ") + proto::printable(text);
    if (journal_) return send_to_journal(priority, device, kind, shown);
    logger_.log(spdlog_level(priority), "{} {}", kind, shown);
  }

 private:
  bool journal_;
  spdlog::logger logger_;
};

EventLog::EventLog() : impl_(std::make_unique<Impl>()) {}
EventLog::~EventLog() = default;

void EventLog::say(Priority priority, std::string_view device, std::string_view kind,
                   std::string_view text) const {
  impl_->say(priority, device, kind, text);
}

}  // namespace leakhunt::daemon
