# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s %t
"""T6: the state block of a C header has the workspace that its entries need where
every dimension size is at its bound, and no more."""

import json
import subprocess
import sys
from pathlib import Path

import flywheel

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
ALIGNMENT = 64
# The bound of the plans of a session, too.
BOUND = 1024


def check(name: str, folder: Path) -> None:
    source = EXAMPLES / name
    manifest = folder / "manifest.json"
    subprocess.run(
        ["flywheel-compile", source, "-o", folder / "model.o", f"--manifest={manifest}", f"--max-batch={BOUND}"],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    model = json.loads(manifest.read_text())
    compiled = flywheel.compile(source.read_text(), threads=1)
    needed = {
        entry.name: entry.workspace_bytes(**dict.fromkeys(entry.symbols, BOUND)) for entry in compiled.entries
    }
    for entry in model["entries"]:
        if entry["name"] != "init":
            found, expected = entry["workspace_bytes"], needed[entry["name"]]
            assert found == expected, f"{name} {entry['name']}: expected {expected} bytes, found {found}"
    state = -(-model["state"]["bytes"] // ALIGNMENT) * ALIGNMENT
    expected = state + max(needed.values())
    assert model["c_state_bytes"] == expected, f"{name}: expected {expected} bytes, found {model['c_state_bytes']}"


target = Path(sys.argv[1])
target.mkdir(parents=True, exist_ok=True)
for example in ("digits/digits.mlir", "gan/gan.mlir", "matrix-factorization/factorization.mlir"):
    check(example, target)
