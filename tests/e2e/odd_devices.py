#!/usr/bin/env python3
"""Devices that answer late, seldom or never, that never finish, that restart when opened: what the recorder does.

One recorder and all of them at once. Virtual time is slow here: a program that is held up for a second must not look
like a device that takes half a minute.
"""
import re
import unittest

import bench

SCALE = 10
LENGTH_S = 420
# name -> what the simulator is told, and whether it is on TCP
ODD = {
    "never": (("--answers", "none"), True),
    "second": (("--answers", "every-second"), True),
    "late": (("--answer-after", "30"), True),
    "nodes": (("--nodes", "250"), True),
    "endless": (("--endless-handshake", "--debug-heap"), False),
    "resets": (("--resets-when-opened", "--uptime", "5000", "--debug-heap"), False),
}


class OddDevices(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bench = bench.Bench(SCALE)
        cls.addClassCleanup(cls.bench.__exit__)
        cls.simulators, devices = {}, {}
        for number, (name, (options, tcp)) in enumerate(ODD.items()):
            devices[name], cls.simulators[name] = cls.bench.simulate(
                "leak", *options, "--commands", "--node", 0x5100 + number, tcp=tcp)
        cls.bench.record(devices)
        cls.bench.until(lambda: cls.bench.device("nodes")["links"][0]["state"] == "connected")
        cls.simulators["nodes"].send("nodes")  # and once more, unasked
        cls.bench.until_time(LENGTH_S)

    def link(self, name):
        return self.bench.device(name)["links"][0]

    def sources(self, name):
        return self.bench.json("timeline", f"device={name}", "window=all")["sources"]

    def until(self, condition):
        self.bench.until(condition)

    def test_no_restart_is_seen_where_there_was_none(self):
        for name in ODD:
            with self.subTest(device=name):
                boots = self.bench.json("timeline", f"device={name}", "window=all")["boots"]
                self.assertEqual(len(boots), 1, boots)
                self.assertEqual(self.bench.device(name)["boots"], 1)
                self.assertEqual(self.link(name)["reconnects"], 0)

    def test_one_that_never_answers_is_asked_ever_more_seldom_and_its_own_telemetry_kept(self):
        self.until(lambda: re.fullmatch("unanswered, every (4|8|15) min", self.bench.device("never")["poll"]))
        self.until(lambda: self.sources("never").get("stats"))
        self.assertNotIn("poll", self.sources("never"))
        self.assertEqual(self.link("never")["state"], "connected")
        self.assertEqual(self.link("never")["trouble"], "")
        self.assertIn("does not answer requests", self.link("never")["advice"])

    def test_one_that_answers_every_second_request_is_asked_on_as_before(self):
        self.until(lambda: self.sources("second").get("poll", 0) >= 3)
        self.until(lambda: re.fullmatch(r"every 60 s, \d+ of \d+ answered", self.bench.device("second")["poll"]))
        self.assertEqual(self.link("second")["state"], "connected")

    def test_late_answers_are_answers_and_stand_at_the_time_they_came(self):
        self.until(lambda: self.sources("late").get("poll", 0) >= 5)
        self.until(lambda: re.match(r"every 60 s, answered after \d+ s", self.bench.device("late")["poll"]))
        points = self.bench.json("timeline", "device=late", "window=all", "--source", "poll")["points"]
        first_ask = self.link("late")["since"]
        self.assertGreaterEqual(points[0]["ts"] - first_ask, 29)

    def test_hundreds_of_node_infos_are_no_trouble_and_no_rows(self):
        self.until(lambda: self.bench.device("nodes")["counters"].get("queue_status", 0) >= 3)
        self.until(lambda: self.sources("nodes").get("poll", 0) >= 5)
        link = self.link("nodes")
        self.assertGreater(link["frames"], 500)
        self.assertEqual((link["state"], link["trouble"], link["bad_bytes"]), ("connected", "", 0))

    def test_an_endless_handshake_is_told_and_what_comes_is_recorded(self):
        self.until(lambda: re.search(r"has not finished its configuration in \d+ handshakes?; what it sends is recorded",
                                     self.link("endless")["trouble"]))
        self.assertEqual(self.link("endless")["state"], "handshake")
        self.assertEqual(self.bench.device("endless")["poll"], "not before the handshake is complete")
        self.until(lambda: self.sources("endless").get("debug_heap", 0) >= 5)
        leaked = self.bench.json("logs", "device=endless", "window=all", "--grep", "leaked heap")
        self.assertGreater(leaked["total_matched"], 0)

    def test_one_that_restarts_when_opened_is_opened_once_and_the_restart_laid_to_the_recorder(self):
        self.until(lambda: self.sources("resets").get("poll", 0) >= 3)
        boots = self.bench.json("events", "device=resets", "window=all", "--kind", "boot")["events"]
        self.assertEqual([event["label"] for event in boots], ["opened_by_recorder"])
        self.assertEqual(self.link("resets")["state"], "connected")
        self.assertIn("opening the port restarted this board", self.link("resets")["advice"])
        alerts = [a for a in self.bench.json("alerts")["alerts"] if a["device"] == "resets"]
        self.assertFalse([a for a in alerts if "boot" in a["kind"]], alerts)

    def test_no_device_was_connected_to_twice_or_given_a_packet_for_the_air(self):
        for name, simulator in self.simulators.items():
            with self.subTest(device=name):
                simulator.send("counters")
                summary = simulator.wait_line("sent frames .*").group(0)
                self.assertIn("for other nodes 0;", summary)
                self.assertIn("opened 1 times;", summary)
                self.assertIn("boots 2;" if name == "resets" else "boots 1;", summary)


if __name__ == "__main__":
    bench.main()
