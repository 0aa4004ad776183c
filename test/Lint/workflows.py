# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Each command of the workflows is one of this repository's, with arguments that it takes."""

import itertools
import os
import subprocess
from pathlib import Path
from typing import Any, Iterator

import yaml

ROOT = Path(__file__).resolve().parents[2]
# Programs of the machines that workflows run on.
OTHERS = ("gh", ".venv/bin/python")


def commands_of(workflow: Any) -> Iterator[str]:
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step), step
            if "run" in step:
                matrix = job.get("strategy", {}).get("matrix", {})
                for choice in itertools.product(*matrix.values()):
                    command = step["run"]
                    for name, value in zip(matrix, choice):
                        command = command.replace(f"${{{{ matrix.{name} }}}}", value)
                    yield command


found = set()
for path in sorted((ROOT / ".github/workflows").glob("*.yml")):
    for command in commands_of(yaml.safe_load(path.read_text(encoding="utf-8"))):
        program, *arguments = command.split()
        if program in OTHERS:
            continue
        assert program.startswith("scripts/"), f"{path}: '{command}' is not a command of scripts/"
        assert os.access(ROOT / program, os.X_OK), f"{path}: there is no program {program}"
        text = (ROOT / program).read_text(encoding="utf-8")
        for argument in arguments:
            option, _, value = argument.partition("=")
            if option.startswith("--"):
                assert option in text, f"{path}: {program} has no option {option}"
            if option == "--preset":
                assert f'"name": "{value}"' in (ROOT / "CMakePresets.json").read_text(encoding="utf-8"), command
        found.add(program)
commands = {f"scripts/{name}" for name in ("test", "build", "build-wheel", "test-wheel", "test-frameworks")}
assert commands <= found, found

# The scripts refuse arguments that they do not know.
for script in ("test", "test-frameworks", "check-fast", "setup", "build-wheel", "test-wheel"):
    run = subprocess.run([ROOT / "scripts" / script, "--bogus"], capture_output=True, text=True, check=False)
    assert run.returncode == 1 and "unknown argument '--bogus'" in run.stderr, (script, run.stderr)
    run = subprocess.run([ROOT / "scripts" / script, "--help"], capture_output=True, text=True, check=True)
    assert f"usage: scripts/{script}" in run.stdout, (script, run.stdout)
