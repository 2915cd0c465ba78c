// Why a device restarted, as files of every platform tell it.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "recorder/recording.h"

namespace leakhunt::recorder {
namespace {

constexpr const char* kRun =
    "INFO  | 10:00:00 500 [Router] a\nINFO  | 10:00:01 501 [Router] b\nINFO  | 10:00:02 502 [Router] c\n";
constexpr const char* kNext =
    "INFO  | ??:??:?? 0 \nINFO  | ??:??:?? 2 [Router] a\nINFO  | ??:??:?? 9 [Router] b\n";
constexpr const char* kSoftware =
    "ets Jul 29 2019 12:21:46\n\nrst:0xc (SW_CPU_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)\n";

struct CauseCase {
  const char* name;
  std::string between;
  std::string cause;
};

void PrintTo(const CauseCase& one, std::ostream* out) {
  *out << one.name;
}

class FileBoots : public testing::TestWithParam<CauseCase> {};

TEST_P(FileBoots, HaveTheCauseTheirLinesTell) {
  const auto firmware = read_recording(kRun + GetParam().between + kNext);
  ASSERT_TRUE(firmware);
  ASSERT_EQ(firmware->boots.size(), 2U);
  EXPECT_EQ(firmware->boots[1].cause, GetParam().cause);
}

TEST_P(FileBoots, AreTheSameInLogsOfOtherFirmware) {
  std::string before;
  std::string after;
  for (int i = 0; i < 12; ++i) {
    before += "heap=" + std::to_string(40000 + i) + " up:" + std::to_string(500 + i) +
              "s uptime: " + std::to_string(500 + i) + "\n";
    after += "heap=" + std::to_string(41000 + i) + " uptime: " + std::to_string(1 + i) + "\n";
  }
  const auto other = read_recording(before + GetParam().between + after);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->kind, RecordingKind::foreign_log);
  ASSERT_EQ(other->boots.size(), 2U);
  EXPECT_EQ(other->boots[1].cause, GetParam().cause);
}

INSTANTIATE_TEST_SUITE_P(
    Platforms, FileBoots,
    testing::Values(
        CauseCase{"Esp32Tg1Watchdog", "ets Jul 29 2019 12:21:46\n\nrst:0x8 (TG1WDT_SYS_RESET),boot:0x13\n",
                  "watchdog"},
        CauseCase{"Esp32S3Tg0Watchdog", "ESP-ROM:esp32s3-20210327\nrst:0x7 (TG0WDT_SYS_RST),boot:0x8\n",
                  "watchdog"},
        CauseCase{"Esp32RtcWatchdog", "ets Jul 29 2019 12:21:46\n\nrst:0x10 (RTCWDT_RTC_RESET),boot:0x13\n",
                  "watchdog"},
        CauseCase{"Esp32InterruptWatchdog",
                  std::string("Guru Meditation Error: Core  1 panic'ed (Interrupt wdt timeout on "
                              "CPU1).\n\nRebooting...\n") +
                      kSoftware,
                  "watchdog"},
        CauseCase{
            "Esp32TaskWatchdog",
            std::string("E (141058) task_wdt: Task watchdog got triggered. The following tasks did not reset "
                        "the watchdog in "
                        "time:\nE (141058) task_wdt: Aborting.\nabort() was called at PC 0x400d1234 on core "
                        "0\n\nRebooting...\n") +
                kSoftware,
            "watchdog"},
        CauseCase{"Esp32Panic",
                  std::string("Guru Meditation Error: Core  1 panic'ed (LoadProhibited). Exception was "
                              "unhandled.\n\nRebooting...\n") +
                      kSoftware,
                  "panic"},
        CauseCase{"Esp32Assert",
                  std::string("assert failed: xQueueGenericSend queue.c:832 (pxQueue)\n\nBacktrace: "
                              "0x40375a3d:0x3fca4d30\n\nRebooting...\n") +
                      kSoftware,
                  "panic"},
        CauseCase{"Esp32CorruptHeap",
                  std::string("CORRUPT HEAP: Bad head at 0x3ffd3a60. Expected 0xabba1234 got 0x3ffd3b9c\n") +
                      kSoftware,
                  "panic"},
        CauseCase{"Esp32StackOverflow",
                  std::string(
                      "***ERROR*** A stack overflow in task loopTask has been detected.\n\nRebooting...\n") +
                      kSoftware,
                  "panic"},
        CauseCase{"Esp32AbortAfterFailedAllocation",
                  std::string("E (9123) wifi: malloc failed, size 1600\nabort() was called at PC 0x400d1234 "
                              "on core 0\n\nRebooting...\n") +
                      kSoftware,
                  "out_of_memory"},
        CauseCase{
            "Esp32BadAlloc",
            std::string("terminate called after throwing an instance of 'std::bad_alloc'\n") + kSoftware,
            "out_of_memory"},
        CauseCase{"Esp32Brownout",
                  "\nBrownout detector was triggered\n\nets Jul 29 2019 12:21:46\n\nrst:0xf "
                  "(RTCWDT_BROWN_OUT_RESET),boot:0x13\n",
                  "power"},
        CauseCase{"Esp32PowerOn", "ets Jul 29 2019 12:21:46\n\nrst:0x1 (POWERON_RESET),boot:0x13\n", "power"},
        CauseCase{"Esp32Announced", std::string("Rebooting\n") + kSoftware, "planned"},
        CauseCase{"HeapGuard", std::string("heap too low [10000] -> reboot in 5s\n") + kSoftware, "planned"},
        CauseCase{"SoftwareAlone", kSoftware, ""},
        CauseCase{"Esp8266Watchdog", "\n ets Jan  8 2013,rst cause:4, boot mode:(3,6)\n\nwdt reset\n",
                  "watchdog"},
        CauseCase{"Esp8266SoftWatchdog",
                  "\nSoft WDT reset\n\n ets Jan  8 2013,rst cause:2, boot mode:(3,6)\n", "watchdog"},
        CauseCase{"Esp8266Exception",
                  "\nException (29):\nepc1=0x40201234\n\n ets Jan  8 2013,rst cause:2, boot mode:(3,6)\n",
                  "panic"},
        CauseCase{"Nrf52HardFault", "HardFault_Handler\n", "panic"},
        CauseCase{"Rp2040Panic", "\n*** PANIC ***\n\nvector out of range\n", "panic"},
        CauseCase{"Rp2040OutOfMemory", "\n*** PANIC ***\n\nOut of memory\n", "out_of_memory"},
        CauseCase{"NewlibAssert", "assertion \"x != 0\" failed: file \"a.c\", line 3, function: f\n",
                  "panic"}),
    [](const auto& tested) { return std::string(tested.param.name); });

// The word of a reset belongs to its own boot: what follows shortly after is explained by its own lines
// alone.
TEST(FileBootStory, AResetWordDoesNotExplainTheNextBoot) {
  const std::string watchdog = "rst:0x8 (TG1WDT_SYS_RESET),boot:0x13\n";
  const auto recording = read_recording(kRun + watchdog + kNext + kSoftware + kNext);
  ASSERT_TRUE(recording);
  ASSERT_EQ(recording->boots.size(), 3U);
  EXPECT_EQ(recording->boots[1].cause, "watchdog");
  EXPECT_EQ(recording->boots[2].cause, "");
}

}  // namespace
}  // namespace leakhunt::recorder
