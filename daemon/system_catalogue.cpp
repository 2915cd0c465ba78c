// sd-device and libserialport's details. sp_list_ports is never called: it opens 8250 ports.
#include <libserialport.h>
#include <systemd/sd-device.h>
#include <systemd/sd-event.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "daemon/port_catalogue.h"
#include "proto/printable.h"

namespace leakhunt::daemon {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;

struct Unref {
  void operator()(sd_device_enumerator* enumerator) const { ::sd_device_enumerator_unref(enumerator); }
  void operator()(sd_device_monitor* monitor) const { ::sd_device_monitor_unref(monitor); }
  void operator()(sd_event* event) const { ::sd_event_unref(event); }
  void operator()(sp_port* port) const { ::sp_free_port(port); }
};
template <class T>
using Owned = std::unique_ptr<T, Unref>;

std::string text(const char* value) {
  return value != nullptr ? proto::printable(value) : "";
}

void add_usb_details(PortInfo& port) {
  sp_port* raw = nullptr;
  if (::sp_get_port_by_name(port.path.c_str(), &raw) != SP_OK) return;
  const Owned<sp_port> details{raw};
  if (::sp_get_port_transport(raw) != SP_TRANSPORT_USB) {
    port.description = text(::sp_get_port_description(raw));
    return;
  }
  static_cast<void>(::sp_get_port_usb_vid_pid(raw, &port.usb_vendor, &port.usb_product));
  // The description is this and the serial number.
  port.description = text(::sp_get_port_usb_product(raw));
  port.usb_serial = text(::sp_get_port_usb_serial(raw));
}

std::string usb_position(sd_device* device) {
  sd_device* chip = nullptr;
  const char* name = nullptr;
  if (::sd_device_get_parent_with_subsystem_devtype(device, "usb", "usb_device", &chip) < 0 ||
      ::sd_device_get_sysname(chip, &name) < 0)
    return "";
  return name;
}

bool has_property(sd_device* device, const char* name) {
  const char* value = nullptr;
  return ::sd_device_get_property_value(device, name, &value) >= 0 && std::string_view{value} == "1";
}

// ModemManager looks at the port and at the chip.
bool modem_manager_ignores(sd_device* device) {
  sd_device* chip = nullptr;
  return has_property(device, "ID_MM_DEVICE_IGNORE") ||
         (::sd_device_get_parent_with_subsystem_devtype(device, "usb", "usb_device", &chip) >= 0 &&
          has_property(chip, "ID_MM_DEVICE_IGNORE"));
}

// udev's links lead to ../../ttyACM0. (fs::equivalent knows no device nodes.)
std::string by_id_of(const std::string& path) {
  std::error_code error;
  for (fs::directory_iterator link{"/dev/serial/by-id", error}, end; !error && link != end;
       link.increment(error)) {
    std::error_code gone;
    if (fs::read_symlink(link->path(), gone).filename() == fs::path{path}.filename()) return link->path();
  }
  return "";
}

// Virtual terminals, ptys and the like have no hardware behind them.
bool is_virtual(sd_device* device) {
  const char* syspath = nullptr;
  return ::sd_device_get_syspath(device, &syspath) < 0 ||
         std::string_view{syspath}.find("/virtual/") != std::string_view::npos;
}

// Lives in the handlers that wait on the loop, and goes with them.
class Watch : public std::enable_shared_from_this<Watch> {
 public:
  explicit Watch(std::function<void()> changed) : changed_(std::move(changed)) {}

  // 0, or an error number.
  [[nodiscard]] int start(asio::io_context& context) {
    sd_event* event = nullptr;
    sd_device_monitor* monitor = nullptr;
    int result = ::sd_event_new(&event);
    event_.reset(event);
    if (result >= 0) result = ::sd_device_monitor_new(&monitor);
    monitor_.reset(monitor);
    if (result >= 0) result = ::sd_device_monitor_filter_add_match_subsystem_devtype(monitor, "tty", nullptr);
    if (result >= 0) result = ::sd_device_monitor_attach_event(monitor, event);
    if (result >= 0) result = ::sd_device_monitor_start(monitor, on_device, this);
    // sd_event watches descriptors of its own behind this one.
    if (result >= 0) result = ::sd_event_get_fd(event);
    if (result < 0) return -result;
    ready_ = std::make_unique<Descriptor>(context, result);
    wait();
    return 0;
  }

 private:
  // Lends a descriptor that another owns to Asio.
  struct Descriptor : asio::posix::stream_descriptor {
    using basic_stream_descriptor::basic_stream_descriptor;
    ~Descriptor() { release(); }
  };

  static int on_device(sd_device_monitor*, sd_device* device, void* self) {
    if (!is_virtual(device)) static_cast<Watch*>(self)->told_ = true;
    return 0;
  }

  void wait() {
    ready_->async_wait(asio::posix::stream_descriptor::wait_read,
                       [self = shared_from_this()](const boost::system::error_code& error) {
                         if (!error) self->take();
                       });
  }

  void take() {
    while (::sd_event_run(event_.get(), 0) > 0) {
    }
    wait();
    if (std::exchange(told_, false)) changed_();
  }

  std::function<void()> changed_;
  bool told_ = false;
  Owned<sd_event> event_;
  Owned<sd_device_monitor> monitor_;
  std::unique_ptr<Descriptor> ready_;
};

class SystemCatalogue : public PortCatalogue {
 public:
  [[nodiscard]] std::vector<PortInfo> ports() const override {
    std::vector<PortInfo> ports;
    sd_device_enumerator* raw = nullptr;
    if (::sd_device_enumerator_new(&raw) < 0) return ports;
    const Owned<sd_device_enumerator> enumerator{raw};
    // Without udevd, as in a container, no device counts as initialized.
    ::sd_device_enumerator_allow_uninitialized(raw);
    ::sd_device_enumerator_add_match_subsystem(raw, "tty", 1);
    for (sd_device* device = ::sd_device_enumerator_get_device_first(raw); device != nullptr;
         device = ::sd_device_enumerator_get_device_next(raw)) {
      const char* name = nullptr;
      if (is_virtual(device) || ::sd_device_get_devname(device, &name) < 0) continue;
      PortInfo port;
      port.path = name;
      port.usb_position = usb_position(device);
      port.modem_manager_ignores = modem_manager_ignores(device);
      add_usb_details(port);
      port.by_id = by_id_of(port.path);
      ports.push_back(std::move(port));
    }
    sort_ports(ports);
    return ports;
  }

  [[nodiscard]] Outcome watch(Loop& loop, std::function<void()> changed) override {
    const int error = std::make_shared<Watch>(std::move(changed))->start(loop.context());
    if (error == 0) return Done{};
    return Error{ErrorCode::failed, std::string{"plugged devices are not told of: "} + std::strerror(error),
                 "", "ports are looked for when a link connects"};
  }
};

}  // namespace

std::unique_ptr<PortCatalogue> system_catalogue() {
  return std::make_unique<SystemCatalogue>();
}

}  // namespace leakhunt::daemon
