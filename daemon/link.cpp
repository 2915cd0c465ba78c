// A link's story: connect, converse until it ends, rest, again; and what keeps it closed.
#include "daemon/link.h"

#include <algorithm>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>
#include <chrono>
#include <utility>

#include "daemon/port_catalogue.h"
#include "daemon/port_choice.h"
#include "daemon/serial_port.h"

namespace leakhunt::daemon {
namespace {

namespace asio = boost::asio;
using namespace asio::experimental::awaitable_operators;
using namespace std::chrono_literals;

constexpr Duration kReplugLook = 1s;
constexpr Duration kOwnerLook = 30s;
constexpr std::int64_t kMuchJunk = 64 * 1024;
constexpr std::size_t kDrainBytes = 64 * 1024;
constexpr std::size_t kKernelHolds = std::size_t{16} << 20;  // of one connection, at the most

recorder::LinkKind kind_of(const LinkSpec& spec) {
  if (spec.mode == LinkMode::listen) return recorder::LinkKind::listen;
  return std::holds_alternative<TcpAddress>(spec.address) ? recorder::LinkKind::tcp
                                                          : recorder::LinkKind::serial;
}

std::string shown(const Error& error) {
  return error.hint.empty() ? error.what : error.what + " (" + error.hint + ")";
}

Carrier carrier_of(const LinkSpec& spec) {
  return std::holds_alternative<TcpAddress>(spec.address) ? Carrier::tcp : Carrier::serial;
}

// Another one for each link.
std::uint32_t seed_of(const LinkSurroundings& around, const DeviceDesk& desk, recorder::LinkIndex index) {
  if (!around.seed) return std::random_device{}();
  const auto device = static_cast<std::uint32_t>(desk.recorder().id());
  return *around.seed ^ (device * 256 + index) * 2'654'435'761U;
}

}  // namespace

Link::Link(LinkSurroundings around, LinkSpec spec, recorder::LinkIndex index, DeviceDesk& desk, Claim claim,
           Neighbours neighbours)
    : around_(std::move(around)),
      spec_(std::move(spec)),
      index_(index),
      desk_(desk),
      claim_(std::move(claim)),
      neighbours_(std::move(neighbours)),
      clock_(around_.clock),
      patience_(Patience::under(clock_)),
      random_(seed_of(around_, desk, index)),
      conversation_(spec_.mode, carrier_of(spec_), desk.config().poll, patience_,
                    [this] { return random_(); }),
      wake_(around_.executor, clock_),
      quiet_(around_.executor, clock_),
      cut_(around_.executor, clock_),
      rest_(around_.executor, clock_) {
  suspended_ = around_.suspended();
  status_.address = word(spec_.address);
  status_.serial = is_serial();
  status_.mode = spec_.mode;
  set_state(LinkState::connecting, "");
}

Carrier Link::carrier() const {
  return carrier_of(spec_);
}

asio::awaitable<void> Link::run() {
  for (;;) {
    while (hold_ != Hold::none) {
      rest_.never();
      co_await rest_.wait();
    }
    cut_why_.reset();
    in_session_ = true;
    Ending ending = co_await session();
    in_session_ = false;
    given_up();
    if (hold_ == Hold::none) co_await rest_after(std::move(ending));
  }
}

// Statements stay simple around co_await: GCC 12 destroys temporaries of larger expressions twice.
asio::awaitable<Link::Ending> Link::session() {
  set_state(LinkState::connecting, status_.trouble);
  Ending ending;
  auto first = co_await (connect() || cut_off());
  if (first.index() == 1) {
    ending = std::get<1>(std::move(first));
  } else if (auto& stream = std::get<0>(first); stream) {
    ending = co_await converse(*stream);
  } else {
    ending.why = shown(stream.error());
  }
  co_return ending;
}

asio::awaitable<Result<Stream>> Link::connect() {
  if (const auto* tcp = std::get_if<TcpAddress>(&spec_.address)) {
    const TcpAddress address = *tcp;
    auto stream = co_await connect_tcp(address, clock_, patience_.connect);
    co_return stream;
  }
  const auto path = path_now();
  if (!path) {
    const Error error = path.error();
    co_return error;
  }
  auto stream = co_await connect_serial(*path, spec_.mode);
  co_return stream;
}

// Of a device with several serial links nobody knows to which of them the remembered port belongs.
const recorder::PortRow* Link::remembered() const {
  const auto& links = desk_.config().links;
  const auto serial = std::count_if(links.begin(), links.end(),
                                    [](const LinkSpec& link) { return carrier_of(link) == Carrier::serial; });
  return serial == 1 ? desk_.port() : nullptr;
}

// Where the device's port is at the moment.
Result<std::string> Link::path_now() {
  const std::vector<PortInfo> ports = around_.catalogue.ports();
  const auto port = find_port(spec_.address, ports, remembered());
  if (!port) {
    path_.clear();
    return port.error();
  }
  port_ = *port;
  path_ = port_.path;
  status_.port = path_;
  std::string advice = link_advice(spec_.address, port_, ports);
  if (!advice.empty() && advice != status_.advice)
    desk_.log().say(Priority::warning, desk_.config().name, "link", status_.address + ": " + advice);
  status_.advice = std::move(advice);
  if (around_.only_ptys && !port_stamp(path_).empty() && !is_pty(path_)) {
    return Error{ErrorCode::usage, "virtual time is for simulated devices, and this port is no pty", path_,
                 "start without --time-scale"};
  }
  return path_;
}

asio::awaitable<Link::Ending> Link::converse(Stream& stream) {
  begin(clock_.now());
  auto first = co_await (hear(stream) || speak(stream) || end_lines() || cut_off());
  Ending ending = std::visit([](auto& each) { return std::move(each); }, first);
  if (!ending.refused) drain(stream);
  stream.let_go();
  end(ending, clock_.now());
  co_return ending;
}

// Ends a session from outside.
asio::awaitable<Link::Ending> Link::cut_off() {
  while (!cut_why_) {
    cut_.never();
    co_await cut_.wait();
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    if (cancellation.cancelled() != asio::cancellation_type::none) co_return Ending{};
  }
  co_return *cut_why_;
}

void Link::begin(Moment now) {
  open_ = true;
  framer_ = proto::Framer{};
  text_reader_ = proto::TextReader{2 * patience_.line};
  bytes_came_ = false;
  frame_came_ = false;
  keeps_back_ = around_.several_devices && spec_.mode != LinkMode::listen;
  status_.opened = now.utc;
  desk_.recorder().link_opened(index_, kind_of(spec_), now);
  if (status_.bytes_received > 0) ++status_.reconnects;
  set_state(spec_.mode == LinkMode::listen ? LinkState::listening : LinkState::handshake, "");
  desk_.flush();
}

// What the device had sent before the end is in the kernel's hands still. One that never stops sending must
// not hold up the others.
void Link::drain(Stream& stream) {
  std::vector<std::uint8_t> buffer(kDrainBytes);
  for (std::size_t taken = 0; taken < kKernelHolds;) {
    const std::size_t n = stream.read_now(buffer);
    if (n == 0) return;
    take_bytes({buffer.data(), n}, clock_.now());
    taken += n;
  }
}

void Link::end(const Ending& ending, Moment now) {
  framer_.finish([&](const proto::StreamItem& item) { take_in(item, now); });
  if (!ending.refused && may_be_anothers()) {
    let_go_of_held_back();
  } else {
    record_held_back();
  }
  frames_before_ = status_.frames;
  bad_bytes_before_ = status_.bad_bytes;
  open_ = false;
  if (errand_) errand_->lost(now.mono);
  // The event of a loss tells it already.
  if (status_.state == LinkState::connected) told_ = ending.why;
  if (hold_ == Hold::none) {
    desk_.recorder().link_lost(index_, ending.why, now);
  } else {
    desk_.recorder().link_given_up(index_, now);
  }
  desk_.flush();
}

asio::awaitable<void> Link::rest_after(Ending ending) {
  if (ending.refused) {
    tell_trouble(LinkState::refused, std::move(ending.why));
    co_await wait_for_owner();
  } else if (ending.not_meshtastic && is_serial()) {
    tell_trouble(LinkState::failed, ending.why +
                                        "; left alone until it is replugged, or until leakhuntctl resume " +
                                        desk_.config().name);
    co_await wait_for_replug();
  } else {
    tell_trouble(LinkState::waiting, std::move(ending.why));
    const Duration wait = backoff_.next(std::uniform_real_distribution<double>{}(random_));
    co_await rest(wait);
  }
}

asio::awaitable<void> Link::rest(Duration d) {
  rest_.after(d);
  co_await rest_.wait();
}

// A hold, a person's word or a plug ends each of these waits early.
asio::awaitable<void> Link::wait_for_replug() {
  const std::string before = port_stamp(path_);
  tried_again_ = false;
  bool gone = before.empty();
  while (hold_ == Hold::none && !tried_again_) {
    co_await rest(kReplugLook);
    const std::string now = port_stamp(path_);
    gone = gone || now.empty();
    if (!now.empty() && (gone || now != before)) co_return;
  }
}

asio::awaitable<void> Link::wait_for_owner() {
  const std::string before = port_stamp(path_);
  tried_again_ = false;
  while (hold_ == Hold::none && !tried_again_) {
    co_await rest(kOwnerLook);
    if (is_serial() && port_stamp(path_) != before) co_return;
    if (neighbours_.owner_is_unheard()) co_return;
  }
}

void Link::hold(Hold why, std::function<void()> closed) {
  hold_ = why;
  closed_ = std::move(closed);
  cut_why_ = Ending{why == Hold::paused ? "the recorder is paused" : "handed over to another program"};
  cut_.wake();
  rest_.wake();
  if (!in_session_) given_up();
}

// The stream and its locks are free.
void Link::given_up() {
  if (hold_ != Hold::none) {
    set_state(hold_ == Hold::paused ? LinkState::paused : LinkState::released, "");
    told_.clear();
  }
  if (const auto closed = std::exchange(closed_, nullptr)) closed();
}

void Link::go_on() {
  hold_ = Hold::none;
  tried_again_ = true;
  backoff_.reset();
  rest_.wake();
}

void Link::refuse(std::string why) {
  cut_why_ = Ending{.why = std::move(why), .refused = true};
  cut_.wake();
}

void Link::ports_changed() {
  if (!is_serial() || in_session_ || hold_ != Hold::none) return;
  if (status_.state == LinkState::waiting) backoff_.reset();
  rest_.wake();
}

bool Link::take(std::shared_ptr<Errand> errand) {
  const bool listens = open_ && conversation_.phase() == Conversation::Phase::listening;
  if (errand_ || hold_ != Hold::none || spec_.mode == LinkMode::listen || listens) return false;
  errand_ = std::move(errand);
  if (is_live()) errand_->live(conversation_.own_node(), clock_.now().mono);
  wake_.wake();
  return true;
}

void Link::tend_errand(Mono now) {
  if (!errand_ || open_) return;
  // What it would send goes with it: nobody is there to hear.
  static_cast<void>(errand_->due(now));
  if (errand_->ended()) errand_.reset();
}

void Link::advise(std::string advice) {
  advice_ = std::move(advice);
}

// The same trouble is told once, however often it comes back.
void Link::tell_trouble(LinkState state, std::string trouble) {
  // Its remedy may list ports, which come and go.
  const std::string what = trouble.substr(0, trouble.find(" ("));
  if (what != told_) {
    desk_.log().say(Priority::warning, desk_.config().name, "link", status_.address + ": " + trouble);
    told_ = what;
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
  if (open_ && !held_back_.empty() && !conversation_.node_told() && !snapshot.trouble.empty())
    snapshot.trouble +=
        "; what it says is not recorded until it names its node: it may be another device's board";
  if (open_ && snapshot.trouble.empty() && snapshot.bad_bytes >= kMuchJunk)
    snapshot.trouble =
        std::to_string(snapshot.bad_bytes) +
        " bytes so far were neither frames nor text: a bad cable, a wrong port, another program on it?";
  if (!advice_.empty()) snapshot.advice = advice_;
  snapshot.sends = conversation_.sends();
  if (spec_.mode == LinkMode::listen) return snapshot;
  const auto phase = open_ ? conversation_.phase() : Conversation::Phase::live;
  snapshot.poll = conversation_.poll().words();
  if (phase == Conversation::Phase::listening) snapshot.poll = "off while it listens";
  if (phase == Conversation::Phase::handshake && snapshot.poll != "off")
    snapshot.poll = "not before the handshake is complete";
  return snapshot;
}

void Link::stop(Moment now) {
  if (open_) end({"the recorder stops"}, now);
}

}  // namespace leakhunt::daemon
