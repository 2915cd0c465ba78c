"""A free-heap level made of what is lost for good, what is held for a time, load by the clock, and noise.

For unseen_families.py; knows nothing of verdicts.
"""
import math

MIN, HOUR, DAY = 60.0, 3600.0, 86400.0
# heap total, free at rest: nRF52840, ESP32, ESP32-S3, RP2040
BOARDS = [((112000, 125000), (30000, 56000)), ((200000, 235000), (70000, 130000)),
          ((280000, 300000), (100000, 180000)), ((185000, 200000), (60000, 120000))]


class Device:
    """A free-heap level: what is lost for good, what is held for a time, load by the clock, noise."""

    def __init__(self, rng):
        self.rng = rng
        total, free = rng.choice(BOARDS)
        self.total = rng.randrange(*total, 8)
        self.rest = float(rng.randrange(*free, 8))
        self.unit = 4                                 # bytes a reading counts in
        self.window(rng.choice([6, 12, 24, 48]), rng.choice([10.0, 60.0, 60.0, 300.0]))
        self.clock = rng.uniform(0, 7 * DAY)          # seconds since Monday 0:00 at the window's start
        self.held = []                                # (time, change), sorted before use
        self.lost = []                                # (time, bytes)
        self.load = []                                # functions of time: bytes held
        self.wander = rng.uniform(20, 150)            # standard deviation of the level at rest
        self.calm = lambda t: 1.0                     # factor on it
        self.traffic = self.even(rng.uniform(0.5, 6))
        self.dip = lambda: 450 * rng.uniform(0.8, 1.2)
        self.uptime = rng.uniform(2 * HOUR, 9 * DAY)
        self.counts_packets = rng.random() < 0.6
        self.tells_uptime = rng.random() < 0.8
        self.gaps, self.phases = [], None
        self.now_from = 0.0                           # the stated slope holds from here on
        self.per_packet = None                        # (each n-th packet, bytes it loses)

    def window(self, hours, cadence):
        self.T, self.cadence = hours * HOUR, cadence

    @staticmethod
    def even(per_minute):
        return lambda t: per_minute

    def day(self, t):
        """Hour of the day and day of the week at t."""
        at = (self.clock + t) % (7 * DAY)
        return at % DAY / HOUR, int(at // DAY)

    # -- leaks
    def rate(self, low, high, share=0.5, over=None):
        """Bytes a minute that a judge can see and the heap can bear over the window."""
        minutes = (over or self.T) / MIN
        least = max(max(2000.0, 8 * self.wander, 4 * self.unit) / minutes, 15.0 if self.T < 36 * HOUR else 0.0)
        self.rest = max(self.rest, least * minutes / share)
        most = max(least, min(high, share * self.rest / minutes))
        return math.exp(self.rng.uniform(math.log(min(max(low, least), most)), math.log(most)))

    def leak(self, per_minute, begin=0.0, end=None, size=None):
        """Loses pieces at a rate, a number or a function of time."""
        rate = per_minute if callable(per_minute) else lambda t: per_minute
        end = self.T if end is None else end
        size = size or self.rng.choice([20, 36, 60, 92, 148, 268])
        most = max(rate(begin + (end - begin) * i / 200) for i in range(201))
        t = begin
        while True:
            t += self.rng.expovariate(most / size / MIN)
            if t >= end:
                return
            if self.rng.random() * most <= rate(t):
                self.lost.append((t, size))

    def events(self, count):
        """`count` moments in the window, spaced unevenly."""
        return sorted(self.rng.uniform(0, self.T) for _ in range(count))

    def storms(self, count, mean):
        """`count` trains of about `mean` moments 90 s apart."""
        return [t + 90 * k for t in self.events(count) for k in range(1 + int(self.rng.expovariate(1 / (mean - 1))))]

    def hold(self, begin, seconds, size):
        self.held += [(begin, -size), (begin + seconds, size)]

    # -- load and noise
    def sawtooth(self, cycles, amplitude):
        """Garbage: a fall of uneven steepness, collected at uneven times."""
        edges, t = [], -self.rng.uniform(0, self.T / cycles)
        while t < self.T:
            edges.append((t, self.rng.uniform(0.5, 1.0)))
            t += self.T / cycles * self.rng.uniform(0.35, 1.65)
        edges.append((t, 1.0))

        def garbage(t, state=[0]):
            while t >= edges[state[0] + 1][0]:
                state[0] += 1
            begin, depth = edges[state[0]]
            return amplitude * depth * (t - begin) / (edges[state[0] + 1][0] - begin)
        self.load.append(garbage)

    def clients(self, sessions, mean_seconds, size):
        early = int(0.2 * sessions)                   # some are there already
        for t in self.events(sessions) + [-self.rng.uniform(0, 0.2 * self.T) for _ in range(early)]:
            self.hold(t, self.rng.expovariate(1 / mean_seconds), size)

    def daily(self, size):
        """A working day with a peak at noon; the traffic follows."""
        busy = lambda hour: math.exp(-((hour - 12.5) / 3.5) ** 2)
        self.load.append(lambda t: size * busy(self.day(t)[0]))
        base = self.rng.uniform(1, 4)
        self.traffic = lambda t: base * (0.4 + 1.6 * busy(self.day(t)[0]))

    def shifts(self, size):
        """Two or three shifts of eight hours, each with its own load, sharp at the change."""
        loads = [0.0, size, size * self.rng.choice([0.0, 0.4, 1.0])]
        self.load.append(lambda t: loads[int(self.day(t)[0] // 8)])
        self.traffic = lambda t: 1 + 4 * loads[int(self.day(t)[0] // 8)] / size

    def heavy_tails(self):
        """Dips by a Pareto law, as deep as the packet pool goes."""
        self.dip = lambda: min(300 * self.rng.paretovariate(1.1), 0.3 * self.rest)
        self.traffic = self.even(self.rng.uniform(4, 15))

    def scattered(self):
        """Calm hours and wild hours: the wander changes five to ten times."""
        wild, period, phase = self.rng.uniform(5, 10), self.T / self.rng.uniform(1.5, 6), self.rng.random()
        self.wander /= 3
        self.calm = lambda t: wild if (t / period + phase) % 1 < 0.45 else 1.0
        self.wander_seen = self.wander * wild

    # -- readings
    def times(self):
        out = []
        phases = self.phases or [(0.0, self.cadence)]
        for (begin, cadence), end in zip(phases, [p[0] for p in phases[1:]] + [self.T]):
            t = begin + self.rng.uniform(0, min(cadence, 60))
            while t < end:
                if not any(a <= t < b for a, b in self.gaps):
                    out.append(t)
                t += cadence * self.rng.uniform(0.97, 1.03)
        return out

    def packets(self):
        most = max(self.traffic(self.T * i / 400) for i in range(401))
        t, out = 0.0, []
        while True:
            t += self.rng.expovariate(most / MIN)
            if t >= self.T:
                return out
            if self.rng.random() * most <= self.traffic(t):
                out.append(t)

    def readings(self):
        rng = self.rng
        arrivals = self.packets()
        if self.per_packet:
            every, size = self.per_packet
            self.lost += [(t, size) for t in arrivals[every - 1::every]]
        for t in arrivals:
            self.hold(t, rng.expovariate(1 / 6.0), self.dip())
        changes = sorted(self.held + [(t, -b) for t, b in self.lost])
        slow = [rng.gauss(0, 1) for _ in range(3)]    # three time constants: nearly 1/f
        rows, level, done, count, last = [], 0.0, 0, 0, 0.0
        for t in self.times():
            while done < len(changes) and changes[done][0] <= t:
                level += changes[done][1]
                done += 1
            while count < len(arrivals) and arrivals[count] <= t:
                count += 1
            for i, tau in enumerate((2 * MIN, 15 * MIN, 90 * MIN)):
                keep = math.exp(-(t - last) / tau)
                slow[i] = slow[i] * keep + math.sqrt(1 - keep * keep) * rng.gauss(0, 1)
            last = t
            free = self.rest + level - sum(f(t) for f in self.load) + self.wander * self.calm(t) * sum(slow) / math.sqrt(3)
            rows.append((t, max(0.1 * self.rest, free), count))
        return [(t, int(free) // self.unit * self.unit, count) for t, free, count in rows]

    def slope(self):
        gone = sum(b for t, b in self.lost if t >= self.now_from)
        return -gone / (self.T - self.now_from) * MIN


def psram(d):
    """A board with 2 or 8 MB of PSRAM: larger pieces held, a level that wanders by kilobytes."""
    d.total = d.rng.choice([2097152, 8388608]) + d.total
    d.rest = d.total * d.rng.uniform(0.45, 0.8)
    d.window(d.rng.choice([6, 12, 24, 48]), 60.0)
    d.wander = d.total * d.rng.uniform(0.0003, 0.002)
    d.dip = lambda: d.rng.uniform(2000, 0.006 * d.total)


def mixed(d):
    """Three cadences in turn, one to three holes."""
    d.window(d.rng.choice([12, 24, 48]), 60.0)
    cuts = [0.0] + sorted(d.rng.uniform(0.15, 0.85) * d.T for _ in range(2))
    cadences = d.rng.sample([10.0, 60.0, 300.0, 900.0], 3)
    d.phases = list(zip(cuts, cadences))
    d.cadence = cadences[-1]
    for _ in range(d.rng.randint(1, 3)):
        begin = d.rng.uniform(0, 0.9) * d.T
        d.gaps.append((begin, begin + d.T * d.rng.uniform(0.04, 0.1)))
