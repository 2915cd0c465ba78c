#!/usr/bin/env python3
"""Development families: kinds of noise, load and loss the verdicts were tuned on beyond leakbench's own.

  families_dev.py generate --seed S --per-family N --out DIR [--families a,b]
  families_dev.py families

Development: tuned on. Nothing here tells how good a verdict is on what it has never seen. Same files as leakbench.py
writes, whose simulator it uses; scored by `leakbench.py score`.
"""
import importlib.util
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("leakbench", HERE.parent / "tests/data/analysis/leakbench.py")
leakbench = importlib.util.module_from_spec(spec)
spec.loader.exec_module(leakbench)

Sim, MIN, HOUR, DAY = leakbench.Sim, leakbench.MIN, leakbench.HOUR, leakbench.DAY
INS, REB, OOM, LEAK, FRAG, OK, REC = leakbench.VERDICTS
leakbench.FAMILIES.clear()
family = leakbench.family


def roomy(s, least=60000.0):
    s.free0 = max(s.free0, min(0.6 * s.total, least))


def window(s, cadences=(1.5, 60.0, 60.0, 900.0)):
    s.cadence = s.r.choice(cadences)
    s.pick_window()


def stepper(s, step, f):
    """f(state) gives the next state; piecewise linear in between, made once over the window."""
    n = int(s.T / step) + 2
    v = [0.0]
    for _ in range(n):
        v.append(f(v[-1]))
    s.smooth.append(lambda t: v[int(t / step)] + (v[int(t / step) + 1] - v[int(t / step)]) * (t / step % 1))


def losing(s, slopes=(20, 50, 100, 324), keep=0.35):
    bpm = s.r.choice(slopes)
    s.T = max(s.T, 3 * HOUR)
    roomy(s)
    s.cap_window(bpm, keep)
    return bpm


# -- noise ---------------------------------------------------------------------------
def heavy_noise(s):
    """Student-t like wander: mostly quiet, now and then kilobytes, both ways."""
    scale = s.r.uniform(60, 250)
    step = max(30.0, s.cadence)
    n = int(s.T / step) + 3
    v = []
    for _ in range(n):
        g = s.r.gauss(0, 1)
        chi = sum(s.r.gauss(0, 1) ** 2 for _ in range(2)) / 2
        v.append(max(-9000.0, min(4000.0, scale * g / math.sqrt(max(chi, 1e-3)))))
    s.smooth.append(lambda t: v[int(t / step)])


@family("heavy_steady", OK)
def _(s):
    s.busy(0.5, 8)
    heavy_noise(s)


@family("heavy_leak", LEAK, True)
def _(s):
    bpm = losing(s)
    s.busy(0.5, 8)
    heavy_noise(s)
    s.leak(bpm)


@family("bounded_walk", OK)
def _(s):
    """A random walk that reflects at its bounds: a cache with arrivals and evictions."""
    s.busy(0.5, 5)
    size = s.r.uniform(400, 4000)
    turn = s.T / s.r.uniform(4, 20)
    step = s.T / 400
    sd = size * math.sqrt(step / turn)

    def walk(x):
        x += s.r.gauss(0, sd)
        return -2 * size - x if x < -size else (-x if x > 0 else x)
    stepper(s, step, walk)


@family("slow_sine", OK, accept=(REC,))
def _(s):
    """A period of 3 to 30 h, at least 1.2 of them in the window; no packet counter tells of it."""
    s.cadence = s.r.choice([60.0, 60.0, 900.0])
    period = s.r.uniform(3, 30) * HOUR
    s.T = min(96 * HOUR, period * s.r.uniform(1.2, 6))
    s.busy(0.5, 5)
    amp = s.r.uniform(800, 6000)
    ph = s.r.uniform(0, 6.28)
    s.smooth.append(lambda t: -amp * 0.5 * (1 + math.sin(2 * math.pi * t / period + ph)))
    s.params.update(period_h=period / HOUR, amp=amp)


