// Boards and recorder by turns, until neither moves. Includes Asio, to run the links' loop by hand.
#include "tests/daemon/stepped.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "daemon/event_log.h"
#include "daemon/port_catalogue.h"
#include "sim/server.h"
#include "storage/store.h"
#include "tests/daemon/wires.h"

namespace leakhunt::daemon::testing {
namespace {

// More than any bench needs to come to rest: then something goes round in circles.
constexpr int kMostRounds = 100'000;
constexpr std::size_t kBatchRows = 8'192;

std::optional<Mono> earlier(std::optional<Mono> a, std::optional<Mono> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().line());
  return *std::move(result);
}

void must(const Outcome& outcome) {
  if (!outcome) throw std::runtime_error(outcome.error().line());
}

}  // namespace

BenchFolder::BenchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "leakhunt-bench-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

BenchFolder::~BenchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Board::Board(BoardSpec spec, const std::filesystem::path& ports_folder, Moment now)
    : folder_(ports_folder), pty_name_(std::move(spec.pty)), usb_serial_(std::move(spec.usb_serial)) {
  if (spec.tcp) ports_.push_back((tcp_ = must(sim::open_tcp(0))).get());
  if (!pty_name_.empty()) {
    describe(pty_name_);
    ports_.push_back((pty_ = must(sim::open_pty(folder_ / pty_name_, 1))).get());
  }
  device_ = std::make_unique<sim::Device>(std::move(spec.setup), std::move(spec.scenario), now,
                                          std::vector<sim::Port*>{ports_.begin(), ports_.end()});
}

void Board::describe(const std::string& name) const {
  if (usb_serial_.empty()) return;
  std::ofstream{folder_ / (name + ".toml")} << "usb_vendor = 0x303a\nusb_product = 0x1001\nusb_serial = \""
                                            << usb_serial_ << "\"\n";
}

std::uint16_t Board::tcp_port() const {
  const std::string where = tcp_->greeting();
  return static_cast<std::uint16_t>(std::stoi(where.substr(where.rfind(':') + 1)));
}

std::string Board::tcp_address() const {
  return "tcp:127.0.0.1:" + std::to_string(tcp_port());
}

std::string Board::pty_address() const {
  return "serial:" + (folder_ / pty_name_).string();
}

void Board::replug(const std::string& name) {
  describe(name);
  must(pty_->replug(name));
  if (name != pty_name_) std::filesystem::remove(folder_ / (pty_name_ + ".toml"));
  pty_name_ = name;
}

void Board::command(const std::string& words, Mono now) {
  const Outcome done = sim::carry_out(words, *device_, ports_, now);
  ASSERT_TRUE(done) << done.error().line();
}

bool Board::has_input() const {
  std::vector<pollfd> polled;
  for (const sim::LivePort* port : ports_) port->add_to(polled);
  return ::poll(polled.data(), polled.size(), 0) > 0;
}

bool Board::run(Mono now) {
  const auto due = next(now);
  if (!(due && *due <= now) && !has_input()) return false;
  for (auto deed = device_->next(); deed && *deed <= now; deed = device_->next()) {
    if (before_deeds_) before_deeds_(*deed);
    device_->run_until(*deed);
  }
  for (sim::LivePort* port : ports_) port->serve(now, *device_);
  return true;
}

std::optional<Mono> Board::next(Mono now) const {
  std::optional<Mono> first = device_->next();
  for (const sim::LivePort* port : ports_) first = earlier(first, port->next(now));
  return first;
}

