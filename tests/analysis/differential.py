#!/usr/bin/env python3
"""Compares the C++ verdicts with the reference method and the published rules on freshly made series.

Usage: differential.py CLASSIFIER DATA_FOLDER. DATA_FOLDER holds leakbench.py and reference.py. Exits 1 where the
published rules differ at all, or the default rules in more than 1 % of the series.
"""
import csv
import pathlib
import subprocess
import sys
import tempfile


def run(*command):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout


def rows(text):
    return {r["id"]: r for r in csv.DictReader(text.splitlines())}


def differing(ours, theirs, keys):
    return [i for i in theirs if any(ours[i][k] != theirs[i][k] for k in keys)]


def main():
    classifier, data = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, data / "leakbench.py", "generate", "--seed", "differential", "--per-family", 3, "--out", folder)
        default = rows(run(classifier, folder))
        published = rows(run(classifier, folder, "--published"))
        run(sys.executable, data / "leakbench.py", "naive", folder)
        run(sys.executable, data / "reference.py", folder, "--no-delay")
        naive = rows((pathlib.Path(folder) / "naive.csv").read_text())
        reference = rows((pathlib.Path(folder) / "reference.csv").read_text())
    wrong = differing(published, naive, ["verdict"])
    other = differing(default, reference, ["verdict", "leak"])
    print(f"{len(naive)} series; published rules differ in {wrong}; default rules differ from the reference in {other}")
    return 1 if wrong or len(other) > 0.01 * len(reference) or len(naive) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
