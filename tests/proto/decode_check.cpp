// leakhunt-decode-check VECTORS LACKS: reads what npm/encode.mjs wrote and says what differs.
#include <fstream>
#include <iostream>
#include <iterator>

#include "tests/proto/vectors.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: leakhunt-decode-check VECTORS LACKS\n";
    return 2;
  }
  std::ifstream vectors{argv[1]};
  std::ifstream lacks_file{argv[2]};
  const std::string lacks{std::istreambuf_iterator<char>{lacks_file}, {}};
  const auto report = leakhunt::proto::testing::compare_vectors(vectors, lacks);
  for (const std::string& difference : report.differences) std::cerr << difference << '\n';
  std::cout << report.messages << " messages and " << report.telemetry << " telemetry records compared, "
            << report.differences.size() << " differences\n";
  return report.differences.empty() && report.messages > 0 ? 0 : 1;
}
