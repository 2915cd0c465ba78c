#!/usr/bin/env python3
"""Compares verdicts from minute buckets with those from raw samples on freshly made series.

Usage: buckets_agree.py PROGRAM DATA_FOLDER. Prints each difference. Exits 1 where more than 1 % of the benchmark's
series get another verdict (those without minute buckets are judged from samples), or 3 % of those compared.
"""
import pathlib
import subprocess
import sys
import tempfile


def main():
    program, data = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, str(data / "leakbench.py"), "generate", "--seed", "buckets", "--per-family",
                        "12", "--out", folder], check=True, stdout=subprocess.DEVNULL)
        text = subprocess.run([program, folder], check=True, capture_output=True, text=True).stdout
    print(text, end="")
    words = text.splitlines()[-1].split()
    count = dict(zip(words[::2], map(int, words[1::2])))
    if count["compared"] < 50:
        print("too few series have minutes")
        return 1
    return 1 if count["differ"] > 0.01 * count["series"] or count["differ"] > 0.03 * count["compared"] else 0


if __name__ == "__main__":
    sys.exit(main())
