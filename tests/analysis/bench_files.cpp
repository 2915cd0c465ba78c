// Header-driven CSV and companion logs of the labelled benchmark.
#include "tests/analysis/bench_files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "analysis/segments.h"

namespace leakhunt::analysis::bench_files {
namespace {

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out;
  std::stringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) out.push_back(cell);
  return out;
}

double number(const std::string& cell) {
  return cell.empty() ? absent : std::strtod(cell.c_str(), nullptr);
}

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

LineKind kind_of(const std::string& text) {
  if (text == "EVENT connection_lost") return LineKind::connection_lost;
  if (has(text, "out of memory") || has(text, "bad_alloc")) return LineKind::out_of_memory;
  if (has(text, "Alloc an err=ESP")) return LineKind::allocation_failure;
  if (has(text, "Alloc an err=")) return LineKind::routing_nak;
  if (has(text, "Failed to allocate") || has(text, "alloc failed")) return LineKind::allocation_failure;
  if (has(text, "Booting")) return LineKind::boot;
  return LineKind::other;
}

std::vector<EvidenceLine> read_log(const std::string& path) {
  std::vector<EvidenceLine> out;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos) continue;
    EvidenceLine e;
    e.t_s = number(line.substr(0, tab));
    e.text = line.substr(tab + 1);
    e.kind = kind_of(e.text);
    out.push_back(std::move(e));
  }
  return out;
}

bool is_used(const std::string& name) {
  return name.starts_with("rss") || has(name, "used") || has(name, "memory_bytes");
}
bool is_free(const std::string& name) {
  return has(name, "_free_");
}

std::string judged_column(const std::vector<std::string>& head) {
  for (const std::string& name : head) {
    if (is_free(name) || is_used(name)) return name;
  }
  return head.size() > 1 ? head[1] : head[0];
}

std::map<std::string, double Point::*> covariates() {
  return {{"heap_largest_block_bytes", &Point::largest_block},
          {"num_packets_rx", &Point::packets_rx},
          {"num_total_nodes", &Point::total_nodes},
          {"heap_total_bytes", &Point::total},
          {"heap_min_ever_bytes", &Point::min_free}};
}

}  // namespace

std::vector<File> list(const std::string& folder) {
  std::vector<File> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::filesystem::path& path = entry.path();
    std::filesystem::path log = path;
    log.replace_extension(".log");
    if (entry.is_directory() && std::filesystem::exists(path / "input.csv")) {
      log = path / "input.log";
      out.push_back({path.filename(), path / "input.csv", ""});
    }
    if (path.extension() != ".csv" || path.stem() == "naive" ||
        path.stem().string().starts_with("reference") || path.stem() == "ours") {
      continue;
    }
    out.push_back({path.stem(), path, std::filesystem::exists(log) ? log.string() : ""});
  }
  std::sort(out.begin(), out.end(), [](const File& a, const File& b) { return a.id < b.id; });
  return out;
}

Record read_record(const File& file) {
  std::ifstream in(file.csv);
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> head = cells(line);
  const std::string judged = judged_column(head);
  const auto known = covariates();
  std::vector<Row> rows;
  while (std::getline(in, line)) {
    const std::vector<std::string> row = cells(line);
    Row r;
    r.point.value = absent;
    for (std::size_t i = 0; i < row.size() && i < head.size(); ++i) {
      if (i == 0)
        r.t_s = head[0].starts_with("timestamp") ? number(row[i]) : static_cast<double>(rows.size());
      if (head[i] == "uptime_s") r.uptime_s = number(row[i]);
      if (head[i] == judged) r.point.value = number(row[i]);
      if (const auto at = known.find(head[i]); at != known.end() && head[i] != judged)
        r.point.*(at->second) = number(row[i]);
    }
    if (present(r.point.value)) rows.push_back(r);
  }
  Record record;
  record.rows = std::move(rows);
  record.sense = is_used(judged) ? Sense::used_rises_is_bad : Sense::free_falls_is_bad;
  if (!file.log.empty()) record.lines = read_log(file.log);
  return record;
}

Question ask(const Record& record, const Steps& steps) {
  Question q;
  q.reserve_bytes = 0;
  q.sense = record.sense;
  q.lines = record.lines;
  Stretches stretches = split(record.rows, q.lines, q.sense, steps);
  q.uptime_known = stretches.uptime_known;
  q.series.push_back({"csv", std::move(stretches.stretches)});
  return q;
}

Question read(const File& file, const Steps& steps) {
  return ask(read_record(file), steps);
}

}  // namespace leakhunt::analysis::bench_files
