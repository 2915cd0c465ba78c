// Hands each question to its function, turns what the store throws into errors, and keeps the looks of the
// schedule. See engine.h.
#include "answer/engine.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/judge.h"
#include "answer/bounds.h"
#include "answer/json.h"
#include "answer/json_read.h"
#include "answer/judgement.h"
#include "answer/questions.h"
#include "answer/words.h"

namespace leakhunt::answer {
namespace {

constexpr LineSearch kScheduledSearch{20'000};

// The sixth of a window that looks must be apart, and how often it fits.
constexpr int kLooksPerWindow = 6;
constexpr std::size_t kRowsOfLooks = 100;
// As far back as analysis::remember keeps them.
constexpr Duration kHistory = std::chrono::hours{168};

const FieldChoice& free_heap() {
  static const FieldChoice field{recorder::Variant::local, "local", "heap_free_bytes",
                                 recorder::HeapField::heap_free_bytes, false};
  return field;
}

// The two looks before the present one, as if they had been taken then.
std::vector<analysis::Look> earlier_looks(const analysis::Question& question, double window_s) {
  std::vector<analysis::Look> looks;
  for (const int sixths : {2, 1}) {
    const auto earlier =
        analysis::cut_at(question, question.window_end_s - window_s * sixths / kLooksPerWindow);
    looks.push_back(analysis::look_of(earlier, analysis::judge(earlier)));
  }
  return looks;
}

// What the schedule wrote down of its looks, oldest first: a row each time something changed, and now and
// then while an alarm stands (worth_keeping). A confirmed one stands for the looks that confirmed it as well.
std::vector<analysis::Look> stored_looks(storage::Reader& reader, recorder::DeviceId device, Duration window,
                                         Utc now) {
  std::vector<analysis::Look> looks;
  const double window_s = seconds(window);
  auto rows = reader.verdicts({device, window, kRowsOfLooks});
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    v1::Verdict verdict;
    const bool in_time = row->utc <= now && now - row->utc <= std::max(window, kHistory);
    if (!in_time || row->rules != "leakhunt" || !read_json(row->json, verdict)) continue;
    const auto its_class = from_v1(verdict.class_());
    const auto underlying = verdict.has_underlying() ? from_v1(verdict.underlying()) : its_class;
    const bool confirmed = verdict.state() == v1::VERDICT_STATE_CONFIRMED;
    const std::int64_t boot = verdict.boots_size() > 0 ? verdict.boots().rbegin()->id() : 0;
    for (int sixths = confirmed ? 2 : 0; sixths >= 0; --sixths) {
      looks.push_back({its_class, epoch(row->utc) - window_s * sixths / kLooksPerWindow, 0, underlying, "",
                       verdict.has_level_bytes() ? verdict.level_bytes() : analysis::absent, boot});
    }
  }
  std::stable_sort(looks.begin(), looks.end(),
                   [](const auto& one, const auto& other) { return one.at_s < other.at_s; });
  return looks;
}

bool within_one_boot(const analysis::Verdict& verdict, double window_s) {
  if (verdict.stretches.size() != 1) {
    return false;
  }
  const analysis::StretchVerdict& stretch = verdict.stretches.front();
  return analysis::fills_window(stretch.ended_s - stretch.began_s, window_s);
}

int urgency(v1::VerdictClass c) {
  return analysis::urgency(from_v1(c));
}

// What a verdict counts as: a reboot as what its stretches did.
v1::VerdictClass counts_as(const v1::Verdict& verdict) {
  const bool reboot = verdict.class_() == v1::VERDICT_CLASS_REBOOT_MID_WINDOW;
  return reboot && verdict.has_underlying() ? verdict.underlying() : verdict.class_();
}

// Confirmed trouble before provisional trouble before steady before no data; among equals the most urgent.
int rank(const v1::Verdict& verdict) {
  const v1::VerdictClass c = counts_as(verdict);
  if (c == v1::VERDICT_CLASS_INSUFFICIENT_DATA) {
    return 0;
  }
  constexpr int kTrouble = 10;
  const bool stands = urgency(c) > 0 && verdict.state() != v1::VERDICT_STATE_WITHDRAWN;
  if (!stands) {
    return 1;
  }
  return (verdict.state() == v1::VERDICT_STATE_CONFIRMED ? 2 : 1) * kTrouble + urgency(c);
}

}  // namespace

class Engine::Impl {
 public:
  Impl(storage::Reader& reader, EngineSettings settings) : reader_(reader), settings_(std::move(settings)) {}

  Result<Reply> answer(const v1::Question& question, const AnswerContext& context) {
    using Ask = v1::Question::AskCase;
    if (context.offline && (question.has_mark() || question.has_ack() || question.has_change_device())) {
      return Error{ErrorCode::unreachable, "only the running recorder writes", "",
                   "start leakhuntd and ask without --db"};
    }
    switch (question.ask_case()) {
      case Ask::kStatus:
        return reply(answer_status(reader_, settings_, context, question.device()),
                     &v1::Answer::mutable_status);
      case Ask::kAlerts:
        return reply(answer_alerts(reader_, context, question.device(), question.alerts()),
                     &v1::Answer::mutable_alerts);
      case Ask::kAck:
        return answer_ack(reader_, context, question.device(), question.ack());
      case Ask::kDevices:
        return reply(answer_devices(reader_, settings_, context, question.device()),
                     &v1::Answer::mutable_devices);
      case Ask::kChangeDevice:
        return answer_change_device(reader_, context, question.device(), question.change_device());
      case Ask::kRelease:
      case Ask::kResume:
      case Ask::kPause:
      case Ask::kDebugLog:
      case Ask::kDoctor:
      case Ask::kSql:
      case Ask::kDatabase:
        return Error{ErrorCode::usage, "this is not asked of the record", "", ""};
      case Ask::kClassify:
        return Error{ErrorCode::usage, "recorded files are judged where they are", "",
                     "leakhuntctl classify FILE"};
      case Ask::ASK_NOT_SET:
        return Error{ErrorCode::usage, "unsupported question", "", "it is of a newer version"};
      default:
        break;
    }
    const auto asked = ask_of(reader_, settings_, context, question.device(), question.rules());
    return asked ? answer_of(*asked, question) : asked.error();
  }

