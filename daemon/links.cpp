// The links' thread: the bench with all its links, and one coroutine that looks at the clock.
#include "daemon/links.h"

#include <time.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <utility>
#include <variant>

#include "daemon/bench.h"

namespace leakhunt::daemon {
namespace {

namespace asio = boost::asio;

// How long the host has been suspended in all.
Duration host_suspended() {
  timespec with{};
  timespec without{};
  ::clock_gettime(CLOCK_BOOTTIME, &with);
  ::clock_gettime(CLOCK_MONOTONIC, &without);
  return Duration{(with.tv_sec - without.tv_sec) * 1'000'000 + (with.tv_nsec - without.tv_nsec) / 1'000};
}

void rethrow(const std::exception_ptr& error) {
  if (error) std::rethrow_exception(error);
}

}  // namespace

class Links::Impl {
 public:
  Impl(Loop& loop, const std::vector<DeviceConfig>& devices, recorder::RecordState restored,
       storage::RowQueue& queue, const Clock& clock, const EventLog& log, PortCatalogue& catalogue,
       LinksOptions options)
      : loop_(loop),
        clock_(clock),
        log_(log),
        catalogue_(catalogue),
        restored_(std::move(restored)),
        suspended_(options.suspended ? std::move(options.suspended) : host_suspended),
        bench_(devices, restored_,
               LinkSurroundings{loop.context().get_executor(), clock, catalogue, options.only_ptys, false,
                                suspended_, options.seed},
               queue, log) {}

  void start() {
    bench_.spawn(restored_);
    const Outcome watched = catalogue_.watch(loop_, [this] { bench_.ports_changed(); });
    if (!watched) log_.say(Priority::warning, "", "ports", watched.error().line());
    asio::co_spawn(loop_.context(), watch_clock(), rethrow);
  }

  [[nodiscard]] Bench& bench() { return bench_; }
  [[nodiscard]] const recorder::RecordState& restored() const { return restored_; }

 private:
  // Each second; in virtual time often enough that no minute passes between two looks.
  asio::awaitable<void> watch_clock() {
    constexpr Duration kLook{1'000'000};
    constexpr Duration kVirtualLook{20'000'000};
    constexpr Duration kSlept{2'000'000};
    const bool is_virtual = clock_.real(kLook) < kLook;
    Duration suspended_before = suspended_();
    for (;;) {
      co_await pause_for(clock_, is_virtual ? kVirtualLook : kLook);
      const Duration suspended_now = suspended_();
      const bool slept = suspended_now - suspended_before > kSlept;
      suspended_before = suspended_now;
      bench_.tick(slept);
    }
  }

  Loop& loop_;
  const Clock& clock_;
  const EventLog& log_;
  PortCatalogue& catalogue_;
  recorder::RecordState restored_;
  std::function<Duration()> suspended_;
  Bench bench_;
};

Links::Links(Loop& loop, const std::vector<DeviceConfig>& devices, const recorder::RecordState& restored,
             recorder::Ids& ids, storage::RowQueue& queue, const Clock& clock, const EventLog& log,
             AlarmTap alarm_tap, PortCatalogue& catalogue, LinksOptions options)
    : loop_(loop) {
  recorder::RecorderOptions recording;
  recording.record_others = options.record_others;
  const std::string host_boot = options.host_boot;
  impl_ = std::make_unique<Impl>(loop, devices, restored, queue, clock, log, catalogue, std::move(options));
  for (const DeviceConfig& config : devices) {
    const recorder::DeviceState* state = state_of(impl_->restored(), config.name);
    impl_->bench().add(config, recorder::DeviceRecorder{config.name, recording, ids, host_boot, state}, state,
                       alarm_tap);
  }
}

Links::~Links() = default;

void Links::start() {
  impl_->start();
}

void Links::stop() {
  impl_->bench().stop();
}

std::future<BenchSnapshot> Links::snapshot() {
  auto promise = std::make_shared<std::promise<BenchSnapshot>>();
  auto future = promise->get_future();
  loop_.post([this, promise] { promise->set_value(impl_->bench().snapshot()); });
  return future;
}

void Links::carry_out(v1::Question question, OnAnswer on_answer) {
  loop_.post([this, question = std::move(question), on_answer = std::move(on_answer)] {
    impl_->bench().carry_out(question, on_answer);
  });
}

void Links::changed(const std::vector<recorder::Row>& rows) {
  for (const recorder::Row& row : rows) {
    std::visit(
        [this](const auto& change) {
          if constexpr (requires(Bench & bench) { bench.changed(change); })
            loop_.post([this, change] { impl_->bench().changed(change); });
        },
        row);
  }
}

std::vector<recorder::DeviceRow> Links::devices() const {
  return impl_->bench().devices();
}

bool Links::takes(const v1::Question& question) {
  return question.has_release() || question.has_resume() || question.has_pause() || question.has_debug_log();
}

}  // namespace leakhunt::daemon
