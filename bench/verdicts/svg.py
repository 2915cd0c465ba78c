"""A small line chart as SVG: readings thinned to their extremes, lines, marks, axes. Knows nothing of memory."""
import html
import math

WIDTH, HEIGHT = 760, 300
LEFT, RIGHT, TOP, BOTTOM = 62, 14, 34, 40
INK, GREY, FAINT = "#222", "#667", "#dde2e8"


def thinned(points, columns=360):
    """The first, lowest, highest and last of each column, in the order of time."""
    if len(points) <= 2 * columns:
        return points
    begin, end = points[0][0], points[-1][0]
    buckets = {}
    for point in points:
        buckets.setdefault(min(columns - 1, int((point[0] - begin) / (end - begin) * columns)), []).append(point)
    out = []
    for part in buckets.values():
        kept = {part[0], min(part, key=lambda p: p[1]), max(part, key=lambda p: p[1]), part[-1]}
        out += sorted(kept)
    return out


def step(span, about):
    """A round step that divides a span into about so many parts."""
    raw = span / about
    unit = 10 ** math.floor(math.log10(raw))
    return next(unit * k for k in (1, 2, 2.5, 5, 10) if unit * k >= raw)


class Chart:
    """Times in hours to the right, kilobytes upwards."""

    def __init__(self, title, points):
        self.title = title
        self.points = points
        self.x = (points[0][0], max(points[-1][0], points[0][0] + 1e-9))
        low, high = min(p[1] for p in points), max(p[1] for p in points)
        margin = 0.06 * (high - low) or 1.0
        self.y = (low - margin, high + margin)
        self.parts = []

    def at(self, x, y):
        across = LEFT + (x - self.x[0]) / (self.x[1] - self.x[0]) * (WIDTH - LEFT - RIGHT)
        up = TOP + (self.y[1] - y) / (self.y[1] - self.y[0]) * (HEIGHT - TOP - BOTTOM)
        return f"{across:.1f} {up:.1f}"

    def path(self, points, colour, width, dashes=""):
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.parts.append(f'<path d="M{"L".join(self.at(*p) for p in points)}" fill="none" stroke="{colour}" '
                          f'stroke-width="{width}" stroke-linejoin="round"{dashed}/>')

    def text(self, x, y, words, anchor="start", colour=INK, size=12):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" '
                          f'font-size="{size}">{html.escape(words)}</text>')

    def readings(self, colour="#4a7fb5"):
        self.path(thinned(self.points), colour, 0.9)

    def line(self, begin, end, colour, dashes=""):
        """A straight line, cut to the chart."""
        (x0, y0), (x1, y1) = begin, end
        inside = [(x, y0 + (y1 - y0) * (x - x0) / (x1 - x0)) for x in (x0 + (x1 - x0) * i / 60 for i in range(61))]
        inside = [p for p in inside if self.y[0] <= p[1] <= self.y[1]]
        if len(inside) > 1:
            self.path([inside[0], inside[-1]], colour, 2.2, dashes)

    def mark(self, x, words, colour="#a33"):
        self.path([(x, self.y[0]), (x, self.y[1])], colour, 1, "3 3")
        across = float(self.at(x, self.y[1]).split()[0])
        right = across > 0.85 * WIDTH
        self.text(across + (-4 if right else 4), TOP + 11, words, "end" if right else "start", colour, 11)

    def axes(self):
        parts, self.parts = self.parts, []
        across = step(self.x[1] - self.x[0], 7)
        tick = math.ceil(self.x[0] / across) * across
        while tick <= self.x[1] + 1e-9:
            self.path([(tick, self.y[0]), (tick, self.y[1])], FAINT, 1)
            place = float(self.at(tick, self.y[0]).split()[0])
            self.text(place, HEIGHT - BOTTOM + 16, f"{tick:g}", "middle", GREY, 11)
            tick += across
        up = step(self.y[1] - self.y[0], 5)
        tick = math.ceil(self.y[0] / up) * up
        while tick <= self.y[1]:
            self.path([(self.x[0], tick), (self.x[1], tick)], FAINT, 1)
            self.text(LEFT - 6, float(self.at(self.x[0], tick).split()[1]) + 4, f"{tick:g}", "end", GREY, 11)
            tick += up
        self.text(WIDTH - RIGHT, HEIGHT - 8, "hours", "end", GREY, 11)
        self.text(8, TOP - 6, "free, KB", "start", GREY, 11)
        self.parts += parts

    def svg(self):
        self.axes()
        self.text(LEFT, 18, self.title, size=13)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
                f'font-family="DejaVu Sans, Verdana, sans-serif"><rect width="100%" height="100%" fill="#fff"/>'
                + "\n".join(self.parts) + "</svg>\n")
