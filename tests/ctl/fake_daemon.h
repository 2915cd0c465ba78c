// A control socket that answers as a test says, for the command line on its other side.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "leakhunt/v1/api.pb.h"

namespace leakhunt::ctl::testing {

// Serves one client after another until it is destroyed.
class FakeDaemon {
 public:
  using Answers = std::function<v1::Envelope(const v1::Envelope&)>;
  explicit FakeDaemon(Answers answers);
  ~FakeDaemon();
  FakeDaemon(const FakeDaemon&) = delete;
  FakeDaemon& operator=(const FakeDaemon&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  // What was asked so far, in its order.
  [[nodiscard]] std::vector<v1::Envelope> asked() const;

 private:
  void serve();
  void converse(int client);

  Answers answers_;
  std::string folder_;
  std::string path_;
  int listener_ = -1;
  int stop_ = -1;  // an eventfd
  mutable std::mutex mutex_;
  std::vector<v1::Envelope> asked_;
  std::thread thread_;
};

}  // namespace leakhunt::ctl::testing
