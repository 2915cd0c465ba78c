#!/usr/bin/env python3
"""Fourteen days of a device at a time, as a recorder sees them: loads by the clock, restarts, leaks that end in one.

Usage: long_series.py generate --seed S --per-family N --out DIR [--days D]

Built from the blocks of leakbench.py, with time constants of a real device instead of shares of the window. Every
fourth series has LocalStats each 15 minutes, the others a poll each minute.
"""
import argparse
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/data/analysis"))
import leakbench  # noqa: E402
from leakbench import DAY, HOUR, MIN, OK, LEAK  # noqa: E402

DIES_AT = 5000.0  # free bytes at which a device restarts by itself
FAMILIES = {}
DAYS = 14


def family(name, leak=False):
    def remember(build):
        def prepared(s):
            s.T, s.cadence = DAYS * DAY, 900.0 if s.index % 4 == 3 else 60.0
            s.ou = (s.r.choice([40.0, 120.0, 300.0]), s.r.uniform(3, 20) * MIN)
            s.with_uptime = True
            s.busy(0.3, 3)
            s.missing = s.r.choice([0.0, 0.02, 0.1])
            build(s)
        prepared.__doc__ = build.__doc__
        FAMILIES[name] = (prepared, LEAK if leak else OK, leak, ())
        return build
    return remember


def since_boot(s, shape):
    """A function of the time since the last boot."""
    def f(t):
        return shape(t - max([b for b in s.boots if b <= t], default=-s.uptime0))
    s.smooth.append(f)


def warm(s):
    """The first minutes to hours of each boot."""
    size, tau = s.r.uniform(0.03, 0.15) * s.free0, s.r.uniform(5, 60) * MIN
    since_boot(s, lambda age: -size * (1 - math.exp(-age / tau)))


def lose(s, per_minute, begin=0.0):
    """Loses until nothing is left, restarts, loses again."""
    room = 0.8 * s.free0 - DIES_AT
    life = room / per_minute * MIN
    s.leak(per_minute, t0=begin, size=s.r.choice([48, 64, 112, 324]))
    at = begin + life
    while at < s.T:
        s.boots.append(at)
        at += life
    s.params.update(onset_s=round(begin), lives=1 + len(s.boots))


def clients(s, a_day, size):
    t = s.r.expovariate(a_day / DAY)
    while t < s.T:
        stays = s.r.uniform(5, 180) * MIN
        s.deltas += [(t, -size), (t + stays, size)]
        t += stays + s.r.expovariate(a_day / DAY)


# -- without a leak
@family("idle")
def _(s):
    """Next to nothing happens."""


@family("busy")
def _(s):
    """Much traffic, deep short dips."""
    s.busy(3, 8)
    s.hold = (450, 3.0, s.r.uniform(5, 25))


@family("wander")
def _(s):
    """A level that wanders by hundreds of bytes over minutes to an hour."""
    s.ou = (s.r.uniform(200, 900), s.r.uniform(8, 60) * MIN)


@family("clients")
def _(s):
    """Clients, 5 to 21 KB each, for minutes to hours, some each day."""
    clients(s, s.r.uniform(2, 12), min(s.r.uniform(5000, 21280), 0.4 * s.free0))


@family("day")
def _(s):
    """A daily load of up to 5 KB; the traffic follows it."""
    s.diurnal()


@family("gc")
def _(s):
    """Garbage that is collected each one to eight hours."""
    s.sawtooth(period=s.r.uniform(1, 8) * HOUR)


@family("restarts")
def _(s):
    """A planned restart each two to five days, each with its warm-up."""
    warm(s)
    t = s.r.uniform(0.5, 3) * DAY
    while t < s.T:
        s.boots.append(t)
        t += s.r.uniform(2, 5) * DAY


@family("cache")
def _(s):
    """Starts with the recording; a cache fills within one to eight hours, then stays full."""
    s.uptime0 = s.r.uniform(5, 60)
    full, size = s.r.uniform(1, 8) * HOUR, s.r.choice([92, 148, 240])
    s.deltas += [(s.r.uniform(0, full), -float(size)) for _ in range(int(s.r.uniform(3000, 0.3 * s.free0) / size))]


