# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures one program of one size, in a process of its own: prints a line of JSON.

Times are those of the CPU, which other processes of the machine change little.

usage: python worker.py NAME SIZE ROUNDS
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time

# Before the cache's folder is read.
_folder = tempfile.TemporaryDirectory()
os.environ["FLYWHEEL_CACHE"] = _folder.name

from programs import FAMILIES  # noqa: E402

import flywheel as fw  # noqa: E402
from flywheel._programs import compilation  # noqa: E402


def peak() -> float:
    """MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(name: str, size: int, rounds: int) -> dict[str, float]:
    # The first use of the package is not measured.
    fw.function(lambda: fw.sin(fw.zeros(4)))()
    found: dict[str, float] = {}

    def keep(key: str, seconds: float) -> None:
        found[key] = min(found.get(key, seconds), seconds)

    for number in range(rounds):
        compilation._programs.clear()
        os.environ["FLYWHEEL_CACHE"] = os.path.join(_folder.name, str(number))
        with fw.Store():
            program = FAMILIES[name].make(size)
            function = fw.function(program.function, name=f"program_{number}")
            before, start = peak(), time.process_time()
            traced = function.trace(*program.arguments)
            keep("trace", time.process_time() - start)
            if number == 0:
                found["trace_memory"] = peak() - before
            before, start = peak(), time.process_time()
            compiled = traced.program
            keep("compile", time.process_time() - start)
            if number == 0:
                found["compile_memory"] = peak() - before
                stages = dict(compiled.stage_times)
                longest = max(stages, key=lambda stage: stages[stage])
                print(f"longest stage of {name} {size}: {longest}", file=sys.stderr)
            # From the folder, as the next process would.
            compilation._programs.clear()
            start = time.process_time()
            compilation.compile_module(traced.module, function.options)
            keep("cache", time.process_time() - start)
            before = peak()
            function(*program.arguments)
            for _ in range(3):
                start = time.process_time()
                function(*program.arguments)
                keep("step", time.process_time() - start)
            if number == 0:
                found["step_memory"] = peak() - before
    return found


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
    sys.stdout.flush()
    os._exit(0)
