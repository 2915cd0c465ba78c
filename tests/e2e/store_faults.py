#!/usr/bin/env python3
"""A store in trouble: the recorder says so, keeps recording in memory, and goes on by itself when it is over."""
import ctypes
import os
import pathlib
import re
import signal
import sqlite3
import tempfile
import unittest

import bench

LIBC = ctypes.CDLL(None, use_errno=True)
MS_RDONLY, MS_REMOUNT, MS_BIND = 1, 32, 4096


def mount(source, target, kind, flags=0, options=""):
    return LIBC.mount(source.encode(), str(target).encode(), kind.encode(), ctypes.c_ulong(flags), options.encode()) == 0


def can_mount():
    """Whether this machine lets us have a small disk of our own."""
    with tempfile.TemporaryDirectory() as folder:
        if not mount("tmpfs", folder, "tmpfs", options="size=64k"):
            return False
        LIBC.umount(folder.encode())
        return True


def series(path):
    """The samples of the fastest series with the time of each, and how many boots they are of."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as store:
        rows = store.execute(
            "select boot, t_boot from sample where series = (select series from sample group by series"
            " order by count(*) desc limit 1) order by boot, t_boot").fetchall()
    store.close()
    return rows


class StoreTest(unittest.TestCase):
    SCALE = 120

    def setUp(self):
        self.bench = bench.Bench(self.SCALE)
        self.addCleanup(self.bench.__exit__)

    def record(self, more=""):
        link, _ = self.bench.simulate("leak", "--debug-heap", "--text", tcp=False)
        self.bench.record(config=f'{more}[[device]]\nname = "x"\nlink = "{link}"\nmode = "listen"\n')
        self.bench.until(lambda: self.bench.samples("x") > 50)

    @property
    def db(self):
        return self.bench.state / "leakhunt.db"

    def store(self):
        return self.bench.json("status")["store"]

    def until_trouble(self, pattern):
        self.bench.until(lambda: re.search(pattern, self.store()["state"]))

    def until_well(self):
        self.bench.until(lambda: self.store()["state"] == "ok" and self.store()["queue_rows"] < 1000)

    def recording_goes_on(self):
        seen = []

        def samples():
            """Of a store that can be read: status answers without one too."""
            device = self.bench.device("x")
            if "files" in device:
                seen.append(device["files"]["telemetry"]["lines"])
            return seen

        self.bench.until(samples)
        self.bench.until(lambda: samples()[-1] > min(seen) + 20)

    def nothing_is_missing(self):
        """Every outage here lasts seconds, which are many minutes to the device: it is never silent so long (a second)."""
        self.bench.daemon.stop()
        rows = series(self.db)
        silences = [b[1] - a[1] for a, b in zip(rows, rows[1:]) if a[0] == b[0]]
        self.assertLess(max(silences), max(120, self.SCALE) * 1_000_000, "readings are missing")
        with sqlite3.connect(self.db) as store:
            self.assertEqual(store.execute("pragma integrity_check").fetchone()[0], "ok")
            self.assertEqual(store.execute("pragma foreign_key_check").fetchall(), [])
        store.close()


class Trouble(StoreTest):
    def test_another_program_that_holds_the_file_delays_but_loses_nothing(self):
        self.record()
        foreign = sqlite3.connect(self.db, isolation_level=None)
        foreign.execute("begin immediate")
        self.until_trouble("another program holds the file")
        self.bench.daemon.wait_line("alert .* critical: the store takes nothing: .*database is locked")
        self.bench.until(lambda: self.store()["queue_bytes"] > 0 and self.store()["trouble_since"] > 0)
        self.bench.until(lambda: self.bench.json("status")["open_alerts"] > 0)
        self.assertIn("another program holds the file", self.bench.ctl("status", ok=(0, 4)).stdout)
        foreign.execute("rollback")
        foreign.close()
        self.bench.daemon.wait_line("the store takes rows again")
        self.until_well()
        self.bench.until(lambda: [a for a in self.bench.json("alerts")["alerts"]
                                  if a["cause"] == "store" and a["state"] == "resolved"])
        self.recording_goes_on()
        self.nothing_is_missing()

    def test_a_file_that_is_removed_is_begun_anew(self):
        self.record()
        for name in self.bench.state.glob("leakhunt.db*"):
            if not name.name.endswith(".lock"):
                name.unlink()
        self.bench.daemon.wait_line("alert .* critical: .*was removed or replaced while in use")
        self.recording_goes_on()
        self.assertEqual(self.store()["state"], "ok")
        self.assertEqual([d["name"] for d in self.bench.json("status")["devices"]], ["x"])
        self.bench.until(lambda: [a for a in self.bench.json("alerts")["alerts"] if a["cause"] == "store_gone"])

    def test_a_file_put_in_its_place_is_kept_and_recording_goes_on(self):
        self.record()
        other = self.bench.path / "other"
        other.write_text("precious")
        os.replace(other, self.db)
        self.bench.daemon.wait_line("was removed or replaced while in use")
        self.recording_goes_on()
        kept = [p for p in self.bench.state.glob("leakhunt.db.replaced-*") if p.suffix != ".lock"]
        self.assertEqual([p.read_text() for p in kept], ["precious"])

    def test_a_page_that_is_damaged_is_put_aside_with_the_rest(self):
        self.record()
        self.bench.daemon.stop()
        with open(self.db, "r+b") as file:
            size = file.seek(0, os.SEEK_END)
            for page in range(1, size // 4096):
                file.seek(page * 4096)
                file.write(b"\xa5" * 4096)
        self.bench.daemon = None
        self.bench.record(config=(self.bench.path / "leakhuntd.toml").read_text())
        self.bench.daemon.wait_line("put aside as .*corrupt-")
        self.recording_goes_on()
        self.assertEqual(len([p for p in self.bench.state.glob("leakhunt.db.corrupt-*") if not p.name.endswith("-wal")]), 1)
        self.assertEqual(self.store()["state"], "ok")


class LongReader(StoreTest):
    SCALE = 600  # there must be much to write

    def test_a_reader_that_stays_for_long_holds_up_nothing_but_the_wal(self):
        self.record()
        wal = pathlib.Path(f"{self.db}-wal")
        foreign = sqlite3.connect(f"file:{self.db}?mode=ro", uri=True, isolation_level=None)
        foreign.execute("begin")
        foreign.execute("select count(*) from sample").fetchone()
        self.bench.until(lambda: wal.stat().st_size > 4_500_000)  # past the 1 000 pages at which it is emptied
        self.assertEqual(self.store()["state"], "ok")
        self.assertGreater(self.store()["wal_bytes"], 4_400_000)
        self.recording_goes_on()
        foreign.execute("rollback")
        foreign.close()
        self.bench.until(lambda: self.db.stat().st_size > 1_500_000)  # it went into the file
        self.nothing_is_missing()
        self.assertFalse(wal.exists())


@unittest.skipUnless(can_mount(), "no mounting here")
class SmallDisk(StoreTest):
    def setUp(self):
        super().setUp()
        self.bench.state.mkdir()
        self.assertTrue(mount("tmpfs", self.bench.state, "tmpfs", options="size=24m"))
        self.addCleanup(lambda: LIBC.umount2(str(self.bench.state).encode(), 2))

    def fill(self):
        ballast = self.bench.state / "ballast"
        with open(ballast, "wb", buffering=0) as file:
            for size in (1 << 20, 1 << 12):
                try:
                    while True:
                        file.write(b"x" * size)
                except OSError:
                    pass
        return ballast

    def test_a_full_disk_is_told_and_outlived(self):
        self.record()
        ballast = self.fill()
        self.until_trouble("free some space")
        self.bench.daemon.wait_line("alert .* critical: the store takes nothing: .*disk is full")
        self.bench.until(lambda: self.store()["queue_bytes"] > 100_000)
        ballast.unlink()
        self.bench.daemon.wait_line("the store takes rows again")
        self.until_well()
        self.assertEqual(self.store()["dropped_lines"], 0)
        self.recording_goes_on()
        self.nothing_is_missing()

    def test_what_a_full_queue_lets_go_is_text_and_stands_as_a_gap(self):
        self.record("queue_bytes = 1048576\n")
        ballast = self.fill()
        self.bench.until(lambda: self.store()["dropped_lines"] > 100)
        self.assertLess(self.store()["queue_bytes"], 2 * 1048576)
        ballast.unlink()
        self.until_well()
        self.bench.until(lambda: self.bench.json("events", "kind=gap", "device=x")["events"])
        gaps = [g for g in self.bench.device("x")["gaps"] if g["reason"] == "store_queue_full"]
        self.assertGreater(sum(g["lines"] for g in gaps), 100)
        self.assertEqual(sum(g["records"] for g in gaps), 0)
        self.recording_goes_on()
        self.nothing_is_missing()

    def test_a_disk_that_was_full_at_a_kill_is_sound(self):
        self.record()
        ballast = self.fill()
        self.until_trouble("free some space")
        self.bench.daemon.stop(signal.SIGKILL)
        ballast.unlink()
        self.bench.daemon = None
        self.bench.record(config=(self.bench.path / "leakhuntd.toml").read_text())
        self.recording_goes_on()
        self.bench.daemon.stop()
        self.assertEqual(self.bench.ctl("db", "check", offline=True).returncode, 0)

    def test_a_backup_that_does_not_fit_is_refused_before_it_begins(self):
        self.record()
        done = self.bench.ctl("db", "backup", self.bench.state / "copy.db", ok=(1,))
        self.assertIn("not enough room", done.stderr)
        self.assertEqual(list(self.bench.state.glob("copy*")), [])

    def test_a_recorder_refuses_a_folder_that_cannot_be_written(self):
        self.assertTrue(mount("", self.bench.state, "tmpfs", MS_REMOUNT | MS_RDONLY))
        daemon = bench.Program([bench.BIN / "leakhuntd", "--state-dir", self.bench.state])
        self.assertEqual(daemon.stop(0), 3)
        self.assertRegex("\n".join(daemon.output), "Read-only file system.*writable")


if __name__ == "__main__":
    bench.main()
