#!/usr/bin/env python3
"""leakhuntd as a program: its arguments, its start and end, a second one, trouble with store and port."""
import fcntl
import json
import os
import pathlib
import pty
import select
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time
import unittest

BIN = pathlib.Path(os.environ["LEAKHUNT_BIN"])
DAEMON = BIN / "leakhuntd"
PATIENCE = 60  # seconds of real time until a test gives up; nothing is measured by it
SCALE = 60


def uptime_us():
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * 1e6)


class Daemon:
    """A running leakhuntd whose stderr can be waited for."""

    def __init__(self, state, *arguments, env=None, under=()):
        self.process = subprocess.Popen([*under, DAEMON, "--state-dir", state, *arguments], stderr=subprocess.PIPE,
                                        env={**os.environ, **(env or {})})
        self.log = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.end()

    def said(self, *words):
        """The first line that holds all the words."""
        until = time.monotonic() + PATIENCE
        while True:
            for line in self.log.splitlines():
                if all(word in line for word in words):
                    return line
            ready = select.select([self.process.stderr], [], [], max(0, until - time.monotonic()))[0]
            more = os.read(self.process.stderr.fileno(), 65536).decode() if ready else ""
            if not more:
                raise AssertionError(f"never said {words}:\n{self.log}")
            self.log += more

    def end(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        self.log += self.process.stderr.read().decode()
        self.process.stderr.close()
        return code


class Program(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="leakhunt-")
        self.state = os.path.join(self.folder.name, "state")
        self.started = []

    def tearDown(self):
        for each in self.started:
            if each.process.poll() is None:
                each.end(signal.SIGKILL)
        self.folder.cleanup()

    def start(self, *arguments, env=None):
        self.started.append(Daemon(self.state, *arguments, env=env))
        self.started[-1].said("recorder_start")
        return self.started[-1]

    def rows(self, sql):
        with sqlite3.connect(f"file:{self.state}/leakhunt.db?mode=ro", uri=True) as db:
            return db.execute(sql).fetchall()

    def until(self, sql):
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            found = self.rows(sql)
            if found and found[0][0]:
                return found
            time.sleep(0.05)
        raise AssertionError(f"never true: {sql}")

    def simulate(self):
        """A simulated device in virtual time; gives the arguments that make a daemon record it."""
        origin = str(uptime_us())
        simulator = subprocess.Popen([BIN / "leakhunt-sim", "--tcp", "0", "--scenario", "steady", "--speed", str(SCALE),
                                      "--time-origin", origin], stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (simulator.kill(), simulator.wait(), simulator.stdout.close()))
        address = simulator.stdout.readline().split()[-1]
        return ["--device", f"bench={address}", "--time-scale", str(SCALE), "--time-origin", origin]

    # ---- arguments ----------------------------------------------------------------------------------------

    def refused(self, code, *arguments):
        done = subprocess.run([DAEMON, *arguments], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_bad_arguments_are_one_line_and_code_2(self):
        self.assertIn("--bogus", self.refused(2, "--bogus"))
        self.assertIn("NAME=LINK", self.refused(2, "--device", "tcp:localhost"))
        self.assertIn("no known form", self.refused(2, "--device", "a=udp:localhost"))
        self.assertIn("--config", self.refused(2, "--config", "/nowhere/x.toml"))
        self.assertIn("--config", self.refused(2, "--config", ""))
        self.assertIn("/dev/zero", self.refused(2, "--config", "/dev/zero"))
        self.assertIn("--time-scale", self.refused(2, "--state-dir", self.state, "--time-scale", "601"))

    def test_check_says_what_is_wrong_and_starts_nothing(self):
        config = os.path.join(self.folder.name, "x.toml")
        pathlib.Path(config).write_text('[[device]]\nname = "a"\nlink = "auto"\nmode = "loud"\n')
        self.assertIn(f"{config}:4", self.refused(2, "--check", "--config", config))
        pathlib.Path(config).write_text('[[device]]\nname = "a"\nlink = "auto"\n')
        done = subprocess.run([DAEMON, "--check", "--config", config, "--state-dir", self.state], capture_output=True,
                              text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(os.path.exists(self.state))

    def test_without_a_device_it_says_so(self):
        done = subprocess.run([DAEMON, "--check", "--state-dir", self.state], capture_output=True, text=True,
                              timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no device is configured", done.stderr)

    def test_a_store_that_is_removed_is_begun_anew_and_told(self):
        daemon = self.start()
        daemon.said("no device is configured")
        os.remove(os.path.join(self.state, "leakhunt.db"))
        daemon.said("removed or replaced")
        daemon.said("alert", "a new one was begun")
        self.assertEqual(daemon.end(), 0)
        self.assertIn(("store_gone",), self.rows("SELECT cause FROM alert"))

    def configured(self, text):
        config = os.path.join(self.folder.name, "leakhuntd.toml")
        pathlib.Path(config).write_text(text)
        return ["--config", config]

    def appears(self, path):
        until = time.monotonic() + PATIENCE
        while not os.path.exists(path):
            self.assertLess(time.monotonic(), until, f"{path} never came")
            time.sleep(0.05)
        return pathlib.Path(path)

    def test_an_alert_runs_the_hook(self):
        told = os.path.join(self.folder.name, "told")
        daemon = self.start(*self.configured(
            f"""[alerts]\nhook = ["sh", "-c", 'cat > {told}.new; mv {told}.new {told}']"""))
        os.remove(os.path.join(self.state, "leakhunt.db"))
        daemon.said("alert", "a new one was begun")
        alert = json.loads(self.appears(told).read_text())
        self.assertEqual((alert["cause"], alert["severity"], alert["device"]), ("store_gone", "critical", ""))

    def test_a_hook_that_fails_is_told(self):
        daemon = self.start(*self.configured(
            """[alerts]\nhook = ["sh", "-c", "echo no such host >&2; exit 6"]"""))
        os.remove(os.path.join(self.state, "leakhunt.db"))
        daemon.said("hook", "code 6", "no such host")
        self.assertEqual(daemon.end(), 0)

    def test_a_hook_that_sleeps_does_not_hold_up_the_end(self):
        began = os.path.join(self.folder.name, "began")
        daemon = self.start(*self.configured(
            f"""[alerts]\nhook = ["sh", "-c", "> {began}; exec sleep 1000"]"""))
        os.remove(os.path.join(self.state, "leakhunt.db"))
        self.appears(began)
        self.assertEqual(daemon.end(), 0)

    def test_a_database_that_is_not_ours_is_refused_and_kept(self):
        os.makedirs(self.state)
        foreign = pathlib.Path(self.state, "leakhunt.db")
        with sqlite3.connect(foreign) as db:
            db.execute("CREATE TABLE theirs(x)")
        before = foreign.read_bytes()
        self.assertIn("leakhunt.db", self.refused(3, "--state-dir", self.state))
        self.assertEqual(foreign.read_bytes(), before)

    # ---- start and end ------------------------------------------------------------------------------------

    def test_tells_the_service_manager(self):
        path = os.path.join(self.folder.name, "notify")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(path)
            manager.settimeout(PATIENCE)
            daemon = self.start(env={"NOTIFY_SOCKET": path})
            self.assertIn(b"READY=1", manager.recv(4096))
            self.assertEqual(daemon.end(), 0)
            self.assertIn(b"STOPPING=1", manager.recv(4096))

    def test_each_ending_signal_leaves_a_whole_single_file(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            daemon = self.start(*self.simulate())
            daemon.said("connection_established")
            self.assertEqual(daemon.end(number), 0, daemon.log)
            wal = pathlib.Path(self.state, "leakhunt.db-wal")
            self.assertTrue(not wal.exists() or wal.stat().st_size == 0)
            self.assertFalse(os.path.exists(f"{self.state}/control.sock"))
            copy = os.path.join(self.folder.name, "copy.db")
            pathlib.Path(copy).write_bytes(pathlib.Path(self.state, "leakhunt.db").read_bytes())
            with sqlite3.connect(copy) as db:
                self.assertEqual(db.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
                kinds = [row[0] for row in db.execute("SELECT kind FROM event ORDER BY id")]
            self.assertEqual(kinds[-2:], ["connection_lost", "recorder_stop"])

    def test_a_second_daemon_is_refused_and_the_first_named(self):
        first = self.start()
        said = self.refused(3, "--state-dir", self.state)
        self.assertIn(str(first.process.pid), said)
        self.assertIn("leakhuntd", said)
        self.assertEqual(first.end(), 0)

    def test_the_time_without_a_recorder_is_a_gap(self):
        arguments = self.simulate()
        self.start(*arguments)
        self.until("SELECT count(*) FROM sample")
        self.started[-1].end(signal.SIGKILL)
        last = self.rows("SELECT max(utc_us) FROM heartbeat")[0][0]
        # Virtual time runs on: a second of ours is a minute of the device's.
        until = time.monotonic() + 1
        while time.monotonic() < until:
            time.sleep(0.05)
        self.start(*arguments)
        (since, to, reason), = self.until("SELECT from_us, to_us, reason FROM gap")
        self.assertGreaterEqual(since, last)
        self.assertGreater(to - since, 30e6)
        self.assertEqual(reason, "the recorder did not run")

    # ---- trouble ------------------------------------------------------------------------------------------

    def test_a_store_that_takes_nothing_is_an_alert_and_nothing_is_lost(self):
        daemon = self.start(*self.simulate())
        self.until("SELECT count(*) FROM sample")
        with sqlite3.connect(f"{self.state}/leakhunt.db", isolation_level=None) as other:
            other.execute("BEGIN IMMEDIATE")
            daemon.said("store", "cannot write")
            daemon.said("critical", "store", "alert 1")
            before = self.rows("SELECT max(t_boot) FROM sample")[0][0]
            other.execute("ROLLBACK")
        daemon.said("the store takes rows again")
        self.until(f"SELECT count(*) FROM sample WHERE t_boot > {before}")
        self.until("SELECT count(*) FROM alert WHERE cause = 'store' AND state = 'resolved'")
        self.assertEqual(daemon.end(), 0)
        times = [row[0] for row in self.rows("SELECT t_boot FROM sample WHERE t_boot > 60000000 ORDER BY t_boot")]
        steps = [b - a for a, b in zip(times, times[1:])]
        self.assertLess(max(steps), 100e6)  # polled each 60 s throughout

    def test_a_port_that_another_holds_is_told_with_its_holder(self):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        self.addCleanup(os.close, slave)
        port = os.ttyname(slave)
        fcntl.flock(slave, fcntl.LOCK_EX)
        daemon = self.start("--device", f"bench=serial:{port}")
        self.assertIn(str(os.getpid()), daemon.said("held by process", "release"))
        fcntl.flock(slave, fcntl.LOCK_UN)
        self.assertEqual(os.read(master, 8), bytes.fromhex("94c30004 18ac9e04"))
        self.assertEqual(daemon.end(), 0)

    def test_a_port_that_is_not_there_is_told_once(self):
        daemon = self.start("--device", "bench=serial:/dev/ttyNOWHERE", "--time-scale", "600", "--time-origin",
                            str(uptime_us()))
        daemon.said("no such port")
        # Attempts go on: half a minute of virtual time between them is a twentieth of a second.
        time.sleep(1)
        daemon.end()
        self.assertEqual(daemon.log.count("no such port"), 1)


if __name__ == "__main__":
    unittest.main()
