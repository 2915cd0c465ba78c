// The whole path, from framed bytes to committed rows, beside bare inserts of exactly the rows it committed.
// CPU time is that of all threads of the process.
#include <benchmark/benchmark.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "bench/bare_rows.h"
#include "bench/support.h"
#include "proto/framer.h"
#include "proto/records.h"
#include "proto/redact.h"
#include "recorder/device_recorder.h"
#include "recorder/ids.h"
#include "storage/queue.h"
#include "storage/writer_thread.h"

namespace leakhunt::bench {
namespace {

using recorder::LinkKind;

constexpr std::size_t kBatch = storage::WriterThreadOptions{}.max_batch_rows;
constexpr std::size_t kQueue_bytes = std::size_t{1} << 30U;  // nothing may be dropped here

// Everything between a link's bytes and the file, as the daemon puts it together.
class Path {
 public:
  Path(const std::string& file, LinkKind kind)
      : queue_(kQueue_bytes, clock_),
        writer_(storage::Writer(opened(file), clock_), queue_, clock_, {}),
        device_("bench1", {}, ids_, "host", nullptr) {
    device_.link_opened(0, kind, clock_.now());
    if (kind != LinkKind::listen) {
      device_.handshake_began(0, clock_.now());
      device_.record(0, proto::MyInfo{kFramesNode, {}, {}, {}}, clock_.now());
      device_.record(0, proto::ConfigComplete{}, clock_.now());
    }
    flush();
  }

  void feed(std::span<const std::uint8_t> part) {
    const Moment now = clock_.now();
    framer_.feed(part, [&](const proto::StreamItem& item) { take_in(item, now); });
    flush();
  }

  void records(std::vector<proto::Record>& records) {
    const Moment now = clock_.now();
    for (proto::Record& record : records) {
      device_.record(0, std::move(record), now);
    }
    flush();
  }

  void wait_until_committed() {
    queue_.close();
    while (queue_.stats().rows > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
  }

  void end() {
    must(writer_.stop());
    if (queue_.stats().dropped_lines + queue_.stats().dropped_records > 0 ||
        writer_.health().refused_rows > 0) {
      throw std::runtime_error("rows were lost");
    }
  }

 private:
  void take_in(const proto::StreamItem& item, Moment now) {
    if (const auto* text = std::get_if<proto::TextLine>(&item)) {
      device_.line(0, text_reader_.read(text->text, text->complete && !text->cut), now);
      return;
    }
    for (proto::Record& record : proto::decode_from_radio(std::get<proto::Frame>(item).payload)) {
      device_.record(0, std::move(record), now);
    }
  }

  void flush() { queue_.push(device_.take().rows); }

  SystemClock clock_;
  recorder::Ids ids_;
  storage::RowQueue queue_;
  storage::WriterThread writer_;
  recorder::DeviceRecorder device_;
  proto::Framer framer_;
  proto::TextReader text_reader_;
};

void feed_in_parts(Path& path, const std::string& stream) {
  for (auto rest = bytes(stream); !rest.empty();) {
    const auto part = rest.first(std::min(rest.size(), kReadBytes));
    path.feed(part);
    rest = rest.subspan(part.size());
  }
}

// The stream through a pair of sockets, as a TCP link would bring it.
void feed_from_socket(Path& path, const std::string& stream) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) {
    throw std::runtime_error("no pair of sockets");
  }
  std::thread sender([&] {
    for (auto rest = bytes(stream); !rest.empty();) {
      const ssize_t sent = ::send(ends[0], rest.data(), rest.size(), MSG_NOSIGNAL);
      if (sent <= 0) {
        break;
      }
      rest = rest.subspan(static_cast<std::size_t>(sent));
    }
    ::close(ends[0]);
  });
  std::vector<std::uint8_t> buffer(kReadBytes);
  for (ssize_t n = 0; (n = ::read(ends[1], buffer.data(), buffer.size())) > 0;) {
    path.feed(std::span(buffer).first(static_cast<std::size_t>(n)));
  }
  sender.join();
  ::close(ends[1]);
}

std::vector<std::vector<proto::Record>> decoded(const std::string& stream) {
  std::vector<std::vector<proto::Record>> parts;
  proto::Framer framer;
  for (auto rest = bytes(stream); !rest.empty();) {
    const auto part = rest.first(std::min(rest.size(), kReadBytes));
    parts.emplace_back();
    framer.feed(part, [&](const proto::StreamItem& item) {
      for (proto::Record& record : proto::decode_from_radio(std::get<proto::Frame>(item).payload)) {
        parts.back().push_back(std::move(record));
      }
    });
    rest = rest.subspan(part.size());
  }
  return parts;
}

struct Input {
  LinkKind kind = LinkKind::tcp;
  const std::string& (*stream)();
  std::int64_t items = 0;
};
const Input kFrameInput{LinkKind::tcp, frames, kFrames};
const Input kLineInput{LinkKind::listen, log_text, 200'000};

using Feed = void (*)(Path&, const std::string&);

void path(benchmark::State& state, const Input& input, Feed feed) {
  const std::string& stream = input.stream();
  for (auto _ : state) {
    state.PauseTiming();
    const Folder folder;
    Path path(folder.file(), input.kind);
    state.ResumeTiming();
    feed(path, stream);
    path.wait_until_committed();
    state.PauseTiming();
    path.end();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(input.items * state.iterations());
}

// From decoded records on.
void recorder_and_store(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    auto parts = decoded(frames());
    const Folder folder;
    Path path(folder.file(), LinkKind::tcp);
    state.ResumeTiming();
    for (auto& part : parts) {
      path.records(part);
    }
    path.wait_until_committed();
    state.PauseTiming();
    path.end();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(kFrames * state.iterations());
}

void bare(benchmark::State& state, const Input& input) {
  const Folder whole;
  {
    Path path(whole.file(), input.kind);
    feed_in_parts(path, input.stream());
    path.wait_until_committed();
    path.end();
  }
  const BareRows rows(whole.file());
  for (auto _ : state) {
    state.PauseTiming();
    const Folder folder;
    {
      storage::Store store = opened(folder.file());
      rows.prepare(store.connection());
      state.ResumeTiming();
      rows.insert(store.connection(), kBatch);
      state.PauseTiming();
    }
    state.ResumeTiming();
  }
  state.SetItemsProcessed(input.items * state.iterations());
  state.counters["rows"] = static_cast<double>(rows.size());
}

void measured(benchmark::internal::Benchmark* one) {
  one->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();
}

BENCHMARK_CAPTURE(path, frames, kFrameInput, feed_in_parts)->Apply(measured);
BENCHMARK_CAPTURE(path, frames_from_socket, kFrameInput, feed_from_socket)->Apply(measured);
BENCHMARK(recorder_and_store)->Apply(measured);
BENCHMARK_CAPTURE(bare, frames, kFrameInput)->Apply(measured);
BENCHMARK_CAPTURE(path, lines, kLineInput, feed_in_parts)->Apply(measured);
BENCHMARK_CAPTURE(bare, lines, kLineInput)->Apply(measured);

}  // namespace
}  // namespace leakhunt::bench
