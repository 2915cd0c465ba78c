#!/usr/bin/env python3
"""Every command against a running recorder and against its file, and what wrong words and files get."""
import csv
import io
import json
import socket
import sqlite3
import unittest

import bench


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bench = bench.Bench(120)
        cls.addClassCleanup(cls.bench.__exit__)
        polled, _ = cls.bench.simulate("leak")
        heard, _ = cls.bench.simulate("leak", "--debug-heap", "--text", tcp=False)
        cls.bench.record(config=f'[[device]]\nname = "polled"\nlink = "{polled}"\n'
                                f'[[device]]\nname = "heard"\nlink = "{heard}"\nmode = "listen"\n')
        cls.bench.until(lambda: cls.bench.samples("polled") >= 40 and cls.bench.samples("heard") >= 400)

    def test_status_tells_what_each_link_sees(self):
        status = self.bench.json("status")
        self.assertTrue(status["running"])
        for device in status["devices"]:
            self.assertTrue(device["links"][0]["sees"])
            self.assertTrue(device["links"][0]["cannot_see"])
        self.assertGreater(status["files"]["telemetry"]["lines"], 40)
        self.assertEqual(status["time_scale"], 120)
        self.assertIn("device polled", self.bench.ctl("status").stdout)

    def test_without_a_device_the_choice_is_listed(self):
        said = self.bench.ctl("report", ok=(2,)).stderr
        self.assertIn("polled", said)
        self.assertIn("heard", said)

    def test_a_timeline_keeps_to_its_points_and_its_window(self):
        timeline = self.bench.json("timeline", "device=heard", "window=30m", "max_points=20")
        self.assertLessEqual(len(timeline["points"]), 20)
        self.assertGreater(timeline["samples"], 100)
        values = [p["value"] for p in timeline["points"]]
        self.assertEqual(min(values), timeline["min"])
        self.assertEqual(max(values), timeline["max"])
        self.assertLess(timeline["slope_per_min"], 0)
        for point in timeline["points"]:
            self.assertTrue(timeline["window"]["start"] <= point["ts"] < timeline["window"]["end"])

    def test_other_variants_and_fields_are_found_by_name(self):
        timeline = self.bench.json("timeline", "device=polled", "field=battery_level", "window=all")
        self.assertEqual(timeline["window"]["variant"], "device")
        self.assertGreater(timeline["samples"], 0)
        camel = self.bench.json("timeline", "device=polled", "field=batteryLevel", "window=all")
        self.assertEqual(camel["window"]["field"], timeline["window"]["field"])
        said = self.bench.ctl("timeline", "device=polled", "field=no_such_field", ok=(2,)).stderr
        self.assertIn("heap_free_bytes", said)

    def test_logs_are_searched_as_stored(self):
        found = self.bench.json("logs", "device=heard", "--start", "-10m", "--grep", r"\[heap \d+\]", "--max", "3")
        self.assertEqual(len(found["lines"]), 3)
        self.assertGreater(found["total_matched"], 3)
        leaked = self.bench.json("logs", "device=heard", "window=all", "--grep", "leaked heap", "--max", "5")
        self.assertEqual(leaked["lines"][-1]["heap_event"]["kind"], "leaked")
        memory = self.bench.json("logs", "device=heard", "window=all", "--memory")
        self.assertGreaterEqual(memory["total_matched"], leaked["total_matched"])

    def test_events_marks_and_experiments(self):
        self.bench.ctl("mark", "burst-start", "device=heard", "--note", "eight clients", "--data", '{"clients": 8}')
        self.bench.ctl("mark", "burst-end", "device=heard")
        marks = self.bench.json("events", "device=heard", "--kind", "mark")["events"]
        self.assertEqual([m["label"] for m in marks[-2:]], ["burst-start", "burst-end"])
        self.assertEqual(json.loads(marks[-2]["data"]), {"clients": 8})
        rows = self.bench.json("logs", "device=heard", "--level", "MARK")["lines"]
        self.assertIn("[mark] burst-start - eight clients", [r["text"] for r in rows])
        self.assertIn("mark", self.bench.ctl("events", "device=heard", "--kind", "no_such", ok=(2,)).stderr)
        self.bench.ctl("mark", "x", "device=heard", "--data", "[1", ok=(2,))

    def test_packets_are_summaries(self):
        packets = self.bench.json("packets", "device=polled", "window=all", "--max", "50")["packets"]
        self.assertTrue(packets)
        self.assertLessEqual(set(packets[0]), {"ts", "from", "to", "port", "size_bytes", "hops", "rssi_dbm", "snr_db"})

    def test_report_in_every_format(self):
        page = self.bench.ctl("report", "window=30m", "device=heard", ok=(0,)).stdout
        for label in ("recorder    :", "build       : DEBUG_HEAP=ON", "slope       :", "verdict     :", "next        :"):
            self.assertIn(label, page)
        self.assertEqual(len(list(csv.DictReader(io.StringIO(
            self.bench.ctl("report", "device=heard", "--format", "csv").stdout)))), 1)
        report = self.bench.json("leakhunt", "window=30m", "device=heard")
        self.assertEqual(report["verdict"]["rules"], "leakhunt")

    def test_a_class_can_fail_a_script(self):
        self.bench.ctl("report", "window=30m", "device=heard", "--rules", "published", "--fail-on", "slow_leak",
                       ok=(11,))
        self.bench.ctl("report", "window=30m", "device=heard", "--rules", "published", "--fail-on", "oom_imminent",
                       ok=(0,))

    def test_the_file_answers_without_the_daemon(self):
        live = self.bench.json("timeline", "device=heard", "window=all", "max_points=2")
        offline = self.bench.json("timeline", "device=heard", "window=all", "max_points=2", offline=True)
        self.assertTrue(offline["offline"])
        self.assertGreaterEqual(offline["samples"], live["samples"])
        self.assertIn("daemon", self.bench.ctl("mark", "x", "device=heard", offline=True, ok=(2,)).stderr)

    def test_wrong_words_get_one_line(self):
        for words in (["report", "window=0"], ["report", "window=3y"], ["timeline", "--start", "now", "--end", "-1h"],
                      ["timeline", "--start", "1764500000000"], ["logs", "--grep", "("], ["report", "device=nobody"],
                      ["report", "field=free_heap", "variant=nope"]):
            said = self.bench.ctl(*words, *([] if "device=nobody" in words else ["device=heard"]), ok=(2,)).stderr
            self.assertEqual(said.count("\n"), 1, said)
            self.assertTrue(said.startswith("leakhuntctl: "), said)

    def test_no_private_word_reaches_the_store(self):
        self.bench.ctl("status")
        with sqlite3.connect(f"file:{self.bench.state}/leakhunt.db?mode=ro", uri=True) as store:
            dump = "\n".join(store.iterdump())
        for secret in ("sim-", "51.47693", "psk"):  # what the simulator marks as private
            self.assertNotIn(secret, dump.lower())

    def test_a_second_recorder_is_refused_by_name(self):
        second = bench.Program([bench.BIN / "leakhuntd", "--state-dir", self.bench.state, "--device", "x=tcp:127.0.0.1:9"])
        self.assertEqual(second.stop(how=0), 3)
        self.assertRegex("\n".join(second.output), r"leakhuntd.*\d+")


