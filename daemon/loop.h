// A thread with an event loop. Others hand it work as moved functions; nothing else crosses between threads.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace boost::asio {
class io_context;
}

namespace leakhunt::daemon {

// What to do when a thread ends by an exception: it cannot be gone on from.
using OnFatal = std::function<void(const std::string& what)>;

class Loop {
 public:
  Loop(std::string name, OnFatal on_fatal);
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop();

  // Runs `work` on the loop's thread, after what was posted before. From any thread.
  void post(std::function<void()> work);
  // For the loop's own parts, which run on it.
  [[nodiscard]] boost::asio::io_context& context() { return *context_; }

  void start();
  // Ends the loop where it stands and joins the thread. What was posted and not yet run never runs.
  void stop();

 private:
  struct Keep;
  std::string name_;
  OnFatal on_fatal_;
  std::unique_ptr<boost::asio::io_context> context_;
  std::unique_ptr<Keep> keep_;
  std::thread thread_;
};

// Names the calling thread, as tools show it (at most 15 characters).
void name_thread(const std::string& name);

}  // namespace leakhunt::daemon
