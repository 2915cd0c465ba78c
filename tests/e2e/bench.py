"""A bench of simulated devices, a recorder and its command: the real programs, in virtual time.

Everything a test waits for is something the programs say (a line on their output, an answer of the
command); there is no waiting for time to pass. Standard library only.
"""
import json
import os
import pathlib
import re
import selectors
import signal
import subprocess
import tempfile
import time
import unittest

BIN = pathlib.Path(os.environ.get("LEAKHUNT_BIN", pathlib.Path(__file__).parents[2] / "build/release/bin"))
REDUCED = os.environ.get("LEAKHUNT_REPEATS") == "reduced"
LONG = os.environ.get("LEAKHUNT_REPEATS") == "long"
PATIENCE_S = 600 if REDUCED else 240  # longest real time any awaited thing may take
ENDED_WELL = (0, -signal.SIGKILL)


def host_boottime_us():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000


class Program:
    """A child process whose output lines can be awaited."""

    def __init__(self, arguments, stdin=None):
        self.output = []
        self.process = subprocess.Popen(
            [str(a) for a in arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=stdin,
            bufsize=0)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.process.stdout, selectors.EVENT_READ)
        self.partial = b""

    def _read(self, timeout_s):
        """Takes what the program has said, waiting for it; False at its end."""
        if not self.selector.select(timeout_s):
            return True
        chunk = self.process.stdout.read(65536)
        if chunk == b"":
            return False
        *lines, self.partial = (self.partial + (chunk or b"")).split(b"\n")
        self.output += [line.decode("utf-8", "replace") for line in lines]
        return True

    def wait_line(self, pattern):
        """The first match of `pattern` in a line of the output, past or future."""
        seen, limit = 0, time.monotonic() + PATIENCE_S
        while True:
            for line in self.output[seen:]:
                found = re.search(pattern, line)
                if found:
                    return found
            seen = len(self.output)
            if time.monotonic() > limit or not self._read(1):
                raise AssertionError(f"no line matches {pattern!r} in:\n" + "\n".join(self.output[-40:]))

    def drain(self):
        while self.selector.select(0) and self._read(0):
            pass

    def send(self, text):
        self.process.stdin.write(text.encode() + b"\n")

    def stop(self, how=signal.SIGTERM):
        """Ends the program and gives its exit code; how=0 only waits for its end."""
        if self.process.stdout.closed:
            return self.process.returncode
        if self.process.poll() is None:
            self.process.send_signal(how)
        while self._read(0.2) and self.process.poll() is None:
            pass
        code = self.process.wait(PATIENCE_S)
        self.drain()
        self.process.stdout.close()
        if self.process.stdin:
            self.process.stdin.close()
        self.selector.close()
        return code


class Bench:
    """A folder, virtual time, simulated devices and at most one recorder."""

    def __init__(self, scale=1):
        self.folder = tempfile.TemporaryDirectory(prefix="leakhunt-e2e-")
        self.path = pathlib.Path(self.folder.name)
        self.state = self.path / "state"
        self.scale = scale
        self.origin_us = host_boottime_us()
        self.simulators = []
        self.daemon = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        programs = [program for program in [self.daemon, *self.simulators] if program]
        codes = [program.stop() for program in programs]
        self.folder.cleanup()
        for program, code in zip(programs, codes):
            if code not in ENDED_WELL:  # a sanitizer speaks at the end
                raise AssertionError(f"{program.process.args[0]} ended with {code}:\n" + "\n".join(program.output[-80:]))

    def _time(self, option):
        return [option, self.scale, "--time-origin", self.origin_us] if self.scale != 1 else []

    def simulate(self, scenario, *options, tcp=True):
        """Starts a simulated device; gives the link to it, and the program. Each is a board of its own."""
        if self.simulators and "--node" not in options:
            options = (*options, "--node", 0x51E0A7C3 + len(self.simulators))
        link = self.path / f"tty{len(self.simulators)}"
        where = ["--tcp", 0] if tcp else ["--pty", link]
        program = Program([BIN / "leakhunt-sim", *where, "--scenario", scenario, *self._time("--speed"), *options],
                          stdin=subprocess.PIPE)
        self.simulators.append(program)
        if tcp:
            return "tcp:127.0.0.1:" + program.wait_line(r"tcp:[0-9.]+:(\d+)").group(1), program
        program.wait_line(r"pty ")
        return f"serial:{link}", program

    def record(self, devices=None, config=None, wait=True, more=()):
        """Starts the recorder on devices {name: link}, or on the text of a configuration file."""
        self.state.mkdir(exist_ok=True)
        arguments = ["--state-dir", self.state, *self._time("--time-scale"), *more]
        if config is not None:
            file = self.path / "leakhuntd.toml"
            file.write_text(config)
            arguments += ["--config", file]
        for name, link in (devices or {}).items():
            arguments += ["--device", f"{name}={link}"]
        self.daemon = Program([BIN / "leakhuntd", *arguments])
        if wait:
            self.until(lambda: self.ctl("status", ok=None).returncode == 0)
        return self.daemon

    def ctl(self, *arguments, ok=(0,), offline=False):
        """Runs the command; `ok` lists the exit codes that are right, None takes any."""
        where = ["--db", self.state / "leakhunt.db"] if offline else ["--socket", self.state / "control.sock"]
        done = subprocess.run([str(a) for a in [BIN / "leakhuntctl", *where, *arguments]], capture_output=True,
                              text=True, timeout=PATIENCE_S)
        if ok is not None and done.returncode not in ok:
            raise AssertionError(f"leakhuntctl {arguments} ended with {done.returncode}, not {ok}:\n"
                                 f"{done.stdout}{done.stderr}the recorder said:\n{self._said()}")
        return done

    def _said(self):
        """The last lines of the recorder."""
        if not self.daemon or self.daemon.process.stdout.closed:
            return ""
        self.daemon.drain()
        return "\n".join(self.daemon.output[-40:])

    def json(self, *arguments, ok=(0, 4, 5), offline=False):
        return json.loads(self.ctl(*arguments, "--json", ok=ok, offline=offline).stdout)

    def link(self, name, index=0):
        """How a link of a device stands."""
        return self.device(name)["links"][index]

    def device(self, name):
        return next(d for d in self.json("status")["devices"] if d["name"] == name)

    def samples(self, name):
        """Telemetry records and heap samples out of lines, as committed."""
        return self.device(name)["files"]["telemetry"]["lines"]

    def until(self, condition):
        """Asks again and again until `condition` holds; what it asks are the programs themselves."""
        limit = time.monotonic() + PATIENCE_S
        while not condition():
            if time.monotonic() > limit:
                raise AssertionError("what was waited for did not come; the recorder said:\n" + self._said())
            for program in [self.daemon, *self.simulators]:
                if program:
                    program.drain()
            select_pause()

    def until_time(self, seconds):
        """Until `seconds` of virtual time have passed since the bench was set up."""
        self.until(lambda: (host_boottime_us() - self.origin_us) * self.scale / 1e6 >= seconds)


def select_pause():
    """Lets the programs have the processor between two questions."""
    selectors.DefaultSelector().select(0.05)


def main():
    unittest.main(verbosity=2)