@family("slow_sine_leak", LEAK, True)
def _(s):
    s.cadence = s.r.choice([60.0, 60.0, 900.0])
    period = s.r.uniform(3, 30) * HOUR
    s.T = min(96 * HOUR, period * s.r.uniform(2, 6))
    s.busy(0.5, 5)
    amp = s.r.uniform(500, 2500)
    ph = s.r.uniform(0, 6.28)
    s.smooth.append(lambda t: -amp * 0.5 * (1 + math.sin(2 * math.pi * t / period + ph)))
    roomy(s)
    s.leak(0.5 * s.free0 / (s.T / MIN) * s.r.uniform(0.4, 1))


@family("square_day", OK)
def _(s):
    """Office hours: a level by day, another by night, with soft edges."""
    s.cadence = s.r.choice([60.0, 300.0, 900.0])
    s.T = s.r.choice([12, 24, 48, 72]) * HOUR
    amp = s.r.uniform(1500, 9000)
    on, length = s.r.uniform(0, DAY), s.r.uniform(6, 12) * HOUR
    lam = s.r.uniform(2, 8)

    def busy(t):
        a = (t - on) % DAY
        return min(1.0, a / 1200) if a < length else max(0.0, 1 - (a - length) / 1200)
    s.rate = lambda t: lam * (0.2 + busy(t))
    s.smooth.append(lambda t: -amp * busy(t))


@family("square_day_leak", LEAK, True)
def _(s):
    s.cadence = s.r.choice([60.0, 300.0, 900.0])
    s.T = s.r.choice([48, 72, 96]) * HOUR
    roomy(s)
    amp = s.r.uniform(1500, 5000)
    on, length = s.r.uniform(0, DAY), s.r.uniform(6, 12) * HOUR
    s.busy(0.5, 5)

    def busy(t):
        a = (t - on) % DAY
        return min(1.0, a / 1200) if a < length else max(0.0, 1 - (a - length) / 1200)
    s.smooth.append(lambda t: -amp * busy(t))
    s.leak(min(s.r.choice([5, 8, 12, 20]), 0.6 * s.free0 / (s.T / MIN)))


def ragged_saw(s, cycles):
    """Cycles of random length, each with its own depth, freed wholly or nearly so."""
    t, edges = -s.r.expovariate(cycles / s.T), []
    while t < s.T:
        edges.append((t, s.r.uniform(0.3, 1.0), s.r.uniform(0.0, 0.08)))
        t += max(6 * s.cadence, s.r.gammavariate(2.5, s.T / cycles / 2.5))
    edges.append((t, 1.0, 0.0))
    amp = s.r.uniform(2500, min(14000, 0.3 * s.free0))

    def f(x, st=[0]):
        i = st[0]
        while i + 1 < len(edges) - 1 and x >= edges[i + 1][0]:
            i += 1
        st[0] = i
        part = (x - edges[i][0]) / (edges[i + 1][0] - edges[i][0])
        return -amp * (edges[i][2] + (edges[i][1] - edges[i][2]) * part)
    s.smooth.append(f)


@family("ragged_saw", OK)
def _(s):
    s.busy(0.5, 5)
    ragged_saw(s, s.r.uniform(3, 20))


@family("ragged_saw_leak", LEAK, True)
def _(s):
    bpm = losing(s, (60, 100, 200, 324), 0.5)
    s.busy(0.5, 5)
    ragged_saw(s, s.r.uniform(6, 20))
    s.leak(bpm)


# -- loss that comes and goes -----------------------------------------------------------
@family("leak_hours", LEAK, True)
def _(s):
    """Loses only in some hours: half of the time, in three to ten stretches."""
    s.cadence = s.r.choice([1.5, 60.0, 60.0])
    s.T = 6 * HOUR if s.cadence < 10 else s.r.choice([6, 12, 24]) * HOUR
    s.busy(0.5, 5)
    roomy(s)
    n = s.r.randint(3, 10)
    bpm = min(s.r.choice([60, 100, 200]), 1.2 * s.free0 / (s.T / MIN))
    lost = 0.0
    for k in range(n):
        a = s.T / n * (k + s.r.uniform(0.0, 0.5))
        s.leaked = 0.0
        s.leak(bpm, t0=a, t1=a + s.T / n * 0.5)
        lost += s.leaked
    s.leaked = lost
    s.truth_slope = -lost / s.T * MIN


