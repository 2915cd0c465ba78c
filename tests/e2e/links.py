#!/usr/bin/env python3
"""Several devices on one bench: ports that change hands and names, boards that are mixed up, wiped or flashed.

The real programs on real terminals and sockets; nothing waits for time to pass, only for what they say.
"""
import fcntl
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import unittest

import bench

SCALE = 20


def lock_of(link):
    """The port behind a link, opened and locked as another program would; None while it is held."""
    port = os.open(link.removeprefix("serial:"), os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        fcntl.flock(port, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(port)
        return None
    return port


class LinksTest(unittest.TestCase):
    def setUp(self):
        self.bench = bench.Bench(SCALE)
        self.addCleanup(self.bench.__exit__)

    def until_state(self, name, *states, link=0):
        self.bench.until(lambda: self.bench.link(name, link)["state"] in states)
        return self.bench.link(name, link)

    def until_sampled(self, name):
        before = self.bench.samples(name)
        self.bench.until(lambda: self.bench.samples(name) > before)

    def until_event(self, name, kind, label=None):
        def seen():
            return [e for e in self.events(name, kind) if label in (None, e["label"])]
        self.bench.until(seen)
        return seen()[-1]

    def events(self, name, *kinds):
        return self.bench.json("events", f"device={name}", *(f"kind={kind}" for kind in kinds))["events"]

    def restart(self, **more):
        self.bench.daemon.stop()
        return self.bench.record(**more)


class Release(LinksTest):
    """Handing a device over to another program, and taking it back."""

    def test_the_port_is_free_while_released_and_ours_again(self):
        link, _ = self.bench.simulate("steady", tcp=False)
        self.bench.record({"bench": link})
        self.until_state("bench", "connected")
        self.assertIsNone(lock_of(link))
        said = self.bench.ctl("release", "bench", "--for", "1h").stdout
        self.assertIn("leakhuntctl resume bench", said)
        port = lock_of(link)
        self.assertIsNotNone(port)
        self.assertEqual(self.bench.link("bench")["state"], "released")
        self.assertGreater(self.bench.device("bench")["released_until"], self.bench.json("status")["now"])
        # Taken back while the other program still has it: it says so, and waits.
        self.bench.ctl("resume", "bench")
        trouble = self.until_state("bench", "waiting")["trouble"]
        self.assertIn("held by process", trouble)
        os.close(port)
        self.until_state("bench", "connected")
        self.assertIsNone(lock_of(link))
        self.assertEqual([e["label"] for e in self.events("bench", "released")], ["handed over", "taken back"])
        self.assertEqual(self.events("bench", "connection_lost"), [])

    def test_the_port_is_free_while_a_program_of_the_recorder_runs(self):
        # What the recorder starts must not hold its ports open, or its lock would outlive the release.
        link, device = self.bench.simulate("steady", "--commands", tcp=False)
        started = self.bench.path / "hook-started"
        hook = self.bench.path / "hook"
        hook.write_text(f"#!/bin/sh\ntouch {started}\nexec sleep 1000\n")
        hook.chmod(0o755)
        self.bench.record(config=f'[alerts]\nhook = "{hook}"\n[[device]]\nname = "bench"\nlink = "{link}"\n')
        self.until_state("bench", "connected")
        device.send("line out of memory")
        self.bench.until(started.exists)
        self.bench.ctl("release", "bench", "--for", "1h")
        port = lock_of(link)
        self.assertIsNotNone(port)
        os.close(port)

    def test_the_time_of_a_release_ends(self):
        link, _ = self.bench.simulate("steady", tcp=False)
        self.bench.record({"bench": link})
        self.until_state("bench", "connected")
        self.bench.ctl("release", "bench", "--for", "30s")
        self.until_event("bench", "released", "taken back")
        self.until_state("bench", "connected")

    def test_a_command_gets_the_port_and_gives_its_exit_code(self):
        link, _ = self.bench.simulate("steady", tcp=False)
        self.bench.record({"bench": link})
        self.until_state("bench", "connected")
        takes = textwrap.dedent(f"""
            import fcntl, os, sys
            port = os.open({link.removeprefix("serial:")!r}, os.O_RDWR | os.O_NOCTTY)
            fcntl.flock(port, fcntl.LOCK_EX | fcntl.LOCK_NB)
            print(sys.argv[1])
            sys.exit(7)""")
        done = self.bench.ctl("release", "bench", "--", sys.executable, "-c", takes, "window=6h", ok=(7,))
        self.assertEqual(done.stdout.strip(), "window=6h")
        self.until_state("bench", "connected")
        self.assertEqual(self.bench.ctl("release", "bench", "--", "/no/such/program", ok=None).returncode, 127)
        self.until_state("bench", "connected")
        self.assertEqual(self.bench.ctl("release", "bench", "--", "sh", "-c", "kill -9 $$", ok=None).returncode,
                         128 + signal.SIGKILL)
        self.until_state("bench", "connected")

    def test_a_killed_command_gives_the_device_back(self):
        link, _ = self.bench.simulate("steady", tcp=False)
        self.bench.record({"bench": link})
        self.until_state("bench", "connected")
        control = self.bench.state / "control.sock"
        holder = subprocess.Popen([bench.BIN / "leakhuntctl", "--socket", control, "release", "bench", "--",
                                   "sleep", "1000"], stderr=subprocess.DEVNULL, start_new_session=True)
        self.until_state("bench", "released")
        os.killpg(holder.pid, signal.SIGKILL)
        holder.wait()
        self.assertIn("ended", self.until_event("bench", "released", "taken back")["note"])
        self.until_state("bench", "connected")

    def test_a_command_that_outlives_leakhuntctl_keeps_the_port(self):
        link, _ = self.bench.simulate("steady", tcp=False)
        other, _ = self.bench.simulate("steady")
        self.bench.record({"bench": link, "other": other})
        self.until_state("bench", "connected")
        end = self.bench.path / "end"
        os.mkfifo(end)
        holder = subprocess.Popen([bench.BIN / "leakhuntctl", "--socket", self.bench.state / "control.sock", "release",
                                   "bench", "--", "sh", "-c", f"echo begun; read x <{end}"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.assertEqual(holder.stdout.readline(), b"begun\n")
        holder.kill()
        holder.wait()
        holder.stdout.close()
        for _ in range(2):
            self.until_sampled("other")
        os.close(lock_of(link))
        self.assertEqual(self.bench.link("bench")["state"], "released")
        end.write_text("\n")
        self.until_event("bench", "released", "taken back")
        self.until_state("bench", "connected")

    def test_a_second_program_does_not_get_what_the_first_one_has(self):
        link, _ = self.bench.simulate("steady", tcp=False)
        self.bench.record({"bench": link})
        self.until_state("bench", "connected")
        control = self.bench.state / "control.sock"
        first = subprocess.Popen([bench.BIN / "leakhuntctl", "--socket", control, "release", "bench", "--", "cat"],
                                 stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.until_state("bench", "released")
        self.assertIn("already", self.bench.ctl("release", "bench", "--", "true", ok=(1,)).stderr)
        self.assertEqual(self.bench.link("bench")["state"], "released")
        first.communicate()
        self.until_state("bench", "connected")
        self.assertIn("ended", self.until_event("bench", "released", "taken back")["note"])

    def test_a_tcp_device_is_handed_over_alike(self):
        link, _ = self.bench.simulate("steady")
        self.bench.record({"bench": link})
        self.until_state("bench", "connected")
        self.bench.ctl("release", "bench", "--for", "1h")
        self.assertEqual(self.bench.link("bench")["state"], "released")
        self.bench.ctl("resume", "bench")
        self.until_state("bench", "connected")
        self.assertEqual(self.events("bench", "connection_lost"), [])

    def test_the_boot_after_it_is_planned_and_no_alert(self):
        link, device = self.bench.simulate("steady", "--commands", "--uptime", "5000", tcp=False)
        self.bench.record({"bench": link})
        self.until_sampled("bench")
        self.bench.ctl("release", "bench", "--for", "1h")
        device.send("flash 2.9.9.abcdef0")
        self.bench.ctl("resume", "bench")
        self.until_event("bench", "firmware_changed")
        boot = self.until_event("bench", "boot")
        self.assertEqual(boot["label"], "planned")
        self.assertEqual(self.bench.json("alerts")["alerts"], [])

    def test_a_release_outlives_the_recorder(self):
        link, _ = self.bench.simulate("steady", tcp=False)
        self.bench.record({"bench": link})
        self.until_state("bench", "connected")
        self.bench.ctl("release", "bench", "--for", "10h")
        for how in (signal.SIGTERM, signal.SIGKILL):
            self.bench.daemon.stop(how)
            self.bench.record({"bench": link})
            self.assertEqual(self.bench.link("bench")["state"], "released")
            os.close(lock_of(link))
        self.bench.ctl("resume", "bench")
        self.until_state("bench", "connected")

    def test_bad_words_are_refused(self):
        link, _ = self.bench.simulate("steady")
        self.bench.record({"bench": link})
        self.assertIn("bench", self.bench.ctl("release", "nobody", ok=(2,)).stderr)
        self.bench.ctl("release", "bench", "--for", "0s", ok=(2,))
        self.bench.ctl("release", "bench", "--for", "soon", ok=(2,))
        self.bench.ctl("resume", "nobody", ok=(2,))


class Pause(LinksTest):
    def test_a_pause_lets_go_of_all_and_outlives_the_recorder(self):
        tcp, _ = self.bench.simulate("steady")
        pty, _ = self.bench.simulate("steady", "--node", "77", tcp=False)
        devices = {"net": tcp, "desk": pty}
        self.bench.record(devices)
        for name in devices:
            self.until_state(name, "connected")
        self.bench.ctl("pause")
        os.close(lock_of(pty))
        self.assertTrue(self.bench.json("status")["paused"])
        self.restart(devices=devices)
        self.assertTrue(self.bench.json("status")["paused"])
        self.assertEqual({self.bench.link(name)["state"] for name in devices}, {"paused"})
        self.assertIn("paused", self.bench.ctl("report", "device=net", ok=None).stdout)
        self.bench.ctl("resume")
        for name in devices:
            self.until_state(name, "connected")
        self.assertFalse(self.bench.json("status")["paused"])
        kinds = [e["kind"] for e in self.events("net", "recorder_pause", "recorder_resume", "connection_lost")]
        self.assertEqual(sorted(kinds), ["recorder_pause", "recorder_resume"])

    def test_a_pause_that_was_promised_is_kept(self):
        link, _ = self.bench.simulate("steady")
        self.bench.record({"bench": link})
        self.until_state("bench", "connected")
        self.bench.ctl("pause")
        self.bench.daemon.stop(signal.SIGKILL)
        self.bench.record({"bench": link})
        self.assertTrue(self.bench.json("status")["paused"])

    def test_a_pause_ends_by_its_time(self):
        link, _ = self.bench.simulate("steady")
        self.bench.record({"bench": link})
        self.until_state("bench", "connected")
        self.bench.ctl("pause", "--for", "30s")
        self.bench.until(lambda: not self.bench.json("status")["paused"])
        self.until_state("bench", "connected")


class Boards(LinksTest):
    """Which board stands behind which name."""

    def free_heap(self, name):
        return {p["value"] for p in self.bench.json("timeline", "window=all", f"device={name}")["points"]}

    def test_the_same_board_under_two_names_is_refused_to_the_second(self):
        pty = self.bench.path / "console"
        both = bench.Program([bench.BIN / "leakhunt-sim", "--tcp", 0, "--pty", pty, *self.bench._time("--speed")],
                             stdin=subprocess.PIPE)
        self.bench.simulators.append(both)
        tcp = both.wait_line(r"tcp:[0-9.]+:\d+").group(0)
        both.wait_line("pty ")
        self.bench.record(config=f'[[device]]\nname = "first"\nlink = "{tcp}"\n'
                                 f'[[device]]\nname = "second"\nlink = "serial:{pty}"\n')
        trouble = self.until_state("second", "refused")["trouble"]
        self.assertIn('"first"', trouble)
        self.assertIn('"second"', trouble)
        self.until_state("first", "connected")
        self.until_sampled("first")

    def test_swapped_ports_are_refused_and_never_mixed(self):
        one, _ = self.bench.simulate("steady", "--node", "101", "--heap-free", "50000", tcp=False)
        two, _ = self.bench.simulate("steady", "--node", "102", "--heap-free", "90000", tcp=False)
        self.bench.record({"one": one, "two": two})
        for name in ("one", "two"):
            self.until_sampled(name)
        self.restart(devices={"one": two, "two": one})
        for name, other in (("one", "two"), ("two", "one")):
            trouble = self.until_state(name, "refused")["trouble"]
            self.assertIn(f'"{other}"', trouble)
        self.restart(devices={"one": one, "two": two})
        for name in ("one", "two"):
            self.until_sampled(name)
        self.assertLess(max(self.free_heap("one")), 60000)
        self.assertGreater(min(self.free_heap("two")), 60000)
        for name, node in (("one", 101), ("two", 102)):
            lines = self.bench.json("logs", "window=all", f"device={name}")["lines"]
            self.assertTrue(lines)
            self.assertEqual(self.bench.device(name)["node"], f"!{node:08x}")
            self.assertEqual(self.events(name, "other_node"), [])

    def test_a_board_that_never_names_itself_is_not_taken_for_the_one_that_is_missed(self):
        one, _ = self.bench.simulate("steady", "--node", "101", "--heap-free", "50000", tcp=False)
        two, _ = self.bench.simulate("steady", "--node", "102", "--heap-free", "90000", tcp=False)
        self.bench.record({"one": one, "two": two})
        for name in ("one", "two"):
            self.until_sampled(name)
        self.bench.daemon.stop()
        before = self.bench.json("logs", "window=all", "device=two", offline=True)["total_matched"]
        # On the port of "two" stands a board that prints text and answers nobody; "one" is missed.
        mute, _ = self.bench.simulate("steady", "--node", "101", "--heap-free", "50000", "--debug-heap", "--text",
                                      tcp=False)
        self.bench.record({"one": "serial:/dev/nowhere", "two": mute})
        self.bench.until(lambda: "not recorded until it names its node" in self.bench.link("two")["trouble"])
        self.bench.until(lambda: self.bench.device("two")["counters"].get("unowned", 0) > 0 or
                         self.bench.link("two")["state"] == "failed")
        self.assertEqual(self.bench.json("logs", "window=all", "device=two")["total_matched"], before)
        self.assertGreater(min(self.free_heap("two")), 60000)

    def test_a_wiped_board_is_a_new_identity_under_the_same_name(self):
        link, device = self.bench.simulate("steady", "--commands", "--node", "201")
        self.bench.record({"bench": link})
        self.until_sampled("bench")
        device.send("node 202")
        device.send("reboot")
        self.assertIn("!000000c9", self.until_event("bench", "other_node")["note"])
        self.until_sampled("bench")
        self.assertEqual(self.bench.device("bench")["node"], "!000000ca")

    def test_a_board_recorded_under_a_name_of_old_is_recorded_and_told(self):
        link, _ = self.bench.simulate("steady")
        self.bench.record({"old": link})
        self.until_sampled("old")
        self.restart(devices={"new": link})
        self.until_sampled("new")
        self.assertIn("leakhuntctl device merge old new", self.bench.link("new")["advice"])
        before = self.bench.samples("new")
        self.bench.ctl("device", "merge", "old", "new")
        self.assertGreater(self.bench.samples("new"), before)
        self.assertNotIn("old", self.bench.ctl("devices").stdout)
        self.until_sampled("new")

    def test_a_name_is_changed_while_it_records(self):
        link, _ = self.bench.simulate("steady")
        self.bench.record({"old": link})
        self.until_sampled("old")
        self.assertIn("configuration", self.bench.ctl("device", "rename", "old", "new").stdout)
        self.until_sampled("new")
        self.assertEqual([d["name"] for d in self.bench.json("status")["devices"]], ["new"])
        self.bench.ctl("release", "new", "--for", "1h")
        self.bench.ctl("resume", "new")
        self.until_state("new", "connected")

    def test_a_broken_device_disturbs_nobody(self):
        good, _ = self.bench.simulate("steady")
        mad, _ = self.bench.simulate("garbage", "--node", "5", tcp=False)
        mute, _ = self.bench.simulate("steady", "--node", "6", "--answers", "none", "--endless-handshake")
        self.bench.record({"good": good, "mad": mad, "mute": mute, "gone": "tcp:127.0.0.1:1",
                           "nowhere": "serial:/dev/nowhere"})
        for _ in range(3):
            self.until_sampled("good")
        self.assertEqual(self.events("good", "connection_lost"), [])
        self.assertIn("refused", self.bench.link("gone")["trouble"])
        self.assertIn("no such port", self.bench.link("nowhere")["trouble"])


class HotPlug(LinksTest):
    """A board that goes and comes back under another name."""

    def setUp(self):
        super().setUp()
        self.ports = self.bench.path / "ports"
        self.ports.mkdir()

    def plug(self, name, link, serial):
        (self.ports / f"{name}.toml").write_text(
            f'usb_vendor = 0x303a\nusb_product = 0x1001\nusb_serial = "{serial}"\n')
        (self.ports / name).symlink_to(os.path.realpath(link.removeprefix("serial:")))

    def unplug(self, name):
        (self.ports / name).unlink()
        (self.ports / f"{name}.toml").unlink()

    def take_away(self, device, name):
        device.send("unplug")
        self.bench.until(lambda: not os.path.lexists(self.link.removeprefix("serial:")))
        self.unplug(name)

    def bring_back(self, device):
        device.send("plug")
        self.bench.until(lambda: os.path.exists(self.link.removeprefix("serial:")))

    def start(self, link):
        self.bench.record(config=f'[[device]]\nname = "board"\n{link}\n', more=["--ports", self.ports])

    def move(self, device, before, after, serial="F412FA6A1B2C"):
        self.take_away(device, before)
        self.until_event("board", "connection_lost")
        self.bring_back(device)
        self.plug(after, self.link, serial)
        self.until_state("board", "connected")
        return self.bench.link("board")

    def test_by_serial_number_it_is_found_under_any_name(self):
        self.link, device = self.bench.simulate("steady", "--commands", tcp=False)
        self.plug("ttyACM0", self.link, "F412FA6A1B2C")
        self.start('usb = "F412FA6A1B2C"')
        self.until_state("board", "connected")
        self.assertIn("ttyACM7", self.move(device, "ttyACM0", "ttyACM7")["port"])

    def test_a_numbered_path_draws_advice_and_follows_its_board(self):
        self.link, device = self.bench.simulate("steady", "--commands", tcp=False)
        self.plug("ttyACM0", self.link, "F412FA6A1B2C")
        self.start(f'link = "serial:{self.ports}/ttyACM0"')
        self.until_sampled("board")
        self.assertIn("usb", self.bench.link("board")["advice"])
        self.assertIn("ttyACM1", self.move(device, "ttyACM0", "ttyACM1")["port"])

    def test_auto_takes_a_board_that_was_recorded_before(self):
        self.link, _ = self.bench.simulate("steady", tcp=False)
        other, _ = self.bench.simulate("steady", "--node", "9", tcp=False)
        self.plug("ttyACM0", self.link, "F412FA6A1B2C")
        self.start('link = "auto"')
        self.until_sampled("board")
        self.bench.daemon.stop()
        self.plug("ttyACM1", other, "F412FA6A1B2D")
        self.start('link = "auto"')
        self.assertIn("ttyACM0", self.until_state("board", "connected")["port"])

    def test_a_released_board_is_taken_back_under_another_name(self):
        self.link, device = self.bench.simulate("steady", "--commands", tcp=False)
        self.plug("ttyACM0", self.link, "F412FA6A1B2C")
        self.start('usb = "F412FA6A1B2C"')
        self.until_state("board", "connected")
        self.bench.ctl("release", "board", "--for", "1h")
        self.take_away(device, "ttyACM0")
        self.bring_back(device)
        device.send("flash 2.9.9.abcdef0")
        self.plug("ttyACM3", self.link, "F412FA6A1B2C")
        self.bench.ctl("resume", "board")
        self.assertIn("ttyACM3", self.until_state("board", "connected")["port"])

    def test_devices_lists_ports_and_who_uses_them(self):
        self.link, _ = self.bench.simulate("steady", tcp=False)
        other, _ = self.bench.simulate("steady", "--node", "9", tcp=False)
        self.plug("ttyACM0", self.link, "F412FA6A1B2C")
        self.plug("ttyACM1", other, "F412FA6A1B2D")
        self.start('usb = "F412FA6A1B2C"')
        self.until_state("board", "connected")
        ports = {pathlib.Path(p["path"]).name: p for p in self.bench.json("devices")["ports"]}
        self.assertEqual(ports["ttyACM0"]["device"], "board")
        self.assertEqual(ports["ttyACM1"]["device"], "")
        self.assertEqual(ports["ttyACM1"]["usb"], "303a:1001")
        self.assertEqual(ports["ttyACM1"]["meshtastic"], "only")
        self.assertIn("F412FA6A1B2D", ports["ttyACM1"]["link"])


if __name__ == "__main__":
    bench.main()
