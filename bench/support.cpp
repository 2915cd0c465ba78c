// Input is packed in the tree and unpacked once per run, before anything is measured.
#include "bench/support.h"

#include <stdlib.h>
#include <zlib.h>

#include <array>
#include <memory>
#include <stdexcept>

namespace leakhunt::bench {
namespace {

std::string unpacked(const std::string& name) {
  const std::string path = std::string{LEAKHUNT_BENCH_DATA} + "/" + name;
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file{gzopen(path.c_str(), "rb"), gzclose};
  if (file == nullptr) {
    throw std::runtime_error("cannot read " + path);
  }
  std::string content;
  std::array<char, 64 * 1024> buffer{};
  int n = 0;
  while ((n = gzread(file.get(), buffer.data(), static_cast<unsigned>(buffer.size()))) > 0) {
    content.append(buffer.data(), static_cast<std::size_t>(n));
  }
  if (n < 0) {
    throw std::runtime_error(path + " is damaged");
  }
  return content;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "leakhunt-bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("no temporary folder");
  }
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

storage::Store opened(const std::string& path) {
  Result<storage::Store> store = storage::open_for_writing(path);
  if (!store) {
    throw std::runtime_error(store.error().line());
  }
  return *std::move(store);
}

void must(const Outcome& outcome) {
  if (!outcome) {
    throw std::runtime_error(outcome.error().line());
  }
}

const std::string& frames() {
  static const std::string content = unpacked("frames-50k.bin.gz");
  return content;
}

const std::string& log_text() {
  static const std::string content = unpacked("loglines-200k.txt.gz");
  return content;
}

const std::vector<std::string_view>& log_lines() {
  static const std::vector<std::string_view> lines = split(log_text());
  return lines;
}

}  // namespace leakhunt::bench
