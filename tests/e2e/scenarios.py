#!/usr/bin/env python3
"""Every scenario of the simulator, over TCP in API mode and listening on a pty, gets its right verdict.

One recorder, one simulated device per scenario and link, six and a half hours of virtual time.
"""
import unittest

import bench

SCALE = 120  # a busy machine may hold up any of the programs for a second: two minutes, not five
HOURS = 6.5
LEAK, OOM, STEADY = "slow_leak", "oom_imminent", "steady"
REBOOT, FRAGMENTED, RECOVERY = "reboot_mid_window", "fragmentation_suspect", "recovery_curve"
# scenario -> classes that are right when it is polled over TCP, and when its log is listened to
RIGHT = {
    "steady": ({STEADY}, {STEADY}),
    "leak": ({LEAK}, {LEAK}),
    "sawtooth": ({STEADY}, {STEADY}),
    "warm-up": ({STEADY}, {STEADY}),
    "burst": ({STEADY}, {STEADY}),
    "dip": ({STEADY}, {STEADY}),
    "recovery": ({RECOVERY}, {RECOVERY}),
    "fragmentation": ({STEADY, FRAGMENTED}, {FRAGMENTED}),  # polled, the largest block is not told
    "oom": ({OOM, REBOOT}, {OOM, REBOOT}),
    "reboot": ({REBOOT}, {REBOOT}),
    "reboot-leak": ({REBOOT}, {REBOOT, OOM}),  # heard, an allocation may just have failed
    "nak-storm": ({STEADY}, {STEADY}),
}
REDUCED_TO = ("steady", "leak", "reboot-leak", "nak-storm")


class Scenarios(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bench = bench.Bench(SCALE)
        cls.addClassCleanup(cls.bench.__exit__)
        cls.names = REDUCED_TO if bench.REDUCED else tuple(RIGHT)
        config = ""
        for name in cls.names:
            polled, _ = cls.bench.simulate(name)
            heard, _ = cls.bench.simulate(name, "--debug-heap", "--text", tcp=False)
            config += f'[[device]]\nname = "{name}-polled"\nlink = "{polled}"\nmode = "api"\n'
            config += f'[[device]]\nname = "{name}-heard"\nlink = "{heard}"\nmode = "listen"\n'
        cls.bench.record(config=config)
        cls.bench.until_time(HOURS * 3600)

    def report(self, name, *more):
        return self.bench.json("report", "window=6h", f"device={name}", *more)

    def test_each_scenario_gets_its_right_verdict_on_each_link(self):
        for name in self.names:
            for link, right in zip(("polled", "heard"), RIGHT[name]):
                with self.subTest(scenario=name, link=link):
                    verdict = self.report(f"{name}-{link}")["verdict"]
                    self.assertIn(verdict["class"], right, verdict["findings"])

    def test_the_leak_is_the_same_from_either_signal(self):
        polled = self.report("leak-polled")["verdict"]
        heard = self.report("leak-heard")["verdict"]
        # Of the asked-for LocalStats and the unasked ones the judge takes what excludes the smaller leak.
        self.assertIn(polled["source"], {"poll", "stats"})
        self.assertEqual(heard["source"], "debug_heap")
        self.assertEqual(polled["class"], heard["class"])
        slopes = [v["trend_per_min"]["value"] for v in (polled, heard)]
        self.assertAlmostEqual(slopes[0] / slopes[1], 1, delta=0.05)

    def test_the_log_names_the_leaking_thread_and_nobody_elsewhere(self):
        suspects = self.report("leak-heard")["verdict"]["suspects"]
        self.assertEqual(suspects[0]["thread"], "MeshPacket")
        self.assertTrue(suspects[0]["primary"])
        self.assertEqual(self.report("steady-heard")["verdict"]["suspects"], [])
        self.assertEqual(self.report("leak-polled")["verdict"]["suspects"], [])

    def test_a_storm_of_naks_is_no_exhaustion(self):
        report = self.report("nak-storm-heard")
        self.assertEqual(report["verdict"]["class"], STEADY)
        self.assertEqual(report["oom_events"], "none")
        self.assertEqual(report["error_lines"], [])
        published = self.report("nak-storm-heard", "rules=published")
        self.assertEqual(published["verdict"]["class"], OOM)

    def test_a_leak_that_recurs_across_reboots_is_named(self):
        for link in ("polled", "heard"):
            verdict = self.report(f"reboot-leak-{link}")["verdict"]
            self.assertIn(verdict.get("underlying", verdict["class"]), {LEAK, OOM}, link)
            self.assertTrue([f for f in verdict["findings"] if "comes again after the reboot" in f["text"]])
            self.assertGreater(len(verdict["boots"]), 1)

    def test_the_schedule_stored_its_verdicts_and_alerts(self):
        classes = {v["class"] for v in self.bench.json("verdicts", "device=leak-heard")["verdicts"]}
        self.assertIn(LEAK, classes)
        alerts = self.bench.json("alerts")["alerts"]
        self.assertTrue([a for a in alerts if a["device"] == "leak-polled"])
        self.assertFalse([a for a in alerts if a["device"].startswith("nak-storm")])


if __name__ == "__main__":
    bench.main()
