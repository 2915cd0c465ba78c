// The timeline question: figures of a field over a window, and points thin enough to plot.
#include <algorithm>

#include "analysis/slope.h"
#include "answer/figures.h"
#include "answer/judgement.h"
#include "answer/levels.h"
#include "answer/questions.h"
#include "answer/words.h"

namespace leakhunt::answer {
namespace {

constexpr std::size_t kDefaultPoints = 500;
constexpr std::size_t kMostPoints = 20'000;

Result<std::vector<recorder::Source>> sources_of(const v1::TimelineQuestion& question) {
  std::vector<recorder::Source> sources;
  for (const std::string& word : split_list(question.sources())) {
    const auto source = source_of(word);
    if (!source) {
      return Error{
          ErrorCode::usage, "no source is named \"" + word + "\"", "--source",
          "there are: poll, stats, debug_heap, heap_line, thread_event, alloc_line, boot_line, import"};
    }
    sources.push_back(*source);
  }
  return sources;
}

void add_points(v1::Timeline& out, std::vector<analysis::TimelinePoint> points,
                const std::vector<std::string>& sources, std::size_t max_points) {
  for (const analysis::TimelinePoint& point : analysis::thin(std::move(points), max_points)) {
    v1::PointOut& added = *out.add_points();
    added.set_ts(point.t_s);
    added.set_value(point.value);
    added.set_source(sources[point.source]);
  }
}

void add_points(v1::Timeline& out, const std::vector<analysis::Series>& series, std::size_t max_points) {
  std::vector<std::string> sources;
  for (const analysis::Series& one : series) {
    sources.push_back(one.source);
  }
  add_points(out, analysis::merge(series), sources, max_points);
}

// What is told of a window: its figures, and the points of a plot.
void fill_window(v1::Timeline& out, const Asked& asked, const FieldChoice& field, const AskedWindow& window,
                 std::vector<recorder::Source> sources, const Record& record, std::size_t max_points) {
  const bool as_judged = sources.empty();
  const WindowFigures figures =
      field.heap ? heap_figures(asked, *field.heap, window.span, sources) : WindowFigures{};
  if (figures.all.n > kMostRawSamples) {
    fill_figures(out, asked, field, window, figures, record.boots);
    std::vector<std::string> words;
    for (const recorder::Source source : sources) {
      words.emplace_back(source_word(source));
    }
    add_points(out, load_extremes(asked, *field.heap, window.span, sources, max_points), words, max_points);
    return;
  }
  if (as_judged) {
    fill_figures(out, asked, field, window, record.figures, record.boots);
    add_points(out, record.question.series, max_points);
    return;
  }
  const SeriesSet set = load_series(asked, field, window.span, sources);
  fill_figures(out, asked, field, window, figures_of(set.series), record.boots);
  add_points(out, set.series, max_points);
}

}  // namespace

Result<v1::Timeline> answer_timeline(const Asked& asked, const v1::TimelineQuestion& question) {
  const auto field = choose_field(asked, question.field(), question.variant());
  if (!field) {
    return field.error();
  }
  const auto sources = sources_of(question);
  if (!sources) {
    return sources.error();
  }
  const auto window = field_window(asked, question.window(), *field);
  if (!window) {
    return window.error();
  }
  const std::size_t max_points = question.max_points() <= 0
                                     ? kDefaultPoints
                                     : std::min(static_cast<std::size_t>(question.max_points()), kMostPoints);
  v1::Timeline out;
  const Record record = load_record(asked, *field, window->span, kEvidenceOnly, std::nullopt);
  fill_window(out, asked, *field, *window, *sources, record, max_points);
  const v1::Verdict verdict = judge_trend(*field, record);
  if (verdict.has_trend_per_min()) {
    *out.mutable_trend_per_min() = verdict.trend_per_min();
  }
  return out;
}

}  // namespace leakhunt::answer
