// Figures in sentences: bytes, rates, times, shares.
#pragma once

#include <string>

namespace leakhunt::analysis {

[[nodiscard]] std::string number_text(double value, int decimals = 0);  // "3,124", "-1,408.5"
[[nodiscard]] std::string bytes_text(double bytes);                     // "3,124 B"
[[nodiscard]] std::string rate_text(double per_min);                    // "82 B/min", "5.3 B/min"
[[nodiscard]] std::string span_text(double seconds);                    // "40 s", "45 min", "6.0 h", "3.2 d"
[[nodiscard]] std::string percent_text(double share);                   // "84 %"
[[nodiscard]] std::string count_text(std::size_t n, const char* one,
                                     const char* many);  // "1 boot", "3 boots"

}  // namespace leakhunt::analysis
