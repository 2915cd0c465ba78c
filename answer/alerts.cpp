// The questions about alerts and stored verdicts.
#include <algorithm>
#include <set>

#include "answer/json_read.h"
#include "answer/judgement.h"
#include "answer/questions.h"
#include "answer/words.h"

namespace leakhunt::answer {
namespace {

constexpr Duration kDefaultWindow = std::chrono::hours{168};
constexpr std::size_t kDefaultVerdicts = 50;
constexpr std::size_t kMostVerdicts = 300;  // some 10 KB each at most
constexpr std::size_t kVerdictsSearched = 10'000;

std::string name_of(const std::vector<recorder::DeviceRow>& devices, recorder::DeviceId id) {
  const auto found = std::find_if(devices.begin(), devices.end(), [&](const auto& d) { return d.id == id; });
  return found == devices.end() ? "" : found->name;
}

void fill(v1::Alert& out, const recorder::AlertRow& alert, const std::vector<recorder::DeviceRow>& devices) {
  out.set_id(alert.id);
  out.set_device(name_of(devices, alert.device));
  out.set_cause(alert.cause);
  out.set_severity(alert.severity);
  out.set_state(alert.state);
  out.set_first(epoch(alert.first));
  out.set_last(epoch(alert.last));
  out.set_count(alert.count);
  out.set_text(alert.text);
  out.set_note(alert.note);
}

// The device asked for, or (with an empty name) the recorder as a whole, whose `now` is that of its devices.
Result<Asked> ask_of_any(storage::Reader& reader, const EngineSettings& settings,
                         const AnswerContext& context, const std::string& device) {
  if (!device.empty()) {
    return ask_of(reader, settings, context, device, v1::RULES_LEAKHUNT);
  }
  Asked anyone{reader, settings, {}, nullptr, nullptr, context.now, context.offline, v1::RULES_LEAKHUNT};
  if (context.offline) {
    for (const auto& row : reader.devices()) {
      anyone.now = std::max(anyone.now, ask_of_known(reader, settings, context, row, anyone.rules).now);
    }
  }
  return anyone;
}

std::vector<recorder::AlertRow> alerts_of(const Asked& asked, bool open_only) {
  storage::AlertQuery query;
  query.open_only = open_only;
  if (!asked.device.name.empty()) {
    query.device = asked.device.id;
  }
  return asked.reader.alerts(query);
}

Error no_such_alert(std::int64_t id, const std::vector<recorder::AlertRow>& alerts) {
  std::vector<std::string> ids;
  for (const recorder::AlertRow& alert : alerts) {
    ids.push_back(std::to_string(alert.id));
  }
  return {ErrorCode::usage, "no open alert has the number " + std::to_string(id), "",
          ids.empty() ? "there is no open alert" : "open are: " + joined(ids)};
}

}  // namespace

Result<v1::Alerts> answer_alerts(storage::Reader& reader, const AnswerContext& context,
                                 const std::string& device, const v1::AlertsQuestion& question) {
  const EngineSettings settings;
  const auto asked = ask_of_any(reader, settings, context, device);
  if (!asked) {
    return asked.error();
  }
  const auto window = window_of(*asked, question.window(), kDefaultWindow);
  if (!window) {
    return window.error();
  }
  const bool everything = window->is_default || window->asked == "all";
  const auto devices = reader.devices();
  v1::Alerts out;
  for (const recorder::AlertRow& alert : alerts_of(*asked, question.open_only())) {
    if (everything || (alert.last >= window->span.start && alert.first < window->span.end)) {
      fill(*out.add_alerts(), alert, devices);
    }
  }
  out.set_offline(context.offline);
  return out;
}

Result<Reply> answer_ack(storage::Reader& reader, const AnswerContext& context, const std::string& device,
                         const v1::AckRequest& request) {
  const EngineSettings settings;
  const auto asked = ask_of_any(reader, settings, context, device);
  if (!asked) {
    return asked.error();
  }
  const auto alerts = alerts_of(*asked, true);
  const std::set<std::int64_t> ids(request.ids().begin(), request.ids().end());
  for (const std::int64_t id : ids) {
    if (std::none_of(alerts.begin(), alerts.end(), [&](const auto& alert) { return alert.id == id; })) {
      return no_such_alert(id, alerts);
    }
  }
  const auto devices = reader.devices();
  Reply reply;
  v1::Alerts& out = *reply.answer.mutable_ack();
  for (recorder::AlertRow alert : alerts) {
    if (ids.empty() ? alert.state == "open" : ids.contains(alert.id)) {
      alert.state = "acknowledged";
      alert.note = request.note();
      fill(*out.add_alerts(), alert, devices);
      reply.rows.emplace_back(std::move(alert));
    }
  }
  return reply;
}

Result<v1::Verdicts> answer_verdicts(const Asked& asked, const v1::VerdictsQuestion& question) {
  const auto window = window_of(asked, question.window(), kDefaultWindow);
  if (!window) {
    return window.error();
  }
  const std::size_t max = question.max() <= 0
                              ? kDefaultVerdicts
                              : std::min(static_cast<std::size_t>(question.max()), kMostVerdicts);
  v1::Verdicts out;
  for (const recorder::VerdictRow& row :
       asked.reader.verdicts({asked.device.id, std::nullopt, kVerdictsSearched})) {
    const bool inside = row.utc >= window->span.start && row.utc < window->span.end;
    const bool room = static_cast<std::size_t>(out.verdicts_size()) < max;
    v1::Verdict verdict;
    if (inside && room && read_json(row.json, verdict)) {
      *out.add_verdicts() = std::move(verdict);
    }
  }
  out.set_device(asked.device.name);
  fill(*out.mutable_window(), *window);
  return out;
}

}  // namespace leakhunt::answer