@family("steps")
def _(s):
    """One to three modules are switched on in two weeks, 2 to 9 KB each."""
    s.deltas += [(s.T * s.r.uniform(0.05, 0.95), -min(s.r.uniform(2000, 9000), 0.15 * s.free0))
                 for _ in range(s.r.randint(1, 3))]


@family("nodes")
def _(s):
    """The node database learns up to a hundred nodes, fast at first, over days."""
    known, tau, size = s.r.randint(4, 30), s.r.uniform(0.5, 3) * DAY, s.r.choice([92, 160, 240])
    new = min(s.r.randint(30, 90), int(0.4 * s.free0 / size))
    seen = sorted(s.r.expovariate(1 / tau) for _ in range(new))
    s.deltas += [(t, -float(size)) for t in seen]
    s.nodes = lambda t: known + sum(a <= t for a in seen)
    s.with_packets = True


@family("noise")
def _(s):
    """Readings that are garbage now and then, and routing errors in the log."""
    s.outlier = s.r.uniform(0.002, 0.01)
    for _ in range(s.r.randint(5, 60)):
        t = s.r.uniform(0, s.T)
        s.lines.append((t, leakbench.NAK % (s.uptime0 + t, s.r.choice([1, 3, 5, 6, 8, 33]), 1, 2, 3)))


@family("real_mix")
def _(s):
    """Daily load, clients and garbage together."""
    s.diurnal(s.r.uniform(600, 2500))
    clients(s, s.r.uniform(1, 5), min(8000.0, 0.2 * s.free0))
    s.sawtooth(amp=s.r.uniform(1000, 4000), period=s.r.uniform(1, 8) * HOUR)


# -- with a leak
@family("plain_leak", True)
def _(s):
    """Loses from the start and restarts when nothing is left."""
    lose(s, [20, 50, 100, 324][s.index // 2 % 4])


@family("noisy_leak", True)
def _(s):
    """The same under a wandering level."""
    s.ou = (s.r.uniform(150, 700), s.r.uniform(4, 25) * MIN)
    lose(s, s.r.choice([50, 100, 324]))


@family("late_leak", True)
def _(s):
    """A leak that begins after a tenth to four tenths of the time."""
    lose(s, s.r.choice([20, 50, 100, 324]), begin=s.r.uniform(0.1, 0.4) * s.T)


@family("day_leak", True)
def _(s):
    """5 to 20 B a minute under a daily load."""
    s.diurnal(s.r.uniform(600, 3000))
    lose(s, s.r.choice([5, 8, 12, 20]))


@family("gc_leak", True)
def _(s):
    """What stays after each collection grows."""
    s.sawtooth(amp=s.r.uniform(2000, 0.15 * s.free0), period=s.r.uniform(1, 4) * HOUR)
    lose(s, s.r.choice([20, 50, 100]))


@family("warm_leak", True)
def _(s):
    """Each boot warms up, then loses."""
    warm(s)
    lose(s, s.r.choice([20, 50, 100, 324]))


@family("client_leak", True)
def _(s):
    """A leak beside clients that come and go."""
    clients(s, s.r.uniform(2, 8), min(s.r.uniform(5000, 15000), 0.25 * s.free0))
    lose(s, s.r.choice([20, 50, 100]))


@family("restart_leak", True)
def _(s):
    """A leak on a device that is restarted each day or two before it dies."""
    rate = s.r.choice([10, 20, 30])
    s.leak(rate, size=64)
    t = s.r.uniform(0.5, 1.5) * DAY
    while t < s.T:
        s.boots.append(t)
        t += min(s.r.uniform(0.8, 2) * DAY, 0.6 * s.free0 / rate * MIN)
    s.params.update(onset_s=0)


def main():
    global DAYS
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    make = parser.add_subparsers(dest="command", required=True).add_parser("generate")
    make.add_argument("--seed", default="1")
    make.add_argument("--per-family", type=int, default=12)
    make.add_argument("--out", required=True)
    make.add_argument("--days", type=float, default=DAYS)
    arguments = parser.parse_args()
    DAYS = arguments.days
    leakbench.FAMILIES = FAMILIES
    arguments.families = None
    leakbench.generate(arguments)


if __name__ == "__main__":
    main()
