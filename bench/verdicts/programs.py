"""Where the programs and generators are, and how they run side by side. Knows nothing of figures."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/data/analysis"
LEAKBENCH, REFERENCE, BASELINES = (DATA / f"{name}.py" for name in ("leakbench", "reference", "baselines"))
UNSEEN = ROOT / "bench/unseen_families.py"


class Programs:
    """The built programs below a build folder."""

    def __init__(self, build):
        self.classify = build / "tests/leakbench_classify"
        self.replay = build / "tests/schedule_replay"
        self.ctl = build / "bin/leakhuntctl"

    @staticmethod
    def build():
        """Builds what is needed in the release tree and gives it."""
        subprocess.run(["cmake", "--preset", "release", "-DLEAKHUNT_TESTS=ON"], cwd=ROOT, check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run(["cmake", "--build", "--preset", "release", "--target", "leakbench_classify", "schedule_replay",
                        "leakhuntctl"], cwd=ROOT, check=True, stdout=sys.stderr)
        return Programs(ROOT / "build/release")


def run(*command):
    """Standard output of a command; its own words where it fails."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"verdicts: {' '.join(map(str, command))} ended with {done.returncode}: {done.stderr.strip()[-2000:]}")
    return done.stdout


def side_by_side(tasks):
    """Calls each task, as many at once as there are cores; the results in their order."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [future.result() for future in [pool.submit(task) for task in tasks]]


def make_series(generator, seed, per_family, folder):
    """One folder of labelled series."""
    run(sys.executable, generator, "generate", "--seed", seed, "--per-family", per_family, "--out", folder)
    return folder


def truth(folder):
    return json.loads((pathlib.Path(folder) / "truth.json").read_text())["series"]
