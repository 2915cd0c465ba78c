// The table of hardware models.
#include "proto/hardware.h"

#include <algorithm>
#include <array>

namespace leakhunt::proto {
namespace {

struct Model {
  std::uint32_t number;
  std::string_view name;
  Chip chip;
};

// Sorted by number. RP2350 boards stand under their family's first chip.
constexpr Model models[] = {
    {0, "UNSET", Chip::unknown},
    {1, "TLORA_V2", Chip::esp32},
    {2, "TLORA_V1", Chip::esp32},
    {3, "TLORA_V2_1_1P6", Chip::esp32},
    {4, "TBEAM", Chip::esp32},
    {5, "HELTEC_V2_0", Chip::esp32},
    {6, "TBEAM_V0P7", Chip::esp32},
    {7, "T_ECHO", Chip::nrf52},
    {8, "TLORA_V1_1P3", Chip::esp32},
    {9, "RAK4631", Chip::nrf52},
    {10, "HELTEC_V2_1", Chip::esp32},
    {11, "HELTEC_V1", Chip::esp32},
    {12, "LILYGO_TBEAM_S3_CORE", Chip::esp32s3},
    {13, "RAK11200", Chip::esp32},
    {14, "NANO_G1", Chip::esp32},
    {15, "TLORA_V2_1_1P8", Chip::esp32},
    {16, "TLORA_T3_S3", Chip::esp32s3},
    {17, "NANO_G1_EXPLORER", Chip::esp32},
    {18, "NANO_G2_ULTRA", Chip::nrf52},
    {19, "LORA_TYPE", Chip::unknown},
    {20, "WIPHONE", Chip::esp32},
    {21, "WIO_WM1110", Chip::nrf52},
    {22, "RAK2560", Chip::nrf52},
    {23, "HELTEC_HRU_3601", Chip::esp32c3},
    {24, "HELTEC_WIRELESS_BRIDGE", Chip::esp32},
    {25, "STATION_G1", Chip::esp32},
    {26, "RAK11310", Chip::rp2040},
    {27, "MAKERFABS_TRACKER", Chip::unknown},
    {28, "MAKERFABS_RESERVED", Chip::unknown},
    {29, "CANARYONE", Chip::nrf52},
    {30, "RP2040_LORA", Chip::rp2040},
    {31, "STATION_G2", Chip::esp32s3},
    {32, "LORA_RELAY_V1", Chip::nrf52},
    {33, "T_ECHO_PLUS", Chip::nrf52},
    {34, "PPR", Chip::nrf52},
    {35, "GENIEBLOCKS", Chip::unknown},
    {36, "NRF52_UNKNOWN", Chip::nrf52},
    {37, "PORTDUINO", Chip::native},
    {38, "ANDROID_SIM", Chip::unknown},
    {39, "DIY_V1", Chip::esp32},
    {40, "NRF52840_PCA10059", Chip::nrf52},
    {41, "DR_DEV", Chip::esp32},
    {42, "M5STACK", Chip::esp32},
    {43, "HELTEC_V3", Chip::esp32s3},
    {44, "HELTEC_WSL_V3", Chip::esp32s3},
    {45, "BETAFPV_2400_TX", Chip::esp32},
    {46, "BETAFPV_900_NANO_TX", Chip::esp32},
    {47, "RPI_PICO", Chip::rp2040},
    {48, "HELTEC_WIRELESS_TRACKER", Chip::esp32s3},
    {49, "HELTEC_WIRELESS_PAPER", Chip::esp32s3},
    {50, "T_DECK", Chip::esp32s3},
    {51, "T_WATCH_S3", Chip::esp32s3},
    {52, "PICOMPUTER_S3", Chip::esp32s3},
    {53, "HELTEC_HT62", Chip::esp32c3},
    {54, "EBYTE_ESP32_S3", Chip::esp32s3},
    {55, "ESP32_S3_PICO", Chip::esp32s3},
    {56, "CHATTER_2", Chip::esp32},
    {57, "HELTEC_WIRELESS_PAPER_V1_0", Chip::esp32s3},
    {58, "HELTEC_WIRELESS_TRACKER_V1_0", Chip::esp32s3},
    {59, "UNPHONE", Chip::esp32s3},
    {60, "TD_LORAC", Chip::unknown},
    {61, "CDEBYTE_EORA_S3", Chip::esp32s3},
    {62, "TWC_MESH_V4", Chip::nrf52},
    {63, "NRF52_PROMICRO_DIY", Chip::nrf52},
    {64, "RADIOMASTER_900_BANDIT_NANO", Chip::esp32},
    {65, "HELTEC_CAPSULE_SENSOR_V3", Chip::esp32s3},
    {66, "HELTEC_VISION_MASTER_T190", Chip::esp32s3},
    {67, "HELTEC_VISION_MASTER_E213", Chip::esp32s3},
    {68, "HELTEC_VISION_MASTER_E290", Chip::esp32s3},
    {69, "HELTEC_MESH_NODE_T114", Chip::nrf52},
    {70, "SENSECAP_INDICATOR", Chip::esp32s3},
    {71, "TRACKER_T1000_E", Chip::nrf52},
    {72, "RAK3172", Chip::stm32},
    {73, "WIO_E5", Chip::stm32},
    {74, "RADIOMASTER_900_BANDIT", Chip::esp32},
    {75, "ME25LS01_4Y10TD", Chip::nrf52},
    {76, "RP2040_FEATHER_RFM95", Chip::rp2040},
    {77, "M5STACK_COREBASIC", Chip::esp32},
    {78, "M5STACK_CORE2", Chip::esp32},
    {79, "RPI_PICO2", Chip::rp2040},
    {80, "M5STACK_CORES3", Chip::esp32s3},
    {81, "SEEED_XIAO_S3", Chip::esp32s3},
    {82, "MS24SF1", Chip::nrf52},
    {83, "TLORA_C6", Chip::esp32c6},
    {84, "WISMESH_TAP", Chip::nrf52},
    {85, "ROUTASTIC", Chip::nrf52},
    {86, "MESH_TAB", Chip::esp32s3},
    {87, "MESHLINK", Chip::nrf52},
    {88, "XIAO_NRF52_KIT", Chip::nrf52},
    {89, "THINKNODE_M1", Chip::nrf52},
    {90, "THINKNODE_M2", Chip::esp32s3},
    {91, "T_ETH_ELITE", Chip::esp32s3},
    {92, "HELTEC_SENSOR_HUB", Chip::esp32s3},
    {93, "MUZI_BASE", Chip::nrf52},
    {94, "HELTEC_MESH_POCKET", Chip::nrf52},
    {95, "SEEED_SOLAR_NODE", Chip::nrf52},
    {96, "NOMADSTAR_METEOR_PRO", Chip::nrf52},
    {97, "CROWPANEL", Chip::esp32s3},
    {98, "LINK_32", Chip::esp32s3},
    {99, "SEEED_WIO_TRACKER_L1", Chip::nrf52},
    {100, "SEEED_WIO_TRACKER_L1_EINK", Chip::nrf52},
    {101, "MUZI_R1_NEO", Chip::nrf52},
    {102, "T_DECK_PRO", Chip::esp32s3},
    {103, "T_LORA_PAGER", Chip::esp32s3},
    {104, "M5STACK_RESERVED", Chip::unknown},
    {105, "WISMESH_TAG", Chip::nrf52},
    {106, "RAK3312", Chip::esp32s3},
    {107, "THINKNODE_M5", Chip::esp32s3},
    {108, "HELTEC_MESH_SOLAR", Chip::nrf52},
    {109, "T_ECHO_LITE", Chip::nrf52},
    {110, "HELTEC_V4", Chip::esp32s3},
    {111, "M5STACK_C6L", Chip::esp32c6},
    {112, "M5STACK_CARDPUTER_ADV", Chip::esp32s3},
    {113, "HELTEC_WIRELESS_TRACKER_V2", Chip::esp32s3},
    {114, "T_WATCH_ULTRA", Chip::esp32s3},
    {115, "THINKNODE_M3", Chip::nrf52},
    {116, "WISMESH_TAP_V2", Chip::esp32s3},
    {117, "RAK3401", Chip::nrf52},
    {118, "RAK6421", Chip::native},
    {119, "THINKNODE_M4", Chip::nrf52},
    {120, "THINKNODE_M6", Chip::nrf52},
    {121, "MESHSTICK_1262", Chip::native},
    {122, "TBEAM_1_WATT", Chip::esp32s3},
    {123, "T5_S3_EPAPER_PRO", Chip::esp32s3},
    {124, "TBEAM_BPF", Chip::esp32s3},
    {125, "MINI_EPAPER_S3", Chip::esp32s3},
    {126, "TDISPLAY_S3_PRO", Chip::esp32s3},
    {127, "HELTEC_MESH_NODE_T096", Chip::nrf52},
    {128, "MESH_TRACKER_X1", Chip::unknown},
    {129, "THINKNODE_M7", Chip::unknown},
    {130, "THINKNODE_M8", Chip::unknown},
    {131, "THINKNODE_M9", Chip::unknown},
    {132, "HELTEC_V4_R8", Chip::esp32s3},
    {133, "HELTEC_MESH_NODE_T1", Chip::unknown},
    {134, "STATION_G3", Chip::unknown},
    {135, "T_IMPULSE_PLUS", Chip::unknown},
    {136, "T_ECHO_CARD", Chip::nrf52},
    {137, "SEEED_WIO_TRACKER_L2", Chip::unknown},
    {138, "CROWPANEL_P4", Chip::unknown},
    {139, "HELTEC_MESH_TOWER_V2", Chip::unknown},
    {140, "MESHNOLOGY_W10", Chip::unknown},
    {141, "HELTEC_RC32", Chip::unknown},
    {142, "HELTEC_RC52", Chip::unknown},
    {143, "HELTEC_RCC6", Chip::unknown},
    {144, "SEEED_WIO_TRACKER_L1_PRO_1W", Chip::unknown},
    {145, "MESHNOLOGY_W12", Chip::unknown},
    {146, "MESHPAGER_X2", Chip::unknown},
    {255, "PRIVATE_HW", Chip::unknown},
};

const Model* find(std::uint32_t number) {
  const auto* const found =
      std::lower_bound(std::begin(models), std::end(models), number,
                       [](const Model& model, std::uint32_t n) { return model.number < n; });
  return found != std::end(models) && found->number == number ? found : nullptr;
}

struct EnvPart {
  std::string_view part;
  Chip chip;
};
constexpr EnvPart env_parts[] = {
    {"native", Chip::native},    {"portduino", Chip::native}, {"esp32s3", Chip::esp32s3},
    {"esp32-s3", Chip::esp32s3}, {"esp32c3", Chip::esp32c3},  {"esp32-c3", Chip::esp32c3},
    {"esp32c6", Chip::esp32c6},  {"esp32-c6", Chip::esp32c6}, {"-s3", Chip::esp32s3},
    {"nrf52", Chip::nrf52},      {"rak4631", Chip::nrf52},    {"rp2040", Chip::rp2040},
    {"pico", Chip::rp2040},      {"stm32", Chip::stm32},      {"wio-e5", Chip::stm32},
    {"rak3172", Chip::stm32},
};

}  // namespace

std::string_view word(Chip chip) {
  constexpr std::array<std::string_view, 9> words{"unknown", "esp32",  "esp32s3", "esp32c3", "esp32c6",
                                                  "nrf52",   "rp2040", "stm32",   "native"};
  return words[static_cast<std::size_t>(chip)];
}

std::string_view hardware_name(std::uint32_t hw_model) {
  const Model* model = find(hw_model);
  return model == nullptr ? std::string_view{} : model->name;
}

Chip hardware_chip(std::uint32_t hw_model) {
  const Model* model = find(hw_model);
  return model == nullptr ? Chip::unknown : model->chip;
}

Chip chip_of(std::uint32_t hw_model, std::string_view pio_env) {
  const Chip by_model = hardware_chip(hw_model);
  if (by_model != Chip::unknown) return by_model;
  for (const EnvPart& known : env_parts) {
    if (pio_env.find(known.part) != std::string_view::npos) return known.chip;
  }
  return Chip::unknown;
}

}  // namespace leakhunt::proto
