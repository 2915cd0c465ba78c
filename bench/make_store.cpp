// make-store FILE [--samples N] [--days N] [--lines N] [--local-stats]: a store for measurements, on any
// disk.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "bench/stores.h"

int main(int argc, char** argv) {
  leakhunt::bench::StoreShape shape;
  bool understood = argc >= 2 && argv[1][0] != '-';
  for (int i = 2; i < argc && understood; ++i) {
    const std::string word = argv[i];
    if (word == "--local-stats") {
      shape.local_stats = true;
      continue;
    }
    const long long value = i + 1 < argc ? std::atoll(argv[++i]) : 0;
    understood = value > 0;
    if (word == "--samples") {
      shape.samples = value;
    } else if (word == "--days") {
      shape.days = value;
    } else if (word == "--lines") {
      shape.lines = value;
    } else {
      understood = false;
    }
  }
  if (!understood) {
    std::fprintf(stderr, "usage: make-store FILE [--samples N] [--days N] [--lines N] [--local-stats]\n");
    return 2;
  }
  try {
    leakhunt::bench::make_store(argv[1], shape);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make-store: %s\n", error.what());
    return 1;
  }
  return 0;
}
