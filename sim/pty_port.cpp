// A serial line: a pseudo-terminal behind a link, with a UART in front. Knows nothing of what the bytes mean.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "sim/ports.h"
#include "sim/terminal.h"
#include "sim/uart.h"

namespace leakhunt::sim {
namespace {

constexpr std::size_t kTtyBuffer = 4'096;

Outcome put_link(const std::string& link, const std::string& target) {
  struct stat there {};
  if (::lstat(link.c_str(), &there) == 0) {
    if (!S_ISLNK(there.st_mode))
      return Error{ErrorCode::usage, "something else is there already", link, "give another path to --pty"};
    ::unlink(link.c_str());
  }
  if (::symlink(target.c_str(), link.c_str()) == 0) return Done{};
  return Error{ErrorCode::failed, "cannot make the link: " + std::generic_category().message(errno), link,
               ""};
}

class SerialPort final : public LivePort {
 public:
  SerialPort(Terminal terminal, std::string link, double speed)
      : terminal_(std::move(terminal)),
        link_(std::move(link)),
        buffer_(static_cast<std::size_t>(static_cast<double>(kTtyBuffer) * std::max(1.0, speed))) {}
  ~SerialPort() override { unplug(); }

  PortKind kind() const override { return PortKind::serial; }
  std::string greeting() const override { return "pty " + link_; }

  void add_to(std::vector<pollfd>& polled) const override {
    if (!terminal_) return;
    polled.push_back({terminal_->watch(), POLLIN, 0});
    // Without a reader the master is always ready with POLLHUP.
    if (!has_reader_ || frozen()) return;
    const int wanted = pending_.empty() ? POLLIN : POLLIN | POLLOUT;
    polled.push_back({terminal_->master(), static_cast<short>(wanted), 0});
  }

  bool opened() const override { return terminal_ && terminal_->has_reader(); }
  void write(std::string_view bytes, Mono at) override { uart_.write(bytes, at); }
  std::size_t waiting_bytes(Mono at) override { return uart_.waiting(at); }
  void drop_unsent() override { uart_.drop_unsent(); }
  void hang_up() override {}
  // A dying board's last words still leave.
  void restart(Mono) override {}

  void serve(Mono now, Device& device) override {
    if (terminal_) look_for_reader(now, device);
    if (!has_reader_ || frozen()) {
      traffic_.unheard_bytes += uart_.leave(now, std::string::npos).size() + pending_.size();
      pending_.clear();
      return;
    }
    if (const std::size_t left = uart_.left(now); left > 0) pending_ += uart_.leave(now, room_for(left));
    flush();
    for (std::string bytes = terminal_->read(); !bytes.empty(); bytes = terminal_->read())
      device.heard(*this, bytes, now);
  }

  std::optional<Mono> next(Mono now) const override { return uart_.next(now); }

  Traffic traffic() const override {
    Traffic all = traffic_;
    all.waiting_bytes = uart_.unfetched_bytes() + pending_.size();
    all.dropped_bytes = uart_.dropped_bytes();
    return all;
  }

  bool all_taken() override {
    return has_reader_ && terminal_->has_reader() && terminal_->unread_bytes() == std::size_t{0};
  }

  void unplug() override {
    if (!terminal_) return;
    ::unlink(link_.c_str());
    terminal_.reset();
    has_reader_ = false;
  }

  Outcome plug() override {
    if (terminal_) return Done{};
    Result<Terminal> fresh = Terminal::make();
    if (!fresh) return fresh.error();
    if (Outcome linked = put_link(link_, fresh->path()); !linked) return linked;
    terminal_ = std::move(*fresh);
    return Done{};
  }

  Outcome replug(const std::string& name) override {
    if (name.empty()) return Error{ErrorCode::usage, "no name", "replug", "replug NAME"};
    unplug();
    link_ = std::filesystem::path{link_}.parent_path() / name;
    return plug();
  }

  Outcome vanish() override {
    return Error{ErrorCode::usage, "a serial line has no connections", link_, "vanish is for --tcp"};
  }
  Outcome reset() override {
    return Error{ErrorCode::usage, "a serial line has no connections", link_, "reset is for --tcp"};
  }

 private:
  void look_for_reader(Mono now, Device& device) {
    const Terminal::Changes changes = terminal_->changes();
    const bool was_there =
        std::exchange(has_reader_, terminal_->has_reader() && (has_reader_ || changes.opens > 0));
    traffic_.opens += changes.opens;
    if (!was_there && has_reader_) {
      // A real port forgets what nobody has read when it is closed.
      terminal_->forget_unread();
      unread_ = 0;
    }
    if (changes.opens > 0 && (!was_there || changes.closed)) device.opened(*this, now);
  }

  // The room in the reader's buffer for `more` bytes. What lies unread in the kernel is asked for only when
  // it matters.
  std::size_t room_for(std::size_t more) {
    // A reader that shuts us out has the kernel's own limit, about 16 KB, for a buffer.
    if (unread_ + pending_.size() + more > buffer_) unread_ = terminal_->unread_bytes().value_or(0);
    const std::size_t taken = unread_ + pending_.size();
    return taken >= buffer_ ? 0 : buffer_ - taken;
  }

  void flush() {
    while (!pending_.empty()) {
      const std::size_t sent = terminal_->write(pending_);
      if (sent == 0) return;
      unread_ += sent;
      traffic_.sent_bytes += sent;
      pending_.erase(0, sent);
    }
  }

  std::optional<Terminal> terminal_;
  std::string link_;
  Uart uart_;
  std::size_t buffer_;
  std::string pending_;     // has left the device, does not fit into the kernel yet
  std::size_t unread_ = 0;  // at most this many bytes lie unread in the kernel
  bool has_reader_ = false;
  Traffic traffic_;
};

}  // namespace

Result<std::unique_ptr<LivePort>> open_pty(const std::string& link, double speed) {
  Result<Terminal> terminal = Terminal::make();
  if (!terminal) return terminal.error();
  if (Outcome linked = put_link(link, terminal->path()); !linked) return linked.error();
  return std::unique_ptr<LivePort>{std::make_unique<SerialPort>(std::move(*terminal), link, speed)};
}

}  // namespace leakhunt::sim
