// Every answer but the report as text or CSV.
#include "ctl/tables.h"

#include <fmt/format.h>

#include <vector>

#include "answer/engine.h"
#include "ctl/classified.h"
#include "ctl/device_tables.h"
#include "ctl/file_tables.h"
#include "ctl/page.h"
#include "ctl/store_text.h"
#include "ctl/text.h"
#include "proto/printable.h"

namespace leakhunt::ctl {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

std::string exact(double value) {
  return fmt::format("{}", value);
}

std::string stamp(double epoch_s) {
  return fmt::format("{:.6f}", epoch_s);
}

std::string optional_figure(bool has, double value) {
  return has ? figure(value) : "-";
}

template <class... Cells>
std::vector<std::string> row(Cells&&... cells) {
  return {std::string{std::forward<Cells>(cells)}...};
}

std::string matched_line(std::int64_t shown, std::int64_t total) {
  return shown < total ? fmt::format("{} of {} matches shown (--max)\n", grouped(shown), grouped(total)) : "";
}

// ---- status

std::string age(const v1::Status& s, bool has, double ts) {
  return has ? span(s.now() - ts) + " ago" : "never";
}

// Since when and how long something is handed over; `otherwise` says what ends it when no time does.
std::string stretch(double since, bool has_until, double until, const std::string& otherwise) {
  return "since " + local_time(since) + ", until " + (has_until ? local_time(until) : otherwise);
}

std::string totals(const v1::FileTotals& f) {
  return fmt::format("{} log lines, {} telemetry, {} packets, {} events", grouped(f.logs().lines()),
                     grouped(f.telemetry().lines()), grouped(f.packets().lines()),
                     grouped(f.events().lines()));
}

void add_link(std::string& out, const v1::LinkStatus& link) {
  out +=
      fmt::format("  link      : {} {} ({})\n", proto::printable(link.address()), link.state(), link.mode());
  if (!link.port().empty() && link.address() != "serial:" + link.port())
    out += "    port    : " + proto::printable(link.port()) + "\n";
  if (!link.trouble().empty()) out += "    trouble : " + proto::printable(link.trouble()) + "\n";
  if (!link.advice().empty()) out += "    advice  : " + proto::printable(link.advice()) + "\n";
  if (!link.sees().empty()) out += "    sees    : " + link.sees() + "\n";
  if (!link.cannot_see().empty()) out += "    not     : " + link.cannot_see() + "\n";
  if (!link.sends().empty()) out += "    sends   : " + link.sends() + "\n";
  if (link.reconnects() > 0) out += fmt::format("    reconnects {}\n", grouped(link.reconnects()));
}

std::string build_words(const v1::DeviceStatus& d) {
  std::string out = or_dash(proto::printable(d.firmware_version()));
  if (!d.pio_env().empty()) out += " " + proto::printable(d.pio_env());
  if (d.has_debug_heap()) out += d.debug_heap() ? ", DEBUG_HEAP" : ", no DEBUG_HEAP";
  return out;
}

void add_sources(std::string& out, const v1::Status& s, const v1::DeviceStatus& d) {
  for (const v1::SourceStatus& source : d.sources()) {
    out += fmt::format("  samples   : {} from {}", grouped(source.samples()), source.source());
    if (source.has_cadence_s()) out += ", cadence ~" + figure(source.cadence_s()) + "s";
    if (source.has_last_value_bytes()) out += ", last " + grouped(source.last_value_bytes()) + " B";
    out += " " + age(s, source.has_last_ts(), source.last_ts()) + "\n";
  }
  if (d.sources().empty()) out += "  samples   : none yet\n";
}

std::string headline(const v1::DeviceStatus& d) {
  if (!d.has_headline()) return "none yet";
  std::string out = verdict_line(d.headline());
  if (!d.headline_window().empty()) out += " over " + d.headline_window();
  return out;
}

void add_device(std::string& out, const v1::Status& s, const v1::DeviceStatus& d) {
  out += fmt::format("\ndevice {}\n", proto::printable(d.name()));
  out += fmt::format("  node      : {} {} {}\n", or_dash(d.node()), proto::printable(d.long_name()),
                     proto::printable(d.hardware()));
  out += "  build     : " + build_words(d) + "\n";
  if (d.has_released_since()) {
    const std::string otherwise = "its program ends, or leakhuntctl resume " + proto::printable(d.name());
    out += "  released  : " +
           stretch(d.released_since(), d.has_released_until(), d.released_until(), otherwise) + "\n";
  }
  for (const v1::LinkStatus& link : d.links()) add_link(out, link);
  if (!d.poll().empty()) out += "  poll      : " + d.poll() + "\n";
  out += "  last data : " + age(s, d.has_last_ts(), d.last_ts()) + "\n";
  add_sources(out, s, d);
  out += fmt::format("  boots     : {}", grouped(d.boots()));
  if (d.has_uptime_s()) out += ", up " + span(d.uptime_s());
  out += "\n  recorded  : " + totals(d.files()) + "\n";
  out += "  verdict   : " + headline(d) + "\n";
  out += fmt::format("  alerts    : {} open\n", d.open_alerts());
  for (const v1::Gap& gap : d.gaps()) {
    out += fmt::format("  gap       : {} to {} ({}): {} lines, {} records\n", local_time(gap.from()),
                       local_time(gap.to()), proto::printable(gap.reason()), grouped(gap.lines()),
                       grouped(gap.records()));
  }
}

// The link that tells how the device fares: one that receives, else the first.
const v1::LinkStatus* telling_link(const v1::DeviceStatus& d) {
  for (const v1::LinkStatus& link : d.links()) {
    if (link.state() == "connected" || link.state() == "listening") return &link;
  }
  return d.links().empty() ? nullptr : &d.links(0);
}

std::string brief_status(const v1::Status& s) {
  std::string out;
  for (const v1::DeviceStatus& d : s.devices()) {
    const v1::LinkStatus* told = telling_link(d);
    const std::string link = told == nullptr ? "no link" : told->state();
    std::int64_t samples = 0;
    for (const v1::SourceStatus& source : d.sources()) samples += source.samples();
    const std::string trouble = told == nullptr ? "" : proto::printable(told->trouble());
    out += fmt::format("{}: {}{}, last data {}, {} heap samples, {}\n", proto::printable(d.name()), link,
                       trouble.empty() ? "" : " (" + trouble + ")", age(s, d.has_last_ts(), d.last_ts()),
                       grouped(samples), headline(d));
  }
  return out;
}

std::string status_text(const v1::Status& s, bool brief) {
  if (brief) return brief_status(s);
  std::string out = s.offline() ? "recorder    : not asked (answered from the file)\n"
                                : fmt::format("recorder    : {}, version {}, pid {}\n",
                                              s.paused()    ? "paused"
                                              : s.running() ? "running"
                                                            : "not running",
                                              s.version(), s.pid());
  if (s.has_paused_since())
    out += "paused      : " +
           stretch(s.paused_since(), s.has_paused_until(), s.paused_until(), "leakhuntctl resume") + "\n";
  if (s.has_started_at()) out += "since       : " + local_time(s.started_at()) + "\n";
  if (s.has_time_scale())
    out += fmt::format("time        : virtual, {} times as fast\n", figure(s.time_scale()));
  out += fmt::format("store       : {} ({} B), {}\n", s.store().path(), grouped(s.store().bytes()),
                     or_dash(s.store().state()));
  out += store_text(s.store());
  out += fmt::format("queue       : {} rows, {} B; {} log lines dropped\n", grouped(s.store().queue_rows()),
                     grouped(s.store().queue_bytes()), grouped(s.store().dropped_lines()));
  out += "recorded    : " + totals(s.files()) + "\n";
  for (const v1::DeviceStatus& d : s.devices()) add_device(out, s, d);
  return out;
}

Rows status_rows(const v1::Status& s) {
  Rows rows = {row("device", "node", "link", "state", "last_ts", "samples", "verdict")};
  for (const v1::DeviceStatus& d : s.devices()) {
    std::int64_t samples = 0;
    for (const v1::SourceStatus& source : d.sources()) samples += source.samples();
    rows.push_back(row(d.name(), d.node(), d.links().empty() ? "" : d.links(0).address(),
                       d.links().empty() ? "" : d.links(0).state(), d.has_last_ts() ? stamp(d.last_ts()) : "",
                       std::to_string(samples),
                       d.has_headline() ? answer::class_text(d.headline().class_()) : ""));
  }
  return rows;
}

// ---- timeline

std::string timeline_text(const v1::Timeline& t) {
  std::string out =
      fmt::format("{} {} of {}: {} samples, {} to {}\n", proto::printable(t.window().variant()),
                  proto::printable(t.window().field()), proto::printable(t.device()), grouped(t.samples()),
                  local_time(t.window().start()), local_time(t.window().end()));
  if (t.samples() == 0) return out;
  out += fmt::format("min {}  max {}  mean {}  slope {} per min (raw {})\n", figure(t.min()), figure(t.max()),
                     figure(t.mean()), optional_figure(t.has_slope_per_min(), t.slope_per_min()),
                     optional_figure(t.has_slope_per_min_raw(), t.slope_per_min_raw()));
  for (const auto& [source, count] : t.sources())
    out += fmt::format("source {}: {}\n", source, grouped(count));
  for (const v1::BootStretch& b : t.boots()) {
    out += fmt::format("boot {} from {} to {}: {} samples {}\n", b.id(), local_time(b.start()),
                       local_time(b.end()), grouped(b.samples()), b.cause());
  }
  Rows rows = {row("time", "value", "source")};
  for (const v1::PointOut& p : t.points())
    rows.push_back(row(local_time(p.ts()), figure(p.value()), p.source()));
  return out + table(rows);
}

Rows timeline_rows(const v1::Timeline& t) {
  Rows rows = {row("ts", "value", "source")};
  for (const v1::PointOut& p : t.points()) rows.push_back(row(stamp(p.ts()), exact(p.value()), p.source()));
  return rows;
}

// ---- logs, events, packets, verdicts, alerts

std::string logs_text(const v1::Logs& l) {
  std::string out;
  for (const v1::LineOut& line : l.lines()) {
    out += local_time(line.ts()) + "  " + proto::printable(line.text()) + "\n";
  }
  out += matched_line(l.lines_size(), l.total_matched());
  if (l.dropped() > 0) out += fmt::format("{} lines of this window were let go\n", grouped(l.dropped()));
  return out;
}

Rows logs_rows(const v1::Logs& l) {
  Rows rows = {row("ts", "level", "thread", "text", "alarm")};
  for (const v1::LineOut& line : l.lines()) {
    rows.push_back(
        row(stamp(line.ts()), line.level(), line.thread(), proto::printable(line.text()), line.alarm()));
  }
  return rows;
}

Rows event_rows(const v1::Events& e, bool for_people) {
  Rows rows = {for_people ? row("time", "kind", "label", "note")
                          : row("ts", "kind", "label", "note", "data", "boot")};
  for (const v1::Event& event : e.events()) {
    if (for_people) {
      rows.push_back(row(local_time(event.ts()), event.kind(), event.label(), event.note()));
    } else {
      rows.push_back(row(stamp(event.ts()), event.kind(), event.label(), event.note(), event.data(),
                         event.has_boot() ? std::to_string(event.boot()) : ""));
    }
  }
  return rows;
}

Rows packet_rows(const v1::Packets& packets, bool for_people) {
  Rows rows = {
      row(for_people ? "time" : "ts", "from", "to", "port", "size_bytes", "hops", "rssi_dbm", "snr_db")};
  for (const v1::Packet& p : packets.packets()) {
    rows.push_back(row(for_people ? local_time(p.ts()) : stamp(p.ts()), p.from(), p.to(), p.port(),
                       std::to_string(p.size_bytes()), p.has_hops() ? std::to_string(p.hops()) : "",
                       p.has_rssi_dbm() ? std::to_string(p.rssi_dbm()) : "",
                       p.has_snr_db() ? fmt::format("{:.2f}", p.snr_db()) : ""));
  }
  return rows;
}

// Why it is provisional, confirmed or withdrawn: the finding that the judge puts last.
std::string reason_of(const v1::Verdict& v) {
  const std::string last = v.findings().empty() ? "" : v.findings().rbegin()->text();
  const bool is_reason =
      last.starts_with("provisional: ") || last.starts_with("confirmed: ") || last.starts_with("withdrawn: ");
  return is_reason ? last : "";
}

Rows verdict_rows(const v1::Verdicts& verdicts, bool for_people) {
  Rows rows = {row(for_people ? "time" : "ts", "window", "verdict", "slope_per_min", "why")};
  for (const v1::Verdict& v : verdicts.verdicts()) {
    rows.push_back(row(for_people ? local_time(v.ts()) : stamp(v.ts()),
                       for_people ? span(v.window_s()) : exact(v.window_s()), verdict_line(v),
                       v.has_slope_per_min() ? figure(v.slope_per_min()) : "", reason_of(v)));
  }
  return rows;
}

Rows alert_rows(const v1::Alerts& alerts, bool for_people) {
  Rows rows = {row("id", "device", "severity", "cause", "state", "first", "last", "count", "text")};
  for (const v1::Alert& a : alerts.alerts()) {
    rows.push_back(row(std::to_string(a.id()), a.device(), a.severity(), a.cause(), a.state(),
                       for_people ? local_time(a.first()) : stamp(a.first()),
                       for_people ? local_time(a.last()) : stamp(a.last()), std::to_string(a.count()),
                       a.text()));
  }
  return rows;
}

// ---- report

Rows report_rows(const v1::Report& r) {
  const v1::Timeline& t = r.timeline();
  return {
      row("device", "start", "end", "field", "samples", "min", "max", "slope_per_min", "verdict", "state"),
      row(r.device(), stamp(r.window().start()), stamp(r.window().end()), r.window().field(),
          std::to_string(t.samples()), t.has_min() ? exact(t.min()) : "", t.has_max() ? exact(t.max()) : "",
          t.has_slope_per_min() ? exact(t.slope_per_min()) : "", answer::class_text(r.verdict().class_()),
          v1::VerdictState_Name(r.verdict().state()).substr(14))};
}

}  // namespace

