// A link's story: connect, greet, hear and speak until it ends, wait, again.
#include "daemon/link.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <utility>
#include <variant>
#include <vector>

#include "daemon/port_catalogue.h"
#include "daemon/port_choice.h"
#include "daemon/serial_port.h"
#include "proto/records.h"
#include "proto/redact.h"

namespace leakhunt::daemon {
namespace {

namespace asio = boost::asio;
using namespace asio::experimental::awaitable_operators;
using namespace std::chrono_literals;

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);
// After so long without a byte a line without end is taken as it is.
constexpr auto kLinePause = 500ms;
constexpr auto kConnectLimit = 10s;
constexpr std::size_t kReadBytes = 16 * 1024;

recorder::LinkKind kind_of(const LinkSpec& spec) {
  if (spec.mode == LinkMode::listen) return recorder::LinkKind::listen;
  return std::holds_alternative<TcpAddress>(spec.address) ? recorder::LinkKind::tcp
                                                          : recorder::LinkKind::serial;
}

}  // namespace

Link::Link(asio::any_io_executor executor, LinkSpec spec, recorder::LinkIndex index, DeviceDesk& desk,
           const Clock& clock, bool only_ptys)
    : executor_(executor),
      spec_(std::move(spec)),
      index_(index),
      desk_(desk),
      clock_(clock),
      only_ptys_(only_ptys),
      patience_(Patience::under(clock)),
      conversation_(spec_.mode, carrier(), desk.config().poll, patience_, [this] { return random_(); }),
      wake_(executor),
      quiet_(executor) {
  status_.address = word(spec_.address);
  status_.serial = is_serial();
  status_.mode = spec_.mode;
  set_state(LinkState::connecting, "");
}

Carrier Link::carrier() const {
  return std::holds_alternative<TcpAddress>(spec_.address) ? Carrier::tcp : Carrier::serial;
}

asio::awaitable<void> Link::run() {
  for (;;) {
    // Statements stay simple around co_await: GCC 12 destroys temporaries of larger expressions twice.
    Ending ending;
    {
      auto stream = co_await connect();
      if (stream) {
        ending = co_await converse(*stream);
      } else {
        const Error& error = stream.error();
        ending.why = error.hint.empty() ? error.what : error.what + " (" + error.hint + ")";
      }
    }
    if (ending.not_meshtastic && is_serial()) {
      tell_trouble(LinkState::failed, ending.why + "; left alone until it is replugged");
      co_await wait_for_replug();
    } else {
      tell_trouble(LinkState::waiting, ending.why);
      const Duration wait = backoff_.next(std::uniform_real_distribution<double>{}(random_));
      co_await pause_for(clock_, wait);
    }
  }
}

asio::awaitable<Result<Stream>> Link::connect() {
  set_state(LinkState::connecting, status_.trouble);
  if (const auto* tcp = std::get_if<TcpAddress>(&spec_.address)) {
    co_return co_await connect_tcp(*tcp, kConnectLimit);
  }
  path_.clear();
  if (const auto* serial = std::get_if<SerialAddress>(&spec_.address)) {
    path_ = serial->path;
  } else {
    auto chosen = choose_port(list_ports());
    if (!chosen) co_return chosen.error();
    path_ = *std::move(chosen);
    status_.address = "serial:" + path_;
  }
  if (only_ptys_ && !port_stamp(path_).empty() && !is_pty(path_)) {
    co_return Error{ErrorCode::usage, "virtual time is for simulated devices, and this port is no pty", path_,
                    "start without --time-scale"};
  }
  co_return co_await connect_serial(path_, spec_.mode);
}

asio::awaitable<void> Link::wait_for_replug() {
  const std::string before = port_stamp(path_);
  for (;;) {
    co_await pause_for(clock_, 1s);
    const std::string now = port_stamp(path_);
    if (!now.empty() && now != before) co_return;
    if (now.empty()) break;
  }
  while (port_stamp(path_).empty()) co_await pause_for(clock_, 1s);
}

asio::awaitable<Link::Ending> Link::converse(Stream& stream) {
  begin(clock_.now());
  auto first = co_await (hear(stream) || speak(stream) || end_lines());
  Ending ending = std::visit([](auto& each) { return std::move(each); }, first);
  end(ending, clock_.now());
  co_return ending;
}

void Link::begin(Moment now) {
  open_ = true;
  framer_ = proto::Framer{};
  text_reader_ = proto::TextReader{};
  bytes_came_ = false;
  frame_came_ = false;
  desk_.recorder().link_opened(index_, kind_of(spec_), now);
  if (status_.bytes_received > 0) ++status_.reconnects;
  set_state(spec_.mode == LinkMode::listen ? LinkState::listening : LinkState::handshake, "");
  desk_.flush();
}

void Link::end(const Ending& ending, Moment now) {
  framer_.finish([&](const proto::StreamItem& item) { take_in(item, now); });
  frames_before_ = status_.frames;
  bad_bytes_before_ = status_.bad_bytes;
  open_ = false;
  // The event of a loss tells it already.
  if (status_.state == LinkState::connected) told_ = ending.why;
  desk_.recorder().link_lost(index_, ending.why, now);
  desk_.flush();
}

asio::awaitable<Link::Ending> Link::hear(Stream& stream) {
  std::vector<std::uint8_t> buffer(kReadBytes);
  for (;;) {
    const auto n = co_await stream.read(buffer);
    const Moment now = clock_.now();
    if (!n) co_return Ending{n.error().what};
    status_.bytes_received += static_cast<std::int64_t>(*n);
    status_.last_received = now.utc;
    const auto before = conversation_.next();
    framer_.feed({buffer.data(), *n}, [&](const proto::StreamItem& item) { take_in(item, now); });
    desk_.flush();
    reflect();
    if (conversation_.next() != before) wake_.cancel();
    if (!bytes_came_) quiet_.cancel();
    bytes_came_ = true;
  }
}

