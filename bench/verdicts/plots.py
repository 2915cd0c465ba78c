"""Ten instructive series: a picture of each and what the program says about it."""
import csv
import json
import pathlib

from verdicts import programs
from verdicts.svg import Chart

FOLDER = programs.ROOT / "docs/verdicts"
SEED = "plots"
# family, number within the seed, why it is here
CHOSEN = [
    ("leak_noisy", 2, "A leak in an hour of noise that hides it: not found, and it lies below the limit that is stated."),
    ("leak_onset", 1, "Steady first: the slope is that since the onset, not that of the whole window."),
    ("sawtooth", 1, "A sawtooth without a leak: each collection ends at the same level."),
    ("sawtooth_leak", 2, "A sawtooth with one: the recoveries fall."),
    ("warmup", 3, "A warm-up fades; a straight line through it would be a leak."),
    ("plateau", 2, "A cache that fills to its bound."),
    ("diurnal_leak", 0, "A slow leak under the load of the day."),
    ("nodes_growth", 0, "The node database grows: what its entries cost is known."),
    ("reboot_leak", 1, "A restart in the window: each stretch is judged, the leak comes again."),
    ("steady_clients", 1, "Clients come and go: two levels, neither of them moves."),
]
STRETCH = "#c0392b"


def said_by(ctl, path):
    """The program's answer about a file, and its page."""
    asked = [ctl, "classify", "--companion-logs", path]
    answer = json.loads(programs.run(ctl, "--json", *asked[1:]))["files"][0]
    page = programs.run(*asked).splitlines()
    return answer["verdict"], [page[0].split(": ", 1)[1]] + [line.strip() for line in page[2:]]


def readings(path):
    """(hours since the first reading, free KB); readings that cannot be are left out of the picture."""
    with open(path, newline="") as file:
        rows = [(float(r["timestamp_s"]), int(r["heap_free_bytes"])) for r in csv.DictReader(file)]
    return rows[0][0], [((t - rows[0][0]) / 3600, free / 1000) for t, free in rows]


def trend_lines(chart, verdict, began):
    """The fitted level of each stretch, dashed where there is no trend; a mark at each restart."""
    accused = verdict["class"] in ("slow_leak", "oom_imminent") or verdict.get("underlying") in ("slow_leak", "oom_imminent")
    for number, boot in enumerate(verdict["boots"]):
        begin, end = ((boot[k] - began) / 3600 for k in ("start", "end"))
        if number:
            chart.mark(begin, "restart")
        if "level_bytes" not in boot or end <= begin:
            continue
        slope = boot["slope_per_min"] * 60 / 1000
        level = boot["level_bytes"] / 1000
        chart.line((begin, level - slope * (end - begin)), (end, level), STRETCH if accused else "#2e7d32",
                   "" if slope else "6 4")


def draw(ctl, folder, entry):
    """(SVG, words of the program)."""
    path = pathlib.Path(folder) / entry["file"]
    verdict, words = said_by(ctl, path)
    began, points = readings(path)
    chart = Chart(f"{entry['id']}: {words[0]}", points)
    chart.readings()
    trend_lines(chart, verdict, began)
    if "onset_s" in entry["params"]:
        chart.mark(entry["params"]["onset_s"] / 3600, "begins here", "#555")
    return chart.svg(), words


def truth_words(entry):
    if not entry["leak"]:
        return "no leak"
    return f"a leak of {-entry['slope_bpm']:.3g} B/min"


def make(ctl, work, folder=FOLDER, per_family=4):
    """Writes the pictures and gives the part of the page that shows them."""
    series = programs.make_series(programs.LEAKBENCH, SEED, per_family, work)
    known = {entry["id"]: entry for entry in programs.truth(series)}
    folder.mkdir(parents=True, exist_ok=True)
    out = []
    for family, number, why in CHOSEN:
        entry = known[f"{family}-{number:03}"]
        picture, words = draw(ctl, series, entry)
        (folder / f"{family}.svg").write_text(picture)
        out += [f"**{family}**: {why} Truth: {truth_words(entry)}.", "", f"![{family}](verdicts/{family}.svg)", "",
                *(f"> {line}  " for line in words[:4]), ""]
    return "\n".join(out)
