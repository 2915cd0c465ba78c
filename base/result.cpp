#include "base/result.h"

namespace leakhunt {

std::string Error::line() const {
  std::string out = what;
  if (!where.empty()) out += ": " + where;
  if (!hint.empty()) out += " (" + hint + ")";
  return out;
}

}  // namespace leakhunt
