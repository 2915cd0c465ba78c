// What is asked of the store's file rather than of the record in it: SQL, sizes, soundness, a copy.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "leakhunt/v1/api.pb.h"

namespace leakhunt::storage {
class Reader;
}

namespace leakhunt::answer {

// An answer's rows fit into one message of the control socket.
inline constexpr std::int64_t kMessageRowBytes = std::int64_t{3} << 20U;
// What one who reads a file himself gets at most.
inline constexpr std::int64_t kOfflineRowBytes = std::int64_t{256} << 20U;

[[nodiscard]] bool is_for_file(const v1::Question& question);

// `reader`: of its own for this question. Of a DatabaseRequest all but vacuum, which writes. Throws
// storage::ReadFailed.
[[nodiscard]] Result<v1::Answer> answer_of_file(storage::Reader& reader, const v1::Question& question,
                                                std::int64_t max_bytes);

// The same without a daemon; vacuum and backup take the recorder's lock for their time.
[[nodiscard]] Result<v1::Answer> answer_of_file(const std::string& path, const v1::Question& question);

// The answer to a vacuum.
[[nodiscard]] v1::Answer vacuumed(const std::string& path, std::int64_t bytes_before,
                                  std::int64_t bytes_after);

}  // namespace leakhunt::answer