void Link::take_in(const proto::StreamItem& item, Moment now) {
  if (const auto* text = std::get_if<proto::TextLine>(&item)) {
    // A device on TCP sends frames alone: text before the first of them is some other host's.
    if (!is_serial() && !frame_came_) return;
    if (!desk_.admits_text(text->text.size(), now)) return;
    proto::LogLine line = text_reader_.read(text->text, text->complete && !text->cut);
    status_.log_seen = true;
    conversation_.heard(line, now.mono);
    desk_.recorder().line(index_, std::move(line), now);
    return;
  }
  for (proto::Record& record : proto::decode_from_radio(std::get<proto::Frame>(item).payload)) {
    frame_came_ = frame_came_ || !std::holds_alternative<proto::Malformed>(record);
    if (const auto* log = std::get_if<proto::LogRecord>(&record)) {
      status_.log_seen = true;
      if (!desk_.admits_text(log->line.text.size(), now)) continue;
    }
    conversation_.heard(record, now.mono);
    desk_.recorder().record(index_, std::move(record), now);
  }
}

void Link::reflect() {
  const proto::FramerCounters& counters = framer_.counters();
  status_.frames = frames_before_ + static_cast<std::int64_t>(counters.frames);
  status_.bad_bytes = bad_bytes_before_ + static_cast<std::int64_t>(counters.discarded_bytes);
  if (conversation_.phase() == Conversation::Phase::live) {
    known_ = true;
    if (status_.state == LinkState::connected) return;
    backoff_.reset();
    told_.clear();
    set_state(LinkState::connected, "");
  } else if (spec_.mode == LinkMode::api && status_.state == LinkState::connected) {
    set_state(LinkState::handshake, "");
  }
}

asio::awaitable<Link::Ending> Link::speak(Stream& stream) {
  for (auto& action : conversation_.opened(clock_.now().mono, known_)) {
    if (auto ending = co_await perform(stream, std::move(action))) co_return *ending;
  }
  for (;;) {
    const auto next = conversation_.next();
    if (next) {
      wake_.expires_after(clock_.real(*next - clock_.now().mono));
    } else {
      wake_.expires_at(Timer::time_point::max());
    }
    co_await wake_.async_wait(kTuple);
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    if (cancellation.cancelled() != asio::cancellation_type::none) co_return Ending{};
    const Moment now = clock_.now();
    for (auto& action : conversation_.due(now.mono)) {
      if (auto ending = co_await perform(stream, std::move(action))) co_return *ending;
    }
    reflect();
  }
}

asio::awaitable<std::optional<Link::Ending>> Link::perform(Stream& stream, Conversation::Action action) {
  if (auto* close = std::get_if<Conversation::Close>(&action)) {
    const bool spoke = status_.frames > 0;
    co_return Ending{close->not_meshtastic && !spoke && status_.bytes_received > 0
                         ? close->why + "; what came was no Meshtastic frame: is it another device?"
                         : close->why,
                     close->not_meshtastic};
  }
  // The recorder must know of a request before its answer can come.
  const Moment now = clock_.now();
  if (std::holds_alternative<Conversation::Greet>(action)) desk_.recorder().handshake_began(index_, now);
  if (const auto* ask = std::get_if<Conversation::Ask>(&action)) desk_.recorder().asked(index_, ask->id, now);
  desk_.flush();
  const proto::Bytes bytes = Conversation::bytes_of(action);
  Timer limit{executor_, clock_.real(patience_.silence)};
  auto done = co_await (stream.write(bytes) || limit.async_wait(asio::use_awaitable));
  if (done.index() == 1) co_return Ending{"the device takes nothing any more"};
  if (const auto& outcome = std::get<0>(done); !outcome) co_return Ending{outcome.error().what};
  co_return std::nullopt;
}

// A frame under way is kept at the first call of flush_pause and given up at the second: hence two of them.
asio::awaitable<Link::Ending> Link::end_lines() {
  int pauses = 0;
  for (;;) {
    if (pauses < 2) {
      quiet_.expires_after(kLinePause);
    } else {
      quiet_.expires_at(Timer::time_point::max());
    }
    co_await quiet_.async_wait(kTuple);
    if (bytes_came_) {
      bytes_came_ = false;
      pauses = 0;
      continue;
    }
    const Moment now = clock_.now();
    framer_.flush_pause([&](const proto::StreamItem& item) { take_in(item, now); });
    ++pauses;
    desk_.flush();
  }
}

// The same trouble is told once, however often it comes back.
void Link::tell_trouble(LinkState state, std::string trouble) {
  if (trouble != told_) {
    desk_.log().say(Priority::warning, desk_.config().name, "link", status_.address + ": " + trouble);
    told_ = trouble;
  }
  set_state(state, std::move(trouble));
}

void Link::set_state(LinkState state, std::string trouble) {
  if (status_.state != state || status_.since.us == 0) status_.since = clock_.now().utc;
  status_.state = state;
  status_.trouble = std::move(trouble);
}

LinkSnapshot Link::snapshot() const {
  LinkSnapshot snapshot = status_;
  if (open_) snapshot.trouble = conversation_.trouble();
  snapshot.sends = conversation_.sends();
  if (spec_.mode == LinkMode::api) snapshot.poll = conversation_.poll().words();
  return snapshot;
}

void Link::stop(Moment now) {
  if (open_) end({"the recorder stops"}, now);
}

}  // namespace leakhunt::daemon