class LastWords(unittest.TestCase):
    """A board that panics right after the text of a message: no line end tells where the text has ended."""

    def test_a_panic_behind_a_message_is_its_cause_and_the_message_stays_private(self):
        with bench.Bench(20) as table:
            link, board = table.simulate("leak", "--text", "--commands", tcp=False)
            table.record({"heard": f"{link}#listen"})
            table.until(lambda: table.link("heard")["state"] == "listening")
            panic = "Guru Meditation Error: Core  1 panic'ed (LoadProhibited). Exception was unhandled."
            for words in ("text SIM-hello", "raw SIM-and a second line", "raw " + panic):
                board.send(words)

            def alarms():
                lines = table.json("logs", "device=heard", "window=all")["lines"]
                return [line["text"] for line in lines if line.get("alarm")]
            table.until(alarms)
            self.assertEqual(alarms(), [panic])
            board.send("reboot")

            def boots():
                events = table.json("events", "device=heard", "kind=boot", "window=all")["events"]
                return [(event["label"], event["note"].split()[:4]) for event in events]
            table.until(lambda: ("panic", ["rom_banner", "rom_reset", "rebooted", "banner"]) in boots())
            with sqlite3.connect(f"file:{table.state}/leakhunt.db?mode=ro", uri=True) as store:
                self.assertNotIn("SIM-", "\n".join(store.iterdump()))


