// Records with known truth: the real ones of tests/data/corpus, the invented ones of tests/data/wild. For
// tests only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace leakhunt::files {

struct CorpusCase {
  std::string id;
  std::filesystem::path folder;
  std::string truth;                    // verdict as in case.json
  std::vector<std::string> acceptable;  // further verdicts a careful tool may give
  bool facts_only = false;              // documentation without a series
  [[nodiscard]] bool accepts(const std::string& verdict) const;
};

// `set`: the folder of tests/data.
[[nodiscard]] std::vector<CorpusCase> cases_of(const std::string& set);
[[nodiscard]] std::string bytes_of(const std::filesystem::path& file);

}  // namespace leakhunt::files
