// Frees are set against allocations: a thread's own first, then those of other threads, the latest before it
// first.
#include "analysis/attribution.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "analysis/trend.h"

namespace leakhunt::analysis {
namespace {

constexpr double kHandOver_s = 120;   // how long what one thread allocates may wait for another to free it
constexpr std::size_t kNewest = 200;  // published rule
constexpr std::size_t kFew = 3;
constexpr std::size_t kRuns = 5;  // fewer tell no loss per run
constexpr std::size_t kMostRuns = 400;
constexpr std::size_t kSameSize = 64;  // how many open allocations are searched for one of the same size

struct Ledger {
  Suspect suspect;
  std::vector<std::size_t> runs;  // its events
  std::vector<std::size_t> open;  // its allocations not yet paid, by index of the event
};

using Ledgers = std::map<std::string, Ledger>;

// Takes up to `amount` out of the open allocations of `ledger`, the newest first, those of the same size
// before others. Returns what it took.
double pay(Ledger& ledger, std::vector<double>& unpaid, const std::vector<HeapEvent>& events, double t_s,
           double amount, double within_s) {
  double paid = 0;
  const auto take = [&](std::size_t i) {
    const double part = std::min(unpaid[i], amount - paid);
    unpaid[i] -= part;
    paid += part;
  };
  std::size_t looked = 0;
  for (auto i = ledger.open.rbegin(); i != ledger.open.rend() && paid == 0 && looked++ < kSameSize; ++i) {
    if (t_s - events[*i].t_s > within_s) break;
    if (unpaid[*i] == amount) take(*i);
  }
  for (auto i = ledger.open.rbegin(); i != ledger.open.rend() && paid < amount; ++i) {
    if (t_s - events[*i].t_s > within_s) break;
    if (unpaid[*i] > 0) take(*i);
  }
  while (!ledger.open.empty() && unpaid[ledger.open.back()] == 0) ledger.open.pop_back();
  return paid;
}

struct Books {
  Ledgers ledgers;
  std::vector<double> unpaid;  // of each allocating event
};

Books open_books(const std::vector<HeapEvent>& events) {
  Books books;
  books.unpaid.resize(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    const HeapEvent& e = events[i];
    Ledger& ledger = books.ledgers[e.thread];
    ++ledger.suspect.events;
    ledger.runs.push_back(i);
    ledger.suspect.net_bytes += e.delta;
    if (e.delta < 0) {
      ledger.suspect.leaked_bytes += e.delta;
      books.unpaid[i] = -e.delta;
      ledger.open.push_back(i);
      continue;
    }
    ledger.suspect.freed_bytes += e.delta;
  }
  return books;
}

// Threads that still owe, the one that allocated last first.
std::vector<std::pair<Ledger*, double*>> debtors_by_time(Books& books, std::map<std::string, double>& debt) {
  std::vector<std::pair<Ledger*, double*>> out;
  for (auto& [name, owed] : debt) {
    Ledger& ledger = books.ledgers[name];
    if (owed > 0 && !ledger.open.empty()) out.emplace_back(&ledger, &owed);
  }
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return a.first->open.back() > b.first->open.back(); });
  return out;
}

// The events in time, each free paying: its own thread's allocations where that thread loses on the whole,
// else those of threads that lose.
void set_off(Books& books, const std::vector<HeapEvent>& events) {
  std::map<std::string, double> wallet;
  std::map<std::string, double> debt;
  for (auto& [name, ledger] : books.ledgers) {
    if (ledger.suspect.net_bytes > 0) wallet[name] = ledger.suspect.net_bytes;
    if (ledger.suspect.net_bytes < 0) debt[name] = -ledger.suspect.net_bytes;
    ledger.open.clear();
  }
  for (std::size_t i = 0; i < events.size(); ++i) {
    const HeapEvent& e = events[i];
    if (e.delta < 0) {
      books.ledgers[e.thread].open.push_back(i);
      continue;
    }
    const auto purse = wallet.find(e.thread);
    double left = e.delta;
    left -= pay(books.ledgers[e.thread], books.unpaid, events, e.t_s, left,
                purse == wallet.end() ? 1e18 : kHandOver_s);
    if (purse == wallet.end()) continue;
    for (auto& [debtor, owed] : debtors_by_time(books, debt)) {
      const double due = std::min({left, purse->second, *owed});
      if (due <= 0) break;
      const double paid = pay(*debtor, books.unpaid, events, e.t_s, due, kHandOver_s);
      debtor->suspect.transferred_bytes += paid;
      books.ledgers[e.thread].suspect.transferred_bytes -= paid;
      left -= paid;
      purse->second -= paid;
      *owed -= paid;
    }
  }
}

