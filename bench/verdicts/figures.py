"""What the verdicts of a method are worth against the truth. Knows no file and no page."""
import collections
import dataclasses
import math

from verdicts import intervals

MONTH_S = 30 * 86400.0


@dataclasses.dataclass
class Figure:
    """A value with its 95 % interval; `better` is +1 where more is better, -1 where less is."""
    value: float
    low: float
    high: float
    better: int = 1

    def not_worse_than(self, other):
        """Whether the other's value lies within this one's interval or on its worse side."""
        if math.isnan(self.value) or math.isnan(other.value):
            return True
        return other.value <= self.high if self.better > 0 else other.value >= self.low


def share(hits, of):
    return Figure(hits / of if of else math.nan, *intervals.wilson(hits, of))


def number(row, name):
    text = (row or {}).get(name) or ""
    return None if text in ("", "inf", "nan") else float(text)


class Score:
    """All figures of one method over series and verdicts keyed alike."""

    def __init__(self, truths, verdicts):
        self.truths, self.verdicts = truths, verdicts
        self.hits = self.false = self.missed = self.right = self.calm_s = 0
        self.slope_errors, self.covered, self.detectable = [], [], []
        self.right_ids, self.families = set(), collections.defaultdict(lambda: [0, 0])
        for key, known in truths.items():
            self._count(key, known, verdicts[key])

    def _count(self, key, known, row):
        accuses = row["accuses"]
        fits = row["verdict"] in known["accept"]
        self.right += fits
        if fits and accuses == known["leak"]:
            self.right_ids.add(key)
        family = self.families[known["family"]]
        family[0] += accuses
        family[1] += 1
        if not known["leak"]:
            self.false += accuses
            self.calm_s += known["window_s"]
            return
        self.hits += accuses
        self.missed += not accuses
        limit = number(row, "mds_bpm")
        if limit is not None and -known["slope_bpm"] > limit:
            self.detectable.append(accuses)
        slope = number(row, "slope_bpm")
        if accuses and slope is not None:
            self.slope_errors.append(abs(slope / known["slope_bpm"] - 1))
            low, high = number(row, "slope_lo"), number(row, "slope_hi")
            if low is not None and high is not None:
                self.covered.append(low <= known["slope_bpm"] <= high)

    @property
    def precision(self):
        return share(self.hits, self.hits + self.false)

    @property
    def recall(self):
        return share(self.hits, self.hits + self.missed)

    @property
    def f1(self):
        total = 2 * self.hits + self.false + self.missed
        return Figure(2 * self.hits / total if total else math.nan, *intervals.f1(self.hits, self.false, self.missed))

    @property
    def accuracy(self):
        return share(self.right, len(self.truths))

    @property
    def slope_error(self):
        return Figure(*intervals.median(self.slope_errors), better=-1)

    @property
    def coverage(self):
        return share(sum(self.covered), len(self.covered))

    @property
    def found_above_limit(self):
        return share(sum(self.detectable), len(self.detectable))

    @property
    def false_per_month(self):
        months = self.calm_s / MONTH_S
        low, high = intervals.poisson(self.false)
        return Figure(self.false / months, low / months, high / months, better=-1)

    def missed_below_limit(self):
        """Missed leaks, and how many of them lay below the limit that was told."""
        missed = [k for k, known in self.truths.items() if known["leak"] and not self.verdicts[k]["accuses"]]
        below = [k for k in missed if -self.truths[k]["slope_bpm"] <= (number(self.verdicts[k], "mds_bpm") or 0)]
        return len(missed), len(below)

    def against(self, other):
        """Series right here and wrong there, the reverse, and the p of that by chance."""
        gained, lost = len(self.right_ids - other.right_ids), len(other.right_ids - self.right_ids)
        return gained, lost, intervals.paired(gained, lost)
