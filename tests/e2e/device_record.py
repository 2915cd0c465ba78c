#!/usr/bin/env python3
"""What was recorded of devices, changed by a person while others are recorded: merged, forgotten, listed."""
import json
import os
import sqlite3
import unittest

import bench


class DeviceRecord(unittest.TestCase):
    """Three boards are recorded; then the second has another name, and the third is taken away."""

    @classmethod
    def setUpClass(cls):
        cls.bench = bench.Bench(60)
        cls.addClassCleanup(cls.bench.__exit__)
        first, _ = cls.bench.simulate("leak", "--node", "101", tcp=False)
        second, _ = cls.bench.simulate("steady", "--node", "102")
        third, _ = cls.bench.simulate("steady", "--node", "103")
        cls.bench.record({"first": first, "before": second, "third": third})
        cls.bench.until(lambda: all(cls.bench.samples(n) >= 4 for n in ("first", "before", "third")))
        cls.bench.ctl("mark", "of-third", "--device", "third")
        cls.bench.daemon.stop()
        cls.bench.record({"first": first, "after": second})
        cls.bench.until(lambda: cls.bench.samples("first") >= 6 and cls.bench.samples("after") >= 4)

    def rows(self, sql):
        with sqlite3.connect(f"file:{self.bench.state}/leakhunt.db?mode=ro", uri=True) as db:
            return db.execute(sql).fetchall()

    def counts(self):
        """Rows of every table, but for those that are summed up and those that grow by themselves."""
        names = [n for (n,) in self.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {n: self.rows(f"SELECT count(*) FROM {n}")[0][0] for n in names}

    def assert_sound(self):
        self.assertEqual(self.rows("PRAGMA integrity_check"), [("ok",)])
        self.assertEqual(self.rows("PRAGMA foreign_key_check"), [])

    def test_1_devices_are_the_configured_ones_and_names_of_old(self):
        devices = self.bench.json("devices")
        self.assertEqual([d["name"] for d in devices["devices"]], ["first", "after"])
        self.assertEqual(sorted(devices["unused"]), ["before", "third"])
        offline = self.bench.json("devices", offline=True)
        self.assertTrue(offline["offline"])
        self.assertEqual(len(offline["devices"]), 4)
        self.assertEqual(offline["ports"], [])

    def test_2_what_is_recorded_cannot_go(self):
        for words in (["merge", "first", "third"], ["forget", "first", "--yes"]):
            self.assertIn("out of the configuration", self.bench.ctl("device", *words, ok=(2,)).stderr)
        self.bench.ctl("device", "forget", "third", ok=(2,))  # no terminal to ask on
        self.bench.ctl("device", "forget", "third", "--yes", ok=(2,), offline=True)
        self.assertIn("first", self.bench.ctl("device", "forget", "fourth", "--yes", ok=(2,)).stderr)
        self.assertIn("letters", self.bench.ctl("device", "rename", "third", "a b", ok=(2,)).stderr)

    def test_3_a_merge_loses_nothing(self):
        before = self.counts()
        self.bench.ctl("device", "merge", "before", "after")
        after = self.counts()
        for table, rows in before.items():
            if table not in ("device", "identity", "series", "stream", "counter", "field_seen", "port", "rollup", "pace", "dropped"):
                self.assertGreaterEqual(after[table], rows, table)
        self.assertEqual(after["identity"], before["identity"] - 1)  # it is one board
        self.assertEqual(len(self.bench.json("timeline", "--device", "after", "window=all")["boots"]), 2)
        seen = self.bench.samples("after")
        self.bench.until(lambda: self.bench.samples("after") > seen)
        self.assert_sound()

    def test_4_a_forgotten_one_is_gone_and_the_others_go_on(self):
        self.bench.ctl("device", "forget", "third", "--yes")
        self.assertNotIn("third", self.bench.ctl("devices").stdout)
        self.assertEqual(self.rows("SELECT count(*) FROM event WHERE label = 'of-third'"), [(0,)])
        self.assertEqual(self.rows("SELECT count(*) FROM identity WHERE node = 103"), [(0,)])
        seen = self.bench.samples("first")
        self.bench.until(lambda: self.bench.samples("first") > seen)
        self.assert_sound()

    def test_5_a_restart_finds_it_as_it_was_left(self):
        arguments = self.bench.daemon.process.args
        self.assertEqual(self.bench.daemon.stop(), 0)
        self.assert_sound()
        self.bench.daemon = bench.Program(arguments)
        self.bench.until(lambda: self.bench.ctl("status", ok=None).returncode == 0)
        names = [d["name"] for d in self.bench.json("status")["devices"]]
        self.assertEqual(sorted(names), ["after", "first"])
        boots = self.bench.device("after")["boots"]
        seen = self.bench.samples("after")
        self.bench.until(lambda: self.bench.samples("after") > seen + 2)
        self.assertEqual(self.bench.device("after")["boots"], boots, "no reboot was made up")

    def test_6_the_doctor_tells_of_the_daemon_and_of_none(self):
        found = self.bench.json("doctor", ok=(0, 1))
        self.assertEqual((found["checks"][0]["name"], found["checks"][0]["state"]), ("control socket", "ok"))
        self.assertGreater(len(found["checks"]), 3)
        nowhere = self.bench.path / "nowhere.sock"
        done = bench.subprocess.run([bench.BIN / "leakhuntctl", "--socket", nowhere, "doctor", "--json"],
                                    capture_output=True, text=True, env={**os.environ, "PATH": "/usr/bin:/bin"})
        self.assertEqual(done.returncode, 1)
        checks = json.loads(done.stdout)["checks"]
        self.assertEqual(checks[0]["state"], "failed")
        self.assertIn(str(nowhere), checks[0]["what"])
        self.assertGreater(len(checks), 3, "those of leakhuntd --doctor")
        self.assertEqual([c["name"] for c in checks if "socket" in c["name"]], ["control socket"])
        for check in checks:
            self.assertTrue(check["what"])
            self.assertTrue(check["remedy"] or check["state"] in ("ok", "skipped"), check)


if __name__ == "__main__":
    bench.main()
