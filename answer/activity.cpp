// Stretches between one poll or change of a link and the next.
#include "answer/activity.h"

#include <algorithm>
#include <map>

namespace leakhunt::answer {
namespace {

struct Change {
  double x_s = 0;
  int clients = 0;  // +1 came, -1 went, 0: an answered poll
};
using Changes = std::map<std::int64_t, std::vector<Change>>;  // by boot

bool add_links(const Record& record, Changes& changes) {
  bool any = false;
  for (const recorder::EventRow& event : record.events) {
    const bool came = event.kind == "connection_established";
    if ((!came && event.kind != "connection_lost") || event.label != "tcp" || !event.at) continue;
    changes[static_cast<std::int64_t>(event.at->boot)].push_back({seconds(event.at->t), came ? 1 : -1});
    any = true;
  }
  return any;
}

void add_polls(const Record& record, Changes& changes) {
  for (const analysis::Series& series : record.question.series) {
    if (series.source != "poll") continue;
    for (const analysis::Stretch& stretch : series.stretches) {
      for (const analysis::Point& point : stretch.points) changes[stretch.boot_id].push_back({point.x_s, 0});
    }
  }
}

// Who went first was there before, and so were those that nobody saw come.
int clients_at_first(const std::vector<Change>& changes) {
  int now = 0;
  int least = 0;
  for (const Change& change : changes) {
    now += change.clients;
    least = std::min(least, now);
  }
  return -least;
}

// The time that any reading of a boot covers.
std::map<std::int64_t, std::pair<double, double>> spans(const Record& record) {
  std::map<std::int64_t, std::pair<double, double>> out;
  for (const analysis::Series& series : record.question.series) {
    for (const analysis::Stretch& stretch : series.stretches) {
      if (stretch.points.empty()) continue;
      const double from = stretch.points.front().x_s;
      const double to = stretch.points.back().x_s;
      const auto [entry, fresh] = out.try_emplace(stretch.boot_id, from, to);
      if (fresh) continue;
      entry->second = {std::min(entry->second.first, from), std::max(entry->second.second, to)};
    }
  }
  return out;
}

void add_boot(std::int64_t boot, double from, double to, std::vector<Change> changes,
              std::vector<analysis::Activity>& out) {
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto& a, const auto& b) { return a.x_s < b.x_s; });
  int clients = clients_at_first(changes);
  double since = from;
  for (const Change& change : changes) {
    const double x_s = std::clamp(change.x_s, from, to);
    if (x_s > since) {
      out.push_back({boot, since, x_s, change.clients == 0 ? 1.0 : 0.0, static_cast<double>(clients)});
      since = x_s;
    }
    clients += change.clients;
  }
  if (to > since) out.push_back({boot, since, to, 0, static_cast<double>(clients)});
}

}  // namespace

std::vector<analysis::Activity> activity_of(const Record& record) {
  std::vector<analysis::Activity> out;
  Changes changes;
  if (!add_links(record, changes)) return out;
  add_polls(record, changes);
  for (const auto& [boot, span] : spans(record)) add_boot(boot, span.first, span.second, changes[boot], out);
  return out;
}

}  // namespace leakhunt::answer
