#!/usr/bin/env python3
"""A folder of labelled series through the real command: one row each in the columns that the benchmark scores, the
published rules as its own `naive` has them, and what becomes of files that are no series."""
import csv
import io
import os
import pathlib
import subprocess
import sys
import unittest

import bench

LEAKBENCH = pathlib.Path(__file__).parents[1] / "data/analysis/leakbench.py"
COLUMNS = ["id", "verdict", "leak", "slope_bpm", "slope_lo", "slope_hi", "tte_min", "tte_lo", "tte_hi", "mds_bpm"]
PER_FAMILY = 1 if bench.REDUCED else 3


def classify(*arguments):
    return subprocess.run([bench.BIN / "leakhuntctl", "classify", *map(str, arguments)], capture_output=True, text=True,
                          timeout=bench.PATIENCE_S)


def leakbench(*arguments):
    done = subprocess.run([sys.executable, LEAKBENCH, *map(str, arguments)], capture_output=True, text=True, check=True)
    return done.stdout


def rows_of(done):
    return {row["id"]: row for row in csv.DictReader(io.StringIO(done.stdout))}


class Benchmark(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bench = bench.Bench()
        cls.addClassCleanup(cls.bench.__exit__)
        cls.folder = cls.bench.path / "series"
        leakbench("generate", "--seed", "e2e", "--per-family", PER_FAMILY, "--out", cls.folder)
        cls.series = sorted(cls.folder.glob("*.csv"))

    def test_every_series_has_its_row_in_the_columns_that_are_scored(self):
        done = classify("--format", "csv", "--companion-logs", *self.series)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines()[0], ",".join(COLUMNS))
        rows = rows_of(done)
        self.assertEqual(set(rows), {file.stem for file in self.series})
        for row in rows.values():
            if row["leak"] == "1":
                self.assertLessEqual(float(row["slope_lo"]), float(row["slope_bpm"]))
                self.assertLessEqual(float(row["slope_bpm"]), float(row["slope_hi"]))
        ours = self.bench.path / "ours.csv"
        ours.write_text(done.stdout)
        told = leakbench("score", "--truth", self.folder / "truth.json", "--verdicts", ours)
        self.assertIn(f"series {len(self.series)} ", told)

    def test_the_published_rules_are_those_of_the_benchmark(self):
        theirs = self.bench.path / "naive.csv"
        leakbench("naive", self.folder, "--out", theirs)
        ours = rows_of(classify("--format", "csv", "--companion-logs", "--rules", "published", *self.series))
        with open(theirs, newline="") as file:
            for row in csv.DictReader(file):
                with self.subTest(series=row["id"]):
                    mine = ours[row["id"]]
                    self.assertEqual(mine["verdict"], row["verdict"])
                    for column in ("slope_bpm", "tte_min"):
                        if row[column]:
                            self.assertAlmostEqual(float(mine[column]), float(row[column]),
                                                   delta=max(0.06, 1e-6 * abs(float(row[column]))))

    def test_what_is_no_series_is_told_and_the_others_are_judged(self):
        good = next(file for file in self.series if file.stem.startswith("leak_linear"))
        folder = self.bench.path / "bad"
        folder.mkdir()
        (folder / "empty.csv").write_text("")
        (folder / "binary.csv").write_bytes(bytes(range(256)) * 400)
        (folder / "one-line.csv").write_text("x" * 20_000_000)
        (folder / "folder.csv").mkdir()
        (folder / good.name).write_text(good.read_text())
        bad = ["empty.csv", "binary.csv", "one-line.csv", "folder.csv", "missing.csv", good.name]
        for name in bad:
            with self.subTest(file=name):
                done = classify("--format", "csv", good, folder / name)
                self.assertEqual(done.returncode, 5)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn(name, done.stderr)
                self.assertIn(good.stem, rows_of(done))
        done = classify("--format", "csv", good, *(folder / name for name in bad))
        self.assertEqual((done.returncode, done.stderr.count("\n")), (5, len(bad)))

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_a_file_that_may_not_be_read_is_told(self):
        locked = self.bench.path / "locked.csv"
        locked.write_text("timestamp,heap_free_bytes\n")
        locked.chmod(0)
        done = classify("--format", "csv", locked)
        self.assertEqual(done.returncode, 1)
        self.assertIn("Permission denied", done.stderr)

    def test_used_memory_has_the_horizon_of_its_limit(self):
        told = self.bench.path / "rss.csv"
        rise = [(60 * i, 100_000_000 + 20_480 * i - 4096 * (i % 3)) for i in range(600)]
        told.write_text("timestamp_s,rss_bytes,limit_bytes\n" + "".join(f"{t},{v},134217728\n" for t, v in rise))
        plain = self.bench.path / "plain.csv"
        plain.write_text("timestamp_s,rss_kb\n" + "".join(f"{t},{v // 1024}\n" for t, v in rise))
        by_column = rows_of(classify("--format", "csv", told))["rss"]
        by_option = rows_of(classify("--format", "csv", "--limit", 134217728, plain))["plain"]
        without = rows_of(classify("--format", "csv", plain))["plain"]
        left = (134217728 - rise[-1][1]) / 20_480
        for row in (by_column, by_option):
            self.assertEqual(row["leak"], "1")
            self.assertAlmostEqual(float(row["slope_bpm"]), 20_480, delta=200)
            self.assertAlmostEqual(float(row["tte_min"]), left, delta=0.02 * left)
        self.assertEqual((without["leak"], without["tte_min"]), ("1", ""))


if __name__ == "__main__":
    bench.main()
