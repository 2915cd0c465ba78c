// The control socket (INTERFACES, "Socket"): length-framed Envelopes over a Unix stream. Knows no answers.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>

#include "base/result.h"
#include "daemon/event_log.h"
#include "daemon/loop.h"
#include "daemon/on_answer.h"
#include "leakhunt/v1/api.pb.h"

namespace leakhunt::daemon {

struct ServerLimits {
  std::size_t message_bytes = std::size_t{4} << 20;
  int clients = 16;
  std::chrono::milliseconds write{10'000};    // a client that does not read for so long is closed
  std::chrono::milliseconds message{10'000};  // so is one that leaves a message half sent
  std::chrono::milliseconds answer{10'000};   // the longest a question may take
  std::chrono::milliseconds errand{180'000};  // the same where a device has to restart meanwhile (debug_log)
  std::chrono::milliseconds file{3'600'000};  // the same for a check or a copy of the whole file (database)
  std::chrono::milliseconds idle{30'000};     // a client that asks nothing for so long is closed
  std::chrono::milliseconds farewell{1'000};  // how long a refused client may take to read why
  std::chrono::milliseconds watch{2'000};     // how often the socket is looked after
};

// Takes a question that must be answered within the limit. False: too much is waiting already ("busy").
using OnQuestion = std::function<bool(v1::Question, std::chrono::milliseconds limit, OnAnswer)>;

class Server {
 public:
  // Binds `path` (mode 0660), taking the place of a stale socket: the caller holds the lock that says it is
  // stale. `on_question` is called on the loop's thread. A socket that is removed later is made anew.
  [[nodiscard]] static Result<std::unique_ptr<Server>> listen(Loop& loop, const std::filesystem::path& path,
                                                              OnQuestion on_question, const EventLog& log,
                                                              ServerLimits limits = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace leakhunt::daemon
