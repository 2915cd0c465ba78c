// A folder of links that stands for a machine's ports in tests.
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "daemon/port_catalogue.h"
#include "proto/printable.h"

namespace leakhunt::daemon {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;

void describe(PortInfo& port) {
  const toml::parse_result parsed = toml::parse_file(port.path + ".toml");
  if (!parsed) return;
  const toml::table& table = parsed.table();
  const auto text = [&](std::string_view key) {
    return proto::printable(table[key].value_or(std::string_view{}));
  };
  port.usb_vendor = table["usb_vendor"].value_or(0);
  port.usb_product = table["usb_product"].value_or(0);
  port.usb_serial = text("usb_serial");
  port.usb_position = text("usb_position");
  port.description = text("description");
  port.by_id = text("by_id");
  port.modem_manager_ignores = table["modem_manager_ignores"].value_or(false);
}

// Lives in the handlers that wait on the loop, and goes with them.
class Watch : public std::enable_shared_from_this<Watch> {
 public:
  Watch(asio::io_context& context, int inotify, std::function<void()> changed)
      : changes_(context, inotify), changed_(std::move(changed)) {}

  void wait() {
    changes_.async_read_some(asio::buffer(buffer_), [self = shared_from_this()](
                                                        const boost::system::error_code& error, std::size_t) {
      if (error) return;
      self->wait();
      self->changed_();
    });
  }

 private:
  asio::posix::stream_descriptor changes_;
  std::function<void()> changed_;
  std::array<char, 4096> buffer_{};
};

class FolderCatalogue : public PortCatalogue {
 public:
  explicit FolderCatalogue(fs::path folder) : folder_(std::move(folder)) {}

  [[nodiscard]] std::vector<PortInfo> ports() const override {
    std::vector<PortInfo> ports;
    std::error_code error;
    for (fs::directory_iterator link{folder_, error}, end; !error && link != end; link.increment(error)) {
      std::error_code gone;
      if (!link->is_symlink(gone) || !fs::exists(link->path(), gone)) continue;
      PortInfo port;
      port.path = link->path();
      describe(port);
      ports.push_back(std::move(port));
    }
    sort_ports(ports);
    return ports;
  }

  [[nodiscard]] Outcome watch(Loop& loop, std::function<void()> changed) override {
    const int fd = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (fd < 0) return failed();
    const auto watch = std::make_shared<Watch>(loop.context(), fd, std::move(changed));
    if (::inotify_add_watch(fd, folder_.c_str(), IN_CREATE | IN_DELETE | IN_MOVE | IN_ONLYDIR) < 0)
      return failed();
    watch->wait();
    return Done{};
  }

 private:
  [[nodiscard]] Error failed() const {
    return {ErrorCode::failed, std::string{"the folder of ports cannot be watched: "} + std::strerror(errno),
            folder_.string(), "name a folder with --ports"};
  }

  fs::path folder_;
};

}  // namespace

std::unique_ptr<PortCatalogue> folder_catalogue(fs::path folder) {
  return std::make_unique<FolderCatalogue>(std::move(folder));
}

}  // namespace leakhunt::daemon