std::string text_of(const v1::Answer& a, bool brief) {
  switch (a.tell_case()) {
    case v1::Answer::kStatus:
      return status_text(a.status(), brief);
    case v1::Answer::kReport:
      return report_page(a.report());
    case v1::Answer::kTimeline:
      return timeline_text(a.timeline());
    case v1::Answer::kLogs:
      return logs_text(a.logs());
    case v1::Answer::kEvents:
      return table(event_rows(a.events(), true)) +
             matched_line(a.events().events_size(), a.events().total_matched());
    case v1::Answer::kPackets:
      return table(packet_rows(a.packets(), true)) +
             matched_line(a.packets().packets_size(), a.packets().total_matched());
    case v1::Answer::kMark:
      return "marked " + proto::printable(a.mark().label()) + " at " + local_time(a.mark().ts()) + "\n";
    case v1::Answer::kVerdicts:
      return table(verdict_rows(a.verdicts(), true));
    case v1::Answer::kAlerts:
      return table(alert_rows(a.alerts(), true));
    case v1::Answer::kAck:
      return table(alert_rows(a.ack(), true));
    case v1::Answer::kClassify:
      return classified_text(a.classify());
    case v1::Answer::kSql:
    case v1::Answer::kDatabase:
      return file_text_of(a);
    default:
      return device_text_of(a);
  }
}

std::string csv_of(const v1::Answer& a) {
  switch (a.tell_case()) {
    case v1::Answer::kStatus:
      return csv(status_rows(a.status()));
    case v1::Answer::kReport:
      return csv(report_rows(a.report()));
    case v1::Answer::kTimeline:
      return csv(timeline_rows(a.timeline()));
    case v1::Answer::kLogs:
      return csv(logs_rows(a.logs()));
    case v1::Answer::kEvents:
      return csv(event_rows(a.events(), false));
    case v1::Answer::kPackets:
      return csv(packet_rows(a.packets(), false));
    case v1::Answer::kMark:
      return csv({row("ts", "label"), row(stamp(a.mark().ts()), a.mark().label())});
    case v1::Answer::kVerdicts:
      return csv(verdict_rows(a.verdicts(), false));
    case v1::Answer::kAlerts:
      return csv(alert_rows(a.alerts(), false));
    case v1::Answer::kAck:
      return csv(alert_rows(a.ack(), false));
    case v1::Answer::kClassify:
      return classified_csv(a.classify());
    case v1::Answer::kSql:
    case v1::Answer::kDatabase:
      return file_csv_of(a);
    default:
      return device_csv_of(a);
  }
}

}  // namespace leakhunt::ctl
