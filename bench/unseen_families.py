#!/usr/bin/env python3
"""Labelled heap series of thirty families that no threshold was chosen on: other noise, other loads, other leaks.

Usage: unseen_families.py generate --seed S --per-family N --out DIR
       unseen_families.py families

Writes the files that leakbench.py writes (one CSV a series, truth.json), so its `score` reads them. Each series
depends on its seed, family and number alone. A leak loses at least 2 KB and eight times the wander of its level, and
15 bytes a minute where the window is too short to tell a day's load; what nobody could decide is not here.
"""
import argparse
import json
import math
import os
import random

from unseen_device import DAY, HOUR, MIN, Device, mixed, psram

EPOCH = 1790000000.0
FAMILIES = {}


def family(name, leak):
    def remember(build):
        FAMILIES[name] = (build, leak)
        return build
    return remember


# -- with a leak
@family("leak_connects", True)
def _(d):
    """Each client that connects holds 5 to 20 KB for a while and leaves some hundred bytes lost."""
    d.window(d.rng.choice([12, 24, 48, 72]), 60.0)
    d.uptime = d.rng.uniform(2 * HOUR, 3 * DAY)
    count = d.rng.randint(20, 60)
    size = max(100.0, d.rate(3, 80, 0.35) * d.T / MIN / count)
    for t in d.events(count):
        d.hold(t, d.rng.expovariate(1 / (d.T / count / 4)), min(d.rng.uniform(5000, 20000), 0.18 * d.rest))
        d.lost.append((t, int(size * d.rng.uniform(0.8, 1.2)) // 4 * 4))


@family("leak_neighbour_reboots", True)
def _(d):
    """A neighbour that restarts is learnt again, and the old entry is never freed."""
    d.window(d.rng.choice([48, 72, 96]), d.rng.choice([60.0, 300.0]))
    count = d.rng.randint(18, 45)
    size = d.rate(0, 40, 0.4) * d.T / MIN / count
    d.lost += [(t, int(size) // 4 * 4) for t in d.events(count)]


@family("leak_reconnect_storms", True)
def _(d):
    """A poor uplink reconnects in storms; each attempt holds a TLS session and loses a few hundred bytes."""
    d.window(d.rng.choice([24, 48, 72]), 60.0)
    storms = d.storms(d.rng.randint(14, 28), 5)
    size = max(40.0, d.rate(4, 60, 0.35) * d.T / MIN / len(storms))
    for t in storms:
        d.hold(t, d.rng.uniform(20, 80), min(9000.0, 0.2 * d.rest))
        d.lost.append((t, int(size) // 4 * 4))


@family("leak_tenth_packet", True)
def _(d):
    """Every tenth packet (a fragment, a retransmission) is not released; traffic has a daily peak."""
    d.window(d.rng.choice([24, 48, 72]), 60.0)
    d.daily(d.rng.uniform(0, 2500))
    d.counts_packets = True
    mean = sum(d.traffic(d.T * i / 400) for i in range(400)) / 400
    size = max(20.0, d.rate(4, 60, 0.4) / mean * 10)
    d.per_packet = (10, int(size) // 4 * 4)


@family("leak_two_rates", True)
def _(d):
    """A slow leak from the start; a second, faster one begins with a module that is switched on."""
    d.window(d.rng.choice([12, 24, 48]), 60.0)
    first = d.rate(8, 60, 0.15)
    d.now_from = d.T * d.rng.uniform(0.3, 0.6)
    d.leak(first)
    d.leak(min(first * d.rng.uniform(1.5, 4), 0.35 * d.rest / ((d.T - d.now_from) / MIN)), begin=d.now_from)


@family("leak_accelerating", True)
def _(d):
    """The loss grows as a list that is walked and copied grows; the slope is that of the last third."""
    d.window(d.rng.choice([6, 12, 24]), 60.0)
    grow = d.rng.uniform(3, 10)
    mean = d.rate(40, 250, 0.45)
    begin = mean / (1 + grow / 2)
    d.leak(lambda t: begin * (1 + grow * t / d.T))
    d.now_from = d.T * 2 / 3


@family("leak_night_pause", True)
def _(d):
    """Leaks from seven to eleven at night and rests with the people who use it."""
    d.window(d.rng.choice([72, 96, 120]), d.rng.choice([60.0, 300.0, 900.0]))
    rate = d.rate(5, 30, 0.5) * 1.5
    d.leak(lambda t: rate if 7 <= d.day(t)[0] < 23 else 0.0)


@family("leak_heavy_tails", True)
def _(d):
    """A plain leak under dips by a Pareto law."""
    d.heavy_tails()
    d.leak(d.rate(20, 400))


@family("leak_quantised", True)
def _(d):
    """Free memory told in whole KB or in blocks of 4 KB."""
    d.unit = d.rng.choice([1024, 4096])
    d.window(d.rng.choice([12, 24, 48]), 60.0)
    if d.unit == 4096:
        d.rest = max(d.rest, 80000.0)
        d.total = max(d.total, 200000)
    d.leak(max(d.rate(15, 200), 6 * d.unit / (d.T / MIN)))


@family("leak_psram", True)
def _(d):
    """A board with 2 or 8 MB of PSRAM, map tiles and JSON held for seconds."""
    psram(d)
    d.leak(d.rate(200, 20000, 0.5), size=d.rng.choice([148, 512, 1504, 4096]))


@family("leak_localstats_week", True)
def _(d):
    """LocalStats each 15 minutes over four to eight days, some missing, with a daily load."""
    d.window(24 * d.rng.randint(4, 8), 900.0)
    d.daily(d.rng.uniform(500, 3500))
    d.leak(d.rate(2, 12, 0.6))


@family("leak_mixed_cadence", True)
def _(d):
    """Readings at changing cadence, with one to three hours-long holes."""
    mixed(d)
    d.leak(d.rate(20, 300))


@family("leak_irregular_gc", True)
def _(d):
    """Garbage collected at uneven times; what stays after each collection grows."""
    d.window(d.rng.choice([12, 24]), 60.0)
    d.sawtooth(d.rng.uniform(12, 30), d.rng.uniform(0.08, 0.2) * d.rest)
    d.leak(d.rate(20, 200, 0.45))


@family("leak_shifts", True)
def _(d):
    """A plain leak under the load of shifts."""
    d.window(d.rng.choice([48, 72, 96]), d.rng.choice([60.0, 300.0]))
    d.shifts(d.rng.uniform(1000, 4000))
    d.leak(max(d.rate(4, 30, 0.5), 8000 / (d.T / MIN)))


@family("leak_scattered", True)
def _(d):
    """A plain leak in a level with calm and wild hours."""
    d.scattered()
    d.leak(max(d.rate(20, 300), 8 * d.wander_seen / (d.T / MIN)))


# -- without
@family("sender_list", False)
def _(d):
    """A list of senders, some heard each minute, some seldom, until all have been heard; none is new in the last third."""
    d.window(d.rng.choice([24, 48, 72]), d.rng.choice([60.0, 300.0]))
    size, senders = d.rng.choice([92, 148, 240]), d.rng.randint(30, 80)
    d.uptime = d.rng.uniform(20, 300)
    heard = [d.rng.expovariate(1.0) * d.T / 9 * d.rng.uniform(0.05, 1) for _ in range(senders)]
    d.lost += [(t, size) for t in heard if t < d.T * 2 / 3]


@family("log_growth", False)
def _(d):
    """A table that sees ever fewer new keys: grows with the logarithm of time."""
    d.uptime = d.rng.uniform(20, 300)
    tau = d.T / math.exp(d.rng.uniform(math.log(60), math.log(400)))
    size = d.rng.uniform(2500, 0.25 * d.rest) / math.log(1 + d.T / tau)
    d.load.append(lambda t: size * math.log(1 + t / tau))


@family("staircase_cache", False)
def _(d):
    """A cache that takes pages of 1 to 4 KB at uneven times up to its bound, then keeps them."""
    page, pages = d.rng.choice([1024, 2048, 4096]), d.rng.randint(4, 12)
    pages = min(pages, int(0.4 * d.rest / page))
    full = d.T * d.rng.uniform(0.25, 0.6)
    d.uptime = d.rng.uniform(20, 300)
    d.lost += [(d.rng.uniform(0, full), page) for _ in range(pages)]


@family("irregular_gc", False)
def _(d):
    """Garbage collected at uneven times, down to the same level."""
    d.window(d.rng.choice([6, 12, 24]), 60.0)
    d.sawtooth(d.rng.uniform(6, 30), d.rng.uniform(0.08, 0.3) * d.rest)


@family("slow_wave", False)
def _(d):
    """A slow sine of 1.3 to 3.5 periods in the window."""
    period, phase, size = d.T / d.rng.uniform(1.3, 3.5), d.rng.uniform(0, 2 * math.pi), d.rng.uniform(1500, 0.2 * d.rest)
    d.load.append(lambda t: size * 0.5 * (1 + math.sin(2 * math.pi * t / period + phase)))


@family("work_week", False)
def _(d):
    """Busy working days, quiet weekends, over eight to fourteen days."""
    d.window(24 * d.rng.randint(8, 14), d.rng.choice([300.0, 900.0]))
    size = min(d.rng.uniform(1000, 6000), 0.3 * d.rest)
    busy = lambda t: 1.0 if d.day(t)[1] < 5 and 8 <= d.day(t)[0] < 18 else 0.1
    d.load.append(lambda t: size * busy(t))
    d.traffic = lambda t: 4 * busy(t)


@family("shifts", False)
def _(d):
    """The square load of shifts."""
    d.window(d.rng.choice([24, 48, 72, 96]), d.rng.choice([60.0, 300.0]))
    d.shifts(d.rng.uniform(1500, 8000))


@family("meetings", False)
def _(d):
    """Meetings of an hour on the hour by day: several clients at once, none at night."""
    d.window(d.rng.choice([24, 48]), 60.0)
    first = HOUR - d.clock % HOUR
    for k in range(int(d.T // HOUR)):
        if 8 <= d.day(first + k * HOUR)[0] < 18 and d.rng.random() < 0.45:
            for _ in range(d.rng.randint(1, 3)):
                d.hold(first + k * HOUR + d.rng.gauss(0, 90), HOUR * d.rng.uniform(0.7, 1.0), min(5000.0, 0.1 * d.rest))


@family("heavy_tails", False)
def _(d):
    """Dips by a Pareto law, nothing else."""
    d.heavy_tails()


@family("scattered", False)
def _(d):
    """A level with calm and wild hours."""
    d.scattered()


@family("repaired", False)
def _(d):
    """A leak that ended: its client left, its module was switched off. Flat for the last 40 % at least."""
    d.window(d.rng.choice([12, 24, 48]), 60.0)
    end = d.T * d.rng.uniform(0.3, 0.6)
    d.leak(d.rate(20, 300, 0.5, over=end), end=end)


@family("quantised", False)
def _(d):
    """Whole KB or 4 KB of a level that wanders across a step or two."""
    d.unit = d.rng.choice([1024, 4096])
    d.wander = d.unit * d.rng.uniform(0.1, 0.5)


@family("psram_cache", False)
def _(d):
    """2 or 8 MB of PSRAM; a cache of map tiles fills to its bound, then each new tile takes the place of an old one."""
    psram(d)
    tile, full = d.rng.choice([8192, 32768]), d.T * d.rng.uniform(0.1, 0.5)
    tiles = int(d.rng.uniform(0.1, 0.4) * d.rest / tile)
    d.lost += [(d.rng.uniform(0, full), tile) for _ in range(tiles)]
    d.uptime = d.rng.uniform(20, 300)


@family("client_sessions", False)
def _(d):
    """Up to a handful of clients that come and go at random, 2 to 6 KB each."""
    d.window(d.rng.choice([12, 24, 48]), 60.0)
    sessions = d.rng.randint(25, 80)
    d.clients(sessions, d.T / sessions * d.rng.uniform(0.3, 1.5), min(d.rng.uniform(2000, 6000), 0.07 * d.rest))


@family("mixed_cadence", False)
def _(d):
    """Readings at changing cadence, with one to three hours-long holes."""
    mixed(d)


def write(folder, name, leak, device):
    rows = device.readings()
    columns = ["timestamp_s", "heap_free_bytes"] + (["num_packets_rx"] if device.counts_packets else []) + (
        ["uptime_s"] if device.tells_uptime else [])
    with open(os.path.join(folder, name + ".csv"), "w") as out:
        out.write(",".join(columns) + "\n")
        for t, free, count in rows:
            out.write(f"{EPOCH + t:.2f},{free}" + (f",{count}" if device.counts_packets else "")
                      + (f",{int(device.uptime + t)}" if device.tells_uptime else "") + "\n")
    slope = device.slope() if leak else 0.0
    left = (device.rest - sum(b for _, b in device.lost)) / -slope if leak else None
    verdict = "SLOW LEAK" if leak else "STEADY"
    return dict(id=name, family=name.rsplit("-", 1)[0], file=name + ".csv", log=None, verdict=verdict,
                accept=[verdict] + (["OOM-IMMINENT"] if leak and left < 60 else []), leak=leak, slope_bpm=round(slope, 4),
                tte_min=None if left is None else round(left, 2), window_s=device.T, cadence_s=device.cadence,
                heap_total_bytes=device.total, samples=len(rows))


def generate(arguments):
    os.makedirs(arguments.out, exist_ok=True)
    series = []
    for name, (build, leak) in FAMILIES.items():
        for number in range(arguments.per_family):
            device = Device(random.Random(f"{arguments.seed}/{name}/{number}"))
            build(device)
            series.append(write(arguments.out, f"{name}-{number:03}", leak, device))
    with open(os.path.join(arguments.out, "truth.json"), "w") as out:
        json.dump(dict(version=1, seed=arguments.seed, per_family=arguments.per_family, series=series), out, indent=0)
    print(f"{len(series)} series, {sum(s['samples'] for s in series)} readings -> {arguments.out}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("families")
    make = commands.add_parser("generate")
    make.add_argument("--seed", default="1")
    make.add_argument("--per-family", type=int, default=40)
    make.add_argument("--out", required=True)
    arguments = parser.parse_args()
    if arguments.command == "generate":
        return generate(arguments)
    for name, (build, leak) in FAMILIES.items():
        print(f"{name:24}{'leak  ' if leak else '      '}{build.__doc__.split(chr(10))[0]}")


if __name__ == "__main__":
    main()
