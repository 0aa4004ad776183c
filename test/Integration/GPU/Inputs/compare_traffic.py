# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what steps move with what they have to: compare_traffic.py PEERS MOST TABLE MODEL... prints
for each entry of each model, a file or a row of the benchmarks in the folder PEERS, what the compiler
says, and fails where launches move more than MOST times what their chains need, or where the document
TABLE has other figures of its train step."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, sys.argv[1])
import ours  # type: ignore[import-not-found]
import rows  # type: ignore[import-not-found]

PATTERN = re.compile(r"the launches of '(\w+)' move (\d+) bytes at least(?: where [^,]*)?, ([\d.]+) times those that "
                     r"their chains need, ([\d.]+) times each buffer once")
most = float(sys.argv[2])
table = Path(sys.argv[3]).read_text()
too_many, stale = [], []
for model in sys.argv[4:]:
    path = Path(model)
    label = f"example `{path.stem}`" if path.exists() else f"`{model}`"
    with tempfile.TemporaryDirectory() as folder:
        if not path.exists():
            path = Path(folder) / f"{model}.mlir"
            path.write_text(ours.module_text(getattr(rows, model)()))
        command = ["flywheel-compile", str(path), "--target=cuda:sm_90a", "--emit=flywheel-bufferize", "--report",
                   "--max-batch=64", "-o", "/dev/null"]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    found = PATTERN.findall(said)
    if not found:
        sys.exit(f"{path.name}: expected a remark on what launches move, found none")
    for entry, moved, chains, once in found:
        print(f"{path.name} {entry}: {int(moved) / 1e6:.1f} MB, {chains} times what chains need, {once} times each "
              "buffer once", flush=True)
        if float(chains) > most:
            too_many.append(f"{path.name} {entry}")
        row = f"| {label} | {int(moved) / 1e6:.1f} MB | {chains} | {once} |"
        if entry == "train_step" and row not in table:
            stale.append(row)
if too_many:
    sys.exit(f"more than {most} times what is needed: {', '.join(too_many)}")
if stale:
    sys.exit("\n".join([f"expected in {sys.argv[3]}:", *stale]))
