// Every byte the recorder may send, written out.
#include "proto/to_radio.h"

#include <gtest/gtest.h>

namespace leakhunt::proto {
namespace {

TEST(ToRadio, WantConfigAsksWithoutOtherNodes) {
  EXPECT_EQ(want_config(), (Bytes{0x94, 0xC3, 0, 4, 0x18, 0xAC, 0x9E, 0x04}));
  EXPECT_EQ(want_config(1), (Bytes{0x94, 0xC3, 0, 2, 0x18, 0x01}));
}

TEST(ToRadio, HeartbeatHasNonceZero) {
  EXPECT_EQ(heartbeat(), (Bytes{0x94, 0xC3, 0, 2, 0x3A, 0x00}));
}

TEST(ToRadio, TheRequestForLocalStatsGoesToTheOwnNodeAlone) {
  EXPECT_EQ(local_stats_request(0x42524331, 0x0A0B0C0D),
            (Bytes{0x94, 0xC3, 0,    22,          //
                   0x0A, 20,                      // packet
                   0x15, 0x31, 0x43, 0x52, 0x42,  // to
                   0x22, 8,    0x08, 67,   0x12,
                   2,    0x32, 0x00, 0x18, 0x01,     // decoded: port, payload, want_response
                   0x35, 0x0D, 0x0C, 0x0B, 0x0A}));  // id
}

TEST(ToRadio, Disconnect) {
  EXPECT_EQ(disconnect(), (Bytes{0x94, 0xC3, 0, 2, 0x20, 0x01}));
}

}  // namespace
}  // namespace leakhunt::proto
