// What a device may be called: the one place that says so, for the configuration and for a person who
// renames.
#pragma once

#include <algorithm>
#include <string_view>

namespace leakhunt::recorder {

inline constexpr std::string_view kDeviceNameForms =
    "letters, digits, - _ . and at most 64 of them, the first no -";

[[nodiscard]] constexpr bool is_device_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !name.empty() && name.front() != '-' && name.size() <= 64 &&
         std::all_of(name.begin(), name.end(), fits);
}

}  // namespace leakhunt::recorder
