// The commands about what was recorded, and about recorded files: their words made questions.
#include <CLI/CLI.hpp>
#include <algorithm>

#include "ctl/words.h"
#include "proto/printable.h"

namespace leakhunt::ctl {
namespace {

template <class Repeated>
void append(Repeated* field, const std::vector<std::string>& values) {
  for (const std::string& value : split_alternatives(values)) field->Add(std::string{value});
}

// NaN and infinity pass as numbers elsewhere; a reserve is a count of bytes.
CLI::Validator whole_bytes() {
  return CLI::Validator{[](const std::string& text) {
                          const bool digits = !text.empty() && text.size() < 16 &&
                                              text.find_first_not_of("0123456789") == std::string::npos;
                          return digits ? std::string{} : "'" + text + "' is no number of bytes";
                        },
                        "BYTES"};
}

CLI::Validator some_bytes() {
  return CLI::Validator{[](const std::string& text) {
                          const bool none = text.find_first_not_of('0') == std::string::npos;
                          return none ? "a limit is a positive number of bytes" : std::string{};
                        },
                        "BYTES"};
}

void add_window(CLI::App* app, Words& w) {
  app->add_option("--window", w.window, "30m, 6h, -3d, seconds, all, or START..END");
  app->add_option("--start", w.start, "begin of the window: a time");
  app->add_option("--end", w.end, "end of the window: a time, default now");
}

void add_field(CLI::App* app, Words& w) {
  app->add_option("--field", w.field, "field to look at, default free_heap");
  app->add_option(
      "--variant", w.variant,
      "telemetry variant: local (default) device environment power airQuality health host traffic");
}

void fill(v1::WindowSpec* spec, const Words& w) {
  spec->set_window(w.window);
  spec->set_start(w.start);
  spec->set_end(w.end);
}

Result<What> build_status(const Words& w) {
  v1::Question q = question_for(w);
  q.mutable_status();
  return {q};
}

Result<What> build_report(const Words& w) {
  v1::Question q = question_for(w);
  auto* ask = q.mutable_report();
  fill(ask->mutable_window(), w);
  ask->set_field(w.field);
  ask->set_variant(w.variant);
  if (w.reserve) ask->set_reserve_bytes(*w.reserve);
  return {q};
}

Result<What> build_timeline(const Words& w) {
  v1::Question q = question_for(w);
  auto* ask = q.mutable_timeline();
  fill(ask->mutable_window(), w);
  ask->set_field(w.field);
  ask->set_variant(w.variant);
  ask->set_max_points(w.max_points);
  append(ask->mutable_sources(), w.sources);
  return {q};
}

Result<What> build_logs(const Words& w) {
  v1::Question q = question_for(w);
  auto* ask = q.mutable_logs();
  fill(ask->mutable_window(), w);
  ask->set_grep(w.grep);
  ask->set_memory(w.memory);
  ask->set_max(w.max);
  append(ask->mutable_levels(), w.levels);
  append(ask->mutable_threads(), w.threads);
  return {q};
}

Result<What> build_events(const Words& w) {
  v1::Question q = question_for(w);
  auto* ask = q.mutable_events();
  fill(ask->mutable_window(), w);
  ask->set_max(w.max);
  append(ask->mutable_kinds(), w.kinds);
  return {q};
}

Result<What> build_packets(const Words& w) {
  v1::Question q = question_for(w);
  auto* ask = q.mutable_packets();
  fill(ask->mutable_window(), w);
  ask->set_max(w.max);
  ask->set_from(w.from);
  append(ask->mutable_ports(), w.ports);
  return {q};
}

Result<What> build_mark(const Words& w) {
  const bool blank = w.label.find_first_not_of(" \t\r\n") == std::string::npos;
  if (blank || !proto::is_utf8(w.label) || !proto::is_utf8(w.note) || !proto::is_utf8(w.data)) {
    return Error{ErrorCode::usage, blank ? "the label is blank" : "the mark is not valid UTF-8", "mark",
                 "mark LABEL [--note TEXT]"};
  }
  v1::Question q = question_for(w);
  auto* ask = q.mutable_mark();
  ask->set_label(w.label);
  ask->set_note(w.note);
  ask->set_data(w.data);
  ask->set_at(w.at);
  return {q};
}

Result<What> build_verdicts(const Words& w) {
  v1::Question q = question_for(w);
  fill(q.mutable_verdicts()->mutable_window(), w);
  q.mutable_verdicts()->set_max(w.max);
  return {q};
}

Result<What> build_alerts(const Words& w) {
  v1::Question q = question_for(w);
  if (w.action.empty()) {
    q.mutable_alerts()->set_open_only(w.open_only);
    fill(q.mutable_alerts()->mutable_window(), w);
    return {q};
  }
  if (w.action != "ack") {
    return Error{ErrorCode::usage, "unknown action '" + w.action + "'", "alerts",
                 "alerts [--open] [ack ID|all]"};
  }
  if (w.ids.empty()) {
    return Error{ErrorCode::usage, "which alert?", "alerts ack", "alerts ack ID, or alerts ack all"};
  }
  auto* ask = q.mutable_ack();
  ask->set_note(w.note);
  for (const std::string& id : w.ids) {
    if (id == "all") continue;
    const bool digits =
        !id.empty() && id.size() < 19 && id.find_first_not_of("0123456789") == std::string::npos;
    if (!digits) {
      return Error{ErrorCode::usage, "'" + id + "' is no alert id", "alerts ack", "a number, or all"};
    }
    ask->add_ids(std::stoll(id));
  }
  return {q};
}

Result<What> build_classify(const Words& w) {
  v1::Question q = question_for(w);
  auto* ask = q.mutable_classify();
  for (const std::string& file : w.files) ask->add_files(file);
  ask->set_companion_logs(w.companion_logs);
  ask->set_metric(w.metric);
  if (w.reserve) {
    ask->set_reserve_bytes(*w.reserve);
  } else if (w.format == "csv") {
    ask->set_reserve_bytes(0);  // benchmarks score the time to zero
  }
  return {q};
}

Result<What> build_decode(const Words& w) {
  return {DecodeCommand{w.files, w.config}};
}

}  // namespace

std::vector<std::string> split_alternatives(const std::vector<std::string>& values) {
  std::vector<std::string> out;
  for (const std::string& value : values) {
    std::size_t begin = 0;
    while (begin <= value.size()) {
      const std::size_t end = std::min(value.find('|', begin), value.size());
      if (end > begin) out.push_back(value.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return out;
}

CLI::Option* add_list(CLI::App* app, const std::string& name, std::vector<std::string>& into,
                      const std::string& help) {
  return app->add_option(name, into, help)->allow_extra_args(false)->delimiter(',');
}

void add_reading_commands(CLI::App& app, Words& w, std::vector<Command>& out) {
  auto* status =
      app.add_subcommand("status", "Is it recording, what does it see, what is the headline verdict");
  status->add_flag("--brief", w.brief, "one line per device");
  out.push_back({status, build_status});

  auto* report = app.add_subcommand("report", "Does the device leak: the whole page (also: leakhunt)");
  report->alias("leakhunt");
  add_window(report, w);
  add_field(report, w);
  report->add_option("--reserve", w.reserve, "bytes that count as exhausted, default by platform")
      ->check(whole_bytes());
  out.push_back({report, build_report});

  auto* timeline = app.add_subcommand("timeline", "A field over time, with slope, extremes and boots");
  add_window(timeline, w);
  add_field(timeline, w);
  add_list(timeline, "--source", w.sources, "only these sources of samples");
  timeline->add_option("--max-points", w.max_points, "most points to return, default 500")
      ->check(CLI::Range(2, 100'000));
  out.push_back({timeline, build_timeline});

  auto* logs = app.add_subcommand("logs", "Log lines: the newest matches");
  add_window(logs, w);
  logs->add_option("--grep", w.grep, "RE2 pattern, searched in the line as stored");
  add_list(logs, "--level", w.levels, "DEBUG INFO WARN ERROR CRIT TRACE HEAP MARK");
  add_list(logs, "--thread", w.threads, "only lines of these threads");
  logs->add_flag("--memory", w.memory, "only lines that speak of memory");
  logs->add_option("--max", w.max, "most lines, default 200")->check(CLI::Range(1, 1'000'000));
  out.push_back({logs, build_logs});

  auto* events = app.add_subcommand("events", "What happened: marks, boots, connections, gaps, ...");
  add_window(events, w);
  add_list(events, "--kind", w.kinds, "only these kinds");
  events->add_option("--max", w.max, "most events, default 200")->check(CLI::Range(1, 1'000'000));
  out.push_back({events, build_events});

  auto* packets = app.add_subcommand("packets", "Summaries of packets (never their content)");
  add_window(packets, w);
  packets->add_option("--from", w.from, "only of this node: !hex or a number");
  add_list(packets, "--port", w.ports, "only these applications: names or numbers");
  packets->add_option("--max", w.max, "most packets, default 200")->check(CLI::Range(1, 1'000'000));
  out.push_back({packets, build_packets});

  auto* verdicts = app.add_subcommand("verdicts", "The history of verdicts");
  add_window(verdicts, w);
  verdicts->add_option("--max", w.max, "most verdicts, default 200")->check(CLI::Range(1, 1'000'000));
  out.push_back({verdicts, build_verdicts});
}

void add_other_commands(CLI::App& app, Words& w, std::vector<Command>& out) {
  auto* mark =
      app.add_subcommand("mark", "Put a label on the timeline; X-start and X-end frame an experiment");
  mark->add_option("label", w.label, "the label")->required();
  mark->add_option("--note", w.note, "more words");
  mark->add_option("--data", w.data, "a JSON object to keep with it");
  mark->add_option("--at", w.at, "a time, default now");
  out.push_back({mark, build_mark});

  auto* alerts = app.add_subcommand("alerts", "What a person must see; `alerts ack ID|all` acknowledges");
  alerts->add_option("action", w.action, "ack");
  alerts->add_option("ids", w.ids, "alert ids, or all");
  alerts->add_flag("--open", w.open_only, "only those not resolved");
  alerts->add_option("--note", w.note, "why it is acknowledged");
  add_window(alerts, w);
  out.push_back({alerts, build_alerts});

  auto* classify = app.add_subcommand("classify", "Judge recorded files: text logs, byte captures, CSVs");
  classify->add_option("files", w.files, "files to judge")->required();
  classify->add_flag("--companion-logs", w.companion_logs, "read STEM.log beside STEM.csv");
  classify->add_option("--metric", w.metric, "column of a CSV to judge");
  classify->add_option("--reserve", w.reserve, "bytes that count as exhausted")->check(whole_bytes());
  classify->add_option("--limit", w.limit, "bytes that used memory may reach, as a container's limit")
      ->check(whole_bytes())
      ->check(some_bytes());
  classify->add_option("--config", w.config, "configuration file with [[log_format]] entries");
  out.push_back({classify, build_classify});

  auto* decode =
      app.add_subcommand("decode", "Print what recorded bytes or text hold, one JSON record a line");
  decode->add_option("files", w.files, "files to decode")->required();
  decode->add_option("--config", w.config, "configuration file with [[log_format]] entries");
  out.push_back({decode, build_decode});
}

}  // namespace leakhunt::ctl
