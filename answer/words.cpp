// Words and figures of answers. See words.h.
#include "answer/words.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "answer/engine.h"
#include "recorder/boot_cause.h"

namespace leakhunt::answer {
namespace {

using recorder::BootCause;
using recorder::Source;

constexpr std::array<std::pair<Source, std::string_view>, 8> kSources{{{Source::poll, "poll"},
                                                                       {Source::stats, "stats"},
                                                                       {Source::debug_heap, "debug_heap"},
                                                                       {Source::heap_line, "heap_line"},
                                                                       {Source::thread_event, "thread_event"},
                                                                       {Source::alloc_line, "alloc_line"},
                                                                       {Source::boot_line, "boot_line"},
                                                                       {Source::import, "import"}}};

constexpr std::array<std::pair<analysis::VerdictClass, v1::VerdictClass>, 7> kClasses{
    {{analysis::VerdictClass::insufficient_data, v1::VERDICT_CLASS_INSUFFICIENT_DATA},
     {analysis::VerdictClass::reboot_mid_window, v1::VERDICT_CLASS_REBOOT_MID_WINDOW},
     {analysis::VerdictClass::oom_imminent, v1::VERDICT_CLASS_OOM_IMMINENT},
     {analysis::VerdictClass::slow_leak, v1::VERDICT_CLASS_SLOW_LEAK},
     {analysis::VerdictClass::fragmentation_suspect, v1::VERDICT_CLASS_FRAGMENTATION_SUSPECT},
     {analysis::VerdictClass::steady, v1::VERDICT_CLASS_STEADY},
     {analysis::VerdictClass::recovery_curve, v1::VERDICT_CLASS_RECOVERY_CURVE}}};

// Two units at most, the second left out when 0.
std::string in_units(std::int64_t seconds, std::string_view between) {
  static constexpr std::array<std::pair<std::int64_t, char>, 4> kUnits{
      {{86400, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}}};
  for (std::size_t i = 0; i < kUnits.size(); ++i) {
    const auto [size, unit] = kUnits[i];
    if (seconds < size) {
      continue;
    }
    std::string words = fmt::format("{}{}", seconds / size, unit);
    if (i + 1 < kUnits.size()) {
      const auto [next_size, next_unit] = kUnits[i + 1];
      const std::int64_t rest = seconds % size / next_size;
      words += rest > 0 ? fmt::format("{}{}{}", between, rest, next_unit) : "";
    }
    return words;
  }
  return "0s";
}

}  // namespace

std::string_view source_word(Source source) {
  for (const auto& [value, word] : kSources) {
    if (value == source) {
      return word;
    }
  }
  return "unknown";
}

std::optional<Source> source_of(std::string_view word) {
  for (const auto& [value, its_word] : kSources) {
    if (its_word == word) {
      return value;
    }
  }
  return std::nullopt;
}

std::string_view cause_word(BootCause cause) {
  return cause == BootCause::unknown ? std::string_view{} : recorder::word(cause);
}

double epoch(Utc t) {
  return static_cast<double>(t.us) / 1e6;
}

v1::VerdictClass to_v1(analysis::VerdictClass c) {
  for (const auto& [ours, theirs] : kClasses) {
    if (ours == c) {
      return theirs;
    }
  }
  return v1::VERDICT_CLASS_INSUFFICIENT_DATA;
}

analysis::VerdictClass from_v1(v1::VerdictClass c) {
  for (const auto& [ours, theirs] : kClasses) {
    if (theirs == c) {
      return ours;
    }
  }
  return analysis::VerdictClass::insufficient_data;
}

v1::VerdictState to_v1(analysis::State s) {
  switch (s) {
    case analysis::State::confirmed:
      return v1::VERDICT_STATE_CONFIRMED;
    case analysis::State::withdrawn:
      return v1::VERDICT_STATE_WITHDRAWN;
    case analysis::State::provisional:
      break;
  }
  return v1::VERDICT_STATE_PROVISIONAL;
}

std::string class_text(v1::VerdictClass c) {
  return std::string{analysis::text_word(from_v1(c))};
}

std::string class_word(v1::VerdictClass c) {
  return std::string{analysis::json_word(from_v1(c))};
}

std::string grouped(double value) {
  std::string digits = fmt::format("{}", std::llround(std::abs(value)));
  for (std::size_t at = digits.size(); at > 3; at -= 3) {
    digits.insert(at - 3, ",");
  }
  return (value < 0 && digits != "0" ? "-" : "") + digits;
}

std::string figure(double value) {
  const double size = std::abs(value);
  if (size >= 100 || value == 0) {
    return grouped(value);
  }
  return size >= 1 ? fmt::format("{:.3g}", value) : fmt::format("{:.2g}", value);
}

std::string span_words(double seconds) {
  if (seconds < 10 && seconds > 0) {
    return fmt::format("{:.2g}s", seconds);
  }
  return in_units(std::llround(std::max(seconds, 0.0)), " ");
}

std::string offset_words(double seconds) {
  return "+" + in_units(std::llround(std::max(seconds, 0.0)), "");
}

std::string counted(std::int64_t n, const char* one, const char* many) {
  return grouped(static_cast<double>(n)) + " " + (n == 1 ? one : many);
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

std::vector<std::string> split_list(const google::protobuf::RepeatedPtrField<std::string>& list) {
  std::vector<std::string> pieces;
  for (const std::string& element : list) {
    std::size_t from = 0;
    while (from <= element.size()) {
      const std::size_t to = std::min(element.find_first_of(",|", from), element.size());
      const std::size_t first = element.find_first_not_of(' ', from);
      if (first < to) {
        const std::size_t last = element.find_last_not_of(' ', to - 1);
        pieces.push_back(element.substr(first, last - first + 1));
      }
      from = to + 1;
    }
  }
  return pieces;
}

}  // namespace leakhunt::answer
