// The real records with known truth in tests/data/corpus. For tests only.
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

[[nodiscard]] std::vector<CorpusCase> corpus();
[[nodiscard]] std::string bytes_of(const std::filesystem::path& file);

}  // namespace leakhunt::files
