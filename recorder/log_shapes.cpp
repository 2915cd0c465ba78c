// Compiles line shapes and applies them to lines.
#include "recorder/log_shapes.h"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "recorder/recording.h"

namespace leakhunt::recorder {
namespace {

constexpr std::string_view kSizePlaceholder = "{size}";
constexpr std::string_view kSizePattern =
    R"(\d[\d,]*(?:\.\d+)?(?:e\+\d+)?(?:\s?(?:[kKMGT]i?B|[kmgt]b|[Bb]ytes?|B|[KMG]i?|k)\b)?)";
constexpr double kAutoUnit = 0;  // resolved when the whole file is known

constexpr std::string_view kGroups[] = {"free",       "used",      "rss",   "largest", "min",    "total",
                                        "uptime",     "uptime_ms", "time",  "thread",  "before", "after",
                                        "uptime_min", "label",     "event", "unit"};

std::string expanded(std::string pattern) {
  for (auto at = pattern.find(kSizePlaceholder); at != std::string::npos;
       at = pattern.find(kSizePlaceholder, at + kSizePattern.size())) {
    pattern.replace(at, kSizePlaceholder.size(), kSizePattern);
  }
  return pattern;
}

RE2::Options quiet() {
  RE2::Options options;
  options.set_log_errors(false);
  return options;
}

// `0T00:12:10`, `000+00:00:11.218`, `1d 02:03:04`, `3:04:05`, `730`, `730.5`: seconds.
std::optional<double> parse_uptime(std::string_view text) {
  double days = 0;
  if (const auto mark = text.find_first_of("T+d"); mark != std::string_view::npos) {
    const auto whole = parse_size(text.substr(0, mark), 1);
    if (!whole) {
      return std::nullopt;
    }
    days = whole->bytes;
    text.remove_prefix(mark + 1);
    while (!text.empty() && text.front() == ' ') {
      text.remove_prefix(1);
    }
  }
  double seconds = 0;
  while (!text.empty()) {
    const auto colon = text.find(':');
    const auto part = text.substr(0, colon);
    double value = 0;
    const auto [end, failure] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (failure != std::errc{} || end != part.data() + part.size()) {
      return std::nullopt;
    }
    seconds = seconds * 60 + value;
    text = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
  }
  return days * 86400 + seconds;
}

bool continues_number(std::string_view line, std::size_t end) {
  if (end >= line.size()) {
    return false;
  }
  const auto next = static_cast<unsigned char>(line[end]);
  return next == '%' || next == '_' || std::isalnum(next) != 0 ||
         (next == '.' && end + 1 < line.size() &&
          std::isdigit(static_cast<unsigned char>(line[end + 1])) != 0);
}

}  // namespace

std::optional<double> unit_bytes(std::string_view unit) {
  std::string low(unit);
  std::transform(low.begin(), low.end(), low.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (low.empty() || low == "b" || low == "byte" || low == "bytes") {
    return 1.0;
  }
  if (low == "pages") {
    return 4096.0;
  }
  constexpr std::string_view kScale = "kmgt";
  const auto power = kScale.find(low.front());
  const auto rest = std::string_view(low).substr(1);
  if (power == std::string_view::npos || !(rest.empty() || rest == "b" || rest == "ib" || rest == "i")) {
    return std::nullopt;
  }
  return std::pow(1024.0, static_cast<double>(power + 1));
}

std::optional<Size> parse_size(std::string_view text, double unit) {
  std::string digits;
  std::size_t at = 0;
  while (at < text.size() && (std::isdigit(static_cast<unsigned char>(text[at])) != 0 || text[at] == '.' ||
                              text[at] == ',' || (at == 0 && text[at] == '-'))) {
    if (text[at] != ',') {
      digits.push_back(text[at]);
    }
    ++at;
  }
  // `1.2345e+08`, as metrics are written.
  if (const auto rest = text.substr(at); rest.starts_with("e+")) {
    const auto end = std::min(rest.find_first_not_of("0123456789", 2), rest.size());
    digits += rest.substr(0, end);
    at += end;
  }
  double value = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failure != std::errc{} || end != digits.data() + digits.size()) {
    return std::nullopt;
  }
  while (at < text.size() && text[at] == ' ') {
    ++at;
  }
  if (at == text.size()) {
    return Size{value * unit, false};
  }
  const auto own = unit_bytes(text.substr(at));
  if (!own) {
    return std::nullopt;
  }
  return Size{value * *own, true};
}

bool ShapeFinds::anything() const {
  return free || used || largest || min || total || before || uptime_s || !time.empty() || !events.empty();
}

struct ShapeTable::Compiled {
  struct One {
    LogShape shape;
    std::unique_ptr<RE2> pattern;
    double unit = 1;
    std::vector<std::pair<int, std::string>> groups;  // index, name
  };
  std::vector<One> shapes;
  std::unique_ptr<RE2::Set> set;
};

namespace {

Result<Done> check(const LogShape& shape, const RE2& pattern) {
  const auto bad = [&shape](std::string what) -> Result<Done> {
    return Error{ErrorCode::usage, std::move(what), "log_format \"" + shape.name + "\"",
                 "see the groups and units of log formats in the documentation"};
  };
  if (!pattern.ok()) {
    return bad("the pattern is no RE2 expression: " + pattern.error());
  }
  for (const auto& [index, name] : pattern.CapturingGroupNames()) {
    if (std::find(std::begin(kGroups), std::end(kGroups), name) == std::end(kGroups)) {
      return bad("unknown group '" + name + "'");
    }
  }
  if (shape.unit != "auto" && !unit_bytes(shape.unit)) {
    return bad("unknown unit '" + shape.unit + "' (allowed: B, KiB, MiB, GiB, pages, auto)");
  }
  if (!shape.event.empty() && !recorded_line_kind(shape.event)) {
    return bad("unknown event '" + shape.event + "'");
  }
  return Done{};
}

}  // namespace

Result<ShapeTable> ShapeTable::make(std::span<const LogShape> user_shapes) {
  auto compiled = std::make_shared<Compiled>();
  compiled->set = std::make_unique<RE2::Set>(quiet(), RE2::UNANCHORED);
  for (const auto& table : {user_shapes, built_in_log_shapes()}) {
    for (const auto& shape : table) {
      Compiled::One one{shape, std::make_unique<RE2>(expanded(shape.pattern), quiet()), kAutoUnit, {}};
      if (const auto checked = check(shape, *one.pattern); !checked) {
        return checked.error();
      }
      if (shape.unit != "auto") {
        one.unit = *unit_bytes(shape.unit);
      }
      for (const auto& [index, name] : one.pattern->CapturingGroupNames()) {
        one.groups.emplace_back(index, name);
      }
      compiled->set->Add(expanded(shape.pattern), nullptr);
      compiled->shapes.push_back(std::move(one));
    }
  }
  if (!compiled->set->Compile()) {
    return Error{ErrorCode::failed, "the line shapes together need too much memory", "log_format",
                 "use fewer or simpler patterns"};
  }
  ShapeTable table;
  table.compiled_ = std::move(compiled);
  return table;
}

namespace {

// Labels differ by their words, not by case or blanks around them.
std::string folded(std::string_view text) {
  std::string out(text.substr(0, text.find_last_not_of(' ') + 1));
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

struct Captured {
  std::string_view text;
  bool trusted = true;
};

void take_level(std::optional<double>& into, const Captured& group, double unit, ShapeFinds& finds,
                std::string_view unit_text) {
  if (into || !group.trusted) {
    return;
  }
  const bool open = unit == kAutoUnit;
  const auto named = unit_bytes(unit_text);
  const auto size = parse_size(group.text, !unit_text.empty() && named ? *named : open ? 1.0 : unit);
  if (!size) {
    return;
  }
  into = size->bytes;
  finds.unit_open = finds.unit_open || (open && !size->had_unit);
}

void take_uptime(ShapeFinds& finds, const Captured& group, double scale) {
  if (finds.uptime_s || !group.trusted) {
    return;
  }
  if (const auto seconds = parse_uptime(group.text)) {
    finds.uptime_s = *seconds * scale;
  }
}

void take_group(ShapeFinds& finds, std::string_view name, const Captured& group, double unit,
                std::string_view unit_text) {
  if (name == "free") {
    take_level(finds.free, group, unit, finds, unit_text);
  } else if (name == "used" || name == "rss") {
    take_level(finds.used, group, unit, finds, unit_text);
  } else if (name == "largest") {
    take_level(finds.largest, group, unit, finds, unit_text);
  } else if (name == "min") {
    take_level(finds.min, group, unit, finds, unit_text);
  } else if (name == "total") {
    take_level(finds.total, group, unit, finds, unit_text);
  } else if (name == "before") {
    take_level(finds.before, group, unit, finds, unit_text);
  } else if (name == "after") {
    take_level(finds.after, group, unit, finds, unit_text);
  } else if (name == "uptime") {
    take_uptime(finds, group, 1);
  } else if (name == "uptime_ms") {
    take_uptime(finds, group, 1e-3);
  } else if (name == "uptime_min") {
    take_uptime(finds, group, 60);
  } else if (name == "time" && finds.time.empty()) {
    finds.time = group.text;
  } else if (name == "thread" && finds.thread.empty()) {
    finds.thread = group.text;
  } else if (name == "label" && finds.label.empty()) {
    finds.label = folded(group.text);
  } else if (name == "event") {
    finds.events.emplace_back(group.text);
  }
}

bool is_size_group(std::string_view name) {
  return name == "free" || name == "used" || name == "rss" || name == "largest" || name == "min" ||
         name == "total" || name == "before" || name == "after";
}

}  // namespace

ShapeFinds ShapeTable::find(std::string_view line, bool cut) const {
  ShapeFinds finds;
  std::vector<int> matching;
  compiled_->set->Match(line, &matching);
  std::sort(matching.begin(), matching.end());
  std::vector<re2::StringPiece> parts;
  for (const int index : matching) {
    const auto& one = compiled_->shapes[static_cast<std::size_t>(index)];
    parts.assign(static_cast<std::size_t>(one.pattern->NumberOfCapturingGroups()) + 1, {});
    const re2::StringPiece subject(line.data(), line.size());
    if (!one.pattern->Match(subject, 0, line.size(), RE2::UNANCHORED, parts.data(),
                            static_cast<int>(parts.size()))) {
      continue;
    }
    std::string_view unit_text;
    for (const auto& [group, name] : one.groups) {
      const auto& part = parts[static_cast<std::size_t>(group)];
      if (name == "unit" && part.data() != nullptr) {
        unit_text = {part.data(), part.size()};
      }
    }
    for (const auto& [group, name] : one.groups) {
      const auto& part = parts[static_cast<std::size_t>(group)];
      if (part.data() == nullptr || part.empty()) {
        continue;
      }
      const auto end = static_cast<std::size_t>(part.data() - line.data()) + part.size();
      Captured captured{{part.data(), part.size()}, !(cut && end == line.size())};
      captured.trusted = captured.trusted && !(is_size_group(name) && continues_number(line, end));
      take_group(finds, name, captured, one.unit, unit_text);
    }
    if (!one.shape.event.empty()) {
      finds.events.push_back(one.shape.event);
    }
    if (finds.shape.empty() && finds.anything()) {
      finds.shape = one.shape.name;
    }
    if (one.shape.last) {
      break;
    }
  }
  return finds;
}

}  // namespace leakhunt::recorder
