// What the restarts of a window tell: why each stretch ended, at which level the device died, and whether the
// loss comes again.
#pragma once

#include <vector>

#include "analysis/sources.h"

namespace leakhunt::analysis {

// Boots that have something in the window, with or without readings.
[[nodiscard]] std::size_t boots_in(const Question& question);

// Each boot with readings: why it ended, how long it lasted, and the level at death: the latest reading of
// any source before a restart that nobody planned, where memory had gone. Boots that the chosen source has no
// reading of are told by another one.
[[nodiscard]] std::vector<StretchVerdict> stretch_verdicts(const Question& question, const Sources& sources);

// Sentences about the restarts, for windows with more than one boot; `stretches` may be empty.
[[nodiscard]] std::vector<Finding> restarts(const Question& question,
                                            const std::vector<StretchVerdict>& stretches, std::size_t boots);

// Boot loops: a sentence where each of at least three stretches is too short to be judged but all of them
// lose.
[[nodiscard]] std::optional<Finding> short_falls(const Question& question, const Candidate& c);

// "a watchdog reset" for `watchdog`; the word itself where it is not known.
[[nodiscard]] std::string cause_words(const std::string& cause);

// A flash or a reboot that was asked for, or the opening of a port: the device did not die.
[[nodiscard]] bool is_planned(const std::string& cause);

}  // namespace leakhunt::analysis
