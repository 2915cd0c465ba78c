#!/usr/bin/env python3
"""Drives the real leakhunt-sim over TCP and a pseudo-terminal with bytes written by hand.

Usage: protocol_test.py PATH-OF-leakhunt-sim. Knows nothing of how the simulator is built.
"""
import contextlib
import os
import pathlib
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import tty
import unittest

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else "leakhunt-sim"
NODE = 0x51E0A7C3
PATIENCE_S = 20  # how long a test waits for what must come; nothing is measured by it
PACKET, MY_INFO, LOG_RECORD, COMPLETE, REBOOTED, QUEUE_STATUS = 2, 3, 6, 7, 8, 11


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out + bytes([number]))


def scalar(field, value):
    return varint(field << 3) + varint(value)


def nested(field, message):
    return varint(field << 3 | 2) + varint(len(message)) + message


def fixed32(field, value):
    return varint(field << 3 | 5) + struct.pack("<I", value)


def framed(message):
    return b"\x94\xc3" + struct.pack(">H", len(message)) + message


def want_config(nonce):
    return framed(scalar(3, nonce))


def heartbeat():
    return framed(nested(7, b""))


def disconnect():
    return framed(scalar(4, 1))


def ask_stats(packet_id):
    data = scalar(1, 67) + nested(2, nested(6, b"")) + scalar(3, 1)
    return framed(nested(1, fixed32(2, NODE) + nested(4, data) + fixed32(6, packet_id)))


def fields(message):
    at, out = 0, []

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        tag = number()
        kind = tag & 7
        if kind == 0:
            value = number()
        elif kind == 5:
            value = struct.unpack_from("<I", message, at)[0]
            at += 4
        else:
            size = number()
            value = message[at : at + size]
            at += size
        out.append((tag >> 3, value))
    return out


class Simulator:
    """The real program; leaving the context ends it and keeps what it printed at its end."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [PROGRAM, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.greeting = self.process.stdout.readline().strip()
        self.second_greeting = self.process.stdout.readline().strip() if {"--tcp", "--pty"} <= set(arguments) else ""
        self.summary = self.complaints = ""

    @property
    def port(self):
        return int(self.greeting.rsplit(":", 1)[1])

    def command(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def settle(self):
        """All commands so far have been carried out: what comes after them is complained about."""
        self.command("settled?")
        while "settled?" not in self.process.stderr.readline():
            pass

    def until_counted(self, words):
        """Its counters say so."""
        while True:
            self.command("counters")
            if words in self.process.stdout.readline():
                return

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.summary, self.complaints = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.end()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()


class Client:
    """Reads frames and the text between them from a descriptor."""

    def __init__(self, handle):
        self.handle = handle
        self.pending = b""
        self.text = b""
        self.ended = False

    def send(self, data):
        os.write(self.handle.fileno(), data)

    def _more(self, patience_s):
        if not select.select([self.handle], [], [], patience_s)[0]:
            return False
        try:
            got = os.read(self.handle.fileno(), 65536)
        except (ConnectionResetError, OSError):
            got = b""
        self.ended = self.ended or not got
        self.pending += got
        return bool(got)

    def _frame(self):
        while True:
            start = self.pending.find(b"\x94\xc3")
            if start < 0 or len(self.pending) < start + 4:
                return None
            size = struct.unpack_from(">H", self.pending, start + 2)[0]
            if size > 512:
                self.text += self.pending[: start + 1]
                self.pending = self.pending[start + 1 :]
                continue
            if len(self.pending) < start + 4 + size:
                return None
            self.text += self.pending[:start]
            message = self.pending[start + 4 : start + 4 + size]
            self.pending = self.pending[start + 4 + size :]
            return message

    def until(self, wanted):
        """The messages up to and with the first that `wanted(field, value)` accepts."""
        out, deadline = [], time.monotonic() + PATIENCE_S
        while True:
            while (message := self._frame()) is not None:
                out.append(message)
                if any(wanted(field, value) for field, value in fields(message)):
                    return out
            if self.ended or not self._more(max(0.0, deadline - time.monotonic())):
                raise AssertionError(f"the awaited message did not come; {len(out)} others did")

    def until_text(self, part):
        deadline = time.monotonic() + PATIENCE_S
        while part not in self.text + self.pending:
            if not self._more(max(0.0, deadline - time.monotonic())):
                raise AssertionError(f"{part!r} did not come")

    def until_end(self):
        deadline = time.monotonic() + PATIENCE_S
        while not self.ended and time.monotonic() < deadline:
            self._more(max(0.0, deadline - time.monotonic()))
        return self.ended

    def handshake(self, nonce=69420):
        self.send(want_config(nonce))
        return self.until(lambda field, value: field == COMPLETE and value == nonce)


def answer_to(packet_id):
    def accept(field, value):
        if field != PACKET:
            return False
        data = dict(fields(value)).get(4)
        return data is not None and dict(fields(data)).get(6) == packet_id
    return accept


@contextlib.contextmanager
def tcp_client(simulator):
    with socket.create_connection(("127.0.0.1", simulator.port), timeout=PATIENCE_S) as connection:
        yield Client(connection)


def patient_client(simulator):
    """A connection, as soon as the simulator listens again."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            return socket.create_connection(("127.0.0.1", simulator.port), timeout=PATIENCE_S)
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise


