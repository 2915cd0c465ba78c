// Field and variant of a question. See fields.h.
#include "answer/fields.h"

#include <algorithm>
#include <array>
#include <map>

#include "answer/words.h"

namespace leakhunt::answer {
namespace {

using recorder::HeapField;

// What log lines tell beside the fields of LocalStats; by all the names they have.
struct LineField {
  std::string_view name;
  std::string_view camel_name;
  HeapField heap;
};
constexpr std::array<LineField, 2> kLineFields{
    {{"largest_block_bytes", "largestBlockBytes", HeapField::largest_block_bytes},
     {"min_free_bytes", "minFreeBytes", HeapField::min_free_bytes}}};

bool is_counter(proto::Variant variant, std::string_view field) {
  static constexpr std::array<std::string_view, 2> kCounts{"num_online_nodes", "num_total_nodes"};
  if (field == "uptime_seconds") {
    return true;
  }
  if (variant == proto::Variant::local) {
    return field.starts_with("num_") && std::find(kCounts.begin(), kCounts.end(), field) == kCounts.end();
  }
  return variant == proto::Variant::traffic;
}

FieldChoice choice(const proto::TelemetryVariant& variant, const std::string& field) {
  FieldChoice chosen;
  chosen.variant = variant.variant;
  chosen.variant_name = variant.name;
  chosen.field = field;
  if (variant.variant == proto::Variant::local && field == "heap_free_bytes") {
    chosen.heap = HeapField::heap_free_bytes;
  }
  chosen.counter = is_counter(variant.variant, field);
  return chosen;
}

std::optional<FieldChoice> find_in(const proto::TelemetryVariant& variant, const std::string& name) {
  if (const proto::TelemetryField* field = proto::find_field(variant, name)) {
    if (field->kind == proto::TelemetryField::Kind::text) {
      return std::nullopt;
    }
    return choice(variant, field->name);
  }
  if (variant.variant == proto::Variant::local) {
    for (const LineField& field : kLineFields) {
      if (name == field.name || name == field.camel_name) {
        FieldChoice chosen = choice(variant, std::string{field.name});
        chosen.heap = field.heap;
        return chosen;
      }
    }
  }
  return std::nullopt;
}

// "heap_free_bytes, num_packets_rx (local); battery_level (device)"
std::string fields_with_samples(const Asked& asked) {
  std::map<recorder::Variant, std::vector<std::string>> by_variant;
  for (const auto& seen : asked.reader.fields(asked.device.id)) {
    by_variant[seen.variant].push_back(seen.field);
  }
  std::vector<std::string> parts;
  for (const auto& [variant, names] : by_variant) {
    parts.push_back(joined(names) + " (" + proto::info(variant).name + ")");
  }
  return parts.empty() ? "no field of " + asked.device.name + " has samples yet"
                       : "fields with samples: " + joined(parts, "; ");
}

Error no_such_variant(const std::string& variant) {
  std::vector<std::string> names;
  for (const auto& known : proto::telemetry_variants()) {
    names.push_back(known.name);
  }
  return {ErrorCode::usage, "no variant is named \"" + variant + "\"", "", "there are: " + joined(names)};
}

std::string names_of(const std::vector<proto::Variant>& variants) {
  std::vector<std::string> names;
  for (const proto::Variant variant : variants) {
    names.push_back(proto::info(variant).name);
  }
  return joined(names, " and ");
}

}  // namespace

Result<FieldChoice> choose_field(const Asked& asked, const std::string& field, const std::string& variant) {
  const proto::TelemetryVariant* given = variant.empty() ? nullptr : proto::find_variant(variant);
  if (!variant.empty() && given == nullptr) {
    return no_such_variant(variant);
  }
  const proto::TelemetryVariant& first = given != nullptr ? *given : proto::info(proto::Variant::local);
  if (field.empty() && first.variant != proto::Variant::local) {
    return Error{ErrorCode::usage, "variant " + first.name + " needs a field", "",
                 fields_with_samples(asked)};
  }
  const std::string name = field.empty() ? "heap_free_bytes" : field;
  if (const auto found = find_in(first, name)) {
    return *found;
  }
  std::string what = "variant " + first.name + " has no field \"" + name + "\"";
  if (given == nullptr) {
    const auto others = proto::variants_with_field(name);
    if (others.size() == 1) {
      if (const auto found = find_in(proto::info(others.front()), name)) {
        return *found;
      }
    }
    if (others.size() > 1) {
      what = "field \"" + name + "\" stands in " + names_of(others) + ": say --variant";
    }
  }
  return Error{ErrorCode::usage, what, "", fields_with_samples(asked)};
}

}  // namespace leakhunt::answer
