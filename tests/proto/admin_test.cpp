// The security configuration in and out: byte for byte, from the own node alone, and nothing left behind.
#include "proto/admin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "proto/records.h"
#include "tests/proto/freed_memory.h"
#include "tests/proto/wire.h"

namespace leakhunt::proto {
namespace {

using testing::Bytes;
using testing::bytes;
using testing::fixed32;
using testing::number;
using testing::part;
using testing::text;
using testing::operator+;

constexpr std::uint32_t kNode = 0x42524331;
constexpr std::uint32_t kId = 0x0A0B0C0D;
constexpr std::string_view kPublic = "ADMIN-TEST-PUBLIC-0123456789abcd";
constexpr std::string_view kPrivate = "ADMIN-TEST-PRIVATE-0123456789abc";
constexpr std::string_view kAdmin = "ADMIN-TEST-ADMINS-0123456789abcd";

Bytes plain(std::span<const std::uint8_t> bytes) {
  return {bytes.begin(), bytes.end()};
}
Bytes plain(const SecretBytes& secret) {
  return plain(secret.view());
}

// A configuration with fields that no schema of ours knows, before, between and after the known ones.
Bytes security(const Bytes& debug_log = number(6, 1)) {
  return text(1, kPublic) + text(2, kPrivate) + text(3, kAdmin) + text(3, "second") + number(5, 1) +
         debug_log + number(7, 300) + number(8, 1) + number(9, 2) + fixed32(77, 0xDEADBEEF) +
         text(1'000, "unknown");
}

Bytes answer(const Bytes& admin, std::uint32_t from = kNode, std::uint32_t id = kId, std::uint32_t port = 6) {
  return part(2, fixed32(1, from) + fixed32(2, kNode) +
                     part(4, number(1, port) + part(2, admin) + fixed32(6, id)) + fixed32(6, 99));
}

Bytes security_answer(const Bytes& config) {
  return answer(part(6, part(8, config)) + text(101, "PASSKEY!"));
}

TEST(Admin, TheRequestGoesToTheOwnNodeAlone) {
  EXPECT_EQ(plain(get_security_request(kNode, kId)),
            (Bytes{0x94, 0xC3, 0,    22,                            //
                   0x0A, 20,                                        // packet
                   0x15, 0x31, 0x43, 0x52, 0x42,                    // to
                   0x22, 8,    0x08, 6,    0x12, 2, 0x28, 7, 0x18,  // decoded: port, get_config_request
                   0x01,                                            // want_response
                   0x35, 0x0D, 0x0C, 0x0B, 0x0A}));                 // id
}

TEST(Admin, TheChangeGoesToTheOwnNodeAloneWithItsPasskey) {
  const Bytes config = {0x28, 1, 0x30, 1};
  const Bytes passkey = {9, 8, 7};
  EXPECT_EQ(plain(*set_security_request(kNode, kId, config, passkey)),
            (Bytes{0x94, 0xC3, 0,    35,              //
                   0x0A, 33,                          // packet
                   0x15, 0x31, 0x43, 0x52, 0x42,      // to
                   0x22, 21,   0x08, 6,    0x12, 15,  // decoded: port, payload
                   0x92, 0x02, 6,    0x42, 4,         // set_config, security
                   0x28, 1,    0x30, 1,               // as given
                   0xAA, 0x06, 3,    9,    8,    7,   // session_passkey
                   0x18, 0x01,                        // want_response
                   0x35, 0x0D, 0x0C, 0x0B, 0x0A}));   // id
  EXPECT_EQ(set_security_request(kNode, kId, config, {})->size(), 39U - 6U);
}

TEST(Admin, AConfigurationLargerThanAPacketIsNotSent) {
  EXPECT_TRUE(set_security_request(kNode, kId, Bytes(226, 0), {}));
  EXPECT_FALSE(set_security_request(kNode, kId, Bytes(227, 0), {}));
}

TEST(Admin, TheAnswerIsReadByteForByte) {
  const auto read = read_security_answer(security_answer(security()), kNode, kId);
  ASSERT_TRUE(read);
  EXPECT_EQ(plain(read->config), security());
  EXPECT_EQ(plain(read->session_passkey), bytes("PASSKEY!"));
  EXPECT_TRUE(read->flags.complete);
  EXPECT_TRUE(read->flags.debug_log_api_enabled);
  EXPECT_TRUE(read->flags.has_public_key);
  EXPECT_TRUE(read->flags.has_private_key);
  EXPECT_FALSE(read->flags.is_managed);
}

TEST(Admin, AnswersOfOthersToOthersAndOfOtherPortsAreNone) {
  const Bytes admin = part(6, part(8, security()));
  EXPECT_TRUE(read_security_answer(answer(admin), kNode, kId));
  EXPECT_FALSE(read_security_answer(answer(admin, kNode + 1), kNode, kId));
  EXPECT_FALSE(read_security_answer(answer(admin, 0), kNode, kId));
  EXPECT_FALSE(read_security_answer(answer(admin, kNode, kId + 1), kNode, kId));
  EXPECT_FALSE(read_security_answer(answer(admin, kNode, kId, 67), kNode, kId));
  EXPECT_FALSE(read_security_answer(part(5, part(8, security())), kNode, kId));
  EXPECT_FALSE(read_security_answer({}, kNode, kId));
}

TEST(Admin, AnAnswerThatIsEmptyDoubleOrOfAnotherSectionIsIncomplete) {
  const Bytes config = security();
  const auto complete = [](const Bytes& admin) {
    const auto read = read_security_answer(answer(admin), kNode, kId);
    return read && read->flags.complete;
  };
  EXPECT_TRUE(complete(part(6, part(8, config))));
  EXPECT_FALSE(complete({}));
  EXPECT_FALSE(complete(part(6, {})));
  EXPECT_FALSE(complete(part(6, part(1, config))));
  EXPECT_FALSE(complete(part(6, part(8, config) + part(8, config))));
  EXPECT_FALSE(complete(part(6, part(8, config)) + bytes("\x0A\x7F")));
}

TEST(Admin, FlagsAreIncompleteWhereAFieldIsCutTwiceThereOrOfAnotherKind) {
  EXPECT_TRUE(security_flags({}).complete);
  EXPECT_TRUE(security_flags(text(3, "a") + text(3, "b")).complete);
  EXPECT_FALSE(security_flags(bytes("\x0A\x20short")).complete);
  EXPECT_FALSE(security_flags(Bytes{0x30, 0x80}).complete);
  EXPECT_FALSE(security_flags(bytes("\x30")).complete);
  EXPECT_FALSE(security_flags(number(6, 0) + number(6, 1)).complete);
  EXPECT_FALSE(security_flags(text(1, kPublic) + text(1, kPublic)).complete);
  EXPECT_FALSE(security_flags(text(6, "on")).complete);
  EXPECT_FALSE(security_flags(bytes("\x0B\x0C")).complete);  // a group
  EXPECT_FALSE(security_flags(Bytes{0, 0}).complete);        // field 0
}

TEST(Admin, AKeyThatIsThereButEmptyIsNone) {
  EXPECT_FALSE(security_flags(text(1, kPublic) + text(2, "")).has_private_key);
  EXPECT_TRUE(security_flags(text(1, kPublic) + text(2, "")).has_public_key);
  EXPECT_TRUE(security_flags(number(4, 1)).is_managed);
}

TEST(Admin, SwitchingTouchesOneFieldAlone) {
  const Bytes on = security();
  const Bytes off = security({});
  EXPECT_EQ(plain(with_debug_log(off, true)), on);
  EXPECT_EQ(plain(with_debug_log(on, false)), off);
  EXPECT_EQ(plain(with_debug_log(on, true)), on);
  EXPECT_EQ(plain(with_debug_log(off, false)), off);
  EXPECT_EQ(plain(with_debug_log(security(number(6, 0)), true)), on);
  EXPECT_EQ(plain(with_debug_log({}, true)), number(6, 1));
  EXPECT_EQ(plain(with_debug_log(text(1, kPublic), true)), text(1, kPublic) + number(6, 1));
}

TEST(Admin, DifferencesAreNamedWithoutWhatTheyHold) {
  const Bytes before = security();
  EXPECT_TRUE(other_differences(before, security({})).empty());
  EXPECT_EQ(other_differences(text(1, kPublic) + text(2, kPrivate) + text(3, "a") + number(12, 1),
                              text(1, kPublic) + text(3, "a") + text(3, "b") + number(12, 2)),
            (std::vector<std::string>{"private_key", "admin_key", "field 12"}));
}

TEST(Admin, RoutingAnswersAreReadOfTheOwnNodeAlone) {
  const Bytes refused = answer(number(3, 36), kNode, kId, 5);
  EXPECT_EQ(read_routing_answer(refused, kNode, kId), 36U);
  EXPECT_EQ(read_routing_answer(answer(number(3, 0), kNode, kId, 5), kNode, kId), 0U);
  EXPECT_FALSE(read_routing_answer(refused, kNode + 1, kId));
  EXPECT_FALSE(read_routing_answer(refused, kNode, kId + 1));
  EXPECT_EQ(routing_error_name(36), "ADMIN_BAD_SESSION_KEY");
  EXPECT_EQ(routing_error_name(99), "error 99");
}

TEST(Admin, NoKeyIsLeftInMemoryThatWasGivenBack) {
  const Bytes heard = security_answer(security({}));
  const testing::FreedMemoryWatch watch{kPrivate};
  {
    const auto read = read_security_answer(heard, kNode, kId);
    ASSERT_TRUE(read);
    const SecretBytes changed = with_debug_log(read->config.view(), true);
    const auto frame = set_security_request(kNode, kId, changed.view(), read->session_passkey.view());
    ASSERT_TRUE(frame);
    EXPECT_FALSE(other_differences(changed.view(), {}).empty());
  }
  EXPECT_EQ(watch.blocks(), 0U);
}

TEST(Admin, TheDecoderOfRecordsNeverTakesAKeyUp) {
  const Bytes admin = security_answer(security({}));
  const Bytes config = part(5, part(8, security({})));
  const Bytes modules = part(9, part(1, text(3, kPrivate)));
  const Bytes channel = part(10, part(2, text(2, kPrivate)));
  const testing::FreedMemoryWatch watch{kPrivate};
  const auto records = decode_from_radio(admin);
  ASSERT_EQ(records.size(), 1U);
  const auto& packet = std::get<Packet>(records[0]);
  EXPECT_EQ(packet.portnum, 6U);
  EXPECT_EQ(packet.from, kNode);
  EXPECT_EQ(packet.request_id, kId);
  EXPECT_GT(packet.payload_bytes, kPrivate.size());
  EXPECT_EQ(std::get<Other>(decode_from_radio(config).at(0)).kind, "config");
  EXPECT_EQ(std::get<Other>(decode_from_radio(modules).at(0)).kind, "moduleConfig");
  EXPECT_EQ(std::get<Other>(decode_from_radio(channel).at(0)).kind, "channel");
  EXPECT_EQ(watch.blocks(), 0U);
}

TEST(Admin, NoCutOrBentAnswerIsReadPastItsEnd) {
  const Bytes whole = security_answer(security());
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const auto read = read_security_answer(cut, kNode, kId);
    EXPECT_EQ(read && read->flags.complete, size == whole.size()) << size;
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xFF}) {
      Bytes bent = whole;
      bent[at] = static_cast<std::uint8_t>(bent[at] ^ flip);
      const auto read = read_security_answer(bent, kNode, kId);
      if (!read) continue;
      EXPECT_LE(read->config.size(), whole.size());
    }
  }
}

}  // namespace
}  // namespace leakhunt::proto