class Tcp(unittest.TestCase):
    def test_handshake_heartbeat_and_stats(self):
        with Simulator("--tcp", "0", "--speed", "60") as simulator, tcp_client(simulator) as client:
            self.assertRegex(simulator.greeting, r"^listening tcp:127\.0\.0\.1:\d+$")
            burst = client.handshake(4242)
            self.assertEqual(fields(burst[0])[0][0], MY_INFO)
            client.send(heartbeat())
            client.until(lambda field, _: field == QUEUE_STATUS)
            client.send(ask_stats(9))
            client.until(answer_to(9))

    def test_a_second_client_ends_the_first(self):
        with Simulator("--tcp", "0") as simulator, tcp_client(simulator) as first:
            first.handshake()
            with tcp_client(simulator) as second:
                self.assertTrue(first.until_end())
                second.handshake()

    def test_goodbye_and_silence_end_the_connection(self):
        with Simulator("--tcp", "0", "--speed", "600") as simulator:
            with tcp_client(simulator) as client:
                client.handshake()
                client.send(disconnect())
                self.assertTrue(client.until_end())
            with tcp_client(simulator) as client:
                client.handshake()
                self.assertTrue(client.until_end())

    def test_after_a_reboot_it_listens_again_and_does_not_say_so(self):
        with Simulator("--tcp", "0", "--speed", "60", "--commands") as simulator:
            with tcp_client(simulator) as client:
                before = client.handshake()
                simulator.command("reboot")
                self.assertTrue(client.until_end())
            with patient_client(simulator) as connection:
                after = Client(connection).handshake()
            count = [dict(fields(dict(fields(burst[0]))[MY_INFO]))[8] for burst in (before, after)]
            self.assertEqual(count[1], count[0] + 1)
            self.assertFalse([m for m in after if fields(m)[0][0] == REBOOTED])

    def test_a_port_in_use_is_one_clear_line(self):
        with Simulator("--tcp", "0") as simulator:
            other = subprocess.run([PROGRAM, "--tcp", str(simulator.port)], capture_output=True, text=True, check=False)
        self.assertEqual(other.returncode, 1)
        self.assertIn(f"127.0.0.1:{simulator.port}", other.stderr)
        self.assertEqual(other.stderr.count("\n"), 1)

    def test_sigterm_ends_it_with_its_counters(self):
        with Simulator("--tcp", "0") as simulator:
            self.assertEqual(simulator.end(), 0)
            self.assertIn("dropped bytes 0", simulator.summary)


