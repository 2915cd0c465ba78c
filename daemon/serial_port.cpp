// open(2), termios and locks of a serial port.
#include "daemon/serial_port.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "daemon/holder.h"

namespace leakhunt::daemon {
namespace {

// Closes the descriptor unless it was let go.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

Error held(const std::string& path) {
  const std::string holder = holder_of(path);
  return {ErrorCode::unreachable,
          holder.empty() ? "the port is held by another process" : "the port is held by process " + holder,
          path, "end that process, or give the port to it with leakhuntctl release"};
}

Error open_error(const std::string& path, int error) {
  switch (error) {
    case ENOENT:
    case ENXIO:
    case ENODEV:
      return {ErrorCode::unreachable, "no such port", path, "plug the device in, or name another port"};
    case EACCES:
    case EPERM:
      return {ErrorCode::unreachable, "no permission to open the port", path,
              "add the user to the group dialout and log in again"};
    case EBUSY:
      return held(path);
    default:
      return {ErrorCode::unreachable, std::string{"the port cannot be opened: "} + std::strerror(error), path,
              ""};
  }
}

// Root may open a port that another program has made its own. The mark alone may be left behind by one that
// was killed.
bool is_exclusive(int fd, const std::string& path) {
  int exclusive = 0;
  return ::ioctl(fd, TIOCGEXCL, &exclusive) == 0 && exclusive != 0 && !holder_of(path).empty();
}

bool set_line(int fd) {
  termios line{};
  if (::tcgetattr(fd, &line) != 0) return false;
  ::cfmakeraw(&line);
  ::cfsetispeed(&line, B115200);
  ::cfsetospeed(&line, B115200);
  line.c_cflag |= static_cast<tcflag_t>(CLOCAL | CREAD);
  line.c_cflag &= ~(HUPCL | CRTSCTS | CSTOPB);
  return ::tcsetattr(fd, TCSANOW, &line) == 0;
}

}  // namespace

Result<int> open_serial(const std::string& path, LinkMode mode) {
  const int access = mode == LinkMode::listen ? O_RDONLY : O_RDWR;
  Descriptor fd{::open(path.c_str(), access | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)};
  if (fd.get() < 0) return open_error(path, errno);
  if (::isatty(fd.get()) == 0) {
    return Error{ErrorCode::usage, "this is no serial port", path, "name a port such as /dev/ttyUSB0"};
  }
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0 || is_exclusive(fd.get(), path)) return held(path);
  if (::ioctl(fd.get(), TIOCEXCL) != 0 || !set_line(fd.get())) return open_error(path, errno);
  return fd.release();
}

void give_up_serial(int fd) {
  // A port that is unplugged needs it no more.
  static_cast<void>(::ioctl(fd, TIOCNXCL));
  static_cast<void>(::flock(fd, LOCK_UN));
}

bool is_pty(const std::string& path) {
  constexpr unsigned kFirstPtyMajor = 136;
  constexpr unsigned kLastPtyMajor = 143;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISCHR(status.st_mode)) return false;
  return major(status.st_rdev) >= kFirstPtyMajor && major(status.st_rdev) <= kLastPtyMajor;
}

std::string port_stamp(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return "";
  return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino) + ":" +
         std::to_string(status.st_rdev) + ":" + std::to_string(status.st_ctim.tv_sec);
}

}  // namespace leakhunt::daemon
