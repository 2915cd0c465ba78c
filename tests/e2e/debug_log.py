#!/usr/bin/env python3
"""leakhuntctl debug-log: what a person sees of it, and that no key is left anywhere."""
import subprocess
import unittest

import bench

SPEED = 20
PRIVATE_KEY = b"SIM-PRIVATE-KEY"
KEPT = b"heltec-v3"  # what the device says of its build
MARK = b"SIM-"  # all names, keys and passwords of the simulated device begin so, but for its short name


def memory_holds(pid, wanted):
    """Whether a process has these bytes anywhere in memory of its own that it may write to."""
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            span, rights = line.split()[:2]
            if not rights.startswith("rw") or line.rstrip().endswith("[vvar]"):
                continue
            start, end = (int(part, 16) for part in span.split("-"))
            memory.seek(start)
            try:
                if wanted in memory.read(end - start):
                    return True
            except OSError:
                continue
    return False


class DebugLog(unittest.TestCase):
    def begin(self, b, *options, tcp=True):
        link, simulator = b.simulate("steady", *options, tcp=tcp)
        b.record({"x": link})
        b.until(lambda: b.device("x")["links"][0]["state"] == "connected")
        return simulator

    def switch(self, b, way):
        return b.json("debug-log", way, "--device", "x", "--yes", ok=(0,))

    def refused(self, b, way, *options):
        done = b.ctl("debug-log", way, "--device", "x", "--yes", *options, ok=None)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        return done.returncode, done.stderr

    def boots(self, b):
        return b.json("events", "--kind", "boot", "--start", "-1d")["events"]

    def nothing_kept(self, b):
        for file in b.state.iterdir():
            if file.is_file():
                self.assertNotIn(PRIVATE_KEY, file.read_bytes(), file.name)
        b.daemon.drain()
        self.assertNotIn(MARK.decode(), "\n".join(b.daemon.output))

    def on_and_off(self, tcp):
        with bench.Bench(SPEED) as b:
            self.begin(b, "--no-log-api", "--unknown-config", tcp=tcp)
            before = len(self.boots(b))
            self.assertEqual(self.switch(b, "on"), {"device": "x", "was": False, "is": True, "rebooted": True})
            b.until(lambda: len(self.boots(b)) == before + 1)
            self.assertIn("planned", str(self.boots(b)[-1]))
            self.assertEqual(self.switch(b, "on"), {"device": "x", "was": True, "is": True, "rebooted": False})
            if not tcp:  # and that is what it is for
                b.until(lambda: b.json("logs", "--start", "-1d")["total_matched"] > 0)
            self.assertEqual(self.switch(b, "off"), {"device": "x", "was": True, "is": False, "rebooted": True})
            b.until(lambda: len(self.boots(b)) == before + 2)
            self.assertEqual(b.json("alerts")["alerts"], [])
            if not bench.REDUCED:  # a sanitizer's memory is terabytes wide
                self.assertTrue(memory_holds(b.daemon.process.pid, KEPT))  # the look finds what is there
                self.assertFalse(memory_holds(b.daemon.process.pid, PRIVATE_KEY))
            self.nothing_kept(b)

    def test_tcp_is_switched_on_and_off(self):
        self.on_and_off(tcp=True)

    def test_serial_is_switched_on_and_off(self):
        self.on_and_off(tcp=False)

    def test_refusals_tell_why_and_change_nothing(self):
        for option, words in ((["--managed"], "the device is managed"),
                              (["--hides-private-key"], "public key without the private one"),
                              (["--security-cut", "60"], "came incomplete"),
                              (["--security-cut", "0"], "came incomplete")):
            with self.subTest(option), bench.Bench(SPEED) as b:
                self.begin(b, "--no-log-api", *option)
                before = len(self.boots(b))
                code, said = self.refused(b, "on")
                self.assertEqual(code, 1)
                self.assertIn(words, said)
                self.assertIn("nothing was changed", said)
                self.assertIn(": x (", said)
                b.until_time(SPEED * 3)
                self.assertEqual(len(self.boots(b)), before)
                self.nothing_kept(b)

    def test_a_device_that_confirms_and_does_nothing_is_found_out(self):
        with bench.Bench(SPEED) as b:
            self.begin(b, "--no-log-api", "--ignores-config")
            code, said = self.refused(b, "on")
            self.assertEqual(code, 1)
            self.assertIn("its API log is still off", said)

    def test_a_device_that_is_gone_is_told_as_gone(self):
        with bench.Bench(SPEED) as b:
            simulator = self.begin(b, "--no-log-api")
            simulator.stop()
            b.until(lambda: b.device("x")["links"][0]["state"] != "connected")
            code, said = self.refused(b, "on")
            self.assertEqual(code, 4)
            self.assertIn("the device is not connected; nothing was changed: x (", said)

    def test_it_says_that_the_device_reboots_and_is_never_done_unasked(self):
        with bench.Bench(SPEED) as b:
            self.begin(b, "--no-log-api")
            done = subprocess.run([bench.BIN / "leakhuntctl", "--socket", b.state / "control.sock", "debug-log", "on",
                                   "--device", "x"], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                                  timeout=bench.PATIENCE_S)
            self.assertEqual(done.returncode, 2)
            self.assertIn("REBOOTS", done.stderr)
            self.assertIn("--yes", done.stderr)
            self.assertEqual(self.switch(b, "off"), {"device": "x", "was": False, "is": False, "rebooted": False})

    def test_a_link_that_only_listens_cannot(self):
        with bench.Bench(SPEED) as b:
            link, _ = b.simulate("steady", tcp=False)
            b.record(config=f'[[device]]\nname = "x"\nlink = "{link}"\nmode = "listen"\n')
            b.until(lambda: b.device("x")["links"][0]["state"] == "listening")
            code, said = self.refused(b, "on")
            self.assertEqual(code, 3)
            self.assertIn("only listens", said)


if __name__ == "__main__":
    bench.main()