class Pty(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.link = os.path.join(self.folder.name, "device")

    @contextlib.contextmanager
    def open(self):
        deadline = time.monotonic() + PATIENCE_S
        while not os.path.exists(self.link) and time.monotonic() < deadline:
            pass
        descriptor = os.open(self.link, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(descriptor)
        with os.fdopen(descriptor, "r+b", buffering=0) as handle:
            yield Client(handle)

    def test_text_first_then_frames_then_text_again(self):
        with Simulator("--pty", self.link, "--speed", "60", "--debug-heap", "--commands") as simulator:
            with self.open() as client:
                client.until_text(b"[heap ")
                client.handshake()
                client.text = b""
                client.until(lambda field, _: field == LOG_RECORD)
                self.assertNotIn(b"[heap ", client.text)
                simulator.command("reboot")
                client.until(lambda field, value: field == REBOOTED and value == 1)
                client.until_text(b"rst:0xc")
                client.until_text(b"[heap ")

    def test_the_link_goes_with_the_program(self):
        with Simulator("--pty", self.link) as simulator:
            self.assertEqual(simulator.greeting, "pty " + self.link)
            self.assertTrue(os.path.islink(self.link))
            simulator.end()
        self.assertFalse(os.path.lexists(self.link))

    def test_a_file_in_the_way_is_left_alone(self):
        pathlib.Path(self.link).write_text("mine", encoding="utf-8")
        other = subprocess.run([PROGRAM, "--pty", self.link], capture_output=True, text=True, check=False)
        self.assertEqual(other.returncode, 2)
        self.assertEqual(pathlib.Path(self.link).read_text(encoding="utf-8"), "mine")

    def test_a_reader_that_stalls_loses_bytes_and_they_are_counted(self):
        # 16 KB need 1.4 s at the line's speed; the buffer holds 4 KB of them.
        with Simulator("--pty", self.link, "--commands", "--duration", "4", "--wait") as simulator, self.open() as client:
            client.until_text(b"meshtastic")
            for _ in range(40):
                simulator.command("garbage 400")
            summary, _ = simulator.process.communicate(timeout=PATIENCE_S)
            self.assertRegex(summary, r"dropped bytes 1[0-4]\d{3},")

    def test_the_scripted_device_waits_for_its_reader(self):
        with Simulator("--pty", self.link, "--scenario", "golden", "--text", "--debug-heap", "--speed", "600"):
            # Another device lives for five minutes that the first one would have talked through.
            with Simulator("--tcp", "0", "--speed", "600", "--duration", "300") as other:
                other.process.wait(timeout=PATIENCE_S)
            with self.open() as client:
                client.until_text(b"Expected sequence number 0,")
                self.assertTrue(b"POWERON_RESET" in client.text + client.pending)

    def test_the_line_neither_echoes_nor_changes_a_byte(self):
        with Simulator("--pty", self.link, "--commands") as simulator:
            descriptor = os.open(self.link, os.O_RDWR | os.O_NOCTTY)  # its settings left as they are
            with os.fdopen(descriptor, "r+b", buffering=0) as handle:
                client = Client(handle)
                client.handshake()
                simulator.command("raw \x03 \x1a tab\there")
                client.until_text(b"\x03 \x1a tab\there\r\n")

    def test_it_can_be_unplugged_and_plugged_in_again(self):
        with Simulator("--pty", self.link, "--commands") as simulator:
            with self.open() as client:
                client.handshake()
                simulator.command("unplug")
                self.assertTrue(client.until_end())
            simulator.command("plug")
            with self.open() as client:
                client.handshake()


    def test_another_name_is_the_same_device_on_another_link(self):
        with Simulator("--pty", self.link, "--commands") as simulator:
            with self.open() as client:
                before = client.handshake()
                simulator.command("replug other")
                self.assertTrue(client.until_end())
            self.link = os.path.join(self.folder.name, "other")
            with self.open() as client:
                after = client.handshake()
            told = [[m for m in burst if fields(m)[0][0] == MY_INFO] for burst in (before, after)]
            self.assertEqual(len(told[0]), 1)
            self.assertEqual(told[0], told[1])

    def test_each_opening_resets_a_board_that_is_wired_so(self):
        with Simulator("--pty", self.link, "--resets-when-opened", "--speed", "60", "--commands") as simulator:
            for times in range(1, 4):
                with self.open() as client:
                    client.until_text(b"rst:0x1 (POWERON_RESET)")
                    # The words of the opening before may be read first.
                    simulator.until_counted(f"opened {times} times")
            simulator.end()
            self.assertRegex(simulator.summary, "boots 4; opened 3 times")


class BothPorts(unittest.TestCase):
    def test_stats_over_tcp_and_the_log_on_the_line_at_once(self):
        with tempfile.TemporaryDirectory() as folder:
            link = os.path.join(folder, "console")
            with Simulator("--tcp", "0", "--pty", link, "--debug-heap", "--speed", "60", "--commands") as simulator:
                self.assertEqual(simulator.second_greeting, "pty " + link)
                with tcp_client(simulator) as api, open(link, "r+b", buffering=0) as handle:
                    console = Client(handle)
                    burst = api.handshake()
                    api.send(ask_stats(9))
                    burst += api.until(answer_to(9))
                    console.until_text(b"[heap ")
                    simulator.command("line only for the console")
                    console.until_text(b"only for the console")
                    simulator.command("tcp drop")
                    self.assertTrue(api.until_end())
                    self.assertFalse([m for m in burst if fields(m)[0][0] == LOG_RECORD])
                    self.assertNotIn(b"only for the console", api.pending + api.text)


class HalfOpen(unittest.TestCase):
    def test_a_device_that_vanished_leaves_its_client_waiting_and_takes_the_next(self):
        with Simulator("--tcp", "0", "--commands") as simulator, tcp_client(simulator) as left:
            left.handshake()
            simulator.command("vanish")
            simulator.settle()
            with tcp_client(simulator) as following:
                following.handshake()
            self.assertEqual(select.select([left.handle], [], [], 0)[0], [])


class Arguments(unittest.TestCase):
    def complaint(self, *arguments):
        run = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        return run.stderr

    def test_each_mistake_is_one_line_that_says_what_is_allowed(self):
        self.assertIn("nak-storm", self.complaint("--tcp", "0", "--scenario", "nope"))
        self.assertIn("--pty LINK", self.complaint())
        self.assertIn("600", self.complaint("--tcp", "0", "--speed", "601"))
        self.assertIn("--node", self.complaint("--tcp", "0", "--node", "0xZZ"))
        self.assertIn("--pty", self.complaint("--tcp", "0", "--text"))
        self.assertIn("every-second", self.complaint("--tcp", "0", "--answers", "some"))
        self.assertIn("--pty", self.complaint("--tcp", "0", "--resets-when-opened"))
        self.assertIn("--uptime", self.complaint("--tcp", "0", "--stale", "100"))
        self.assertIn("--record FILE", self.complaint("--tcp", "0", "--record", "x", "--duration", "1"))

    def test_what_is_no_sane_number_is_refused_with_the_range(self):
        for option in ("--speed", "--line-every", "--packet-every", "--uptime", "--reboot-at", "--slope", "--heap-free",
                       "--heap-total", "--duration", "--answer-after", "--nodes", "--security-cut", "--clock-set",
                       "--stale"):
            for number in ("nan", "inf", "1e300"):
                with self.subTest(option=option, number=number):
                    self.assertRegex(self.complaint("--tcp", "0", option, number), f"{option}.* to ")

    def test_version(self):
        run = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True)
        self.assertRegex(run.stdout, r"^leakhunt-sim \d")

    def test_an_unknown_command_lists_the_known(self):
        with Simulator("--tcp", "0", "--commands") as simulator:
            simulator.command("dance")
            simulator.command("quit")
            simulator.process.wait(timeout=PATIENCE_S)
            self.assertIn("reboot", simulator.process.stderr.read())


if __name__ == "__main__":
    unittest.main()
