// The device's side of the stream framing. Knows nothing of what a message holds.
#include "sim/framer.h"

namespace leakhunt::sim {
namespace {

constexpr char kStart1 = '\x94';
constexpr char kStart2 = '\xC3';
constexpr std::size_t kHeader = 4;

std::size_t byte_at(std::string_view bytes, std::size_t index) {
  return static_cast<unsigned char>(bytes[index]);
}

}  // namespace

std::string framed(std::string_view message) {
  std::string frame{kStart1, kStart2, static_cast<char>(message.size() >> 8),
                    static_cast<char>(message.size() & 0xFF)};
  return frame.append(message);
}

std::vector<std::string> FrameReader::feed(std::string_view bytes) {
  pending_.append(bytes);
  std::vector<std::string> messages;
  std::size_t at = 0;
  while (at < pending_.size()) {
    at = pending_.find(kStart1, at);
    if (at == std::string::npos) {
      at = pending_.size();
      break;
    }
    const std::string_view rest = std::string_view{pending_}.substr(at);
    if (rest.size() < kHeader && (rest.size() < 2 || rest[1] == kStart2)) break;
    const std::size_t length = rest.size() < kHeader ? 0 : byte_at(rest, 2) << 8 | byte_at(rest, 3);
    if (rest[1] != kStart2 || length > kLargestMessage) {
      ++at;
      continue;
    }
    if (rest.size() < kHeader + length) break;
    messages.emplace_back(rest.substr(kHeader, length));
    at += kHeader + length;
  }
  pending_.erase(0, at);
  return messages;
}

}  // namespace leakhunt::sim
