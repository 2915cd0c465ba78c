// The wire by itself: framer, decoder, log grammar and redaction, each on one thread and without a store.
#include <benchmark/benchmark.h>

#include <stdexcept>

#include "bench/support.h"
#include "proto/framer.h"
#include "proto/log_line.h"
#include "proto/records.h"
#include "proto/redact.h"

namespace leakhunt::bench {
namespace {

// Feeds the stream as a link does.
template <class Sink>
void feed(const std::string& stream, const Sink& sink) {
  proto::Framer framer;
  for (auto rest = bytes(stream); !rest.empty();) {
    const auto part = rest.first(std::min(rest.size(), kReadBytes));
    framer.feed(part, sink);
    rest = rest.subspan(part.size());
  }
  framer.finish(sink);
}

void count(benchmark::State& state, std::int64_t items, std::int64_t expected, std::size_t bytes) {
  if (items != expected) {
    state.SkipWithError("not every item came out");
  }
  state.SetItemsProcessed(items * state.iterations());
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
}

void framer_on_frames(benchmark::State& state) {
  std::int64_t seen = 0;
  for (auto _ : state) {
    seen = 0;
    feed(frames(), [&](const proto::StreamItem& item) { seen += item.index() == 0 ? 1 : 0; });
  }
  count(state, seen, kFrames, frames().size());
}

void framer_and_decoder(benchmark::State& state) {
  std::int64_t seen = 0;
  for (auto _ : state) {
    seen = 0;
    feed(frames(), [&](const proto::StreamItem& item) {
      const auto* frame = std::get_if<proto::Frame>(&item);
      seen += frame != nullptr && !proto::decode_from_radio(frame->payload).empty() ? 1 : 0;
    });
  }
  count(state, seen, kFrames, frames().size());
}

void framer_on_text(benchmark::State& state) {
  std::int64_t seen = 0;
  for (auto _ : state) {
    seen = 0;
    feed(log_text(), [&](const proto::StreamItem& item) { seen += item.index() == 1 ? 1 : 0; });
  }
  count(state, seen, std::ssize(log_lines()), log_text().size());
}

void grammar(benchmark::State& state) {
  std::int64_t heaps = 0;
  for (auto _ : state) {
    heaps = 0;
    for (const std::string_view line : log_lines()) {
      heaps += proto::parse_text_line(line).heap_free_bytes ? 1 : 0;
    }
  }
  count(state, heaps, std::ssize(log_lines()), log_text().size());
}

void grammar_and_redaction(benchmark::State& state) {
  std::int64_t heaps = 0;
  for (auto _ : state) {
    heaps = 0;
    proto::TextReader reader;
    for (const std::string_view line : log_lines()) {
      heaps += reader.read(line).heap_free_bytes ? 1 : 0;
    }
  }
  count(state, heaps, std::ssize(log_lines()), log_text().size());
}

void framer_grammar_and_redaction(benchmark::State& state) {
  std::int64_t heaps = 0;
  for (auto _ : state) {
    heaps = 0;
    proto::TextReader reader;
    feed(log_text(), [&](const proto::StreamItem& item) {
      const auto* line = std::get_if<proto::TextLine>(&item);
      heaps += line != nullptr && reader.read(line->text, line->complete).heap_free_bytes ? 1 : 0;
    });
  }
  count(state, heaps, std::ssize(log_lines()), log_text().size());
}

BENCHMARK(framer_on_frames)->Unit(benchmark::kMillisecond);
BENCHMARK(framer_and_decoder)->Unit(benchmark::kMillisecond);
BENCHMARK(framer_on_text)->Unit(benchmark::kMillisecond);
BENCHMARK(grammar)->Unit(benchmark::kMillisecond);
BENCHMARK(grammar_and_redaction)->Unit(benchmark::kMillisecond);
BENCHMARK(framer_grammar_and_redaction)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace leakhunt::bench
