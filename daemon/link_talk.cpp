// What a link hears and says while its stream is open.
#include <string.h>

#include <algorithm>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "daemon/link.h"
#include "proto/records.h"
#include "proto/redact.h"

namespace leakhunt::daemon {
namespace {

namespace asio = boost::asio;
using namespace asio::experimental::awaitable_operators;

constexpr std::size_t kReadBytes = 16 * 1024;
constexpr int kMostHeldBack = 2'000;
constexpr std::size_t kTellingSerial = 6;  // "0001" is what bridges leave the factory with

}  // namespace

asio::awaitable<Link::Ending> Link::hear(Stream& stream) {
  std::vector<std::uint8_t> buffer(kReadBytes);
  for (;;) {
    const auto n = co_await stream.read(buffer);
    if (!n) {
      Ending ending;
      ending.why = n.error().what;
      co_return ending;
    }
    const auto before = next_deed();
    const bool keys_come = errand_ || conversation_.phase() == Conversation::Phase::handshake;
    take_bytes({buffer.data(), *n}, clock_.now());
    if (keys_come) {
      // A handshake tells the whole configuration, an answer to an errand the security section.
      ::explicit_bzero(buffer.data(), *n);
      framer_.wipe();
    }
    if (errand_ && errand_->ended()) errand_.reset();
    if (next_deed() != before) wake_.wake();
    if (!bytes_came_) quiet_.wake();
    bytes_came_ = true;
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    if (cancellation.cancelled() != asio::cancellation_type::none) co_return Ending{};
  }
}

// What is read right after the host has slept may have waited, and is read before any timer tells of the
// sleep.
void Link::mind_sleep(Moment now) {
  constexpr Duration kSlept{2'000'000};
  const Duration before = std::exchange(suspended_, around_.suspended());
  if (suspended_ - before > kSlept) desk_.recorder().host_slept(now);
}

void Link::take_bytes(std::span<const std::uint8_t> bytes, Moment now) {
  mind_sleep(now);
  status_.bytes_received += static_cast<std::int64_t>(bytes.size());
  status_.last_received = now.utc;
  framer_.feed(bytes, [&](const proto::StreamItem& item) { take_in(item, now); });
  desk_.flush();
  reflect();
}

void Link::take_in(const proto::StreamItem& item, Moment now) {
  // The rest of a board's words that is not to be recorded here.
  if (cut_why_ && cut_why_->refused) return;
  const auto* text = std::get_if<proto::TextLine>(&item);
  if (text == nullptr) return take_frame(std::get<proto::Frame>(item), now);
  // A device on TCP sends frames alone: text before the first of them is some other host's.
  if (!is_serial() && !frame_came_) return;
  if (!desk_.admits_text(text->text.size(), now)) return;
  // Without the time that the host slept: what it left unread meanwhile may go on with a text.
  proto::LogLine line = text_reader_.read(text->text, text->complete && !text->cut, now.mono - suspended_);
  status_.log_seen = status_.log_seen || is_serial();
  conversation_.heard(line, now.mono);
  admit({std::move(line), now});
}

void Link::take_frame(const proto::Frame& frame, Moment now) {
  if (errand_) errand_->heard(frame.payload, now.mono);
  for (proto::Record& record : proto::decode_from_radio(frame.payload)) {
    frame_came_ = frame_came_ || !std::holds_alternative<proto::Malformed>(record);
    if (own_node_refused(record)) return;
    if (const auto* log = std::get_if<proto::LogRecord>(&record)) {
      status_.log_seen = true;
      if (!desk_.admits_text(log->line.text.size(), now)) continue;
    }
    conversation_.heard(record, now.mono);
    admit({std::move(record), now});
  }
}

bool Link::own_node_refused(const proto::Record& record) {
  const auto* info = std::get_if<proto::MyInfo>(&record);
  if (info == nullptr) return false;
  auto why = claim_(info->node);
  if (!why) return false;
  held_back_.clear();
  refuse(*std::move(why));
  return true;
}

// With several boards on a bench, nothing is recorded before it is known which of them speaks: ports swap.
void Link::admit(Heard heard) {
  const Moment now = heard.when;
  const bool told = conversation_.node_told();
  if (keeps_back_ && !told && may_keep_back(now)) {
    held_back_.push_back(std::move(heard));
    if (held_back_.size() > kMostHeldBack) {
      held_back_.erase(held_back_.begin(), held_back_.begin() + kMostHeldBack / 2);
      desk_.recorder().count("unowned", kMostHeldBack / 2);
    }
    return;
  }
  record_held_back();
  record(std::move(heard.what), now);
}

bool Link::may_keep_back(Moment now) const {
  if (conversation_.phase() != Conversation::Phase::handshake) return false;
  if (held_back_.empty() || may_be_anothers()) return true;
  return now.mono - held_back_.front().when.mono < patience_.first_frame;
}

// A board that never names its node may be the one that another device misses. On the port it was always on
// it is not.
bool Link::may_be_anothers() const {
  if (!keeps_back_ || conversation_.node_told() || spec_.mode == LinkMode::listen) return false;
  return !on_its_own_port() && neighbours_.somebody_is_unheard();
}

bool Link::on_its_own_port() const {
  const recorder::PortRow* before = remembered();
  return before != nullptr && port_.usb_vendor != 0 && before->usb_serial.size() >= kTellingSerial &&
         before->usb_vendor == port_.usb_vendor && before->usb_product == port_.usb_product &&
         before->usb_serial == port_.usb_serial;
}

void Link::let_go_of_held_back() {
  desk_.recorder().count("unowned", static_cast<std::int64_t>(held_back_.size()));
  held_back_.clear();
}

// At the time they are recorded: the recorder's clock never runs backwards.
void Link::record_held_back() {
  if (held_back_.empty()) return;
  const Moment now = clock_.now();
  for (Heard& heard : std::exchange(held_back_, {})) record(std::move(heard.what), now);
}

void Link::record(std::variant<proto::LogLine, proto::Record> what, Moment now) {
  if (auto* line = std::get_if<proto::LogLine>(&what)) {
    desk_.recorder().line(index_, std::move(*line), now);
  } else {
    desk_.recorder().record(index_, std::get<proto::Record>(std::move(what)), now);
  }
}

void Link::reflect() {
  const proto::FramerCounters& counters = framer_.counters();
  status_.frames = frames_before_ + static_cast<std::int64_t>(counters.frames);
  status_.bad_bytes = bad_bytes_before_ + static_cast<std::int64_t>(counters.discarded_bytes);
  const bool live = conversation_.phase() == Conversation::Phase::live;
  const bool listening = conversation_.phase() == Conversation::Phase::listening;
  if (live || (listening && status_.log_seen)) {
    known_ = known_ || live;
    if (is_serial()) desk_.seen_on(port_, clock_.now().utc);
  }
  if (live && status_.state != LinkState::connected) {
    backoff_.reset();
    told_.clear();
    set_state(LinkState::connected, "");
    if (errand_) errand_->live(conversation_.own_node(), clock_.now().mono);
  } else if (!live && spec_.mode != LinkMode::listen) {
    if (errand_ && status_.state == LinkState::connected) errand_->lost(clock_.now().mono);
    const LinkState state = listening ? LinkState::listening : LinkState::handshake;
    if (open_ && status_.state != state) set_state(state, "");
  }
}

// When speak() has something to do next, unless something is heard before.
std::optional<Mono> Link::next_deed() const {
  auto next = conversation_.next();
  if (errand_) {
    const auto errand = errand_->next();
    if (errand && (!next || *errand < *next)) next = errand;
  }
  return next;
}

asio::awaitable<Link::Ending> Link::speak(Stream& stream) {
  std::vector<Conversation::Action> actions = conversation_.opened(clock_.now().mono, known_);
  auto ending = co_await perform_all(stream, std::move(actions));
  while (!ending) {
    reflect();
    conversation_.leave_asking(neighbours_.another_link_asks());
    const auto next = next_deed();
    if (next) {
      wake_.after(*next - clock_.now().mono);
    } else {
      wake_.never();
    }
    co_await wake_.wait();
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    if (cancellation.cancelled() != asio::cancellation_type::none) co_return Ending{};
    const Moment now = clock_.now();
    actions = conversation_.due(now.mono);
    ending = co_await perform_all(stream, std::move(actions));
    if (!ending) ending = co_await run_errand(stream);
    if (!may_keep_back(now)) record_held_back();
    desk_.flush();
  }
  co_return *std::move(ending);
}

asio::awaitable<std::optional<Link::Ending>> Link::perform_all(Stream& stream,
                                                               std::vector<Conversation::Action> actions) {
  std::optional<Ending> ending;
  for (auto& action : actions) {
    ending = co_await perform(stream, std::move(action));
    if (ending) break;
  }
  co_return ending;
}

asio::awaitable<std::optional<Link::Ending>> Link::run_errand(Stream& stream) {
  if (!errand_) co_return std::nullopt;
  const std::shared_ptr<Errand> errand = errand_;
  std::vector<proto::SecretBytes> frames = errand->due(clock_.now().mono);
  for (const proto::SecretBytes& frame : frames) {
    auto ending = co_await send(stream, frame.view());
    if (ending) co_return ending;
  }
  if (errand->ended()) errand_.reset();
  co_return std::nullopt;
}

asio::awaitable<std::optional<Link::Ending>> Link::perform(Stream& stream, Conversation::Action action) {
  if (auto* close = std::get_if<Conversation::Close>(&action)) {
    Ending ending{close->why, close->not_meshtastic};
    const bool spoke = status_.frames > 0;
    if (close->not_meshtastic && !spoke && status_.bytes_received > 0)
      ending.why += "; what came was no Meshtastic frame: is it another device?";
    co_return ending;
  }
  // The recorder must know of a request before its answer can come.
  const Moment now = clock_.now();
  if (std::holds_alternative<Conversation::Greet>(action)) desk_.recorder().handshake_began(index_, now);
  if (const auto* ask = std::get_if<Conversation::Ask>(&action)) desk_.recorder().asked(index_, ask->id, now);
  desk_.flush();
  const proto::Bytes bytes = Conversation::bytes_of(action);
  auto ending = co_await send(stream, bytes);
  co_return ending;
}

// When the session was ended from elsewhere meanwhile, the next co_await of whoever sends would throw: it is
// told as an ending instead.
asio::awaitable<std::optional<Link::Ending>> Link::send(Stream& stream, std::span<const std::uint8_t> bytes) {
  std::optional<Ending> ending;
  auto done = co_await (stream.write(bytes) || pause_for(clock_, patience_.silence));
  const auto cancellation = co_await asio::this_coro::cancellation_state;
  if (cancellation.cancelled() != asio::cancellation_type::none) {
    ending.emplace();
  } else if (done.index() == 1) {
    ending.emplace().why = "the device takes nothing any more";
  } else if (const auto& outcome = std::get<0>(done); !outcome) {
    ending.emplace().why = outcome.error().what;
  }
  co_return ending;
}

// A frame under way is kept at the first call of flush_pause and given up at the second: hence two of them.
asio::awaitable<Link::Ending> Link::end_lines() {
  int pauses = 0;
  for (;;) {
    if (pauses < 2) {
      quiet_.after(patience_.line);
    } else {
      quiet_.never();
    }
    co_await quiet_.wait();
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    if (cancellation.cancelled() != asio::cancellation_type::none) co_return Ending{};
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

}  // namespace leakhunt::daemon
