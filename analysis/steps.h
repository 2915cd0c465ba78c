// The steps of the default rules that can be left out, to measure what each is worth. Nothing but
// measurements leaves one out.
#pragma once

#include <array>
#include <string_view>

namespace leakhunt::analysis {

struct Steps {
  bool clean = true;            // off: impossible and lone readings are judged like the others
  bool segments = true;         // off: one stretch on the host's clock, whatever reboots
  bool upper_envelope = true;   // off: the level is the 5 % quantile of a block, not the 80 %
  bool cycles = true;           // off: the levels after recoveries are not looked at
  bool dips = true;             // off: blocks in a dip from which the level comes back count as well
  bool nodes = true;            // off: the node database explains nothing
  bool day = true;              // off: no daily or other plain cycle is taken out
  bool shapes = true;           // off: everything is a ramp
  bool fading = true;           // off: a fall that fades counts like one that goes on
  bool ends = true;             // off: the last part of a window is not looked at for itself
  bool load = true;             // off: neither packet rate nor time of day denies a loss
  bool autocorrelation = true;  // off: errors as if readings were independent
  bool effect = true;           // off: what is significant counts, however small
};

struct StepName {
  std::string_view name;
  bool Steps::*on;
};

inline constexpr std::array<StepName, 13> kStepNames{{{"clean", &Steps::clean},
                                                      {"segments", &Steps::segments},
                                                      {"upper-envelope", &Steps::upper_envelope},
                                                      {"cycles", &Steps::cycles},
                                                      {"dips", &Steps::dips},
                                                      {"nodes", &Steps::nodes},
                                                      {"day", &Steps::day},
                                                      {"shapes", &Steps::shapes},
                                                      {"fading", &Steps::fading},
                                                      {"ends", &Steps::ends},
                                                      {"load", &Steps::load},
                                                      {"autocorrelation", &Steps::autocorrelation},
                                                      {"effect", &Steps::effect}}};

}  // namespace leakhunt::analysis
