// The shapes of the device's own lines, and what is kept of each.
#include "proto/own_words.h"

#include <algorithm>

#include "proto/log_alarm.h"
#include "proto/redact.h"
#include "proto/scan.h"

namespace leakhunt::proto {
namespace {

constexpr std::size_t longest_number = 10;
constexpr std::size_t longest_address = 8;
constexpr std::size_t longest_chip = 3;
constexpr std::size_t longest_tag = 24;
constexpr std::size_t longest_place = 48;

// `#` a number, `@` an address without its 0x, `~` one space or two, `^` a month, `$` the end of a chip's
// name,
// `%` anything up to the literal behind it, kept only if the device says it. All else stands as it is.
constexpr std::string_view placeholders = "#@~^$%";
// ESP-IDF panic handlers of Xtensa and RISC-V, newlib, FreeRTOS, multi_heap.c; boot ROMs of the ESP32 family
// and of the ESP8266; the firmware's banner.
constexpr std::string_view shapes[] = {
    "Guru Meditation Error: Core~#~panic'ed (%)%",
    "abort() was called at PC 0x@ on core #",
    "Stack smashing protect failure!",
    "***ERROR*** A stack overflow in task % has been detected.",
    "assert failed: % %.c:# (%)",
    "assert failed: % %.cpp:# (%)",
    "assert failed: % %.h:# (%)",
    "assert failed: % %.hpp:# (%)",
    "CORRUPT HEAP: Bad head at 0x@. Expected 0x@ got 0x@",
    "CORRUPT HEAP: Bad tail at 0x@. Expected 0x@ got 0x@",
    "CORRUPT HEAP: Invalid data at 0x@. Expected 0x@ got 0x@",
    "CORRUPT HEAP: multi_heap.c:# detected at 0x@",
    "Task watchdog got triggered. The following tasks did not reset the watchdog in time:",
    "Task watchdog got triggered. The following tasks/users did not reset the watchdog in time:",
    "- % (CPU #)",
    "Interrupt wdt timeout on CPU#",
    "Interrupt watchdog timeout on CPU#",
    "Soft WDT reset",
    "Exception (#):",
    "Fatal exception (#):",
    "Fatal exception #(%):",
    "terminate called after throwing an instance of 'std::bad_alloc'",
    "what():  std::bad_alloc",
    "std::bad_alloc",
    "malloc failed",
    "rst:0x@ (%),boot:0x@ (%)%",
    "rst:0x@ (%),boot:0x@",
    "rst:0x@ (%)%",
    "ets ^~# # #:#:#",
    "ets ^~# #,rst cause:#, boot mode:(#,#)",
    "ESP-ROM:esp32$-#",
    "ESP-ROM:esp32$-api#-#",
    "//\\ E S H T /\\ S T / C",
};

constexpr std::string_view known_words[] = {
    ". Exception was unhandled.",
    ".",
    "loopTask",
    "IDLE0",
    "IDLE1",
    "IllegalInstruction",
    "InstructionFetchError",
    "LoadStoreError",
    "IntegerDivideByZero",
    "Privileged",
    "LoadStoreAlignment",
    "InstrFetchProhibited",
    "LoadProhibited",
    "StoreProhibited",
    "LoadProhibitedCause",
    "StoreProhibitedCause",
    "Unhandled debug exception",
    "Double exception",
    "Unhandled kernel exception",
    "Coprocessor exception",
    "Interrupt wdt timeout on CPU0",
    "Interrupt wdt timeout on CPU1",
    "Cache disabled but cached memory region accessed",
    "Cache error",
    "Instruction address misaligned",
    "Instruction access fault",
    "Illegal instruction",
    "Breakpoint",
    "Load address misaligned",
    "Load access fault",
    "Store address misaligned",
    "Store access fault",
    "Stack protection fault",
    "Memory protection fault",
};

// Of which the reset and boot words of the ROMs are made: `TG1WDT_SYS_RESET`, `SPI_FAST_FLASH_BOOT`.
constexpr std::string_view rom_parts[] = {
    "POWERON", "POWER", "RESET",  "RST",  "SW",   "CPU",  "SYS",       "RTC",       "TG0WDT",
    "TG1WDT",  "TGWDT", "RTCWDT", "OWDT", "SDIO", "EXT",  "INTRUSION", "DEEPSLEEP", "DSLEEP",
    "BROWN",   "OUT",   "USB",    "UART", "JTAG", "CHIP", "SUPER",     "WDT",       "SUPERWDT",
    "GLITCH",  "EFUSE", "CRC",    "SPI",  "FAST", "SLOW", "FLASH",     "BOOT",      "DOWNLOAD",
    "LP",      "HP",    "CORE",   "MWDT", "PWR",  "UP",   "DOWN",
};

bool is_rom_word(std::string_view word) {
  for (;;) {
    const std::size_t end = std::min(word.find('_'), word.size());
    const std::string_view part = word.substr(0, end);
    if (std::find(std::begin(rom_parts), std::end(rom_parts), part) == std::end(rom_parts)) return false;
    if (end == word.size()) return true;
    word.remove_prefix(end + 1);
  }
}

bool says_the_device(std::string_view words) {
  if (words.empty() || is_rom_word(words)) return true;
  return std::find(std::begin(known_words), std::end(known_words), words) != std::end(known_words);
}

template <class Is>
std::size_t run_length(std::string_view text, Is is) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is) - text.begin());
}

