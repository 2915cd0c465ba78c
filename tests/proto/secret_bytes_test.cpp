// Bytes with keys leave nothing behind: not when they grow, move, are replaced or end.
#include "proto/secret_bytes.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "tests/proto/freed_memory.h"
#include "tests/proto/support.h"

namespace leakhunt::proto {
namespace {

using testing::FreedMemoryWatch;

// Nothing else of this program holds these bytes.
constexpr std::string_view kKey = "SECRET-BYTES-TEST-0123456789abcd";

std::span<const std::uint8_t> key() {
  return {reinterpret_cast<const std::uint8_t*>(kKey.data()), kKey.size()};
}

TEST(SecretBytes, TheWatchSeesWhatAnOrdinaryBufferLeavesBehind) {
  const FreedMemoryWatch watch{kKey};
  { const testing::Bytes ordinary(key().begin(), key().end()); }
  EXPECT_EQ(watch.blocks(), 1U);
}

TEST(SecretBytes, AreWipedAtTheirEnd) {
  const FreedMemoryWatch watch{kKey};
  { const SecretBytes secret{key()}; }
  EXPECT_EQ(watch.blocks(), 0U);
}

TEST(SecretBytes, AreWipedWhereTheyWereBeforeTheyGrew) {
  const FreedMemoryWatch watch{kKey};
  SecretBytes secret{key()};
  for (int i = 0; i < 5'000; ++i) secret.append(0x55);
  EXPECT_EQ(secret.size(), kKey.size() + 5'000);
  EXPECT_EQ(watch.blocks(), 0U);
}

TEST(SecretBytes, AreWipedWhenOthersTakeTheirPlace) {
  const FreedMemoryWatch watch{kKey};
  SecretBytes secret{key()};
  secret = SecretBytes{1, 2, 3};
  EXPECT_EQ(secret, (SecretBytes{1, 2, 3}));
  secret = {};
  EXPECT_TRUE(secret.empty());
  EXPECT_EQ(watch.blocks(), 0U);
}

TEST(SecretBytes, AreMovedAndNeverCopied) {
  static_assert(!std::is_copy_constructible_v<SecretBytes> && !std::is_copy_assignable_v<SecretBytes>);
  SecretBytes first{key()};
  const std::uint8_t* where = first.view().data();
  const SecretBytes second{std::move(first)};
  EXPECT_EQ(second.view().data(), where);
  EXPECT_TRUE(first.empty());  // NOLINT: what a move leaves is part of the promise
}

}  // namespace
}  // namespace leakhunt::proto
