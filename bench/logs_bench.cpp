// `logs --grep` as the daemon answers it, from the question to the reply, over 200 000 recorded lines: once
// as rows, once packed. Bytes are those of the lines' texts; the rate is by CPU time of the one thread that
// does it.
#include <benchmark/benchmark.h>

#include <stdexcept>

#include "answer/engine.h"
#include "bench/log_store.h"

namespace leakhunt::bench {
namespace {

const LogStore& store(bool packed) {
  static const LogStore rows(false);
  static const LogStore blocks(true);
  return packed ? blocks : rows;
}

void grep(benchmark::State& state, bool packed, const char* expression, const char* level) {
  const LogStore& lines = store(packed);
  storage::Reader reader = lines.reader();
  answer::Engine engine(reader, {});
  v1::Question question;
  question.mutable_logs()->set_grep(expression);
  question.mutable_logs()->mutable_window()->set_window("all");
  if (*level != '\0') question.mutable_logs()->add_levels(level);
  std::int64_t matched = 0;
  for (auto _ : state) {
    const auto reply = engine.answer(question, {.now = lines.end()});
    if (!reply) throw std::runtime_error(reply.error().line());
    matched = reply->answer.logs().total_matched();
  }
  state.SetBytesProcessed(lines.text_bytes() * state.iterations());
  state.counters["matched"] = static_cast<double>(matched);
  state.counters["bytes_per_line"] = lines.bytes_per_line();
  state.counters["longest_step_ms"] = lines.longest_step_ms();
}

void every(const char* name, const char* expression, const char* level = "") {
  for (const bool packed : {false, true}) {
    benchmark::RegisterBenchmark((std::string{packed ? "packed/" : "rows/"} + name).c_str(),
                                 [=](benchmark::State& state) { grep(state, packed, expression, level); })
        ->Unit(benchmark::kMillisecond);
  }
}

[[maybe_unused]] const bool registered = [] {
  every("literal, nowhere", "no such text");
  every("literal, in 1 of 15", "leaked heap");
  every("literal with brackets", "\\[heap 119");
  every("literal, of a level", "leaked heap", "HEAP");
  every("expression, in 1 of 100", "leaked heap \\d+ -> \\d+ \\(-[5-9]\\d\\d\\)");
  every("expression without a fixed beginning", "[A-Z][a-z]+ leaked .*-[0-9]{3}\\)");
  every("expression, any case", "(?i)RECEIVED.*a7dd");
  every("alternatives", "panic|abort|Guru|out of memory|rxSNR=-12");
  every("every line", ".");
  return true;
}();

}  // namespace
}  // namespace leakhunt::bench
