// The words of classes and states.
#include "analysis/verdict.h"

namespace leakhunt::analysis {

std::string_view json_word(VerdictClass c) {
  switch (c) {
    case VerdictClass::insufficient_data:
      return "insufficient_data";
    case VerdictClass::reboot_mid_window:
      return "reboot_mid_window";
    case VerdictClass::oom_imminent:
      return "oom_imminent";
    case VerdictClass::slow_leak:
      return "slow_leak";
    case VerdictClass::fragmentation_suspect:
      return "fragmentation_suspect";
    case VerdictClass::steady:
      return "steady";
    case VerdictClass::recovery_curve:
      return "recovery_curve";
  }
  return "insufficient_data";
}

std::string_view text_word(VerdictClass c) {
  switch (c) {
    case VerdictClass::insufficient_data:
      return "INSUFFICIENT DATA";
    case VerdictClass::reboot_mid_window:
      return "REBOOT MID-WINDOW";
    case VerdictClass::oom_imminent:
      return "OOM-IMMINENT";
    case VerdictClass::slow_leak:
      return "SLOW LEAK";
    case VerdictClass::fragmentation_suspect:
      return "FRAGMENTATION SUSPECT";
    case VerdictClass::steady:
      return "STEADY";
    case VerdictClass::recovery_curve:
      return "RECOVERY CURVE";
  }
  return "INSUFFICIENT DATA";
}

std::string_view word(State s) {
  switch (s) {
    case State::provisional:
      return "provisional";
    case State::confirmed:
      return "confirmed";
    case State::withdrawn:
      return "withdrawn";
  }
  return "provisional";
}

std::string_view word(Rules r) {
  return r == Rules::leakhunt ? "leakhunt" : "published";
}

int urgency(VerdictClass c) {
  switch (c) {
    case VerdictClass::oom_imminent:
      return 4;
    case VerdictClass::slow_leak:
      return 3;
    case VerdictClass::fragmentation_suspect:
      return 2;
    case VerdictClass::recovery_curve:
      return 1;
    case VerdictClass::steady:
    case VerdictClass::reboot_mid_window:
    case VerdictClass::insufficient_data:
      return 0;
  }
  return 0;
}

}  // namespace leakhunt::analysis
