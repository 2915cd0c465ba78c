// A JSON text as a tree of values. Only for this room's readers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace leakhunt::answer {

struct JsonValue {
  enum class Kind { null, boolean, number, string, array, object };
  Kind kind = Kind::null;
  bool boolean = false;
  std::string text;  // of a string: decoded; of a number: as written
  std::vector<JsonValue> elements;
  std::vector<std::pair<std::string, JsonValue>> members;
};

struct JsonParse {
  std::optional<JsonValue> value;  // unset: no JSON
  std::size_t error_at = 0;        // byte where it went wrong
};

// One value with nothing but blanks behind it, nested at most 64 deep.
[[nodiscard]] JsonParse parse_json(std::string_view text);

}  // namespace leakhunt::answer
