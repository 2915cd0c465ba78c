#!/usr/bin/env python3
"""The report page of a scripted device: labels, order, words and scripted figures to the letter."""
import re
import unittest

import bench

EXACT = [
    "/leakhunt window=6h field=free_heap variant=local device=bench1",
    "build       : DEBUG_HEAP=ON (per-line prefix detected)",
    "free_heap   : min 92,344 / max 124,008 / range 31,664",
    "reboots     : none in window",
    "OOM events  : none",
    "marks       : none",
]
LABELS = ["recorder", "build", "samples", "free_heap", "slope", "reboots", "OOM events", "error lines", "marks",
          "thread leaks", "verdict", "est. time-to-OOM", "excluded", "evidence", "published", "next"]


def number(text):
    return float(text.replace(",", ""))


class Golden(unittest.TestCase):
    def test_the_page_of_the_scripted_device(self):
        with bench.Bench(120) as b:  # slow enough that a held-up reader loses no byte of the line
            link, _ = b.simulate("golden", "--debug-heap", "--text", tcp=False)
            b.record(config=f'[[device]]\nname = "bench1"\nlink = "{link}"\nmode = "listen"\n')
            last = lambda: b.json("logs", "device=bench1", "window=all", "--max", "1")["lines"]
            b.until(lambda: last() and (last()[0].get("uptime_s") or 0) >= 6 * 3600 + 60)
            b.daemon.stop()
            page = b.ctl("report", "window=6h", "device=bench1", offline=True).stdout
        lines = page.splitlines()
        for line in EXACT:
            self.assertIn(line, lines, page)
        at = [next((i for i, line in enumerate(lines) if line.startswith(label)), None) for label in LABELS]
        self.assertNotIn(None, at, page)
        self.assertEqual(at, sorted(at), page)
        self.assertRegex(page, r"samples     : 14,200 over 6h \(cadence ~1\.5s, log-line synth\)")
        slope = number(re.search(r"slope       : (-[\d,.]+) bytes/min \(negative - heap declining\)", page).group(1))
        self.assertAlmostEqual(slope, -82, delta=0.82)
        self.assertIn('error lines : 3× "Alloc an err=ESP_ERR_NO_MEM" at +4h12m, +5h08m, +5h44m', page)
        self.assertRegex(page, r"thread leaks: \(DEBUG_HEAP\) MeshPacket +-3,124 B over 18 events \(many small\)")
        self.assertRegex(page, r"Router +-1,408 B over 4 events \(few large\)")
        self.assertRegex(page, r"others +-240 B")
        self.assertRegex(page, r"unexplained: 24,\d\d\d of 29,\d\d\d B lost \(84 %\)")
        self.assertRegex(page, r"verdict     : SLOW LEAK - primary suspect MeshPacket thread \(confirmed\)")
        minutes = number(re.search(r"est\. time-to-OOM: ~([\d,]+) min \(~[\d.]+ h\) at current slope \(95 %: ", page).group(1))
        self.assertAlmostEqual(minutes, 92344 / 82, delta=0.01 * 92344 / 82 + 1)
        self.assertIn("published   : OOM-IMMINENT", page)


if __name__ == "__main__":
    bench.main()
