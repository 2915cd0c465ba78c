#!/usr/bin/env python3
"""The store's file as a whole: SQL, check, backup, vacuum, sizes; and reading it as somebody who may not write it."""
import csv
import ctypes
import io
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import tempfile
import unittest

import bench

LIBC = ctypes.CDLL(None, use_errno=True)
MS_RDONLY, MS_REMOUNT, MS_BIND = 1, 32, 4096
NOBODY = 65534


def mount(source, target, kind="", flags=0):
    return LIBC.mount(str(source).encode(), str(target).encode(), kind.encode(), ctypes.c_ulong(flags), b"") == 0


def can_mount():
    with tempfile.TemporaryDirectory() as folder:
        done = mount("tmpfs", folder, "tmpfs")
        if done:
            LIBC.umount(folder.encode())
        return done


class StoreFile(unittest.TestCase):
    def setUp(self):
        self.bench = bench.Bench(120)
        self.addCleanup(self.bench.__exit__)
        self.bench.path.chmod(0o755)
        link, _ = self.bench.simulate("leak", "--debug-heap", "--text", tcp=False)
        self.config = f'[[device]]\nname = "x"\nlink = "{link}"\nmode = "listen"\n'
        self.bench.record(config=self.config)
        self.bench.until(lambda: self.bench.samples("x") > 200)
        self.db = self.bench.state / "leakhunt.db"

    def ctl_db(self, db, *arguments, user=None):
        """The command on a file, as another user where one is named."""
        words = [bench.BIN / "leakhuntctl", "--db", db, *arguments]
        if user is not None:
            words = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *words]
        return subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=bench.PATIENCE_S)

    def answers(self, done):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("heap_free_bytes", done.stdout)

    def fields(self, db, user=None):
        return self.ctl_db(db, "sql", "SELECT DISTINCT field FROM sample_view", user=user)


