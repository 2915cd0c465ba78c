#!/usr/bin/env python3
"""A killed recorder loses no committed row; a stopped one loses nothing at all."""
import random
import signal
import sqlite3
import time
import unittest

import bench

ROUNDS = 8 if bench.REDUCED else 300 if bench.LONG else 50


def rows(path):
    """What stands committed in the store: every heap sample and every log line."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as store:
        samples = set(store.execute("select series, boot, t_boot, value from sample"))
        lines = store.execute("select count(*) from log").fetchone()[0]
    store.close()
    return samples, lines


class Kills(unittest.TestCase):
    def test_kill_9_at_random_moments_loses_no_committed_row(self):
        random.seed(20260301)
        with bench.Bench(120) as b:
            link, _ = b.simulate("leak", "--debug-heap", "--text", tcp=False)
            config = f'[[device]]\nname = "x"\nlink = "{link}"\nmode = "listen"\n'
            store = b.state / "leakhunt.db"
            for round_number in range(ROUNDS):
                with self.subTest(round=round_number):
                    b.record(config=config)
                    before = rows(store)[1]
                    b.until(lambda before=before: rows(store)[1] > before)
                    bench.selectors.DefaultSelector().select(random.uniform(0, 0.4))
                    samples, lines = rows(store)
                    b.daemon.stop(signal.SIGKILL)
                    after_samples, after_lines = rows(store)
                    self.assertLessEqual(samples, after_samples)
                    self.assertGreaterEqual(after_lines, lines)
            with sqlite3.connect(store) as db:
                self.assertEqual(db.execute("pragma integrity_check").fetchone()[0], "ok")
                self.assertEqual(db.execute("pragma foreign_key_check").fetchall(), [])
            self.assertGreater(len(rows(store)[0]), 100)

    def test_sigterm_ends_within_two_seconds_with_all_committed_in_one_file(self):
        with bench.Bench(120) as b:
            link, _ = b.simulate("leak", "--debug-heap", "--text", tcp=False)
            b.record(config=f'[[device]]\nname = "x"\nlink = "{link}"\nmode = "listen"\n')
            b.until(lambda: b.samples("x") > 200)
            seen = b.samples("x")
            begun = time.monotonic()
            self.assertEqual(b.daemon.stop(signal.SIGTERM), 0)
            if not bench.REDUCED:
                self.assertLess(time.monotonic() - begun, 2)  # a promise to the user, not a benchmark
            copy = b.path / "copy.db"
            copy.write_bytes((b.state / "leakhunt.db").read_bytes())
            self.assertGreaterEqual(len(rows(copy)[0]), seen)


if __name__ == "__main__":
    bench.main()
