#!/usr/bin/env python3
"""Recorded files through the real command: classify and decode, captures of a real meshtasticd."""
import csv
import io
import json
import pathlib
import subprocess
import unittest

import bench

CAPTURES = pathlib.Path(__file__).parents[1] / "data/captures"


def run(*arguments):
    return subprocess.run([str(a) for a in [bench.BIN / "leakhuntctl", *arguments]], capture_output=True, text=True,
                          timeout=bench.PATIENCE_S)


class Files(unittest.TestCase):
    def judge(self, name):
        return json.loads(run("classify", CAPTURES / name, "--json").stdout)["files"][0]["verdict"]

    def test_the_leaking_capture_names_its_thread(self):
        verdict = self.judge("meshtasticd-leak.bin")
        self.assertEqual(verdict["class"], "slow_leak")
        self.assertEqual(verdict["suspects"][0]["thread"], "DeviceTelemetry")
        self.assertTrue(verdict["suspects"][0]["primary"])
        self.assertAlmostEqual(verdict["trend_per_min"]["value"], -3264, delta=0.05 * 3264)

    def test_the_healthy_capture_accuses_nobody(self):
        verdict = self.judge("meshtasticd-heap.bin")
        self.assertEqual(verdict["suspects"], [])
        self.assertNotIn(verdict["class"], {"slow_leak", "oom_imminent"})

    def test_a_table_of_verdicts_for_scripts(self):
        done = run("classify", *sorted(CAPTURES.glob("*.bin")), "--format", "csv")
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual(list(rows[0]), ["id", "verdict", "leak", "slope_bpm", "slope_lo", "slope_hi", "tte_min", "tte_lo",
                                         "tte_hi", "mds_bpm"])
        self.assertEqual({r["id"]: r["leak"] for r in rows}["meshtasticd-leak"], "1")

    def test_decoding_keeps_order_and_no_secret(self):
        done = run("decode", CAPTURES / "meshtasticd-leak.bin")
        records = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(done.returncode, 0)
        self.assertIn("log", {r["type"] for r in records})
        heap = [r for r in records if r.get("heap_event", {}).get("thread") == "DeviceTelemetry"]
        self.assertGreater(len(heap), 20)
        self.assertTrue(all(r["framed"] for r in heap))

    def test_one_bad_file_leaves_the_others_judged(self):
        done = run("classify", CAPTURES / "meshtasticd-leak.bin", "/no/such/file", "--json")
        self.assertEqual(done.returncode, 5)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn("/no/such/file", done.stderr)
        self.assertEqual(json.loads(done.stdout)["files"][0]["verdict"]["class"], "slow_leak")

    def test_an_empty_file_is_insufficient(self):
        with bench.Bench() as b:
            empty = b.path / "empty.log"
            empty.write_text("")
            done = run("classify", empty, "--fail-on", "insufficient_data")
            plain = run("classify", empty)
            both = run("classify", empty, CAPTURES / "meshtasticd-leak.bin")
        self.assertEqual(done.returncode, 14)
        self.assertEqual(plain.returncode, 4)
        self.assertIn("no line of it tells memory", plain.stdout)
        self.assertEqual(both.returncode, 5)


if __name__ == "__main__":
    bench.main()