class Commands(StoreFile):
    def test_sql_answers_the_same_with_the_recorder_and_without(self):
        query = "SELECT device, count(*) AS n, min(time) AS since FROM log_view"
        rows = self.bench.json("sql", query)
        self.assertEqual(rows["columns"], ["device", "n", "since"])
        self.assertEqual(rows["rows"][0][0], "x")
        self.assertRegex(rows["rows"][0][2], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.bench.daemon.stop()
        offline = self.bench.json("sql", query, offline=True)
        self.assertEqual(offline["rows"][0][0::2], rows["rows"][0][0::2])
        table = list(csv.reader(io.StringIO(self.bench.ctl("sql", query, "--format", "csv", offline=True).stdout)))
        self.assertEqual(table[0], ["device", "n", "since"])
        self.assertEqual(table[1], [str(value) for value in offline["rows"][0]])

    def test_sql_does_nothing_but_read(self):
        for statement in ("DELETE FROM sample", "PRAGMA user_version = 9", f"ATTACH '{self.bench.path}/y' AS y"):
            for offline in (False, True):
                done = self.bench.ctl("sql", statement, ok=(2,), offline=offline)
                self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertFalse((self.bench.path / "y").exists())
        self.assertIn("no such table: nowhere", self.bench.ctl("sql", "SELECT * FROM nowhere", ok=(2,)).stderr)

    def test_sql_that_never_ends_holds_up_nobody(self):
        endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
        words = [bench.BIN / "leakhuntctl", "--socket", self.bench.state / "control.sock", "sql", endless]
        asked = subprocess.Popen([str(w) for w in words], stderr=subprocess.PIPE, text=True)
        answered = 0
        while asked.poll() is None:
            self.bench.ctl("status")
            answered += 1
        self.assertGreater(answered, 3)
        self.assertIn("took too long", asked.stderr.read())
        asked.stderr.close()
        self.assertEqual(asked.returncode, 1)
        # A recorder that is asked such a thing still ends at once: it interrupts it.
        asked = subprocess.Popen([str(w) for w in words], stderr=subprocess.PIPE, text=True)
        self.bench.until(lambda: self.bench.samples("x") > 0)
        self.assertEqual(self.bench.daemon.stop(), 0)
        asked.communicate()

    def test_lines_of_stdin_are_statements_of_their_own(self):
        done = subprocess.run([bench.BIN / "leakhuntctl", "--db", self.db, "sql", "--format", "csv"], text=True,
                              input="SELECT 1 AS a\n\nSELECT nonsense\nSELECT 3 AS b\n", capture_output=True)
        self.assertEqual(done.stdout.split(), ["a", "1", "b", "3"])
        self.assertIn("no such column: nonsense", done.stderr)
        self.assertEqual(done.returncode, 2)

    def test_more_rows_than_asked_for_are_cut_and_said(self):
        done = self.bench.ctl("sql", "SELECT value FROM sample", "--max", 5, ok=(5,))
        self.assertIn("the first 5 rows", done.stdout)
        self.assertTrue(self.bench.json("sql", "SELECT value FROM sample", "--max", 5)["cut"])

    def test_text_of_a_device_does_nothing_to_a_terminal(self):
        done = self.bench.ctl("sql", "SELECT char(27) || '[31mred' || char(10) || '=1+1' AS text")
        self.assertNotIn("\x1b", done.stdout)
        self.assertEqual(len(done.stdout.splitlines()), 2)

    def test_backups_made_while_recording_are_whole(self):
        before = 0
        for n in range(4):
            copy = self.bench.path / f"copy{n}.db"
            told = self.bench.json("db", "backup", copy)
            self.assertEqual(told["backup_bytes"], copy.stat().st_size)
            self.assertEqual(stat.S_IMODE(copy.stat().st_mode) & ~0o640, 0)
            self.assertEqual(self.ctl_db(copy, "db", "check").returncode, 0)
            with sqlite3.connect(f"file:{copy}?mode=ro", uri=True) as store:
                rows = store.execute("select count(*) from sample").fetchone()[0]
                kept = store.execute("select sum(rows) from stream where kind like 'samples%'").fetchone()[0]
            store.close()
            self.assertEqual(rows, kept, "of one moment")
            self.assertGreaterEqual(rows, before)
            before = rows
            self.bench.until(lambda rows=rows: self.bench.samples("x") > rows)
        refused = self.bench.ctl("db", "backup", self.bench.path / "copy0.db", ok=(1,))
        self.assertIn("nothing is written over", refused.stderr)

    def test_a_backup_goes_where_the_person_stands(self):
        done = subprocess.run([bench.BIN / "leakhuntctl", "--socket", self.bench.state / "control.sock", "db",
                               "backup", "here.db"], cwd=self.bench.path, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.bench.path / "here.db").exists())

    def test_info_check_and_vacuum_with_the_recorder_and_without(self):
        info = self.bench.json("db", "info")
        self.assertIn("sample", [t["table"] for t in info["tables"]])
        self.assertEqual(self.bench.json("db", "check")["problems"], [])
        self.bench.ctl("device", "rename", "x", "y")  # rows come and go: what is free may be given back
        told = self.bench.json("db", "vacuum")
        self.assertGreater(told["bytes_before"], 0)
        for action in ("vacuum", "backup"):
            more = (self.bench.path / "no.db",) if action == "backup" else ()
            held = self.ctl_db(self.db, "db", action, *more)
            self.assertEqual(held.returncode, 3)
            self.assertIn(f"in use by pid {self.bench.daemon.process.pid}", held.stderr)
        self.bench.daemon.stop()
        for action in ("info", "check", "vacuum"):
            self.assertEqual(self.ctl_db(self.db, "db", action).returncode, 0)
        self.assertEqual(self.ctl_db(self.db, "db", "backup", self.bench.path / "yes.db").returncode, 0)

    def test_a_check_finds_what_is_wrong(self):
        self.bench.daemon.stop()
        with sqlite3.connect(self.db) as store:
            store.execute("delete from word")
        store.close()
        done = self.ctl_db(self.db, "db", "check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("log lines whose level, thread or alarm is no word", done.stdout)


class Readers(StoreFile):
    """Nobody may write the file, and nothing is left beside it."""

    def everything_beside(self, folder):
        return sorted(p.name for p in folder.iterdir())

    def copied(self, *suffixes):
        folder = self.bench.path / "copied"
        folder.mkdir()
        for suffix in suffixes:
            shutil.copy(f"{self.db}{suffix}", folder)
        for file in folder.iterdir():
            file.chmod(0o644)
        return folder

    def test_another_user_while_the_recorder_runs(self):
        done = self.fields(self.db, user=NOBODY)
        self.assertEqual(done.returncode, 3, "the folder is the recorder's own")
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.bench.daemon.stop()
        self.bench.state.chmod(0o755)
        self.db.chmod(0o644)
        self.bench.record(config=self.config)
        before = self.everything_beside(self.bench.state)
        self.answers(self.fields(self.db, user=NOBODY))
        self.assertEqual(self.ctl_db(self.db, "db", "check", user=NOBODY).returncode, 0)
        self.assertEqual(self.everything_beside(self.bench.state), before)

    def test_another_user_of_a_file_at_rest(self):
        self.bench.daemon.stop()
        self.bench.state.chmod(0o755)
        self.db.chmod(0o644)
        before = self.everything_beside(self.bench.state)
        self.answers(self.fields(self.db, user=NOBODY))
        self.assertEqual(self.ctl_db(self.db, "db", "info", user=NOBODY).returncode, 0)
        self.assertEqual(self.everything_beside(self.bench.state), before)

    def test_a_copy_of_the_file_alone(self):
        self.bench.daemon.stop()
        folder = self.copied("")
        folder.chmod(0o555)
        self.answers(self.fields(folder / "leakhunt.db", user=NOBODY))
        self.assertEqual(self.everything_beside(folder), ["leakhunt.db"])

    def test_a_copy_with_its_wal_of_a_recorder_that_was_killed(self):
        self.bench.daemon.stop(signal.SIGKILL)
        folder = self.copied("", "-wal")
        folder.chmod(0o555)
        self.answers(self.fields(folder / "leakhunt.db", user=NOBODY))
        self.assertEqual(self.everything_beside(folder), ["leakhunt.db", "leakhunt.db-wal"])

    def test_a_copy_with_its_wal_and_shm_of_a_recorder_that_was_killed(self):
        self.bench.daemon.stop(signal.SIGKILL)
        folder = self.copied("", "-wal", "-shm")
        folder.chmod(0o555)
        self.answers(self.fields(folder / "leakhunt.db", user=NOBODY))
        self.assertEqual(self.everything_beside(folder), ["leakhunt.db", "leakhunt.db-shm", "leakhunt.db-wal"])

    @unittest.skipUnless(can_mount(), "no mounting here")
    def test_a_medium_that_cannot_be_written(self):
        self.bench.daemon.stop(signal.SIGKILL)
        for suffixes in (("", "-wal"), ("", "-wal", "-shm"), ("",)):
            folder = self.copied(*suffixes)
            medium = self.bench.path / "medium"
            medium.mkdir(exist_ok=True)
            self.assertTrue(mount(folder, medium, flags=MS_BIND))
            self.assertTrue(mount("", medium, flags=MS_BIND | MS_REMOUNT | MS_RDONLY))
            try:
                for user in (None, NOBODY):
                    done = self.fields(medium / "leakhunt.db", user=user)
                    if "-wal" in suffixes:
                        self.answers(done)
                    else:  # what a killed recorder's file holds without its -wal may be nothing yet
                        self.assertIn(done.returncode, (0, 3))
                    backup = self.bench.path / f"from-medium-{user}.db"
                    if user is None and "-wal" in suffixes:
                        self.assertEqual(self.ctl_db(medium / "leakhunt.db", "db", "backup", backup).returncode, 0)
                        self.answers(self.fields(backup))
                        backup.unlink()
                self.assertEqual(len(self.everything_beside(folder)), len(suffixes))
            finally:
                LIBC.umount(str(medium).encode())
            shutil.rmtree(folder)

    def test_nothing_stays_in_the_temporary_folder(self):
        self.bench.daemon.stop(signal.SIGKILL)
        folder = self.copied("", "-wal")
        temporary = self.bench.path / "temporary"
        temporary.mkdir()
        os.environ["TMPDIR"] = str(temporary)
        self.addCleanup(os.environ.pop, "TMPDIR")
        self.answers(self.fields(folder / "leakhunt.db"))
        self.assertEqual(list(temporary.iterdir()), [])


if __name__ == "__main__":
    bench.main()
