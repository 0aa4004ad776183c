# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the launches of models: count_launches.py PEERS MODEL=MOST... prints how many
there are in all entries of each model, a file or a row of the benchmarks in the folder
PEERS, and fails where there are more than MOST."""

import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, sys.argv[1])
import ours  # type: ignore[import-not-found]
import rows  # type: ignore[import-not-found]


def count(path: Path) -> int:
    command = ["flywheel-compile", str(path), "--target=cuda:sm_90a", "--emit=flywheel-loops", "-o", "-"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.count("gpu.launch_func ")


too_many = []
for argument in sys.argv[2:]:
    model, most = argument.split("=")
    path = Path(model)
    with tempfile.TemporaryDirectory() as folder:
        if not path.exists():
            path = Path(folder) / f"{model}.mlir"
            path.write_text(ours.module_text(getattr(rows, model)()))
        found = count(path)
    print(f"{path.name}: {found} launches, at most {most}", flush=True)
    if found > int(most):
        too_many.append(path.name)
if too_many:
    sys.exit(f"more launches than there were: {', '.join(too_many)}")
