// What a mesh around the device says, and the ordinary lines of its log. Knows nothing of links.
#include "sim/chatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/noise.h"

namespace leakhunt::sim {
namespace {

constexpr std::uint32_t kText = 1;
constexpr std::uint32_t kPosition = 3;
constexpr std::uint32_t kNodeInfo = 4;
constexpr std::uint32_t kRouting = 5;
constexpr std::uint32_t kTelemetry = 67;
constexpr std::uint32_t kSimulator = 69;
constexpr std::uint64_t kPacketSalt = 0x9AC7;
constexpr std::uint64_t kLineSalt = 0x10C5;
constexpr std::uint64_t kNodeSalt = 0x40DE;

// Another node's heap lies far from any of ours, so that mixing the two cannot go unseen.
Stats others_stats(std::uint64_t n) {
  return {.uptime_s = static_cast<std::uint32_t>(900'000 + 60 * n),
          .packets_tx = 12,
          .packets_rx = 240,
          .online_nodes = 3,
          .total_nodes = 9,
          .heap_total_bytes = 115'000,
          .heap_free_bytes = static_cast<std::uint32_t>(20'000 + n % 7 * 4)};
}

const std::array<Identity, kOrdinaryNodes>& talkers() {
  static const std::array<Identity, kOrdinaryNodes> kNodes{
      {{.node = 0x1F2E3D4C, .long_name = "SIM-NAME Hilltop", .short_name = "HILL", .hw_model = 9},
       {.node = 0x433E2A10, .long_name = "SIM-NAME Harbour", .short_name = "HARB", .hw_model = 43},
       {.node = 0x7A6B5C4D, .long_name = "SIM-NAME Bicycle", .short_name = "BIKE", .hw_model = 71}}};
  return kNodes;
}

}  // namespace

std::vector<Identity> other_nodes(std::size_t count) {
  std::vector<Identity> nodes{talkers().begin(), talkers().begin() + std::min(count, talkers().size())};
  while (nodes.size() < count) {
    Identity far{.node = static_cast<std::uint32_t>(mix(kNodeSalt, nodes.size())) | 1,
                 .long_name = fmt::format("SIM-NAME far node {}", nodes.size()),
                 .short_name = fmt::format("F{}", nodes.size() % 1'000),
                 .hw_model = 9};
    nodes.push_back(std::move(far));
  }
  return nodes;
}

std::string hex(std::uint64_t number) {
  return fmt::format("{:08x}", number & 0xFFFFFFFF);
}

Packet mesh_packet(std::uint64_t seed, std::uint64_t n, std::uint32_t own, std::uint32_t epoch_s) {
  const Identity& from = talkers()[n % talkers().size()];
  Packet packet{.from = from.node,
                .id = static_cast<std::uint32_t>(mix(seed ^ kPacketSalt, n)) | 1,
                .rx_time = epoch_s,
                .snr = 5.5F,
                .rssi = -92};
  switch (n % 9) {
    case 0:
      packet.port = kTelemetry;
      packet.payload = device_metrics_payload(static_cast<std::uint32_t>(900'000 + 60 * n), 87, epoch_s);
      break;
    case 1:
      packet.port = kText;
      packet.payload = kPrivateText;
      break;
    case 2:
      packet.port = kPosition;
      packet.payload = position_payload(kPrivateLatitude, kPrivateLongitude);
      break;
    case 3:
      packet.port = kTelemetry;
      packet.payload = stats_payload(others_stats(n), epoch_s);
      break;
    case 4:
      packet.port = kNodeInfo;
      packet.payload = user_payload(from);
      break;
    case 5:
      packet.port = kTelemetry;
      packet.payload = environment_payload(17.5F, epoch_s);
      break;
    case 6:
      packet.encrypted = true;
      packet.payload = "SIM-CIPHERTEXT-0123456789";
      break;
    case 7:
      packet.port = kSimulator;
      packet.payload = "SIM-PORT-69";
      break;
    default:
      packet.port = kRouting;
      packet.to = own;
      packet.payload = routing_ack_payload();
      break;
  }
  return packet;
}

LogLine ordinary_line(std::uint64_t seed, std::uint64_t n) {
  const std::uint64_t random = mix(seed ^ kLineSalt, n);
  const std::string id = hex(random);
  const std::string from = hex(talkers()[random % talkers().size()].node);
  switch (n % 10) {
    case 0:
      return {Level::debug, "Router",
              fmt::format("Received routing from=0x{}, id=0x{}, portnum=5, payloadlen=2", from, id)};
    case 1:
      return {
          Level::debug, "RadioIf",
          fmt::format(
              "Lora RX (id=0x{} fr=0x{} to=0xffffffff, transport = 0, WantAck=0, HopLim=3 Ch=0x8 encrypted "
              "len=78 rxSNR=-3.5 rxRSSI=-97)",
              id, from)};
    case 2:
      return {Level::debug, "Power", "Battery: usbPower=1, isCharging=0, batMv=4038, batPct=91"};
    case 3:
      return {Level::info, "Router",
              "Received DeviceTelemetry from HILL: air_util_tx=1.463570, battery_level=49"};
    case 4:
      return {Level::debug, "GPS",
              fmt::format("Update DB node 0x{}, rx_time={}", from, 1'700'000'000 + random % 90'000'000)};
    case 5:
      return {Level::info, "Router",
              fmt::format("Received text msg from=0x{}, id=0x{}, msg={}", from, id,
                          n % 20 == 5 ? kPrivateText : std::string_view{"Heap status: 1/2 bytes free"})};
    case 6:
      return {Level::debug, "", fmt::format("Tell client we have new packets {}", n % 100)};
    case 7:
      return {Level::info, "Router",
              fmt::format("Received position from=0x{}, id=0x{}, lat={:.7f}, lon={:.7f}", from, id,
                          kPrivateLatitude, kPrivateLongitude)};
    case 8:
      return {Level::debug, "User Button", "Button checked — no press \xF0\x9F\x94\x8B"};
    default:
      return {Level::debug, "RadioIf", fmt::format("Packet RX: {}ms", 100 + random % 900)};
  }
}

}  // namespace leakhunt::sim
