// Reads the series of the labelled benchmark: CSV by header, companion logs "seconds<TAB>text". For tests
// only.
#pragma once

#include <string>
#include <vector>

#include "analysis/input.h"
#include "analysis/segments.h"
#include "analysis/steps.h"

namespace leakhunt::analysis::bench_files {

struct File {
  std::string id;
  std::string csv;  // paths
  std::string log;  // empty where there is none
};

[[nodiscard]] std::vector<File> list(const std::string& folder);
// What a file holds, before it is cut into stretches.
struct Record {
  std::vector<Row> rows;
  std::vector<EvidenceLine> lines;
  Sense sense = Sense::free_falls_is_bad;
};
[[nodiscard]] Record read_record(const File& file);
[[nodiscard]] Question ask(const Record& record, const Steps& steps = {});
// The question that a file asks, with reserve 0.
[[nodiscard]] Question read(const File& file, const Steps& steps = {});

}  // namespace leakhunt::analysis::bench_files
