// Reads case.json of each case.
#include "tests/files/corpus.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "answer/json_value.h"

namespace leakhunt::files {
namespace {

const answer::JsonValue& member(const answer::JsonValue& object, const std::string& name) {
  static const answer::JsonValue kNothing;
  const auto found = std::find_if(object.members.begin(), object.members.end(),
                                  [&name](const auto& entry) { return entry.first == name; });
  return found == object.members.end() ? kNothing : found->second;
}

}  // namespace

bool CorpusCase::accepts(const std::string& verdict) const {
  return verdict == truth || std::find(acceptable.begin(), acceptable.end(), verdict) != acceptable.end();
}

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<CorpusCase> cases_of(const std::string& set) {
  std::vector<CorpusCase> cases;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(LEAKHUNT_TEST_DATA) + "/" + set)) {
    if (!entry.is_directory()) continue;
    const auto parsed = answer::parse_json(bytes_of(entry.path() / "case.json"));
    if (!parsed.value) continue;
    CorpusCase out;
    out.id = entry.path().filename();
    out.folder = entry.path();
    const auto& truth = member(*parsed.value, "truth");
    out.truth = member(truth, "verdict").text;
    for (const auto& one : member(truth, "also_acceptable").elements) out.acceptable.push_back(one.text);
    out.facts_only = member(*parsed.value, "data_quality").text.starts_with("facts-only");
    cases.push_back(std::move(out));
  }
  std::sort(cases.begin(), cases.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return cases;
}

}  // namespace leakhunt::files