@family("leak_repaired", OK, accept=(REC,))
def _(s):
    """Loses until midway, then no more: what was lost stays lost, nothing is being lost."""
    s.cadence = s.r.choice([1.5, 60.0, 60.0])
    s.T = 6 * HOUR if s.cadence < 10 else s.r.choice([6, 12]) * HOUR
    s.busy(0.5, 5)
    roomy(s)
    s.leak(s.r.choice([60, 100, 150]), t1=s.T * s.r.uniform(0.3, 0.6))
    s.truth_slope = 0.0


@family("two_leaks", LEAK, True)
def _(s):
    """A slow one all along and a faster one from midway; the truth is what holds at the end."""
    s.cadence = s.r.choice([1.5, 60.0, 60.0])
    s.T = 6 * HOUR
    s.busy(0.5, 5)
    roomy(s, 90000.0)
    s.leak(s.r.choice([20, 30, 40]))
    first = s.truth_slope
    s.leaked = 0.0
    s.leak(s.r.choice([80, 120, 160]), t0=s.T * s.r.uniform(0.25, 0.6))
    s.truth_slope += first


@family("late_onset", LEAK, True, accept=(OK,))
def _(s):
    """Begins at 80 to 88 % of the window; to see it is possible, to call it steady so far acceptable."""
    s.cadence = s.r.choice([1.5, 60.0])
    s.T = s.r.choice([6, 12]) * HOUR if s.cadence > 10 else 6 * HOUR
    s.busy(0.5, 5)
    roomy(s)
    s.leak(s.r.choice([100, 200, 324]), t0=s.T * s.r.uniform(0.80, 0.88))


def curved(s, power):
    """Lost by t^power; the truth is the slope over the last fifth."""
    s.cadence = s.r.choice([1.5, 60.0, 60.0])
    s.T = s.r.choice([3, 6]) * HOUR if s.cadence < 10 else s.r.choice([6, 12, 24]) * HOUR
    s.busy(0.5, 5)
    roomy(s)
    total = s.r.uniform(6000, 0.5 * s.free0)
    size = s.r.choice([24, 48, 112])
    n = int(total / size)
    for k in range(n):
        s.deltas.append((s.T * ((k + s.r.random()) / n) ** (1 / power), -float(size)))
    s.leaked = n * size
    s.truth_slope = -s.leaked * (1 - 0.8 ** power) / 0.2 / s.T * MIN


@family("accelerating", LEAK, True)
def _(s):
    curved(s, s.r.uniform(1.4, 2.5))


@family("decelerating", LEAK, True)
def _(s):
    """Slows down, yet still loses half of its average rate at the end."""
    curved(s, s.r.uniform(0.6, 0.75))


@family("log_growth", OK, accept=(INS,))
def _(s):
    """A table of names seen: ever fewer new ones."""
    s.busy(0.5, 5)
    amp = s.r.uniform(0.06, 0.25) * s.free0
    tau = s.T / math.exp(s.r.uniform(math.log(12), math.log(120)))
    top = math.log(1 + s.T / tau)
    s.smooth.append(lambda t: -amp * math.log(1 + t / tau) / top)
    s.uptime0 = s.r.uniform(5, 90)


# -- how it is read -----------------------------------------------------------------------
def quantised(s, step):
    plain = s.run

    def run():
        rows = plain()
        for r in rows:
            r[1] = r[1] // step * step
        return rows
    s.run = run


@family("quantised_steady", OK)
def _(s):
    s.busy(0.5, 8)
    s.ou = (s.r.uniform(0, 400), s.r.uniform(5, 20) * MIN)
    quantised(s, s.r.choice([1024, 4096]))


@family("quantised_leak", LEAK, True)
def _(s):
    step = s.r.choice([1024, 1024, 4096])
    window(s)
    s.T = max(s.T, 6 * HOUR)
    roomy(s)
    s.busy(0.5, 5)
    s.leak(max(6.0 * step, s.r.uniform(0.15, 0.5) * s.free0) / (s.T / MIN))
    quantised(s, step)


