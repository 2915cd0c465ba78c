// Question, configuration, chip. See reserve.h.
#include "answer/reserve.h"

#include "proto/hardware.h"

namespace leakhunt::answer {
namespace {

constexpr double kEsp32 = 15'000;
constexpr double kElse = 1'500;

bool is_esp32(proto::Chip chip) {
  return proto::word(chip).starts_with("esp32");
}

}  // namespace

Reserve reserve_of(std::uint32_t hw_model, const std::string& pio_env, std::optional<double> configured,
                   std::optional<double> asked) {
  if (asked) return {*asked, "--reserve"};
  if (configured) return {*configured, "reserve_bytes of the configuration"};
  const proto::Chip chip = proto::chip_of(hw_model, pio_env);
  if (chip == proto::Chip::unknown) return {kElse, "its chip is not known"};
  return {is_esp32(chip) ? kEsp32 : kElse, "chip " + std::string{proto::word(chip)}};
}

Reserve reserve_of_recording(std::optional<double> asked) {
  return asked ? Reserve{*asked, "--reserve"} : Reserve{kElse, "a file tells no chip"};
}

}  // namespace leakhunt::answer
