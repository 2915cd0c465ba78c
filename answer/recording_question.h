// A recorded file as a question to the analysis, and the judgement of it. Knows no messages and no store.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/input.h"
#include "analysis/verdict.h"
#include "base/result.h"
#include "recorder/recording.h"

namespace leakhunt::answer {

struct JudgeSettings {
  std::string metric;                   // column or figure to judge; empty: the first that tells memory
  std::optional<double> reserve_bytes;  // unset: the analysis's own
  std::string reserve_reason;
  std::optional<double> limit_bytes;  // of used memory, where no reading tells a total
  analysis::Rules rules = analysis::Rules::leakhunt;
};

struct RecordingQuestion {
  analysis::Question question;
  std::string metric;              // what is judged
  std::size_t samples = 0;         // its readings, of all sources
  std::vector<std::string> notes;  // of the reader, and what was assumed here
};

// Fails (usage) where `settings.metric` is none of the recording's, naming those there are.
[[nodiscard]] Result<RecordingQuestion> question_of(const recorder::Recording& recording,
                                                    const JudgeSettings& settings);

struct JudgedRecording {
  analysis::Verdict verdict;
  std::string metric;
  std::size_t samples = 0;
  std::vector<std::string> notes;
};

// The verdict, held to what the file can show: no rate without times, no leak from a low-water mark alone,
// and from the largest block alone fragmentation at most.
[[nodiscard]] Result<JudgedRecording> judge_recording(const recorder::Recording& recording,
                                                      const JudgeSettings& settings);

}  // namespace leakhunt::answer
