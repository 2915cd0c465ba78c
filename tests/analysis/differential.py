#!/usr/bin/env python3
"""Compares the C++ verdicts with the reference method and the published rules on freshly made series.

Usage: differential.py CLASSIFIER DATA_FOLDER SEED PER_FAMILY. DATA_FOLDER holds leakbench.py and reference.py.
Lists each series in which the default rules and the reference differ, with the truth and which of them is right.
Exits 1 where the published rules differ at all, the default rules differ from the reference in more than 3 % of the
series, or the reference is right in more of those than chance would have it (sign test at 5 %).
"""
import collections
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

MOST_DIFFERENT = 0.03


def run(*command):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout


def rows(text):
    return {r["id"]: r for r in csv.DictReader(text.splitlines())}


def right(row, truth):
    return (row["leak"] == "1") == truth["leak"] and row["verdict"] in truth["accept"]


def compare(ours, reference, series):
    """Prints what differs; who is right -> how often."""
    who = collections.Counter()
    for truth in series:
        mine, theirs = ours[truth["id"]], reference[truth["id"]]
        if (mine["verdict"], mine["leak"]) == (theirs["verdict"], theirs["leak"]):
            continue
        good = (right(mine, truth), right(theirs, truth))
        winner = {(True, False): "ours", (False, True): "reference", (True, True): "both", (False, False): "neither"}[good]
        who[winner] += 1
        print(f"{truth['id']}: truth {truth['verdict']} {truth['slope_bpm']} B/min; ours {mine['verdict']}, "
              f"reference {theirs['verdict']} ({theirs['shape']}: {theirs['why']}); right: {winner}")
    return who


def worse(who):
    """Whether `reference` wins over `ours` by more than a fair coin does in one of twenty cases."""
    wins, n = who["reference"], who["reference"] + who["ours"]
    return sum(math.comb(n, k) for k in range(wins, n + 1)) / 2 ** n < 0.05


def main():
    classifier, data, seed, per_family = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, data / "leakbench.py", "generate", "--seed", seed, "--per-family", per_family, "--out", folder)
        default = rows(run(classifier, folder))
        published = rows(run(classifier, folder, "--published"))
        run(sys.executable, data / "leakbench.py", "naive", folder)
        run(sys.executable, data / "reference.py", folder, "--no-delay")
        naive = rows((pathlib.Path(folder) / "naive.csv").read_text())
        reference = rows((pathlib.Path(folder) / "reference.csv").read_text())
        series = json.loads((pathlib.Path(folder) / "truth.json").read_text())["series"]
    wrong = [i for i in naive if published[i]["verdict"] != naive[i]["verdict"]]
    who = compare(default, reference, series)
    differ = sum(who.values())
    print(f"{len(series)} series; published rules differ in {wrong}; default rules differ from the reference in "
          f"{differ}: {dict(who)}")
    bad = wrong or len(series) < 100 or differ > MOST_DIFFERENT * len(series) or worse(who)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
