// Files in, verdict messages out; several files are judged side by side.
#include "answer/classify.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <filesystem>
#include <thread>
#include <utility>

#include "answer/judgement.h"
#include "answer/recording_question.h"
#include "answer/reserve.h"

namespace leakhunt::answer {
namespace {

namespace fs = std::filesystem;

struct Work {
  JudgeSettings settings;
  recorder::ReadOptions reading;
  bool companion_logs = false;
};

Result<recorder::Recording> read(const std::string& path, const Work& work) {
  auto recording = recorder::read_recording_file(path, work.reading);
  if (!recording || !work.companion_logs) return recording;
  fs::path log = path;
  log.replace_extension(".log");
  std::error_code ignored;
  if (log == fs::path(path) || !fs::exists(log, ignored)) return recording;
  const auto bytes = recorder::read_whole_file(log);
  if (!bytes) return bytes.error();
  if (const auto added = recorder::add_companion_log(*recording, *bytes, work.reading); !added)
    return added.error();
  return recording;
}

void set_error(v1::ClassifiedFile& out, const Error& error) {
  out.mutable_error()->set_code(static_cast<int>(error.code));
  out.mutable_error()->set_what(error.what);
  out.mutable_error()->set_where(error.where);
  out.mutable_error()->set_hint(error.hint);
}

// First and last reading, for the verdict's own time.
void set_span(v1::Verdict& verdict, const recorder::Recording& recording) {
  double first = recorder::kNoFigure;
  double last = recorder::kNoFigure;
  for (const auto& metric : recording.metrics) {
    for (const auto& reading : metric.readings) {
      first = std::fmin(first, reading.t_s);
      last = std::fmax(last, reading.t_s);
    }
  }
  if (last >= first) {
    verdict.set_ts(last);
    verdict.set_window_s(last - first);
  }
}

// Without times there is none, not one of 0.
void clear_rates(v1::Verdict& verdict) {
  verdict.clear_slope_per_min();
  for (auto& boot : *verdict.mutable_boots()) boot.clear_slope_per_min();
}

void judge_file(v1::ClassifiedFile& out, const Work& work) {
  const auto recording = read(out.file(), work);
  if (!recording) return set_error(out, recording.error());
  out.set_kind(std::string{recorder::word(recording->kind)});
  const auto judged = judge_recording(*recording, work.settings);
  if (!judged) return set_error(out, judged.error());
  *out.mutable_verdict() = to_message(judged->verdict, std::vector<storage::BootSpan>{});
  set_span(*out.mutable_verdict(), *recording);
  if (recording->time == recorder::TimeBase::none) clear_rates(*out.mutable_verdict());
  out.set_leak(judged->verdict.leak);
  out.set_samples(static_cast<std::int64_t>(judged->samples));
  out.set_metric(judged->metric);
  for (const auto& note : judged->notes) out.add_notes(note);
}

void judge_file_safely(v1::ClassifiedFile& out, const Work& work) {
  try {
    judge_file(out, work);
  } catch (const std::exception& failure) {
    set_error(out, {ErrorCode::failed, failure.what(), out.file(), ""});
  }
}

void judge_all(v1::Classified& classified, const Work& work) {
  const int files = classified.files_size();
  std::atomic<int> next = 0;
  const auto judge_next = [&] {
    for (int i = next++; i < files; i = next++) judge_file_safely(*classified.mutable_files(i), work);
  };
  const unsigned hands =
      std::min(std::max(1U, std::thread::hardware_concurrency()), static_cast<unsigned>(files));
  std::vector<std::jthread> others;
  for (unsigned i = 1; i < hands; ++i) others.emplace_back(judge_next);
  judge_next();
}

}  // namespace

Result<v1::Answer> classify(const v1::ClassifyQuestion& question, const ClassifySettings& settings) {
  if (question.files_size() == 0) {
    return Error{ErrorCode::usage, "no file to classify", "", "name log files, byte captures or CSVs"};
  }
  Work work;
  work.companion_logs = question.companion_logs();
  work.settings.metric = question.metric();
  work.settings.rules =
      settings.rules == v1::RULES_PUBLISHED ? analysis::Rules::published : analysis::Rules::leakhunt;
  work.settings.limit_bytes = settings.limit_bytes;
  work.reading.keep_impossible = settings.rules == v1::RULES_PUBLISHED;  // they take all samples
  Reserve reserve = reserve_of_recording(
      question.has_reserve_bytes() ? std::optional{question.reserve_bytes()} : std::nullopt);
  work.settings.reserve_bytes = reserve.bytes;
  work.settings.reserve_reason = std::move(reserve.reason);
  if (!settings.config_path.empty()) {
    auto formats = read_log_formats(settings.config_path);
    if (!formats) return formats.error();
    if (const auto checked = recorder::ShapeTable::make(*formats); !checked) return checked.error();
    work.reading.log_shapes = std::move(*formats);
  }
  v1::Answer answer;
  auto& classified = *answer.mutable_classify();
  for (const auto& file : question.files()) {
    auto& out = *classified.add_files();
    out.set_file(file);
    out.set_id(fs::path(file).stem());
  }
  judge_all(classified, work);
  return answer;
}

}  // namespace leakhunt::answer
