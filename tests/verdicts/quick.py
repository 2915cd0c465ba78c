#!/usr/bin/env python3
"""Runs scripts/verdicts on two series a family; its own exit code and its parts decide.

Usage: quick.py BUILD_FOLDER
"""
import pathlib
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/verdicts"
PARTS = {
    "figures": "false alarms per device-month",
    "methods": "backward regression",
    "families": "| leak_linear |",
    "ablation": "| nothing |",
    "schedule": "confirmed false alarms per device-month",
    "plots": "![leak_onset]",
}


def main():
    done = subprocess.run([sys.executable, SCRIPT, "--quick", "--programs", sys.argv[1]], capture_output=True, text=True)
    print(done.stderr)
    wrong = [name for name, words in PARTS.items() if f"## {name}\n" not in done.stdout or words not in done.stdout]
    print(f"parts without what they are for: {wrong}")
    return done.returncode or len(wrong)


if __name__ == "__main__":
    sys.exit(main())
