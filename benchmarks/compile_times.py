#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processor seconds that clang needs for the sources of Flywheel, without a compiler cache.

  python benchmarks/compile_times.py [--only REGEX] [--flags=-O0 ...]

Compiles each unit of the build folder (a source, or several that are compiled together) by itself, once for each of
`--flags`, beside the build's own flags. Prints the seconds in user and system mode, the part of clang's front end in
its time, and the size of the object. Units of another optimization level than the precompiled headers take them
unchecked.
"""

import argparse
import json
import os
import re
import resource
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def compile_unit(entry: dict[str, str], flags: list[str], folder: str) -> tuple[float, float, int]:
    """Returns processor seconds, the part of the front end, and bytes of the object."""
    words = shlex.split(entry["command"])
    while not re.search(r"clang\+\+(-\d+)?$", words[0]):  # The launcher.
        del words[0]
    output = os.path.join(folder, "unit.o")
    words[words.index("-o") + 1] = output
    unchecked = ["-Xclang", "-fno-validate-pch"] if flags else []
    start = processor_seconds()
    run = subprocess.run([*words, *flags, *unchecked, "-ftime-trace", "-w"], cwd=entry["directory"], check=False)
    seconds = processor_seconds() - start
    if run.returncode != 0:
        sys.exit(f"compile_times.py: error: cannot compile {entry['file']}")
    events = json.loads(Path(folder, "unit.json").read_text(encoding="utf-8"))["traceEvents"]
    total = {event["name"][6:]: event["dur"] for event in events if event["name"].startswith("Total ")}
    return seconds, total["Frontend"] / total["ExecuteCompiler"], os.path.getsize(output)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="the build folder")
    parser.add_argument("--only", default="", help="a regular expression in the paths of units")
    parser.add_argument("--flags", action="append", default=[], help="more flags, separated by spaces")
    options = parser.parse_args()
    entries = json.loads((options.build / "compile_commands.json").read_text(encoding="utf-8"))
    entries = [
        one for one in entries if one["file"].endswith((".cpp", ".cxx")) and re.search(options.only, one["file"])
    ]
    if not entries:
        parser.error(f"no unit's path has '{options.only}'")
    with tempfile.TemporaryDirectory() as folder:
        for flags in ("", *options.flags):
            totals = [0.0, 0.0, 0.0]
            for entry in entries:
                seconds, front, size = compile_unit(entry, flags.split(), folder)
                totals = [totals[0] + seconds, totals[1] + seconds * front, totals[2] + size]
                print(
                    f"{seconds:6.1f} s {front:5.0%} {size / 1e6:6.1f} MB  {os.path.relpath(entry['file'], ROOT)}",
                    flush=True,
                )
            seconds, front, size = totals[0], totals[1] / totals[0], totals[2] / 1e6
            print(f"{seconds:6.1f} s {front:5.0%} {size:6.1f} MB  {len(entries)} units, {flags or 'as built'}")


if __name__ == "__main__":
    main()