@family("clients_leak", LEAK, True)
def _(s):
    """Clients come and go, the leak goes on beneath."""
    bpm = losing(s, (50, 100, 200), 0.5)
    s.busy(1, 8)
    amp = min(s.r.uniform(4000, 15000), 0.25 * s.free0)
    t = s.r.uniform(-0.1, 0.2) * s.T
    while t < s.T:
        d = s.r.uniform(0.03, 0.15) * s.T
        if t + d > 0:
            s.deltas.append((max(t, 0.0), -amp))
            s.deltas.append((t + d, amp))
        t += d + s.r.uniform(0.05, 0.3) * s.T
    s.leak(bpm)


@family("many_clients", OK)
def _(s):
    """Each of several clients costs the same; they come and go by themselves."""
    s.busy(1, 8)
    per = s.r.uniform(800, 4000)
    most = max(2, int(0.4 * s.free0 / per))
    gap, stay = s.T / s.r.uniform(6, 40), s.T / s.r.uniform(6, 30)
    t, leaving = s.r.expovariate(1 / gap) - 2 * stay, []
    while t < s.T:
        leaving = [x for x in leaving if x > t]
        if len(leaving) < min(most, 6):
            end = t + s.r.expovariate(1 / stay)
            if end > 0:
                s.deltas.append((max(t, 0.0), -per))
                s.deltas.append((end, per))
            leaving.append(end)
        t += s.r.expovariate(1 / gap)


def mixed_cadence(s):
    plain, cut = s.sample_times, s.r.uniform(0.3, 0.7)
    slow = s.r.choice([300.0, 900.0])

    def times():
        first = [t for t in plain() if t < cut * s.T]
        out, t = first, cut * s.T
        while t < s.T:
            out.append(t)
            t += slow + s.r.gauss(0, 0.5)
        if s.r.random() < 0.5:
            out = sorted(s.T - t for t in out if t > 0)
        return out
    s.sample_times = times


@family("cadence_steady", OK)
def _(s):
    s.cadence = s.r.choice([1.5, 60.0])
    s.T = s.r.choice([6, 12]) * HOUR if s.cadence > 10 else 6 * HOUR
    s.busy(3, 15)
    s.hold = (450, 3.0, s.r.uniform(5, 25))
    mixed_cadence(s)


@family("cadence_leak", LEAK, True)
def _(s):
    s.cadence = s.r.choice([1.5, 60.0])
    s.T = s.r.choice([6, 12]) * HOUR if s.cadence > 10 else 6 * HOUR
    roomy(s)
    s.busy(1, 10)
    s.leak(s.r.choice([30, 50, 60]))
    mixed_cadence(s)


def half_missing(s):
    plain, a = s.sample_times, s.r.uniform(0.1, 0.5)
    b = a + s.r.uniform(0.3, 0.5)
    s.sample_times = lambda: [t for t in plain() if not a * s.T < t < b * s.T]


@family("gap_steady", OK)
def _(s):
    window(s, (1.5, 60.0))
    s.T = max(s.T, 3 * HOUR)
    s.busy(0.5, 8)
    s.ou = (s.r.uniform(0, 300), s.r.uniform(5, 20) * MIN)
    half_missing(s)


@family("gap_leak", LEAK, True)
def _(s):
    window(s, (1.5, 60.0))
    bpm = losing(s, (50, 100, 324))
    s.busy(0.5, 8)
    half_missing(s)
    s.leak(bpm)


# -- sizes ------------------------------------------------------------------------------------
def psram(s):
    s.total = 8 * 1024 * 1024 + s.r.randrange(280000, 300000, 8)
    s.free0 = s.r.uniform(0.5, 0.97) * s.total


@family("psram_steady", OK)
def _(s):
    psram(s)
    s.busy(0.5, 10)
    s.ou = (s.r.uniform(0, 2000), s.r.uniform(5, 30) * MIN)


@family("psram_leak", LEAK, True)
def _(s):
    psram(s)
    s.cadence = s.r.choice([1.5, 60.0])
    s.T = s.r.choice([6, 12, 24]) * HOUR if s.cadence > 10 else 6 * HOUR
    s.busy(0.5, 5)
    s.ou = (s.r.uniform(0, 700), s.r.uniform(5, 30) * MIN)
    s.leak(s.r.uniform(200, 1000), size=s.r.choice([112, 324, 1024]))


