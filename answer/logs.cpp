// The logs question: the newest lines that match, out of those of a window.
#include <re2/re2.h>

#include <algorithm>
#include <deque>
#include <memory>

#include "answer/bounds.h"
#include "answer/line_expression.h"
#include "answer/questions.h"
#include "answer/words.h"
#include "proto/log_line.h"

namespace leakhunt::answer {
namespace {

constexpr Duration kDefaultWindow = std::chrono::minutes{15};
constexpr std::size_t kDefaultLines = 200;
constexpr std::size_t kMostLines = 10'000;
constexpr std::size_t kLineOverhead_bytes = 100;

// What --memory finds beside lines that tell heap and evidence.
constexpr const char* kMemoryWords =
    "(?i)heap status|leaked heap|freed heap|out of memory|alloc an err|panic|abort";

Result<std::vector<std::string>> level_words(const v1::LogsQuestion& question) {
  std::vector<std::string> words;
  for (const std::string& asked : split_list(question.levels())) {
    const auto level = proto::level(asked);
    if (!level) {
      return Error{ErrorCode::usage, "no level is named \"" + asked + "\"", "--level",
                   "there are: TRACE, DEBUG, INFO, WARN, ERROR, CRIT, HEAP, MARK"};
    }
    words.emplace_back(proto::word(*level));
  }
  return words;
}

std::int64_t dropped_lines(const Asked& asked, const storage::Window& window) {
  std::int64_t lines = 0;
  for (const recorder::GapRow& gap : asked.reader.gaps(asked.device.id, window)) {
    lines += gap.lines;
  }
  return lines;
}

bool may_tell_event(const recorder::LogRow& row) {
  return row.text.find("aked heap") != std::string::npos || row.text.find("eed heap") != std::string::npos;
}

void fill_heap_event(v1::LineOut& out, const recorder::LogRow& row) {
  const std::string_view text = row.text;
  const auto line = proto::parse_record_body(text.substr(std::min<std::size_t>(row.body_offset, text.size())),
                                             proto::Level::none, row.thread);
  if (!line.heap_event) {
    return;
  }
  v1::HeapEvent& event = *out.mutable_heap_event();
  event.set_kind(line.heap_event->kind == proto::HeapEvent::Kind::leaked ? "leaked" : "freed");
  event.set_thread(line.heap_event->thread);
  event.set_before(line.heap_event->before_bytes);
  event.set_after(line.heap_event->after_bytes);
  event.set_delta(line.heap_event->delta_bytes);
}

}  // namespace

void fill(v1::LineOut& out, const storage::LogLine& line) {
  const recorder::LogRow& row = line.row;
  out.set_ts(epoch(line.utc));
  out.set_level(row.level);
  out.set_thread(row.thread);
  out.set_text(row.text);
  out.set_alarm(row.alarm);
  if (row.level == "MARK") {
    out.set_tag("mark_event");
  }
  if (row.uptime_us) {
    out.set_uptime_s(static_cast<double>(*row.uptime_us) / 1e6);
  }
  if (may_tell_event(row)) {
    fill_heap_event(out, row);
  }
}

Result<v1::Logs> answer_logs(const Asked& asked, const v1::LogsQuestion& question) {
  const auto window = window_of(asked, question.window(), kDefaultWindow);
  if (!window) {
    return window.error();
  }
  const auto levels = level_words(question);
  if (!levels) {
    return levels.error();
  }
  std::unique_ptr<LineExpression> grep;
  if (!question.grep().empty()) {
    auto compiled = LineExpression::compiled(question.grep());
    if (!compiled) {
      return compiled.error();
    }
    grep = *std::move(compiled);
  }
  const RE2 memory{kMemoryWords};
  const std::size_t max = question.max() <= 0 ? kDefaultLines : static_cast<std::size_t>(question.max());

  v1::Logs out;
  storage::LogQuery query;
  query.device = asked.device.id;
  query.window = window->span;
  query.levels = *levels;
  query.threads = split_list(question.threads());
  query.search = grep.get();
  std::deque<storage::LogLine> newest;
  std::int64_t matched = 0;
  std::size_t bytes = 0;
  asked.reader.logs(query, [&](const storage::LogLine& line) {
    const recorder::LogRow& row = line.row;
    const bool told =
        !question.memory() || row.tells_heap || row.evidence || RE2::PartialMatch(row.text, memory);
    if (told) {
      ++matched;
      bytes += row.text.size() + kLineOverhead_bytes;
      if (newest.size() < std::min(max, kMostLines) && bytes < kListBytes) {
        newest.push_front(line);
      }
    }
    return true;
  });
  for (const storage::LogLine& line : newest) {
    fill(*out.add_lines(), line);
  }
  out.set_device(asked.device.name);
  out.set_total_matched(matched);
  out.set_dropped(dropped_lines(asked, window->span));
  fill(*out.mutable_window(), *window);
  out.set_offline(asked.offline);
  return out;
}

}  // namespace leakhunt::answer
