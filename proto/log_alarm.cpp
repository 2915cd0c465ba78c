// Alarm and boot patterns, each at the place where the firmware prints it.
#include "proto/log_alarm.h"

#include <algorithm>
#include <array>

#include "proto/private_text.h"
#include "proto/scan.h"

namespace leakhunt::proto {
namespace {

struct Sign {
  std::string_view words;
  AlarmKind kind;
};

// At the start of a message. ESP-IDF, newlib and ROM print them without prefix.
constexpr Sign starts[] = {
    {"Guru Meditation", AlarmKind::panic},
    {"abort() was called", AlarmKind::panic},
    {"Stack smashing", AlarmKind::panic},
    {"Backtrace:", AlarmKind::panic},
    {"assert failed", AlarmKind::panic},
    {"***ERROR*** A stack overflow", AlarmKind::panic},
    {"CORRUPT HEAP", AlarmKind::panic},
    {"*** PANIC ***", AlarmKind::panic},
    {"assertion \"", AlarmKind::panic},
    {"Fatal exception", AlarmKind::panic},
    {"Exception (", AlarmKind::panic},
    {"Hard fault", AlarmKind::panic},
    {"HardFault", AlarmKind::panic},
    {"Task watchdog got triggered", AlarmKind::watchdog},
    {"Interrupt wdt timeout", AlarmKind::watchdog},
    {"Interrupt watchdog timeout", AlarmKind::watchdog},
    {"Soft WDT reset", AlarmKind::watchdog},
    {"Low heap (", AlarmKind::low_heap},
    {"Boot heap watermark:", AlarmKind::low_heap},
    {"heap too low", AlarmKind::low_heap},
};

// Anywhere in the firmware's own words, lower-case here, any case there.
constexpr Sign anywhere[] = {
    {"out of memory", AlarmKind::out_of_memory},
    {"std::bad_alloc", AlarmKind::out_of_memory},
    {"failed to allocate", AlarmKind::allocation_failure},
    {"allocation failed", AlarmKind::allocation_failure},
    {"allocation failure", AlarmKind::allocation_failure},
    {"malloc failed", AlarmKind::allocation_failure},
    {"alloc failed", AlarmKind::allocation_failure},
    {"malloc of mem failed", AlarmKind::allocation_failure},
    {"could not be malloced", AlarmKind::allocation_failure},
    {"could not allocate", AlarmKind::allocation_failure},
    {"cannot allocate", AlarmKind::allocation_failure},
    {"can't allocate", AlarmKind::allocation_failure},
    {"unable to allocate", AlarmKind::allocation_failure},
    {"not enough memory", AlarmKind::allocation_failure},
    {"esp_err_no_mem", AlarmKind::allocation_failure},
};

// Each of `anywhere` has one of two syllables: one cheap look decides for almost every line.
bool may_tell_of_memory(std::string_view message) {
  const auto lower = [&message](std::size_t at) { return lowered(message[at]); };
  for (std::size_t at = 0; at + 2 < message.size(); ++at) {
    if (lower(at) == 'l' && lower(at + 1) == 'o' && lower(at + 2) == 'c') return true;
    if (lower(at) == 'm' && lower(at + 1) == 'e' && lower(at + 2) == 'm') return true;
  }
  return false;
}

// A failed PSRAM allocation that then takes the heap is a fallback, no exhaustion.
bool is_fallback(std::string_view lower) {
  return lower.find("using heap") != std::string_view::npos ||
         lower.find("fall back") != std::string_view::npos ||
         lower.find("falling back") != std::string_view::npos ||
         lower.find("fallback") != std::string_view::npos;
}

bool starts_with_oom(std::string_view message) {
  return message.starts_with("OOM") && (message.size() == 3 || !is_word(message[3]));
}

// Where in a message the words of an alarm stand.
struct Trouble {
  AlarmKind kind;
  std::string_view words;
};

std::optional<Trouble> memory_trouble(std::string_view message) {
  if (starts_with_oom(message)) return Trouble{AlarmKind::allocation_failure, message.substr(0, 3)};
  if (!may_tell_of_memory(message)) return std::nullopt;
  std::array<char, 512> buffer;
  const std::size_t size = std::min(message.size(), buffer.size());
  for (std::size_t i = 0; i < size; ++i) buffer[i] = lowered(message[i]);
  const std::string_view lower{buffer.data(), size};
  for (const Sign& sign : anywhere) {
    const std::size_t at = lower.find(sign.words);
    if (at == std::string_view::npos || stands_quoted(message, at)) continue;
    if (sign.kind == AlarmKind::allocation_failure && is_fallback(lower)) return std::nullopt;
    return Trouble{sign.kind, message.substr(at, sign.words.size())};
  }
  return std::nullopt;
}

std::optional<Trouble> starting_trouble(std::string_view message) {
  for (const Sign& sign : starts) {
    if (!message.starts_with(sign.words)) continue;
    const bool by_watchdog = message.find("wdt timeout") != std::string_view::npos;
    const bool is_watchdog = sign.kind == AlarmKind::panic && by_watchdog;
    return Trouble{is_watchdog ? AlarmKind::watchdog : sign.kind, message.substr(0, sign.words.size())};
  }
  return std::nullopt;
}

std::optional<Trouble> trouble(std::string_view message) {
  if (auto found = starting_trouble(message)) return found;
  return memory_trouble(firmware_words(message));
}

ResetCause cause_of_rom_word(std::string_view word) {
  const auto has = [word](std::string_view part) { return word.find(part) != std::string_view::npos; };
  if (has("BROWN")) return ResetCause::brownout;
  if (has("WDT")) return ResetCause::watchdog;
  if (has("POWERON")) return ResetCause::power_on;
  if (has("DEEPSLEEP") || has("DSLEEP")) return ResetCause::deep_sleep;
  if (has("EXT") || has("USB") || has("JTAG")) return ResetCause::external;
  if (has("SW_")) return ResetCause::software;
  return ResetCause::unknown;
}

// Numbers of the ESP8266 boot ROM.
ResetCause cause_of_rom_number(std::int64_t number) {
  switch (number) {
    case 1:
      return ResetCause::power_on;
    case 2:
      return ResetCause::external;
    case 3:
      return ResetCause::software;
    case 4:
      return ResetCause::watchdog;
    default:
      return ResetCause::unknown;
  }
}

ResetCause cause_of_reason(std::string_view reason) {
  if (reason == "brownout") return ResetCause::brownout;
  if (contains_any_case(reason, "watchdog")) return ResetCause::watchdog;
  if (reason == "timeout" || reason.starts_with("EXT")) return ResetCause::deep_sleep;
  return ResetCause::unknown;
}

std::optional<Boot> read_boot(std::string_view message, bool cut) {
  if (message.starts_with("//\\ E S H T /\\ S T / C")) return Boot{};
  Cursor at{message, cut};
  if (at.eat("rst:0x")) {
    if (!at.until(" (")) return Boot{BootSign::rom_reset, ResetCause::unknown, {}};
    const auto word = at.until(")");
    if (!word) return Boot{BootSign::rom_reset, ResetCause::unknown, {}};
    return Boot{BootSign::rom_reset, cause_of_rom_word(*word), std::string{*word}};
  }
  if (at.eat("ESP-ROM:")) return Boot{BootSign::rom_banner, ResetCause::unknown, {}};
  if (at.eat("ets ")) {
    const bool dated = starts_with_month(at.rest());
    if (!at.until(",rst cause:")) {
      return dated ? std::optional{Boot{BootSign::rom_banner, ResetCause::unknown, {}}} : std::nullopt;
    }
    const auto number = at.integer();
    if (!number) return Boot{BootSign::rom_banner, ResetCause::unknown, {}};
    return Boot{BootSign::rom_reset, cause_of_rom_number(*number), "rst cause:" + std::to_string(*number)};
  }
  if (at.eat("Booted, wake cause ")) {
    const auto before = at.until("reset_reason=");
    const std::string_view reason = before ? at.whole_rest().value_or("") : std::string_view{};
    return Boot{BootSign::wake_cause, cause_of_reason(reason), std::string{reason}};
  }
  return std::nullopt;
}

// `Alloc an err=`: a Routing.Error number is a NAK; an ESP error name is a failed allocation.
bool read_alloc_err(std::string_view message, LogLine& line) {
  Cursor at{message};
  if (!at.eat("Alloc an err=")) return false;
  line.routing_nak = !at.at_end() && is_digit(at.rest().front());
  if (!line.routing_nak && !at.at_end()) line.alarm = AlarmKind::allocation_failure;
  return true;
}

bool is_reboot_notice(std::string_view message) {
  return message.starts_with("Rebooting") || message.starts_with("Reboot in ") ||
         (message.starts_with("heap too low") && message.find("reboot in") != std::string_view::npos);
}

}  // namespace

bool starts_with_month(std::string_view text) {
  constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
  return text.size() > 4 && text[3] == ' ' && months.find(text.substr(0, 3)) % 3 == 0;
}

std::string_view words_of_trouble(std::string_view message) {
  const auto found = trouble(message);
  return found ? found->words : std::string_view{};
}

void read_signs(std::string_view message, LogLine& line) {
  while (!message.empty() && message.front() == ' ') message.remove_prefix(1);
  if (message.empty() || read_alloc_err(message, line)) return;
  line.boot = read_boot(message, line.cut);
  line.announces_reboot = is_reboot_notice(message);
  if (const auto found = trouble(message)) line.alarm = found->kind;
  const bool by_watchdog = line.boot && line.boot->cause == ResetCause::watchdog;
  if (!line.alarm && by_watchdog) line.alarm = AlarmKind::watchdog;
}

}  // namespace leakhunt::proto
