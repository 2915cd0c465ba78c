#!/usr/bin/env python3
"""Holds every room to the include directions of docs/architecture.md.

Usage: includes.py ROOT. Prints each forbidden include and exits 1 if there is one.
"""
import pathlib
import re
import sys

# room -> rooms it may include
ALLOWED = {
    "base": set(),
    "proto": {"base"},
    "recorder": {"proto", "base"},
    "storage": {"recorder", "proto", "base"},
    "analysis": {"base"},
    "answer": {"storage", "analysis", "recorder", "proto", "base"},
    "daemon": {"answer", "storage", "recorder", "proto", "base"},
    "ctl": {"answer", "proto", "base"},
    "sim": {"base"},
}
# rooms whose private knowledge stays with them: header -> rooms that may include it
FOREIGN = {
    r"sqlite3\.h": {"storage"},
    r"boost/asio.*": {"daemon", "ctl", "sim"},
    r"leakhunt/device/v1/.*\.pb\.h": {"proto", "sim"},
    r"(google/protobuf|leakhunt/v1)/.*": {"proto", "answer", "daemon", "ctl"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]')


def violations(root):
    for room, below in ALLOWED.items():
        for path in sorted((root / room).rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                found = INCLUDE.match(line)
                if not found:
                    continue
                header = found.group(1)
                target = header.split("/")[0]
                if target in ALLOWED and target != room and target not in below:
                    yield f"{path.relative_to(root)}:{number}: {room}/ must not include {header}"
                for pattern, rooms in FOREIGN.items():
                    if re.fullmatch(pattern, header) and room not in rooms:
                        yield f"{path.relative_to(root)}:{number}: {room}/ must not know {header}"


def main():
    root = pathlib.Path(sys.argv[1])
    found = list(violations(root))
    print("\n".join(found) or "every include points downwards")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
