// Memory that is there but in pieces: the largest free block falls while the level at rest holds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/envelope.h"
#include "analysis/input.h"

namespace leakhunt::analysis {

struct BlockFall {
  double from = 0;  // largest free block at the beginning and the end
  double to = 0;
  double free_at_end = 0;
  double p = 1;
  bool watermark_holds = false;  // the low-water mark stood still meanwhile
};

// What a stretch's largest free block tells.
struct Pieces {
  std::optional<BlockFall> fall;
  std::string unusable;           // why the block's figures are not used; empty: they are
  std::optional<double> largest;  // at the end, where it is usable
  std::optional<double> free_at_end;
  std::optional<double> external;        // free memory that counts external memory (PSRAM) in
  std::optional<double> mark_fell_from;  // low-water mark at the beginning and the end, where it fell
  std::optional<double> mark_fell_to;
};
[[nodiscard]] Pieces in_pieces(const Question& question, const Stretch& stretch,
                               const std::vector<Block>& blocks, bool leak);

// Nothing unless the block lost a fifth of its size, ends below 60 % of the free memory, and the fall is no
// chance. With a low-water mark that stood still 80 % will do, if the block lost a fifth against the free
// memory too.
[[nodiscard]] std::optional<BlockFall> falling_block(const std::vector<Block>& blocks, bool watermark_holds);

// However few the readings: no block of 4 KB is left though five times the largest is free, and that for the
// last minute or longer.
[[nodiscard]] std::optional<BlockFall> no_usable_block(const Stretch& stretch);

// The block jumps at least twice between the ends of 0 .. 65535, never beyond, while more is free and does
// not jump: a counter of 16 bits that wraps.
[[nodiscard]] bool wraps_at_16_bits(const Stretch& stretch);

// More than is free, by a tenth, in every tenth reading: no largest free block.
[[nodiscard]] bool exceeds_free(const Stretch& stretch);

// A device whose free memory is in megabytes although the heap inside its chip holds 0.5 MB at most: external
// memory (PSRAM) is counted in. A host's figures and chips without such memory are none.
[[nodiscard]] bool counts_external_memory(const Question& question, const Stretch& stretch);

}  // namespace leakhunt::analysis
