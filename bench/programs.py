#!/usr/bin/env python3
"""Measures the real recorder from outside: saturated, idle, killed, ended. Prints a JSON object.

Usage: programs.py BIN_FOLDER. Standard library only. Devices are a server that sends recorded frames, a pty
written at 115200 baud, and leakhunt-sim.
"""
import gzip
import json
import os
import pathlib
import pty
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import tty

DATA = pathlib.Path(__file__).resolve().parent / "data"
FRAMES = 50_000
NODE = 0x42524331
NONCE = 69420
LINE_BYTES_PER_S = 11_520  # 115200 baud, 8N1
QUIET_S = 20
LIMIT_S = 120


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def framed(payload):
    return b"\x94\xc3" + len(payload).to_bytes(2, "big") + payload


def greeting():
    """my_info (FromRadio 3, its field 1 the node) and config_complete_id (7)."""
    my_info = b"\x08" + varint(NODE)
    return framed(b"\x1a" + varint(len(my_info)) + my_info) + framed(b"\x38" + varint(NONCE))


class Replay:
    """A device that greets whoever connects and then sends the recorded frames, if it has any."""

    def __init__(self, frames=b""):
        self.frames = frames
        self.began = None
        self.server = socket.create_server(("127.0.0.1", 0))
        self.link = f"tcp:127.0.0.1:{self.server.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            connection, _ = self.server.accept()
            threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection):
        try:
            connection.recv(4096)
            connection.sendall(greeting())
            self.began = time.monotonic()
            connection.sendall(self.frames)
            while connection.recv(4096):
                pass
        except OSError:
            pass


class Recorder:
    def __init__(self, bin_folder, state, link, *more):
        self.bin = bin_folder
        self.state = state
        command = [bin_folder / "leakhuntd", "--state-dir", state, "--device", f"bench1={link}", *more]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def status(self):
        command = [self.bin / "leakhuntctl", "--socket", self.state / "control.sock", "--json", "status"]
        done = subprocess.run(command, capture_output=True, text=True)
        return json.loads(done.stdout) if done.stdout.startswith("{") else {}

    def wait(self, reached):
        """The status that `reached` accepts, and when it was there."""
        limit = time.monotonic() + LIMIT_S
        while time.monotonic() < limit:
            status = self.status()
            if status.get("devices") and reached(status):
                return status, time.monotonic()
            time.sleep(0.005)
        sys.exit(f"programs.py: the recorder did not get there: {status}")

    def cpu_s(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def anonymous_mib(self):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) / 1024
        return 0.0

    def end(self, how=signal.SIGTERM):
        """Seconds from the signal to the end of the process."""
        began = time.monotonic()
        self.process.send_signal(how)
        self.process.wait()
        return time.monotonic() - began


def link_of(status):
    return status["devices"][0]["links"][0]


def all_committed(status):
    return link_of(status)["frames"] >= FRAMES and status["store"]["queue_rows"] == 0


def saturated(bin_folder, folder):
    frames = gzip.decompress((DATA / "frames-50k.bin.gz").read_bytes())
    replay = Replay(frames)
    recorder = Recorder(bin_folder, folder, replay.link)
    peak, ended = [0.0], threading.Event()

    def watch():
        while not ended.wait(0.01):
            peak[0] = max(peak[0], recorder.anonymous_mib())

    watcher = threading.Thread(target=watch)
    watcher.start()
    status, reached = recorder.wait(all_committed)
    ended.set()
    watcher.join()
    cpu_s = recorder.cpu_s()
    return {"frames_per_s": FRAMES / (reached - replay.began), "frames_per_cpu_s": FRAMES / cpu_s,
            "dropped_lines": status["store"]["dropped_lines"], "rss_anon_mib": peak[0],
            "sigterm_s": recorder.end()}


def lost_and_found(bin_folder, folder):
    """From kill -9 to a link that is connected again."""
    replay = Replay()
    recorder = Recorder(bin_folder, folder, replay.link)
    recorder.wait(lambda status: link_of(status)["state"] == "connected")
    began = time.monotonic()
    recorder.end(signal.SIGKILL)
    recorder = Recorder(bin_folder, folder, replay.link)
    _, reached = recorder.wait(lambda status: link_of(status)["state"] == "connected")
    return {"recording_again_s": reached - began, "sigterm_idle_s": recorder.end()}


def share_of_core(recorder):
    cpu_s, began = recorder.cpu_s(), time.monotonic()
    time.sleep(QUIET_S)
    return 100 * (recorder.cpu_s() - cpu_s) / (time.monotonic() - began)


def idle(bin_folder, folder):
    simulator = subprocess.Popen([bin_folder / "leakhunt-sim", "--tcp", "0", "--scenario", "steady"],
                                 stdout=subprocess.PIPE, text=True)
    port = simulator.stdout.readline().strip().rpartition(":")[2]
    recorder = Recorder(bin_folder, folder, f"tcp:127.0.0.1:{port}")
    recorder.wait(lambda status: link_of(status)["state"] == "connected")
    result = {"idle_cpu_percent": share_of_core(recorder), "idle_rss_anon_mib": recorder.anonymous_mib()}
    recorder.end()
    simulator.terminate()
    simulator.wait()
    return result


def full_line(bin_folder, folder):
    """A serial line with DEBUG_HEAP that never rests."""
    text = gzip.decompress((DATA / "loglines-200k.txt.gz").read_bytes())
    device, port = pty.openpty()
    tty.setraw(port)
    recorder = Recorder(bin_folder, folder, f"serial:{os.ttyname(port)}#listen")
    recorder.wait(lambda status: link_of(status)["state"] == "listening")
    ended = threading.Event()

    def write():
        began, sent = time.monotonic(), 0
        while not ended.wait(0.02):
            due = int((time.monotonic() - began) * LINE_BYTES_PER_S)
            os.write(device, text[sent:due])
            sent = due

    writer = threading.Thread(target=write)
    writer.start()
    time.sleep(2)
    result = {"full_line_cpu_percent": share_of_core(recorder),
              "full_line_rss_anon_mib": recorder.anonymous_mib()}
    ended.set()
    writer.join()
    recorder.end()
    return result


def medians(results):
    return {key: statistics.median(result[key] for result in results) for key in results[0]}


def main():
    bin_folder = pathlib.Path(sys.argv[1]).resolve()
    figures = {}
    for measure, times in ((saturated, 5), (lost_and_found, 5), (idle, 1), (full_line, 1)):
        results = []
        for _ in range(times):
            with tempfile.TemporaryDirectory(prefix="leakhunt-bench-") as folder:
                results.append(measure(bin_folder, pathlib.Path(folder)))
        figures |= medians(results)
    json.dump(figures, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
