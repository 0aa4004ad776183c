# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs each pass and stage of flywheel-opt alone on each module of a file: it
succeeds, or says what is wrong, and ends."""

import re
import subprocess
import sys

SECONDS = 60


def find_passes() -> list[str]:
    text = subprocess.run(["flywheel-opt", "--help"], capture_output=True, text=True, check=True).stdout
    flags = set(re.findall(r"^ +(--(?:flywheel|train|nn|linalg-ext)-[a-z0-9-]+)", text, re.MULTILINE))
    return sorted(flags) + [
        "--flywheel-plan-workspace=memory-budget=64",
        "--flywheel-rematerialize=memory-budget=64",
        "--flywheel-fit-workspace=memory-budget=64 workers=2 min-work=0",
        "--flywheel-bufferize=memory-budget=64",
    ]


def run(flag: str, text: str) -> str:
    """Returns the error of the pass on that module, or nothing."""
    command = ["flywheel-opt", "-", "--mlir-disable-threading", flag, "-o", "/dev/null"]
    if "// -----" in text:
        command.append("--split-input-file")
    try:
        result = subprocess.run(command, input=text, capture_output=True, text=True, timeout=SECONDS, errors="replace")
    except subprocess.TimeoutExpired:
        return "does not end"
    if result.returncode not in (0, 1):
        return f"ends with {result.returncode}"
    if result.returncode == 1 and "error:" not in result.stderr:
        return "fails without an error"
    return ""


def main() -> int:
    with open(sys.argv[1]) as file:
        whole = file.read()
    passes = find_passes()
    problems = 0
    for flag in passes:
        # One after the other where all of them together are wrong.
        modules = whole.split("// -----\n") if run(flag, whole) else []
        for module in modules:
            if problem := run(flag, module):
                name = re.search(r"func @(\w+)|func\.func (?:private )?@(\w+)", module)
                print(f"{flag} {problem} on @{(name.group(1) or name.group(2)) if name else '?'}")
                problems += 1
    print(f"{len(passes)} passes, {problems} problems")
    return int(problems > 0 or len(passes) < 60)


sys.exit(main())
