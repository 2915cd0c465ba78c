// The shared cases of the grammar and the framer, one test each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <sstream>

#include "proto/log_line.h"
#include "tests/proto/support.h"

namespace leakhunt::proto {
namespace {

namespace json = boost::json;

struct Case {
  std::string id;
  json::object value;
};

std::vector<Case> cases_of(std::string_view kind) {
  std::vector<Case> found;
  std::istringstream lines{testing::file("parser-cases.jsonl")};
  for (std::string line; std::getline(lines, line);) {
    const json::object value = json::parse(line).as_object();
    if (value.at("kind").as_string() == kind)
      found.push_back({std::string{value.at("id").as_string()}, value});
  }
  return found;
}

std::string test_name(const ::testing::TestParamInfo<Case>& info) {
  std::string name = info.param.id;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

void PrintTo(const Case& c, std::ostream* out) {
  *out << json::serialize(c.value);
}

json::object told(const HeapEvent& event) {
  return {{"kind", event.kind == HeapEvent::Kind::leaked ? "leaked" : "freed"},
          {"thread", event.thread},
          {"before", event.before_bytes},
          {"after", event.after_bytes},
          {"delta", event.delta_bytes}};
}

json::object told(const MemAudit& audit) {
  json::object tags;
  for (const auto& [tag, bytes] : audit.tags) tags[tag] = bytes;
  return {{"when", audit.when},
          {"tags", tags},
          {"total", audit.total_bytes ? json::value(*audit.total_bytes) : json::value()}};
}

// The case file's word for what kind of line it is.
std::optional<std::string_view> class_of(const LogLine& line) {
  if (line.routing_nak) return "routing_nak";
  if (line.alarm == AlarmKind::allocation_failure) return "alloc_failure";
  if (line.alarm == AlarmKind::panic) return "crash";
  if (line.boot) return "boot";
  return std::nullopt;
}

// Everything a line told, under the names of the case file.
json::object told(const LogLine& line) {
  json::object out;
  const auto put = [&out](std::string_view name, const std::optional<std::int64_t>& value) {
    if (value) out[name] = *value;
  };
  if (line.level != Level::none) out["level"] = word(line.level);
  if (!line.thread.empty()) out["tag"] = line.thread;
  if (!line.clock.empty()) out["clock"] = line.clock;
  if (line.uptime) out["uptime_s"] = line.uptime->count();
  put("heap_free", line.heap_free_bytes);
  put("heap_total", line.heap_total_bytes);
  put("heap_delta", line.heap_delta_bytes);
  put("heap_min", line.min_free_bytes);
  put("heap_largest_block", line.largest_block_bytes);
  if (line.heap_event) out["heap_event"] = told(*line.heap_event);
  if (line.alloc)
    out["alloc"] = json::object{{"context", line.alloc->context}, {"size", line.alloc->size_bytes}};
  if (line.mem_audit) out["mem_audit"] = told(*line.mem_audit);
  if (const auto kind = class_of(line)) out["class"] = *kind;
  if (!line.message().empty()) out["msg"] = line.message();
  return out;
}

class LineCase : public ::testing::TestWithParam<Case> {};

TEST_P(LineCase, IsReadAsExpected) {
  const json::object& value = GetParam().value;
  json::object expected = value.at("expect").as_object();
  if (auto* uptime = expected.if_contains("uptime_s"))
    *uptime = from_seconds(uptime->to_number<double>()).count();
  const json::object got = told(parse_text_line(value.at("input").as_string()));
  EXPECT_TRUE(got == expected) << json::serialize(got) << "\n" << json::serialize(expected);
}

INSTANTIATE_TEST_SUITE_P(ParserCases, LineCase, ::testing::ValuesIn(cases_of("line")), test_name);

class StreamCase : public ::testing::TestWithParam<Case> {};

TEST_P(StreamCase, IsSplitAsExpected) {
  const json::object& value = GetParam().value;
  const json::object& expected = value.at("expect").as_object();
  const auto got = testing::collect(testing::unhex(value.at("input").as_string()));
  std::vector<std::string> lines;
  for (const json::value& line : expected.at("text_lines").as_array()) lines.emplace_back(line.as_string());
  EXPECT_EQ(got.lines, lines);
  EXPECT_EQ(got.frames.size(), expected.at("frames").to_number<std::size_t>());
}

INSTANTIATE_TEST_SUITE_P(ParserCases, StreamCase, ::testing::ValuesIn(cases_of("stream")), test_name);

}  // namespace
}  // namespace leakhunt::proto
