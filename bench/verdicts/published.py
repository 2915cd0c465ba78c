#!/usr/bin/env python3
"""The benchmark's own published rules, one look a window (leakbench.py naive takes twelve).

Usage: published.py FOLDER [--lenient]; prints id,verdict,slope_bpm. --lenient: `Alloc an err=` is no OOM.
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/data/analysis"))
import leakbench  # noqa: E402


def main():
    folder, lenient = pathlib.Path(sys.argv[1]), "--lenient" in sys.argv
    print("id,verdict,slope_bpm")
    for entry in json.loads((folder / "truth.json").read_text())["series"]:
        points = [(row[0], row[1]) for row in leakbench.load_series(folder / entry["file"])[1]]
        lines = leakbench.load_log(folder / entry["log"]) if entry["log"] else []
        verdict, slope = leakbench.naive_classify(points, lines, lenient)
        print(f"{entry['id']},{verdict},{'' if slope is None else f'{slope:.3f}'}")


if __name__ == "__main__":
    main()
