// Event loops on threads of their own. Knows nothing of what runs on them.
#include "daemon/loop.h"

#include <pthread.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <utility>

namespace leakhunt::daemon {

struct Loop::Keep {
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard;
};

Loop::Loop(std::string name, OnFatal on_fatal)
    : name_(std::move(name)),
      on_fatal_(std::move(on_fatal)),
      context_(std::make_unique<boost::asio::io_context>(1)),
      keep_(std::make_unique<Keep>(Keep{boost::asio::make_work_guard(*context_)})) {}

Loop::~Loop() {
  stop();
}

void Loop::post(std::function<void()> work) {
  boost::asio::post(*context_, std::move(work));
}

void Loop::start() {
  thread_ = std::thread([this] {
    name_thread(name_);
    try {
      context_->run();
    } catch (const std::exception& error) {
      on_fatal_("the thread \"" + name_ + "\" ended: " + error.what());
    }
  });
}

void Loop::stop() {
  context_->stop();
  if (thread_.joinable()) thread_.join();
}

void name_thread(const std::string& name) {
  ::pthread_setname_np(::pthread_self(), name.substr(0, 15).c_str());
}

}  // namespace leakhunt::daemon