@family("week_steady", OK)
def _(s):
    s.cadence = s.r.choice([60.0, 300.0, 900.0])
    s.T = 7 * DAY
    s.busy(0.5, 5)
    s.ou = (s.r.uniform(100, 900), s.r.uniform(0.3, 6) * HOUR)
    if s.r.random() < 0.5:
        s.diurnal()


@family("week_leak", LEAK, True)
def _(s):
    s.cadence = s.r.choice([60.0, 300.0, 900.0])
    s.T = 7 * DAY
    roomy(s)
    s.busy(0.5, 5)
    s.ou = (s.r.uniform(100, 600), s.r.uniform(0.3, 4) * HOUR)
    if s.r.random() < 0.5:
        s.diurnal(s.r.uniform(600, 3000))
    s.leak(min(s.r.choice([1.5, 2.5, 4, 6]), 0.7 * s.free0 / (s.T / MIN)), size=s.r.choice([16, 64, 324]))


# -- second set: harder or of another make ------------------------------------------------------
@family("free_sine", OK, accept=(REC, INS))
def _(s):
    """Period and window know nothing of each other, from a quarter of a period on; not the plain middle of a flank."""
    s.cadence = s.r.choice([60.0, 60.0, 900.0])
    s.T = s.r.choice([6, 12, 24, 48]) * HOUR
    period = s.r.uniform(3, 30) * HOUR
    while s.T < 0.75 * period:
        period = s.r.uniform(3, 30) * HOUR
    s.busy(0.5, 5)
    amp = s.r.uniform(800, 6000)
    ph = s.r.uniform(0, 6.28)
    s.smooth.append(lambda t: -amp * 0.5 * (1 + math.sin(2 * math.pi * t / period + ph)))
    s.params.update(period_h=period / HOUR, amp=amp)


@family("free_sine_leak", LEAK, True)
def _(s):
    s.cadence = s.r.choice([60.0, 60.0, 900.0])
    period = s.r.uniform(3, 12) * HOUR
    s.T = s.r.choice([12, 24, 48]) * HOUR
    while s.T < 2 * period:
        period = s.r.uniform(3, 12) * HOUR
    s.busy(0.5, 5)
    amp = s.r.uniform(800, 5000)
    ph = s.r.uniform(0, 6.28)
    s.smooth.append(lambda t: -amp * 0.5 * (1 + math.sin(2 * math.pi * t / period + ph)))
    roomy(s)
    s.leak(max(8.0, min(s.r.choice([20, 50, 100]), 0.6 * s.free0 / (s.T / MIN))))


@family("event_leak", LEAK, True)
def _(s):
    """Each visit of a client (a handful to dozens, at random) leaves 100 to 1 500 B behind."""
    window(s, (1.5, 60.0, 60.0))
    s.T = max(s.T, 6 * HOUR)
    roomy(s)
    s.busy(0.5, 5)
    n = s.r.randint(8, 40)
    per = min(s.r.choice([104, 320, 800, 1500]), 0.5 * s.free0 / n)
    per = max(per, 2500.0 / n)
    for _ in range(n):
        t = s.r.uniform(0, s.T)
        d = s.r.uniform(0.002, 0.012) * s.T
        amp = s.r.uniform(1000, 6000)
        s.deltas += [(t, -amp), (t + d, amp - per)]
        s.leaked += per
    s.truth_slope = -s.leaked / s.T * MIN


@family("stairs_leak", LEAK, True)
def _(s):
    """A timer's loss: 6 to 24 equal steps at equal times."""
    window(s, (1.5, 60.0, 60.0))
    s.T = max(s.T, 6 * HOUR)
    roomy(s)
    s.busy(0.5, 5)
    n = s.r.randint(6, 24)
    per = max(300.0, s.r.uniform(0.1, 0.5) * s.free0 / n)
    off = s.r.random()
    for k in range(n):
        s.deltas.append((s.T * (k + off) / n, -per))
    s.leaked = n * per
    s.truth_slope = -s.leaked / s.T * MIN