// One life of the recorder.
class SteppedBench::Recording {
 public:
  Recording(SteppedBench& bench, const recorder::RecordState& restored)
      : ids_(restored),
        loop_("links", [](const std::string& what) { throw std::runtime_error(what); }),
        catalogue_(folder_catalogue(bench.ports_folder_)),
        links_(
            loop_, bench.devices_, restored, ids_, bench.queue_, bench.clock_, log_,
            [](const recorder::Alarm&) {}, *catalogue_,
            LinksOptions{recorder::RecordOthers::counts, "stepped-host", true,
                         [&bench] { return bench.clock_.suspended(); }, bench.options_.seed}) {
    links_.start();
  }
  ~Recording() {
    loop_.stop();
    links_.stop();
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  bool run() {
    loop_.context().restart();
    return loop_.context().poll() > 0;
  }
  [[nodiscard]] Links& links() { return links_; }

 private:
  EventLog log_;
  recorder::Ids ids_;
  Loop loop_;
  std::unique_ptr<PortCatalogue> catalogue_;
  Links links_;
};

SteppedBench::SteppedBench() : SteppedBench(Options{}) {}

SteppedBench::SteppedBench(Options options)
    : options_(options),
      ports_folder_(folder_.path() / "ports"),
      queue_(options.queue_bytes, clock_),
      next_write_(kStart.mono) {
  std::filesystem::create_directory(ports_folder_);
}

SteppedBench::~SteppedBench() = default;

Board& SteppedBench::plug(BoardSpec spec) {
  boards_.push_back(std::make_unique<Board>(std::move(spec), ports_folder_, clock_.now()));
  if (boards_.back()->has_tcp()) device_ports_.insert(boards_.back()->tcp_port());
  return *boards_.back();
}

void SteppedBench::record(const std::string& name, const std::vector<std::string>& links,
                          std::optional<Duration> poll) {
  DeviceConfig device;
  device.name = name;
  device.poll = poll;
  for (const std::string& link : links) device.links.push_back(must(parse_link(link, LinkMode::api)));
  devices_.push_back(std::move(device));
}

void SteppedBench::start() {
  storage::Store store = must(storage::open_for_writing(store_path()));
  const recorder::RecordState restored = must(store.load_state());
  writer_.emplace(std::move(store), clock_, storage::WriterOptions{std::chrono::hours{24}});
  recording_ = std::make_unique<Recording>(*this, restored);
  settle();
}

void SteppedBench::stop() {
  recording_.reset();
  store_stalled_ = false;
  write_rows();
  must(writer_->finish());
  writer_.reset();
}

Links* SteppedBench::running_links() {
  return &recording_->links();
}

bool SteppedBench::run_boards() {
  bool moved = false;
  for (auto& board : boards_) moved = board->run(now()) || moved;
  return moved;
}

void SteppedBench::boards_alone() {
  for (int round = 0; run_boards(); ++round)
    if (round == kMostRounds) throw std::runtime_error("the boards do not come to rest");
}

bool SteppedBench::boards_until(const std::function<bool()>& holds) {
  constexpr int kAcknowledged_ms = 500;
  for (int waited_ms = 0; waited_ms < kAcknowledged_ms; ++waited_ms) {
    boards_alone();
    if (holds()) return true;
    ::poll(nullptr, 0, 1);
  }
  return false;
}

void SteppedBench::settle() {
  for (int round = 0; round < kMostRounds; ++round) {
    const bool read = recording_ && !reader_stalled_ && recording_->run();
    const bool moved = run_boards();
    if (read || moved) continue;
    if (recording_ && !reader_stalled_ && wires_busy(device_ports_)) continue;
    if (at_rest_) at_rest_();
    return;
  }
  throw std::runtime_error("the bench does not come to rest");
}

Mono SteppedBench::next_deed(Mono limit) const {
  Mono next = limit;
  const auto consider = [&](std::optional<Mono> when) {
    if (when) next = std::min(next, std::max(*when, now()));
  };
  consider(next_write_);
  if (!reader_stalled_) consider(clock_.next());
  for (const auto& board : boards_) consider(board->next(now()));
  return next;
}

void SteppedBench::advance(Duration d) {
  const Mono end = now() + d;
  while (now() < end) {
    clock_.move_to(next_deed(end));
    settle();
    if (now() >= next_write_) {
      if (!store_stalled_) write_rows();
      next_write_ = now() + options_.write_every;
    }
  }
}

void SteppedBench::write_rows() {
  if (!writer_) return;
  while (queue_.stats().rows > 0) {
    const auto rows = queue_.take(kBatchRows, std::chrono::nanoseconds{0});
    must(writer_->write(rows));
    queue_.done();
  }
}

BenchSnapshot SteppedBench::snapshot() {
  auto snapshot = recording_->links().snapshot();
  recording_->run();
  return snapshot.get();
}

storage::Connection SteppedBench::store() const {
  return storage::Connection{store_path(), storage::Connection::Mode::read_only};
}

}  // namespace leakhunt::daemon::testing
