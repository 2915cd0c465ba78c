// `decode`: the records of a file as JSON lines.
#include "answer/decode.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "answer/json_read.h"
#include "tests/files/corpus.h"

namespace leakhunt::answer {
namespace {

std::vector<std::string> decode(std::string_view bytes, std::span<const recorder::LogShape> shapes = {}) {
  std::vector<std::string> lines;
  EXPECT_TRUE(decode_bytes(bytes, shapes, [&lines](const std::string& line) { lines.push_back(line); }));
  return lines;
}

bool has(const std::string& line, const std::string& part) {
  return line.find(part) != std::string::npos;
}

TEST(Decode, ALineWithAllItHas) {
  const auto lines = decode(
      "HEAP  | 00:00:01 100 [Power] [heap 90000] ------ Thread MeshPacket leaked heap 92344 -> 90000 (-2344) "
      "------\r\n");
  ASSERT_EQ(lines.size(), 1U);
  for (
      const char* part :
      {R"("type":"log")", R"("level":"HEAP")", R"("clock":"00:00:01")", R"("uptime_s":100)",
       R"("thread":"Power")", R"("heap_free_bytes":90000)",
       R"("heap_event":{"kind":"leaked","thread":"MeshPacket","before":92344,"after":90000,"delta":-2344})"}) {
    EXPECT_TRUE(has(lines[0], part)) << part << "\n" << lines[0];
  }
  EXPECT_FALSE(has(lines[0], "framed"));
  EXPECT_FALSE(has(lines[0], "alarm"));
}

TEST(Decode, OnlyWhatTheLineHas) {
  const auto lines = decode("just a bare message\n");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0], R"({"type":"log","message":"just a bare message"})");
}

TEST(Decode, AStampInFrontOfTheLine) {
  const auto lines = decode("[2024-12-01 22:34:24] WARN  | 22:34:18 6586 [WebServer] busy\n");
  EXPECT_TRUE(has(lines.at(0), R"("uptime_s":6586)"));
  EXPECT_TRUE(has(lines.at(0), R"("ts":1733092464)"));
}

TEST(Decode, FramesAndTextInTheOrderOfTheBytes) {
  const std::string frame("\x94\xC3\x00\x1c\x32\x1a\x0a\x0einside a frame\x1a\x06Router\x20\x14", 32);
  const auto lines =
      decode("INFO  | 12:00:00 1 [Main] before\r\n" + frame + "INFO  | 12:00:02 3 [Main] after\r\n");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_TRUE(has(lines[0], "before"));
  EXPECT_TRUE(has(lines[1], R"("framed":true)"));
  EXPECT_TRUE(has(lines[1], R"("thread":"Router")"));
  EXPECT_TRUE(has(lines[2], "after"));
}

TEST(Decode, AWholeCaptureIsJsonAndTellsNoKey) {
  const auto lines =
      decode(files::bytes_of(std::string(LEAKHUNT_TEST_DATA) + "/captures/meshtasticd-heap.bin"));
  EXPECT_GT(lines.size(), 100U);
  bool telemetry = false;
  for (const auto& line : lines) {
    ASSERT_TRUE(check_json_object(line)) << line;
    telemetry = telemetry || (has(line, R"("type":"telemetry")") && has(line, "heap_free_bytes"));
    EXPECT_FALSE(has(line, "psk") || has(line, "private_key"));
  }
  EXPECT_TRUE(telemetry);
}

TEST(Decode, AMissingFileIsOneError) {
  EXPECT_FALSE(decode_file("/nonexistent/x.bin", "", [](const std::string&) {}));
}

TEST(Decode, AnUptimeIsPrintedAsTheLineHasIt) {
  EXPECT_TRUE(has(decode("I (7) boot: ESP-IDF v5.1\n").at(0), R"("uptime_s":0.007)"));
}

TEST(Decode, AnAuditHasItsTotal) {
  const auto lines =
      decode("INFO  | 12:34:56 61 [Power] MemAudit[periodic]: nodedb=13440 pkthist=5824 total=19264\n");
  EXPECT_TRUE(has(lines.at(0), R"("total":19264)")) << lines[0];
}

TEST(Decode, AnotherProjectsLineHasItsFigures) {
  const auto lines =
      decode("[I][debug:054]: Heap: Free 201112, Largest block 110580\nFree heap: 45000 bytes\n");
  EXPECT_TRUE(has(lines.at(1), R"("heap_free_bytes":45000)")) << lines[1];
}

TEST(Decode, ALineOfTheUsersOwnFormHasItsFigures) {
  const std::vector<recorder::LogShape> shapes{
      {"mine", "frei=(?P<free>\\d+) gesamt=(?P<total>\\d+)", "KiB", "", false}};
  const auto lines = decode("zustand frei=40 gesamt=100\n", shapes);
  EXPECT_TRUE(has(lines.at(0), R"("heap_free_bytes":40960)")) << lines[0];
  EXPECT_TRUE(has(lines.at(0), R"("heap_total_bytes":102400)")) << lines[0];
}

TEST(Decode, ARowOfACsvHasItsFigures) {
  const auto lines =
      decode("elapsed_s,heap_free_bytes,largest_block\n0,90000,60000\n60,89000,59000\n120,88000,58000\n");
  ASSERT_EQ(lines.size(), 4U);
  for (const char* part :
       {R"("type":"row")", R"("heap_free_bytes":89000)", R"("largest_block_bytes":59000)"}) {
    EXPECT_TRUE(has(lines[2], part)) << part << "\n" << lines[2];
  }
}

}  // namespace
}  // namespace leakhunt::answer