class Faults(unittest.TestCase):
    def setUp(self):
        self.bench = bench.Bench()
        self.addCleanup(self.bench.__exit__)

    def ctl(self, *arguments):
        done = bench.subprocess.run([bench.BIN / "leakhuntctl", *map(str, arguments)], capture_output=True, text=True)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done

    def start_fails(self, *arguments):
        daemon = bench.Program([bench.BIN / "leakhuntd", "--state-dir", self.bench.path / "s", *arguments])
        return daemon.stop(how=0), "\n".join(daemon.output)

    def test_no_daemon_names_the_sockets_tried(self):
        done = self.ctl("--socket", self.bench.path / "nowhere.sock", "status")
        self.assertEqual(done.returncode, 3)
        self.assertIn("nowhere.sock", done.stderr)

    def test_files_that_are_no_store_of_ours(self):
        foreign = self.bench.path / "foreign.db"
        with sqlite3.connect(foreign) as db:
            db.execute("create table t(x)")
        newer = self.bench.path / "newer.db"
        self.bench.record({"x": "tcp:127.0.0.1:9"})
        self.bench.daemon.stop()
        newer.write_bytes((self.bench.state / "leakhunt.db").read_bytes())
        with sqlite3.connect(newer) as db:
            db.execute("pragma user_version = 999")
        text = self.bench.path / "text.db"
        text.write_text("no database at all\n" * 100)
        for path in (foreign, newer, text, self.bench.path / "missing.db"):
            done = self.ctl("--db", path, "status")
            self.assertEqual(done.returncode, 3, path)
            self.assertIn(path.name, done.stderr)

    def test_a_malformed_configuration_names_its_line(self):
        for text, names in (('[[device]]\nname = "a"\nlink = "tcp:h"\nmod = "api"\n', ("mod", ":4")),
                            ('[[device]]\nname = "a"\nlink = "tcp:h"\nmode = "sing"\n', ("sing", ":4", "listen")),
                            ("[[device]\n", (":1",)), ('[[device]]\nname = "a"\n', ("link",))):
            file = self.bench.path / "bad.toml"
            file.write_text(text)
            code, said = self.start_fails("--config", file, "--check")
            self.assertEqual(code, 2, said)
            for name in names:
                self.assertIn(name, said)

    def test_what_is_no_device_shows_as_trouble_and_disturbs_nobody(self):
        mute = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(mute.close)
        link, _ = self.bench.simulate("steady")
        self.bench.record({"good": link, "refused": "tcp:127.0.0.1:9", "mute": f"tcp:127.0.0.1:{mute.getsockname()[1]}",
                           "gone": f"serial:{self.bench.path}/no-such-tty"})
        self.bench.until(lambda: self.bench.device("good")["links"][0]["state"] == "connected")
        for name in ("refused", "gone"):
            self.bench.until(lambda name=name: self.bench.device(name)["links"][0]["trouble"])

    def test_files_that_cannot_be_judged(self):
        bad = self.bench.path / "bad.csv"
        bad.write_text("timestamp,heap_free_bytes\nnot,numbers\n")
        self.assertEqual(self.ctl("classify", self.bench.path / "missing.log").returncode, 1)
        done = bench.subprocess.run([bench.BIN / "leakhuntctl", "classify", bad, "--json"], capture_output=True, text=True)
        self.assertEqual(json.loads(done.stdout)["files"][0]["verdict"]["class"], "insufficient_data")


if __name__ == "__main__":
    bench.main()
