#!/usr/bin/env python3
"""The life of an alarm on the real schedule, in virtual time: a leak becomes provisional, then confirmed and stays so
over a restart of the recorder; a cache that fills is an alarm that is withdrawn; a level below the least that was asked
for is told though nothing leaks, and over when it is back.
"""
import signal
import unittest

import bench

SCALE = 120
HOUR = 3600
RESTART_H, END_H = 2.6, 3.8
FLOOR = 190_000
ALARMS = {"slow_leak", "oom_imminent", "fragmentation_suspect"}


class Alarms(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bench = bench.Bench(SCALE)
        cls.addClassCleanup(cls.bench.__exit__)
        b = cls.bench
        config = "[[device]]\nname = \"{}\"\nlink = \"{}\"\n"
        text = config.format("leak", b.simulate("leak")[0]) + "reserve_bytes = 20000\n"
        text += config.format("cache", b.simulate("cache")[0])
        low, cls.low = b.simulate("steady", "--commands")
        text += config.format("low", low) + f"min_free_bytes = {FLOOR}\n"
        b.record(config=text)
        b.until(lambda: cls.low_alerts("open"))
        cls.while_low = b.json("report", "device=low", "window=1h")
        cls.low.send("heap 230000")
        b.until(lambda: cls.low_alerts("resolved"))
        b.until_time(RESTART_H * HOUR)
        cls.before_restart = b.json("verdicts", "device=leak")["verdicts"]
        b.daemon.stop(signal.SIGTERM)
        b.record(config=text)
        b.until_time(END_H * HOUR)

    @classmethod
    def low_alerts(cls, state):
        alerts = cls.bench.json("alerts", "device=low")["alerts"]
        return [a for a in alerts if a["cause"] == "low_memory" and a["state"] == state]

    def life(self, device, window_h=1):
        """What the schedule wrote of one window, oldest first."""
        verdicts = self.bench.json("verdicts", f"device={device}", "max=300")["verdicts"]
        return [v for v in reversed(verdicts) if v["window_s"] == window_h * HOUR]

    @staticmethod
    def reason(verdict):
        return verdict["findings"][-1]["text"]

    def test_a_leak_is_provisional_then_confirmed(self):
        leaks = [v for v in self.life("leak") if v["class"] == "slow_leak"]
        states = [v["state"] for v in leaks]
        self.assertEqual(states[0], "provisional")
        first = states.index("confirmed")
        self.assertEqual(set(states[first:]), {"confirmed"}, "also after the restart of the recorder")
        self.assertIn("first 2 h of a boot", self.reason(leaks[0]))
        self.assertRegex(self.reason(leaks[first]), r"^confirmed: SLOW LEAK at \d+ looks in a row that count")
        boot = leaks[0]["boots"][0]["start"]
        self.assertGreaterEqual(leaks[first]["ts"] - boot, 2 * HOUR - 90)
        restart = self.before_restart[0]["ts"]
        self.assertTrue([v for v in leaks[first:] if v["ts"] > restart])

    def test_the_alert_comes_with_the_confirmation(self):
        horizon = [a for a in self.bench.json("alerts", "device=leak")["alerts"] if a["cause"] == "horizon"]
        self.assertEqual(len(horizon), 1)
        confirmed = next(v for v in self.life("leak") if v["state"] == "confirmed" and v["class"] == "slow_leak")
        self.assertGreaterEqual(horizon[0]["first"], confirmed["ts"] - 1)
        self.assertEqual(horizon[0]["state"], "open")

    def test_a_cache_that_fills_is_withdrawn(self):
        life = self.life("cache")
        classes = [v["class"] for v in life]
        self.assertIn("slow_leak", classes)
        self.assertFalse([v for v in life if v["class"] in ALARMS and v["state"] == "confirmed"])
        withdrawn = next(v for v in life if v["state"] == "withdrawn")
        self.assertNotIn(withdrawn["class"], ALARMS)
        self.assertRegex(self.reason(withdrawn), r"^withdrawn: .* ago it was SLOW LEAK; .* it is STEADY")
        self.assertNotIn(life[-1]["class"], ALARMS)

    def test_what_was_provisional_alarmed_nobody(self):
        alerts = self.bench.json("alerts", "device=cache")["alerts"]
        self.assertFalse([a for a in alerts if a["cause"] == "horizon"])
        self.assertFalse([a for a in alerts if a["state"] == "open"], "the steep slope withdraws itself")

    def test_a_person_sees_the_life(self):
        table = self.bench.ctl("verdicts", "device=cache").stdout
        self.assertRegex(table, r"SLOW LEAK \(provisional\)")
        self.assertRegex(table, r"STEADY \(withdrawn\)")
        self.assertRegex(table, r"withdrawn: \d+ min ago it was SLOW LEAK")

    def test_the_headline_is_the_confirmed_leak(self):
        self.assertEqual(self.bench.device("leak")["headline"]["class"], "slow_leak")
        self.assertEqual(self.bench.device("leak")["headline"]["state"], "confirmed")
        self.assertNotIn(self.bench.device("cache")["headline"]["class"], ALARMS)

    def test_a_level_below_the_least_asked_for_is_told(self):
        report = self.while_low
        self.assertEqual(report["verdict"]["class"], "steady")
        self.assertTrue([f for f in report["verdict"]["findings"] if "190,000 B" in f["text"]])
        alert = self.low_alerts("resolved")[0]
        self.assertEqual(alert["severity"], "warning")
        self.assertFalse(self.low_alerts("open"))

    def test_the_reserve_and_its_reason(self):
        self.assertIn("reserve 20,000 B: reserve_bytes of the configuration",
                      self.bench.ctl("report", "device=leak", "window=1h").stdout)
        chip = self.bench.json("report", "device=cache", "window=1h")["verdict"]
        self.assertEqual((chip["reserve_bytes"], chip["reserve_reason"]), (15000, "chip esp32s3"))
        asked = self.bench.json("report", "device=leak", "window=1h", "--reserve", 0)["verdict"]
        self.assertEqual((asked["reserve_bytes"], asked["reserve_reason"]), (0, "--reserve"))


if __name__ == "__main__":
    bench.main()