def telegraph(s):
    amp = min(s.r.uniform(600, 6000), 0.25 * s.free0)
    up, down = s.T / s.r.uniform(6, 60), s.T / s.r.uniform(6, 60)
    t = -s.r.expovariate(1 / up)
    while t < s.T:
        t += s.r.expovariate(1 / up)
        d = s.r.expovariate(1 / down)
        if t + d > 0:
            s.deltas += [(max(t, 0.0), -amp), (t + d, amp)]
        t += d


@family("telegraph", OK)
def _(s):
    s.busy(0.5, 5)
    telegraph(s)


@family("telegraph_leak", LEAK, True)
def _(s):
    bpm = losing(s, (50, 100, 200), 0.5)
    s.busy(0.5, 5)
    telegraph(s)
    s.leak(bpm)


def pink(s, size):
    """Sum of wanderings of many speeds."""
    for k in range(5):
        tau = s.T / 4 ** (k + 1.5)
        step = max(tau / 8, s.T / 4000)
        a = math.exp(-step / tau)
        stepper(s, step, lambda x, a=a: x * a + size / 2.2 * math.sqrt(1 - a * a) * s.r.gauss(0, 1))


@family("pink_steady", OK)
def _(s):
    s.busy(0.5, 5)
    pink(s, s.r.uniform(150, 1200))


@family("pink_leak", LEAK, True)
def _(s):
    bpm = losing(s, (50, 100, 324))
    s.busy(0.5, 5)
    pink(s, s.r.uniform(100, 500))
    s.leak(bpm)


@family("changing_noise", OK)
def _(s):
    """Quiet and wild phases."""
    s.busy(0.5, 3)
    cut, wild = s.T * s.r.uniform(0.2, 0.8), s.r.uniform(300, 2500)
    first = s.r.random() < 0.5
    v = [s.r.gauss(0, 1) for _ in range(2000)]
    s.smooth.append(lambda t: (wild if (t < cut) == first else wild / 12) * v[int(t / s.T * 1999)])


@family("logistic", OK, accept=(INS,))
def _(s):
    """A table fills as word gets round: flat, steep, flat."""
    s.busy(0.5, 5)
    amp = s.r.uniform(0.08, 0.3) * s.free0
    mid, width = s.T * s.r.uniform(0.25, 0.6), s.T * s.r.uniform(0.03, 0.09)
    s.smooth.append(lambda t: -amp / (1 + math.exp(-(t - mid) / width)))


@family("late_warmup", OK, accept=(INS,))
def _(s):
    """A service is started inside the window and warms up."""
    s.busy(0.5, 5)
    amp = s.r.uniform(0.08, 0.3) * s.free0
    t0 = s.T * s.r.uniform(0.15, 0.5)
    tau = (s.T - t0) / s.r.uniform(3, 9)
    s.smooth.append(lambda t: 0.0 if t < t0 else -amp * (1 - math.exp(-(t - t0) / tau)))


@family("stretched_warmup", OK, accept=(INS,))
def _(s):
    """Not one time constant but many: exp(-(t/tau)^0.5)."""
    s.busy(0.5, 5)
    amp = s.r.uniform(0.08, 0.3) * s.free0
    tau = s.T / s.r.uniform(6, 30)
    s.smooth.append(lambda t: -amp * (1 - math.exp(-math.sqrt(t / tau))))
    s.uptime0 = s.r.uniform(5, 90)


@family("late_plateau", OK, accept=(INS,))
def _(s):
    s.busy(0.5, 5)
    t1 = s.T * s.r.uniform(0.6, 0.8)
    total = s.r.uniform(3000, min(20000, 0.4 * s.free0))
    n = int(total / 148)
    for k in range(n):
        s.deltas.append((s.r.uniform(0, t1), -148.0))


@family("rising_load", OK)
def _(s):
    """Ever more traffic, told by the packet counter; each packet is held for a while."""
    s.with_packets = True
    a, b = s.r.uniform(1, 3), s.r.uniform(10, 25)
    s.rate = lambda t: a + (b - a) * t / s.T
    s.hold = (450, 2.0, s.r.uniform(5, 30))


