// Which field of which telemetry variant a question means (INTERFACES, "Arguments").
#pragma once

#include <optional>
#include <string>

#include "answer/asked.h"
#include "base/result.h"
#include "proto/telemetry_fields.h"
#include "recorder/rows.h"

namespace leakhunt::answer {

struct FieldChoice {
  recorder::Variant variant = recorder::Variant::local;
  std::string variant_name;                 // the short one: `local`
  std::string field;                        // snake_case
  std::optional<recorder::HeapField> heap;  // has sample rows of its own
  bool counter = false;                     // only grows within a boot: judged as a rate
  [[nodiscard]] bool is_free_heap() const { return heap == recorder::HeapField::heap_free_bytes; }
};

// Empty names are heap_free_bytes of `local`. Errors (usage) list the variants, or the fields with samples.
[[nodiscard]] Result<FieldChoice> choose_field(const Asked& asked, const std::string& field,
                                               const std::string& variant);

}  // namespace leakhunt::answer
