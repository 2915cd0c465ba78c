"""The real schedule: long series replayed look by look; what was confirmed, how often wrongly, how late."""
import collections
import csv
import functools
import itertools
import math
import statistics

from verdicts import intervals, programs, tables
from verdicts.figures import Figure, share

LONG = programs.ROOT / "bench/verdicts/long_series.py"
HOUR_S, MONTH_S = 3600.0, 30 * 86400.0
LOOKS = {"each 5 min": (), "those that count": ("--counted",)}
# what counts as a confirmed alarm: words -> whether the longest window must accuse too, in any state
RULES = {"any window": False, "any, while 7 d accuses too": True}
LONGEST = "604800"


def make(folder, seed, per_family, days):
    programs.run("python3", LONG, "generate", "--seed", seed, "--per-family", per_family, "--days", days, "--out", folder)
    return folder


def alarms(text, longest_too):
    """id -> times at which a confirmed alarm begins, over all windows together."""
    changes = collections.defaultdict(list)
    for row in csv.DictReader(text.splitlines()):
        accuses = row["leak"] == "1" or row["class"] == "OOM-IMMINENT"
        changes[row["id"]].append((float(row["at_s"]), row["window_s"], accuses, accuses and row["state"] == "confirmed"))
    return {i: begins(sorted(c), longest_too) for i, c in changes.items()}


def begins(changes, longest_too):
    out, accusing, confirmed, held = [], set(), set(), False
    for at, together in itertools.groupby(changes, key=lambda change: change[0]):
        for _, window, accuses, confirms in together:
            accusing = accusing | {window} if accuses else accusing - {window}
            confirmed = confirmed | {window} if confirms else confirmed - {window}
        holds = bool(confirmed) and (not longest_too or LONGEST in accusing)
        if holds and not held:
            out.append(at)
        held = holds
    return out


class Replay:
    """What became of each series under one way of looking."""

    def __init__(self, known, found):
        self.families = collections.OrderedDict()
        self.false, self.calm_s, self.delays, self.leaks = 0, 0.0, [], 0
        for key, entry in known.items():
            family = self.families.setdefault(entry["family"], dict(leak=entry["leak"], n=0, false=0, s=0.0, delays=[]))
            family["n"] += 1
            (self._leak if entry["leak"] else self._calm)(entry, found.get(key, []), family)

    def _calm(self, entry, times, family):
        family["false"] += len(times)
        family["s"] += entry["window_s"]
        self.false += len(times)
        self.calm_s += entry["window_s"]

    def _leak(self, entry, times, family):
        self.leaks += 1
        onset = entry["params"].get("onset_s", 0)
        later = [t - onset for t in times if t >= onset]
        if later:
            family["delays"].append(later[0] / HOUR_S)
            self.delays.append(later[0] / HOUR_S)

    @property
    def recall(self):
        return share(len(self.delays), self.leaks)

    @property
    def false_per_month(self):
        months = self.calm_s / MONTH_S
        low, high = intervals.poisson(self.false)
        return Figure(self.false / months, low / months, high / months, -1)


def replay(built, folders):
    """(which looks, what counts) -> Replay over all folders."""
    known = {f"{n}/{entry['id']}": entry for n, folder in enumerate(folders) for entry in programs.truth(folder)}
    jobs = [(looks, n) for looks in LOOKS for n in range(len(folders))]
    texts = programs.side_by_side([functools.partial(programs.run, built.replay, folders[n], *LOOKS[looks]) for looks, n in jobs])
    found = collections.defaultdict(dict)
    for (looks, n), text in zip(jobs, texts):
        for rule, longest_too in RULES.items():
            found[looks, rule].update({f"{n}/{i}": times for i, times in alarms(text, longest_too).items()})
    return {mode: Replay(known, times) for mode, times in found.items()}


def delay_words(delays):
    if not delays:
        return "-"
    ordered = sorted(delays)
    return f"{statistics.median(ordered):.1f} h ({ordered[math.ceil(0.9 * (len(ordered) - 1))]:.1f} h)"


def page(replays, days):
    first = next(iter(replays.values()))
    head = ["looks", "confirmed by", "confirmed false alarms per device-month", "false alarms, device-months", "recall, confirmed",
            "delay, median (9 of 10)"]
    rows = [[*mode, tables.shown(r.false_per_month, "{:.2f}"), f"{r.false} in {r.calm_s / MONTH_S:.1f}",
             f"{tables.shown(r.recall)} of {r.leaks}", delay_words(r.delays)] for mode, r in replays.items()]
    out = [f"{sum(f['n'] for f in first.families.values())} devices over {days:g} days each "
           "(`bench/verdicts/long_series.py`), windows of 1 h, 6 h and 7 d. Floor: at most 1 confirmed false alarm per "
           "device-month at a recall of at least 0.93.", "", tables.table(head, rows)]
    rows = []
    for name, family in first.families.items():
        both = [r.families[name] for r in replays.values()]
        if family["leak"]:
            told = [f"{len(f['delays'])} of {f['n']}, {delay_words(f['delays'])}" for f in both]
        else:
            told = [f"{f['false']} false" for f in both]
        rows.append([name, *told])
    out.append(tables.table(["family", *("; ".join(mode) for mode in replays)], rows))
    return "\n".join(out)
