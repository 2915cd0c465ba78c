#!/usr/bin/env python3
"""What must not change a verdict, over freshly made series of the labelled benchmark.

Usage: properties.py CHECKER DATA_FOLDER SEED PER_FAMILY. DATA_FOLDER holds leakbench.py. The checker lists each
verdict that changes; exits 1 where one may not, or where dropping a tenth of the readings changes more than 1 % of
the confirmed verdicts.
"""
import pathlib
import subprocess
import sys
import tempfile


def main():
    checker, data, seed, per_family = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, data / "leakbench.py", "generate", "--seed", seed, "--per-family", per_family,
                        "--out", folder], check=True)
        return subprocess.run([checker, folder]).returncode


if __name__ == "__main__":
    sys.exit(main())
