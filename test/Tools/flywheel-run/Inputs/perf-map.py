# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command and prints the names in the map for perf that it has left, in the order of the addresses."""

import pathlib
import subprocess
import sys

process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
status = process.wait()
path = pathlib.Path(f"/tmp/perf-{process.pid}.map")
if not path.exists():
    print("no map")
    sys.exit(status)
lines = path.read_text().splitlines()
path.unlink()
end = 0
for line in sorted(lines, key=lambda line: int(line.split()[0], 16)):
    start, length, name = line.split()
    address, size = int(start, 16), int(length, 16)
    if size == 0 or address < end:
        sys.exit(f"'{name}' at {address:x} has no bytes, or those of the function in front of it")
    end = address + size
    print(name)
sys.exit(status)
