// A writer that is killed at any moment: what it reported as committed is there, and the file is sound.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <random>

#include "tests/storage/support.h"

namespace leakhunt::storage::testing {
namespace {

using recorder::BootId;
using recorder::Row;

constexpr int kRowsPerBatch = 20;

// Writes batches for ever, and each one's number into the pipe after its commit.
[[noreturn]] void write_for_ever(const std::string& path, int pipe) {
  const SteppedClock clock;
  Writer writer = writer_of(path, clock);
  static_cast<void>(writer.write(beginnings()));
  for (int batch = 0;; ++batch) {
    std::vector<Row> rows;
    for (int i = 0; i < kRowsPerBatch; ++i) {
      rows.emplace_back(sample_row(BootId{1}, Duration{batch * kRowsPerBatch + i}, batch));
      rows.emplace_back(log_row(BootId{1}, Duration{batch * kRowsPerBatch + i}, std::string(100, 'x')));
    }
    if (!writer.write(rows) || write(pipe, &batch, sizeof batch) != sizeof batch) {
      _exit(1);
    }
  }
}

// Starts the child, reads a number of reports, kills it, and returns the last batch it reported.
int last_reported(const std::string& path, int reports) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) {
    throw std::runtime_error("no pipe");
  }
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    write_for_ever(path, ends[1]);
  }
  close(ends[1]);
  int last = -1;
  for (int batch = 0; batch < reports && read(ends[0], &last, sizeof last) == sizeof last; ++batch) {
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  for (int batch = 0; read(ends[0], &batch, sizeof batch) == sizeof batch;) {
    last = batch;
  }
  close(ends[0]);
  return last;
}

TEST(Crash, WhatWasReportedIsThereAfterAKill) {
  std::minstd_rand random(20261130);  // NOLINT: the same moments in each run
  std::uniform_int_distribution<int> reports(1, 60);
  for (int round = 0; round < 20; ++round) {
    const Folder folder;
    const int last = last_reported(folder.file(), reports(random));
    ASSERT_GE(last, 0);
    const SteppedClock clock;
    const Writer again = writer_of(folder.file(), clock);
    ASSERT_EQ(integrity(folder.file()), "ok");
    const auto samples = reader_of(folder.file()).samples({.device = kDevice});
    ASSERT_GE(samples.size(), static_cast<std::size_t>(last + 1) * kRowsPerBatch);
    EXPECT_EQ(samples.size() % kRowsPerBatch, 0U) << "no half batch";
    EXPECT_EQ(reader_of(folder.file()).totals(kDevice).logs.rows, static_cast<std::int64_t>(samples.size()));
  }
}

}  // namespace
}  // namespace leakhunt::storage::testing