constexpr bool is_lower_or_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z');
}

// How much of `text` a placeholder of a bounded form takes.
std::optional<std::size_t> length_of(char placeholder, std::string_view text) {
  const auto within = [](std::size_t length, std::size_t least, std::size_t most) {
    return length >= least && length <= most ? std::optional{length} : std::nullopt;
  };
  switch (placeholder) {
    case '#':
      return within(run_length(text, is_digit), 1, longest_number);
    case '@':
      return within(run_length(text, is_hex), 1, longest_address);
    case '~':
      return within(run_length(text, [](char c) { return c == ' '; }), 1, 2);
    case '$':
      return within(run_length(text, is_lower_or_digit), 0, longest_chip);
    default:
      return starts_with_month(text) ? std::optional<std::size_t>{3} : std::nullopt;
  }
}

// Where `%` ends: before the next `literal`, or before the one that ends the line.
std::optional<std::size_t> hidden_length(std::string_view text, std::string_view literal, bool last) {
  if (!last) {
    const std::size_t at = text.find(literal);
    return at == std::string_view::npos ? std::nullopt : std::optional{at};
  }
  return text.ends_with(literal) ? std::optional{text.size() - literal.size()} : std::nullopt;
}

std::optional<std::string> kept_of(std::string_view shape, std::string_view text) {
  std::string kept;
  while (!shape.empty()) {
    const char next = shape.front();
    std::size_t length = 1;
    bool is_known = true;
    if (next == '%') {
      const std::string_view behind = shape.substr(1);
      const std::string_view literal = behind.substr(0, behind.find_first_of(placeholders));
      const auto hidden = hidden_length(text, literal, literal.size() == behind.size());
      if (!hidden) return std::nullopt;
      length = *hidden;
      is_known = says_the_device(text.substr(0, length));
    } else if (placeholders.find(next) != std::string_view::npos) {
      const auto fits = length_of(next, text);
      if (!fits) return std::nullopt;
      length = *fits;
    } else if (!text.starts_with(next)) {
      return std::nullopt;
    }
    kept += is_known ? text.substr(0, length) : redaction_mark;
    text.remove_prefix(length);
    shape.remove_prefix(1);
  }
  return text.empty() ? std::optional{std::move(kept)} : std::nullopt;
}

bool eat_address(Cursor& at) {
  if (!at.eat("0x")) return false;
  const auto length = length_of('@', at.rest());
  if (length) at.skip(*length);
  return length.has_value();
}

// `Backtrace: 0x400d8a2d:0x3ffb4e10 ...`, of addresses alone.
bool is_backtrace(std::string_view line) {
  Cursor at{line};
  if (!at.eat("Backtrace:")) return false;
  at.skip_spaces();
  while (!at.at_end() && eat_address(at)) {
    if (!at.eat(":") || !eat_address(at)) return false;
    at.skip_spaces();
  }
  return at.at_end() || at.rest() == "|<-CORRUPTED" || at.rest() == "|<-CONTINUES";
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// A tag of ESP-IDF, or a source file and its line: no sentence fits.
bool is_exact_header(const LogLine& line) {
  const auto is_tag = [](char c) { return is_word(c) || c == '-' || c == '.'; };
  if (!line.thread.empty())
    return line.thread.size() <= longest_tag && run_length(line.thread, is_tag) == line.thread.size();
  const std::string_view header = std::string_view{line.text}.substr(0, line.message_at);
  const std::string_view place = header.substr(header.rfind('[') + 1);
  const auto is_place = [is_tag](char c) { return is_tag(c) || c == ':'; };
  return place.size() <= longest_place && place.substr(run_length(place, is_place)) == "] ";
}

}  // namespace

std::optional<std::string> own_words(std::string_view line) {
  const std::string_view words = trimmed(line);
  if (is_backtrace(words)) return std::string{words};
  for (const std::string_view shape : shapes) {
    if (auto kept = kept_of(shape, words)) return kept;
  }
  return std::nullopt;
}

bool is_sdk_line(const LogLine& line) {
  return line.message_at > 0 && line.clock.empty() && line.uptime.has_value();
}

std::optional<std::string> own_sdk_words(const LogLine& line) {
  if (!is_exact_header(line)) return std::nullopt;
  std::string kept = line.text.substr(0, line.message_at);
  const std::string_view message = line.message();
  if (const auto own = own_words(message)) {
    const std::size_t indent = std::min(message.find_first_not_of(' '), message.size());
    return kept.append(indent, ' ').append(*own);
  }
  const std::string_view words = words_of_trouble(message);
  if (words.empty()) return kept.append(redaction_mark);
  const std::size_t at = static_cast<std::size_t>(words.data() - message.data());
  if (at > 0) kept += redaction_mark;
  kept += words;
  if (at + words.size() < message.size()) kept += redaction_mark;
  return kept;
}

}  // namespace leakhunt::proto
