// Values of other rooms as the words, figures and messages of an answer. Knows no question.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/verdict.h"
#include "base/time.h"
#include "leakhunt/v1/api.pb.h"
#include "proto/telemetry_fields.h"
#include "recorder/rows.h"

namespace leakhunt::answer {

// `poll`, `debug_heap`, ...; the words of INTERFACES "Samples and sources".
[[nodiscard]] std::string_view source_word(recorder::Source source);
[[nodiscard]] std::optional<recorder::Source> source_of(std::string_view word);
// `watchdog`, `opened_by_recorder`, ...; empty for unknown.
[[nodiscard]] std::string_view cause_word(recorder::BootCause cause);

// Epoch seconds of an answer: the double nearest to the microsecond.
[[nodiscard]] double epoch(Utc t);

[[nodiscard]] v1::VerdictClass to_v1(analysis::VerdictClass c);
[[nodiscard]] v1::VerdictState to_v1(analysis::State s);
[[nodiscard]] analysis::VerdictClass from_v1(v1::VerdictClass c);

// 1234567.4 -> "1,234,567"
[[nodiscard]] std::string grouped(double value);
// Grouped from 100 on, one decimal from 1 on, else two significant digits: "1,127", "18.8", "0.034".
[[nodiscard]] std::string figure(double value);
// An age or cadence: "8s", "1.5s", "12m", "6h", "2d 3h".
[[nodiscard]] std::string span_words(double seconds);
// Since the start of a window: "+4h12m", "+35s".
[[nodiscard]] std::string offset_words(double seconds);
// "3 boots", "1 boot"
[[nodiscard]] std::string counted(std::int64_t n, const char* one, const char* many);
[[nodiscard]] std::string joined(const std::vector<std::string>& words, std::string_view separator = ", ");
// Each element cut at commas and bars, blanks taken off, empty pieces left out.
[[nodiscard]] std::vector<std::string> split_list(
    const google::protobuf::RepeatedPtrField<std::string>& list);

}  // namespace leakhunt::answer