@family("long_holds", OK)
def _(s):
    """Packets queued for minutes: nobody is reachable."""
    s.busy(0.5, 4)
    s.hold = (450, 3.0, s.r.uniform(60, 400))


@family("long_holds_leak", LEAK, True)
def _(s):
    bpm = losing(s, (50, 100, 324))
    s.busy(0.5, 3)
    s.hold = (450, 2.0, s.r.uniform(60, 300))
    s.leak(bpm)


@family("dip_returns", OK, accept=(REC,))
def _(s):
    """One long dip, slow in and slow out."""
    s.busy(0.5, 5)
    amp = s.r.uniform(0.1, 0.35) * s.free0
    mid, width = s.T * s.r.uniform(0.3, 0.6), s.T * s.r.uniform(0.05, 0.15)
    s.smooth.append(lambda t: -amp * math.exp(-0.5 * ((t - mid) / width) ** 2))


@family("four_steps", OK, accept=(INS,))
def _(s):
    """Three or four services take their buffers within the first half, then nothing."""
    s.busy(0.5, 5)
    for _ in range(s.r.randint(3, 4)):
        s.deltas.append((s.T * s.r.uniform(0.05, 0.5), -min(s.r.uniform(1500, 6000), 0.12 * s.free0)))


@family("rate_changes", LEAK, True)
def _(s):
    """The loss halves or doubles midway and goes on; the truth is the rate at the end."""
    s.cadence = s.r.choice([1.5, 60.0, 60.0])
    s.T = 6 * HOUR if s.cadence < 10 else s.r.choice([6, 12]) * HOUR
    s.busy(0.5, 5)
    roomy(s, 90000.0)
    a = s.r.choice([40, 60, 80])
    b = a * s.r.choice([0.5, 2.0])
    cut = s.T * s.r.uniform(0.35, 0.65)
    s.leak(a, t1=cut)
    s.leaked = 0.0
    s.leak(b, t0=cut)


@family("step_back_leak", LEAK, True)
def _(s):
    """One block, less than half of what is lost in all, is given back midway; the loss goes on."""
    bpm = losing(s, (50, 100, 200), 0.5)
    s.busy(0.5, 5)
    s.leak(bpm)
    s.deltas.append((s.T * s.r.uniform(0.3, 0.7), s.r.uniform(0.1, 0.4) * s.leaked))


@family("step_loss_leak", LEAK, True)
def _(s):
    bpm = losing(s, (50, 100, 200), 0.5)
    s.busy(0.5, 5)
    s.leak(bpm)
    s.deltas.append((s.T * s.r.uniform(0.3, 0.7), -min(s.r.uniform(0.3, 1.2) * s.leaked, 0.2 * s.free0)))


# -- third set ----------------------------------------------------------------------------------
def hourly_job(s):
    """A job at equal times takes a block for a few minutes."""
    every = s.r.choice([0.5, 1, 2]) * HOUR
    amp, d = min(s.r.uniform(3000, 20000), 0.3 * s.free0), s.r.uniform(120, 900)
    t = s.r.uniform(0, every)
    while t < s.T:
        s.deltas += [(t, -amp), (t + d, amp)]
        t += every


@family("hourly_job", OK)
def _(s):
    s.busy(0.5, 6)
    s.T = max(s.T, 3 * HOUR)
    hourly_job(s)


@family("hourly_job_leak", LEAK, True)
def _(s):
    bpm = losing(s, (50, 100, 200), 0.5)
    s.busy(0.5, 6)
    hourly_job(s)
    s.leak(bpm)


@family("clients_gather", OK, accept=(INS,))
def _(s):
    """Ten to thirty clients come one after the other in the first 60 % and stay."""
    s.busy(1, 6)
    n = s.r.randint(10, 30)
    per = min(s.r.uniform(400, 1500), 0.4 * s.free0 / n)
    for _ in range(n):
        s.deltas.append((s.T * s.r.uniform(0.0, 0.6), -per))


