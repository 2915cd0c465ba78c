#!/usr/bin/env python3
"""Listing and looking for ports opens none; a preloaded library notes what leakhuntd opens of a made-up bench."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from program import BIN, DAEMON, Daemon

OPEN_LOG = os.environ["OPEN_LOG_LIBRARY"]
BENCH = pathlib.Path(__file__).resolve().parent.parent / "data" / "ports" / "bench.umockdev"


class PortOpens(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="leakhunt-")
        self.addCleanup(self.folder.cleanup)
        self.log = os.path.join(self.folder.name, "opened")
        self.env = {**os.environ, "LD_PRELOAD": OPEN_LOG, "OPEN_LOG": self.log}

    def ran(self, *arguments):
        """What it printed; with the ports of the bench."""
        done = subprocess.run(["umockdev-run", "-d", BENCH, "--", DAEMON, *arguments], env=self.env, check=False,
                              stdout=subprocess.PIPE, text=True, timeout=60)
        return done.stdout

    def opened(self):
        paths = pathlib.Path(self.log).read_text().splitlines()
        self.assertTrue(paths, "the library noted nothing")
        return paths

    def assert_no_port_opened(self, folder="/dev/"):
        port = re.compile("^(/dev/|" + re.escape(folder) + r")(tty\w*|pts/\d+)$")
        self.assertEqual([path for path in self.opened() if port.search(path)], [])

    def test_the_library_sees_a_port_that_is_opened(self):
        with Daemon(os.path.join(self.folder.name, "state"), "--device", "a=serial:/dev/ttyUSB0",
                    under=["umockdev-run", "-d", str(BENCH), "--"], env=self.env) as daemon:
            daemon.said("recorder_start")
            control = os.path.join(self.folder.name, "state", "control.sock")
            status = [BIN / "leakhuntctl", "--socket", control, "status"]
            while b"connecting" in subprocess.run(status, check=True, stdout=subprocess.PIPE, timeout=60).stdout:
                pass
        self.assertIn("/dev/ttyUSB0", self.opened())

    def test_listing_ports_opens_none(self):
        listed = self.ran("--list-ports")
        for port in ("/dev/ttyACM0", "/dev/ttyUSB0", "/dev/ttyS1"):
            self.assertIn(port, listed)
        self.assert_no_port_opened()

    def test_looking_for_a_device_opens_none(self):
        self.assertIn("usb-Espressif", self.ran("--find-device"))
        self.assert_no_port_opened()

    def test_the_doctor_opens_none(self):
        config = os.path.join(self.folder.name, "leakhuntd.toml")
        pathlib.Path(config).write_text('[[device]]\nname = "a"\nlink = "serial:/dev/ttyS1"\n')
        found = json.loads(self.ran("--doctor", "--config", config))
        names = [check["name"] for check in found["checks"]]
        for port in ("/dev/ttyACM0", "/dev/ttyUSB0", "/dev/ttyS1"):
            self.assertIn(f"port {port}", names)
        self.assert_no_port_opened()

    def test_a_recorder_without_devices_opens_none(self):
        with Daemon(os.path.join(self.folder.name, "state"), under=["umockdev-run", "-d", str(BENCH), "--"],
                    env=self.env) as daemon:
            daemon.said("recorder_start")
            control = os.path.join(self.folder.name, "state", "control.sock")
            for question in ("status", "devices"):
                said = subprocess.run([BIN / "leakhuntctl", "--socket", control, question], check=False,
                                      stdout=subprocess.PIPE, text=True).stdout
            self.assertIn("/dev/ttyACM0", said)
            self.assertEqual(daemon.end(), 0)
        self.assert_no_port_opened()

    def test_a_folder_of_ports_is_listed_and_not_opened(self):
        ports = os.path.join(self.folder.name, "ports")
        os.mkdir(ports)
        os.symlink("/dev/null", os.path.join(ports, "ttyACM0"))
        listed = subprocess.run([DAEMON, "--list-ports", "--ports", ports], env=self.env, check=True,
                                stdout=subprocess.PIPE, text=True).stdout
        self.assertIn(os.path.join(ports, "ttyACM0"), listed)
        self.assert_no_port_opened(folder=ports + "/")


if __name__ == "__main__":
    unittest.main()
