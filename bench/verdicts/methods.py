"""Runs every method over folders of labelled series: (folder) -> {id: row}. Knows nothing of figures."""
import csv
import functools
import pathlib
import shutil
import sys
import tempfile

from verdicts import programs
from verdicts.programs import run

PUBLISHED = pathlib.Path(__file__).with_name("published.py")
LEAK_CLASSES = ("SLOW LEAK", "OOM-IMMINENT")
BASELINES = {"mk": "Mann-Kendall 0.05 with Sen's slope", "mk001": "Mann-Kendall 0.001",
             "mkhr": "Mann-Kendall, Hamed-Rao", "lbr": "backward regression (Jindal 2021)",
             "promql": "`predict_linear(…, 4 h) < 0`", "deriv": "least squares below −50 B/min"}


def rows(text):
    """id -> row; `accuses` says whether the row claims a leak."""
    out = {}
    for row in csv.DictReader(text.splitlines()):
        said = row.get("leak") or ""
        row["accuses"] = said == "1" if said else row["verdict"] in LEAK_CLASSES
        out[row["id"]] = row
    return out


def ours(classify, *options):
    return lambda folder: rows(run(classify, folder, *options))


def published(classify):
    """Our reading of the published rules; what it accuses is told by the class alone."""
    def judge(folder):
        found = rows(run(classify, folder, "--published"))
        for row in found.values():
            row["accuses"] = row["verdict"] in LEAK_CLASSES
        return found
    return judge


def naive(*options):
    """The published rules as the benchmark has them."""
    return lambda folder: rows(run(sys.executable, PUBLISHED, folder, *options))


def reference(folder):
    with tempfile.NamedTemporaryFile(suffix=".csv") as out:
        run(sys.executable, programs.REFERENCE, folder, "--no-delay", "--jobs", 1, "--out", out.name)
        return rows(pathlib.Path(out.name).read_text())


@functools.lru_cache
def baselines(folder):
    """name -> {id: row} of the methods of baselines.py, which writes beside the series: it gets a folder of its own."""
    with tempfile.TemporaryDirectory() as own:
        linked = pathlib.Path(own) / "series"
        shutil.copytree(folder, linked, copy_function=lambda a, b: pathlib.Path(b).symlink_to(a))
        run(sys.executable, programs.BASELINES, linked)
        return {name: rows((linked / f"b_{name}.csv").read_text()) for name in BASELINES}


def baseline(name):
    return lambda folder: baselines(folder)[name]


def steps(classify):
    """The names of the steps that can be left out."""
    return run(classify, "--steps").split()


def judge_all(methods, folders):
    """name -> {id within its folder: row}, ids made unique by the folder's number."""
    jobs = [(name, number) for name in methods for number in range(len(folders))]
    found = programs.side_by_side([functools.partial(methods[name], folders[number]) for name, number in jobs])
    out = {name: {} for name in methods}
    for (name, number), judged in zip(jobs, found):
        out[name].update({f"{number}/{i}": row for i, row in judged.items()})
    return out


def all_truths(folders):
    """What is known of every series of the folders, under the same ids."""
    return {f"{number}/{entry['id']}": entry for number, folder in enumerate(folders) for entry in programs.truth(folder)}
