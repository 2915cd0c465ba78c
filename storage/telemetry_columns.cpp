// The columns of each variant, as of proto/leakhunt/device/v1/telemetry.proto. A newer field goes into the
// column `extra` until a migration gives it a place.
#include "storage/telemetry_columns.h"

#include <algorithm>
#include <array>

namespace leakhunt::storage {
namespace {

using recorder::Variant;
constexpr bool kReal = true;

constexpr TelemetryColumn kDeviceMetrics[] = {{"battery_level"},
                                              {"voltage", kReal},
                                              {"channel_utilization", kReal},
                                              {"air_util_tx", kReal},
                                              {"uptime_seconds"}};
constexpr TelemetryColumn kEnvironmentMetrics[] = {{"temperature", kReal},
                                                   {"relative_humidity", kReal},
                                                   {"barometric_pressure", kReal},
                                                   {"gas_resistance", kReal},
                                                   {"voltage", kReal},
                                                   {"current", kReal},
                                                   {"iaq"},
                                                   {"distance", kReal},
                                                   {"lux", kReal},
                                                   {"white_lux", kReal},
                                                   {"ir_lux", kReal},
                                                   {"uv_lux", kReal},
                                                   {"wind_direction"},
                                                   {"wind_speed", kReal},
                                                   {"weight", kReal},
                                                   {"wind_gust", kReal},
                                                   {"wind_lull", kReal},
                                                   {"radiation", kReal},
                                                   {"rainfall_1h", kReal},
                                                   {"rainfall_24h", kReal},
                                                   {"soil_moisture"},
                                                   {"soil_temperature", kReal},
                                                   {"adc_voltage_ch0", kReal},
                                                   {"adc_voltage_ch1", kReal},
                                                   {"adc_voltage_ch2", kReal},
                                                   {"adc_voltage_ch3", kReal},
                                                   {"adc_voltage_ch4", kReal},
                                                   {"adc_voltage_ch5", kReal},
                                                   {"adc_voltage_ch6", kReal},
                                                   {"adc_voltage_ch7", kReal},
                                                   {"one_wire_temperature_ch0", kReal},
                                                   {"one_wire_temperature_ch1", kReal},
                                                   {"one_wire_temperature_ch2", kReal},
                                                   {"one_wire_temperature_ch3", kReal},
                                                   {"one_wire_temperature_ch4", kReal},
                                                   {"one_wire_temperature_ch5", kReal},
                                                   {"one_wire_temperature_ch6", kReal},
                                                   {"one_wire_temperature_ch7", kReal},
                                                   {"lightning_strike_count_1h"},
                                                   {"lightning_distance_km", kReal}};
constexpr TelemetryColumn kAirQualityMetrics[] = {{"pm10_standard"},
                                                  {"pm25_standard"},
                                                  {"pm100_standard"},
                                                  {"pm10_environmental"},
                                                  {"pm25_environmental"},
                                                  {"pm100_environmental"},
                                                  {"particles_03um"},
                                                  {"particles_05um"},
                                                  {"particles_10um"},
                                                  {"particles_25um"},
                                                  {"particles_50um"},
                                                  {"particles_100um"},
                                                  {"co2"},
                                                  {"co2_temperature", kReal},
                                                  {"co2_humidity", kReal},
                                                  {"form_formaldehyde", kReal},
                                                  {"form_humidity", kReal},
                                                  {"form_temperature", kReal},
                                                  {"pm40_standard"},
                                                  {"particles_40um"},
                                                  {"pm_temperature", kReal},
                                                  {"pm_humidity", kReal},
                                                  {"pm_voc_idx", kReal},
                                                  {"pm_nox_idx", kReal},
                                                  {"particles_tps", kReal},
                                                  {"pm_status_flags"}};
constexpr TelemetryColumn kPowerMetrics[] = {
    {"ch1_voltage", kReal}, {"ch1_current", kReal}, {"ch2_voltage", kReal}, {"ch2_current", kReal},
    {"ch3_voltage", kReal}, {"ch3_current", kReal}, {"ch4_voltage", kReal}, {"ch4_current", kReal},
    {"ch5_voltage", kReal}, {"ch5_current", kReal}, {"ch6_voltage", kReal}, {"ch6_current", kReal},
    {"ch7_voltage", kReal}, {"ch7_current", kReal}, {"ch8_voltage", kReal}, {"ch8_current", kReal}};
constexpr TelemetryColumn kLocalStats[] = {{"uptime_seconds"},
                                           {"channel_utilization", kReal},
                                           {"air_util_tx", kReal},
                                           {"num_packets_tx"},
                                           {"num_packets_rx"},
                                           {"num_packets_rx_bad"},
                                           {"num_online_nodes"},
                                           {"num_total_nodes"},
                                           {"num_rx_dupe"},
                                           {"num_tx_relay"},
                                           {"num_tx_relay_canceled"},
                                           {"heap_total_bytes"},
                                           {"heap_free_bytes"},
                                           {"num_tx_dropped"},
                                           {"noise_floor"}};
constexpr TelemetryColumn kHealthMetrics[] = {{"heart_bpm"}, {"spO2"}, {"temperature", kReal}};
constexpr TelemetryColumn kHostMetrics[] = {{"uptime_seconds"},  {"freemem_bytes"},   {"diskfree1_bytes"},
                                            {"diskfree2_bytes"}, {"diskfree3_bytes"}, {"load1"},
                                            {"load5"},           {"load15"}};
constexpr TelemetryColumn kTrafficManagementStats[] = {
    {"packets_inspected"},    {"position_dedup_drops"},  {"nodeinfo_cache_hits"},  {"rate_limit_drops"},
    {"unknown_packet_drops"}, {"hop_exhausted_packets"}, {"router_hops_preserved"}};

constexpr std::array kTables{
    TelemetryTable{Variant::device, "device", "telemetry_device", kDeviceMetrics},
    TelemetryTable{Variant::environment, "environment", "telemetry_environment", kEnvironmentMetrics},
    TelemetryTable{Variant::air_quality, "air_quality", "telemetry_air_quality", kAirQualityMetrics},
    TelemetryTable{Variant::power, "power", "telemetry_power", kPowerMetrics},
    TelemetryTable{Variant::local, "local", "telemetry_local", kLocalStats},
    TelemetryTable{Variant::health, "health", "telemetry_health", kHealthMetrics},
    TelemetryTable{Variant::host, "host", "telemetry_host", kHostMetrics},
    TelemetryTable{Variant::traffic, "traffic", "telemetry_traffic", kTrafficManagementStats}};

}  // namespace

std::span<const TelemetryTable> telemetry_tables() {
  return kTables;
}

const TelemetryTable* telemetry_table(Variant variant) {
  const auto found = std::find_if(kTables.begin(), kTables.end(),
                                  [&](const auto& table) { return table.variant == variant; });
  return found == kTables.end() ? nullptr : &*found;
}

}  // namespace leakhunt::storage