  Result<v1::Verdict> judge_window(const std::string& device, Duration window, Utc now) {
    const AnswerContext context{now, false, nullptr};
    const auto asked = ask_of(reader_, settings_, context, device, v1::RULES_LEAKHUNT);
    if (!asked) {
      return asked.error();
    }
    const double window_s = seconds(window);
    const Record record =
        load_record(*asked, free_heap(), {now - window, now}, kScheduledSearch, std::nullopt);
    analysis::Verdict verdict = analysis::judge(record.question);
    auto& looks = looks_[{asked->device.name, window}];
    if (looks.empty()) {
      looks = stored_looks(reader_, asked->device.id, window, now);
    }
    if (looks.empty()) {
      looks = earlier_looks(record.question, window_s);
    }
    analysis::remember(looks, analysis::look_of(record.question, verdict), window_s);
    analysis::Life life = analysis::confirm(looks, window_s, within_one_boot(verdict, window_s));
    verdict.state = life.state;
    v1::Verdict out = to_message(verdict, record);
    set_reason(out, life.reason);
    out.set_ts(epoch(now));
    out.set_window_s(window_s);
    repair_text(out);
    return out;
  }

 private:
  template <class T>
  static Result<Reply> reply(Result<T> told, T* (v1::Answer::*place)()) {
    if (!told) {
      return told.error();
    }
    Reply out;
    *(out.answer.*place)() = *std::move(told);
    return out;
  }

  static Result<Reply> answer_of(const Asked& asked, const v1::Question& question) {
    using Ask = v1::Question::AskCase;
    switch (question.ask_case()) {
      case Ask::kReport:
        return reply(answer_report(asked, question.report()), &v1::Answer::mutable_report);
      case Ask::kTimeline:
        return reply(answer_timeline(asked, question.timeline()), &v1::Answer::mutable_timeline);
      case Ask::kLogs:
        return reply(answer_logs(asked, question.logs()), &v1::Answer::mutable_logs);
      case Ask::kEvents:
        return reply(answer_events(asked, question.events()), &v1::Answer::mutable_events);
      case Ask::kPackets:
        return reply(answer_packets(asked, question.packets()), &v1::Answer::mutable_packets);
      case Ask::kVerdicts:
        return reply(answer_verdicts(asked, question.verdicts()), &v1::Answer::mutable_verdicts);
      default:
        return answer_mark(asked, question.mark());
    }
  }

  storage::Reader& reader_;
  EngineSettings settings_;
  std::map<std::pair<std::string, Duration>, std::vector<analysis::Look>> looks_;
};

Engine::Engine(storage::Reader& reader, EngineSettings settings)
    : impl_(std::make_unique<Impl>(reader, std::move(settings))) {}
Engine::~Engine() = default;

Result<Reply> Engine::answer(const v1::Question& question, const AnswerContext& context) {
  try {
    auto reply = impl_->answer(question, context);
    if (reply) {
      repair_text(reply->answer);
    }
    return reply;
  } catch (const storage::ReadFailed& failed) {
    return failed.error();
  }
}

Result<v1::Verdict> Engine::judge_window(const std::string& device, Duration window, Utc now) {
  try {
    return impl_->judge_window(device, window, now);
  } catch (const storage::ReadFailed& failed) {
    return failed.error();
  }
}

recorder::VerdictRow verdict_row(recorder::DeviceId device, const v1::Verdict& verdict) {
  recorder::VerdictRow row;
  row.device = device;
  row.utc = utc_from_seconds(verdict.ts());
  row.window = from_seconds(verdict.window_s());
  row.verdict_class = class_word(verdict.class_());
  row.state = analysis::word(verdict.state() == v1::VERDICT_STATE_CONFIRMED   ? analysis::State::confirmed
                             : verdict.state() == v1::VERDICT_STATE_WITHDRAWN ? analysis::State::withdrawn
                                                                              : analysis::State::provisional);
  row.rules = verdict.rules() == v1::RULES_PUBLISHED ? "published" : "leakhunt";
  row.json = to_json(verdict);
  return row;
}

bool worth_keeping(const v1::Verdict& before, const v1::Verdict& now) {
  const bool changed = before.class_() != now.class_() || before.state() != now.state() ||
                       before.underlying() != now.underlying() || before.urgent() != now.urgent();
  const double apart_s =
      now.state() == v1::VERDICT_STATE_CONFIRMED ? now.window_s() : now.window_s() / kLooksPerWindow;
  return changed || (analysis::alarms(from_v1(counts_as(now))) && now.ts() - before.ts() >= apart_s);
}

const v1::Verdict* headline(const std::vector<v1::Verdict>& verdicts) {
  const auto best = std::max_element(verdicts.begin(), verdicts.end(),
                                     [](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return best == verdicts.end() ? nullptr : &*best;
}

}  // namespace leakhunt::answer