@family("traffic_leak", LEAK, True)
def _(s):
    """Loses by the packet under a daily traffic, of which the counter tells."""
    s.cadence = s.r.choice([60.0, 300.0])
    s.T = s.r.choice([24, 48]) * HOUR
    roomy(s)
    lam, ph = s.r.uniform(1, 4), s.r.uniform(0, 6.28)
    s.rate = lambda t: lam * (1 + 0.8 * math.sin(2 * math.pi * t / DAY + ph))
    s.with_packets = True
    per = min(s.r.choice([8, 16, 24]), 0.6 * s.free0 / (lam * s.T / MIN))
    t = 0.0
    while t < s.T:
        t += s.r.expovariate(lam * 1.8 / MIN)
        if s.r.random() * 1.8 * lam <= s.rate(t) and t < s.T:
            s.deltas.append((t, -per))
            s.leaked += per
    s.truth_slope = -s.leaked / s.T * MIN


@family("rise_then_leak", LEAK, True)
def _(s):
    """Memory comes back for a quarter of the window, then the loss shows."""
    s.cadence = s.r.choice([1.5, 60.0, 60.0])
    s.T = 6 * HOUR if s.cadence < 10 else s.r.choice([6, 12]) * HOUR
    roomy(s)
    s.busy(0.5, 5)
    amp, tau = s.r.uniform(3000, 12000), s.T / s.r.uniform(12, 25)
    s.smooth.append(lambda t: -amp * math.exp(-t / tau))
    s.leak(s.r.choice([50, 80, 100]))


@family("two_saws", OK)
def _(s):
    s.busy(0.5, 5)
    s.sawtooth(amp=s.r.uniform(2000, 6000), period=s.T / s.r.uniform(2, 5))
    s.sawtooth(amp=s.r.uniform(1000, 4000), period=s.T / s.r.uniform(6, 20))


@family("saw_hold", OK)
def _(s):
    """Fills for a while, is held full for a while, is emptied: a log buffer."""
    s.busy(0.5, 5)
    amp, per = min(s.r.uniform(2000, 12000), 0.3 * s.free0), s.T / s.r.uniform(2, 9)
    share, off = s.r.uniform(0.3, 0.8), s.r.random()
    s.smooth.append(lambda t: -amp * min(1.0, ((t / per + off) % 1) / share))


@family("night_pause_leak", LEAK, True)
def _(s):
    """Loses only by day, half of the time, over two days or more."""
    s.cadence = s.r.choice([60.0, 300.0, 900.0])
    s.T = s.r.choice([48, 72, 96]) * HOUR
    roomy(s)
    s.busy(0.5, 5)
    rate = min(s.r.choice([10, 20, 30]), 1.2 * s.free0 / (s.T / MIN))
    t0, lost = -s.r.uniform(0, DAY), 0.0
    while t0 < s.T:
        a, b = max(t0, 0.0), min(t0 + DAY / 2, s.T)
        if b > a:
            s.leaked = 0.0
            s.leak(rate, t0=a, t1=b)
            lost += s.leaked
        t0 += DAY
    s.leaked = lost
    s.truth_slope = -lost / s.T * MIN


@family("noisy_end", OK)
def _(s):
    """Heavy load in the last tenth of the window."""
    lam = s.r.uniform(0.5, 4)
    s.rate = lambda t: lam * (8 if t > 0.9 * s.T else 1)
    s.hold = (450, 3.0, s.r.uniform(10, 40))


@family("short_leak", LEAK, True)
def _(s):
    """Twenty to forty minutes at a plain rate."""
    s.cadence = s.r.choice([1.5, 10.0, 30.0])
    s.T = s.r.uniform(20, 40) * MIN
    s.busy(0.5, 3)
    s.leak(s.r.choice([324, 600, 1000]))


@family("cache_trims", OK)
def _(s):
    """Grows by small allocations to a limit, then loses a random half at once, again and again."""
    s.busy(0.5, 5)
    amp, x, step = s.r.uniform(3000, 12000), s.r.uniform(0.3, 0.9), s.T / 600
    gain = s.r.uniform(4, 14) / 600

    def grow(v, st=[x]):
        st[0] += gain * s.r.uniform(0.2, 1.8)
        if st[0] >= 1:
            st[0] = s.r.uniform(0.2, 0.6)
        return -amp * st[0]
    stepper(s, step, grow)


if __name__ == "__main__":
    sys.exit(leakbench.main())