bool few_large(const Ledger& ledger, const std::vector<double>& unpaid) {
  std::vector<double> losses;
  for (const std::size_t i : ledger.open) losses.push_back(unpaid[i]);
  std::sort(losses.rbegin(), losses.rend());
  const double all = std::accumulate(losses.begin(), losses.end(), 0.0);
  const auto few = losses.begin() + static_cast<std::ptrdiff_t>(std::min(kFew, losses.size()));
  return all > 0 && std::accumulate(losses.begin(), few, 0.0) >= 0.8 * all;
}

// Regression of what it still owes over its runs (Theil-Sen of the running sum): a run that takes 1 232 and
// one that takes 704, most of which another thread gives back, both lose 272.
std::optional<double> per_run(const Ledger& ledger, const std::vector<double>& unpaid) {
  if (ledger.runs.size() < kRuns || ledger.suspect.net_bytes >= 0) return std::nullopt;
  const std::size_t step = (ledger.runs.size() - 1) / kMostRuns + 1;
  Values run;
  Values owed;
  double sum = 0;
  for (std::size_t k = 0; k < ledger.runs.size(); ++k) {
    sum += unpaid[ledger.runs[k]];
    if (k % step != 0) continue;
    run.push_back(static_cast<double>(k));
    owed.push_back(sum);
  }
  const double lost = trend(run, owed).per_min / 60;
  return lost > 0 ? std::optional(lost) : std::nullopt;
}

}  // namespace

Attribution attribute(const std::vector<HeapEvent>& events) {
  Attribution out;
  if (events.empty()) return out;
  Books books = open_books(events);
  set_off(books, events);
  for (auto& [name, ledger] : books.ledgers) {
    Suspect& s = ledger.suspect;
    out.net_bytes += s.net_bytes;
    s.thread = name;
    s.net_bytes += s.transferred_bytes;
    s.few_large = few_large(ledger, books.unpaid);
    s.per_run_bytes = per_run(ledger, books.unpaid);
    if (s.net_bytes < 0) out.attributed_bytes -= s.net_bytes;
    out.threads.push_back(s);
  }
  for (Suspect& s : out.threads) s.share = s.net_bytes < 0 ? -s.net_bytes / out.attributed_bytes : 0.0;
  std::stable_sort(out.threads.begin(), out.threads.end(),
                   [](const Suspect& a, const Suspect& b) { return a.net_bytes < b.net_bytes; });
  out.span_s = events.back().t_s - events.front().t_s;
  for (Suspect& s : out.threads) {
    if (out.span_s <= 0) break;
    s.events_per_min = static_cast<double>(s.events) / (out.span_s / 60);
    s.net_per_min = s.net_bytes / (out.span_s / 60);
  }
  return out;
}

std::vector<Suspect> published_suspects(const std::vector<HeapEvent>& events) {
  std::map<std::string, Suspect> sums;
  std::size_t taken = 0;
  for (auto e = events.rbegin(); e != events.rend() && taken < kNewest; ++e) {
    if (!e->leaked) continue;
    ++taken;
    Suspect& s = sums[e->thread];
    s.thread = e->thread;
    s.net_bytes += e->delta;
    s.leaked_bytes += e->delta;
    ++s.events;
  }
  std::vector<Suspect> out;
  double all = 0;
  for (const auto& [name, s] : sums) {
    out.push_back(s);
    all += s.net_bytes;
  }
  for (Suspect& s : out) s.share = all < 0 ? s.net_bytes / all : 0.0;
  std::stable_sort(out.begin(), out.end(),
                   [](const Suspect& a, const Suspect& b) { return a.net_bytes < b.net_bytes; });
  return out;
}

}  // namespace leakhunt::analysis
