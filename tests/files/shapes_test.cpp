// The table of line shapes, ours and the user's.
#include <gtest/gtest.h>

#include "recorder/log_shapes.h"

namespace leakhunt::recorder {
namespace {

ShapeFinds find(std::string_view line, std::vector<LogShape> user = {}, bool cut = false) {
  const auto table = ShapeTable::make(user);
  EXPECT_TRUE(table);
  return table->find(line, cut);
}

TEST(Shapes, FreeMemoryInManyTongues) {
  for (const char* line :
       {"Free heap: 12345",
        "free heap: 12345 bytes",
        "Free Heap Size: 12345 bytes",
        "xPortGetFreeHeapSize = 12345",
        "heap: free 12345 min 1234",
        "heap 12345/65536 bytes free",
        "[MAIN] Heap: 23456 bytes initially | 900 bytes used (52%) | 12345 bytes free (48%)",
        "ESP Free Heap before HTTP POST: 12345",
        "mem_free: 12345 (63%) [-964]",
        "WD   : Uptime 21 ConnectFailures 12 FreeMem 12345",
        "Available heap: 12345",
        "frag:   1% (freeheap:  12345 - maxblock= 5352)",
        "[D][sensor:124]: 'Heap Free': Sending state 12345.00000 B with 0 decimals of accuracy",
        R"({"freeheap":12345,"uptime":5})",
        R"({"heap_int_free":12345,"heap_int_min":9})",
        "Post-Setup Free Mem: 12345",
        "Free memory after publishing: 12345 bytes",
        "[MEM] free: 12345 | max: 45044 | frag:  84%",
        "esp_get_free_heap_size: 12345",
        "Free internal 12345 biggest block 16384 total 37476",
        "GC: total: 56000, used: 9000, free: 12345",
        "MEM: internal: 12345 B, psram: 8312000 B, largest internal: 9000 B",
        "free 12345 allocated 181160 min_free 140216 largest_free_block 110592",
        "free: 12345  alloc: 10168",
        "heap=12345 frag=4% uptime=3 min",
        "heap:12345 blk:9000 up:50s",
        "Heap before: 12345",
        "free 12345 B",
        "Free heap: 12,345 bytes"}) {
    EXPECT_EQ(find(line).free, 12345) << line;
  }
}

TEST(Shapes, UsedMemoryInManyTongues) {
  EXPECT_EQ(find("11:04:42[ERROR]RSS: 2055MB, Heap: 25MB").used, 2055.0 * 1048576);
  EXPECT_EQ(find("Memory use: Process private memory / MB: 286").used, 286.0 * 1048576);
  EXPECT_EQ(find("VmRSS:\t  123456 kB").used, 123456.0 * 1024);
  EXPECT_EQ(find("web  0.50%  123.4MiB / 1.5GiB  8.0%").used, 123.4 * 1048576);
  EXPECT_EQ(find("web  0.50%  123.4MiB / 1.5GiB  8.0%").total, 1.5 * 1073741824);
  EXPECT_EQ(find("[GC (Allocation Failure)  262144K->32768K(1005056K), 0.0212 secs]").used, 32768.0 * 1024);
  EXPECT_EQ(find("gc 12 @45.6s 0%: 0.01+2 ms clock, 4->5->2 MB, 5 MB goal").used, 2.0 * 1048576);
}

TEST(Shapes, UsedMemoryWithItsUnitElsewhere) {
  EXPECT_EQ(find("RAM: 41.2% used (134.5 of 327.5 KB)").used, 134.5 * 1024);
  EXPECT_EQ(find("RAM: 41.2% used (134.5 of 327.5 KB)").total, 327.5 * 1024);
  EXPECT_EQ(find("mem rss_kb=40312 fds=14").used, 40312.0 * 1024);
  EXPECT_EQ(find(R"({"proc":"relay","rssMb":118.5})").used, 118.5 * 1048576);
  EXPECT_EQ(find("process_resident_memory_bytes 1.234500e+08").used, 123450000);
  EXPECT_EQ(find("Memory: 45.5M (peak: 91.0M)").used, 45.5 * 1048576);
  EXPECT_EQ(find("Mem:            3794        1023         812          12        1958        2531").used,
            1023.0 * 1048576);
  EXPECT_FALSE(find("RAM:   [====      ]  41.2% (used 135000 bytes from 327680 bytes)").used);
}

TEST(Shapes, ATimeInsideTheLine) {
  EXPECT_EQ(find(R"({"level":30,"time":1772445600000,"rss":141000000})").time, "1772445600000");
  EXPECT_EQ(find("time=2026-03-02T10:00:00Z level=info rss=5").time, "2026-03-02T10:00:00Z");
  EXPECT_EQ(find("uptime: 1772445600").time, "");
}

TEST(Shapes, BlockAndWatermarkBesideTheLevel) {
  EXPECT_EQ(find("free:28104 biggest:9800").largest, 9800);
  EXPECT_EQ(find("heap:30500 blk:21000").largest, 21000);
  const auto finds = find(
      "Free heap size: 12424 of 81920 bytes (min: 7128, diff: 232), max free block: 12328 (min: 9, diff: 0, "
      "frag: 0%)");
  EXPECT_EQ(finds.free, 12424);
  EXPECT_EQ(finds.total, 81920);
  EXPECT_EQ(finds.min, 7128);
  EXPECT_EQ(finds.largest, 12328);
  EXPECT_EQ(find("Largest available HEAP block: 16372 bytes").largest, 16372);
  EXPECT_EQ(find("Minimum free heap size: 152040 bytes").min, 152040);
}

TEST(Shapes, WhatIsNoReading) {
  for (const char* line :
       {"Allocating 1024", "Failed to allocate memory, size: 16717 bytes",
        "Memory record, num: 4, size: 3120", "flash_free: 3522560 (99%)",
        "heap too low [10000] -> reboot in 5s", "Free PSRAM: 8172",
        "'Heap Fragmentation': Sending state 6.00000 % with 1 decimals", "Heap usage: 63%"}) {
    const auto finds = find(line);
    EXPECT_FALSE(finds.free || finds.used) << line;
  }
}

TEST(Shapes, KilobytesWhereAProjectCountsInThem) {
  EXPECT_EQ(find(R"({"Uptime":"0T00:12:10","UptimeSec":730,"Heap":24,"SleepMode":"Dynamic"})").free,
            24 * 1024);
  EXPECT_EQ(find(R"({"Uptime":"0T00:12:10","UptimeSec":730,"Heap":24})").uptime_s, 730);
}

TEST(Shapes, TroubleByKind) {
  const auto event = [](std::string_view line) {
    const auto events = find(line).events;
    return events.empty() ? std::string{} : events.front();
  };
  EXPECT_EQ(event("Memory cgroup out of memory: Killed process 123 (java) anon-rss:10207028kB"),
            "out_of_memory");
  EXPECT_EQ(event("heap_caps_malloc was called but failed to allocate 1696 bytes"), "allocation_failure");
  EXPECT_EQ(event("E (132189) esp_littlefs: dir struct could not be malloced"), "allocation_failure");
  EXPECT_EQ(event("Heap too low! 6880"), "low_memory");
  EXPECT_EQ(event("Guru Meditation Error: Core  1 panic'ed (LoadProhibited)."), "panic");
  EXPECT_EQ(event("E (141058) task_wdt: Task watchdog got triggered."), "watchdog");
  EXPECT_EQ(event("rst:0xc (SW_CPU_RESET),boot:0x13"), "boot");
  EXPECT_EQ(event("[GC (Allocation Failure)  262144K->32768K(1005056K), 0.0212 secs]"), "");
  EXPECT_EQ(event("PSRAM alloc failed, using heap"), "");
  EXPECT_EQ(event("wifi:m f null"), "allocation_failure");
  EXPECT_EQ(event("start(): Error starting advertising; rc=6, BLE_HS_ENOMEM"), "allocation_failure");
  EXPECT_EQ(event("memory allocation of 1073741824 bytes failed"), "allocation_failure");
  EXPECT_EQ(event(">>> ZEPHYR FATAL ERROR 19: Unknown error on CPU 0"), "panic");
  EXPECT_EQ(event("2 container oom 3f1c9a2b7d11 (image=app:1)"), "out_of_memory");
}

TEST(Shapes, AFigureAtTheEndOfACutLineIsNotTrusted) {
  EXPECT_FALSE(find("Free heap: 123", {}, true).free);
  EXPECT_EQ(find("Free heap: 123 bytes, running", {}, true).free, 123);
}

TEST(Shapes, TheUsersShapesComeFirst) {
  const std::vector<LogShape> mine = {
      {"mine", R"(^MEM=(?P<free>{size});UP=(?P<uptime>\d+))", "KiB", "", true}};
  const auto finds = find("MEM=24;UP=90", mine);
  EXPECT_EQ(finds.free, 24 * 1024);
  EXPECT_EQ(finds.uptime_s, 90);
  EXPECT_EQ(finds.shape, "mine");
}

TEST(Shapes, ABadShapeIsRefusedWithItsName) {
  for (const LogShape& bad :
       {LogShape{"broken", "(", "", ""}, LogShape{"group", "(?P<heap>1)", "", ""},
        LogShape{"unit", "(?P<free>1)", "furlong", ""}, LogShape{"event", "x", "", "nonsense"}}) {
    const auto table = ShapeTable::make(std::vector<LogShape>{bad});
    ASSERT_FALSE(table);
    EXPECT_NE(table.error().where.find(bad.name), std::string::npos);
    EXPECT_EQ(table.error().code, ErrorCode::usage);
  }
}

TEST(Shapes, Sizes) {
  EXPECT_EQ(parse_size("1,234 bytes", 1)->bytes, 1234);
  EXPECT_EQ(parse_size("24 kB", 1)->bytes, 24 * 1024);
  EXPECT_EQ(parse_size("24", 1024)->bytes, 24 * 1024);
  EXPECT_FALSE(parse_size("24 apples", 1));
  EXPECT_FALSE(parse_size("", 1));
}

}  // namespace
}  // namespace leakhunt::recorder
