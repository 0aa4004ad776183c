# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assembles the device code of models: assemble.py PTXAS PEERS CHIPS MODEL... prints, for each
model, a file or a row of the benchmarks in the folder PEERS, and each chip, what each kernel uses, and how
many kernels there are. None may spill, nor use more registers than leave room for two blocks."""

import sys
import tempfile
from pathlib import Path
from typing import Dict

from ptx import Use, assemble


def describe(table: Dict[str, Use]) -> str:
    for name, (count, spills, bytes_shared) in table.items():
        print(f"  {name:44} {count:4} registers {spills:4} bytes spilled {bytes_shared:6} bytes of workgroup memory")
    registers, spilled, shared = (list(column) for column in zip(*table.values()))
    # 65536 registers of a multiprocessor are 128 for each thread of two blocks; 48 KB are what every chip has.
    assert max(registers) <= 128 and sum(spilled) == 0 and max(shared) <= 48 * 1024, table
    spilled = sum(spilled)
    return (f"{len(registers)} kernels, {spilled} bytes spilled, at most {max(registers)} registers "
            f"and {max(shared)} bytes of workgroup memory")  # fmt: skip


sys.path.insert(0, sys.argv[2])
for model in sys.argv[4:]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(model)
        if not path.exists():
            import ours  # type: ignore[import-not-found]
            import rows  # type: ignore[import-not-found]

            path = Path(folder) / f"{model}.mlir"
            path.write_text(ours.module_text(getattr(rows, model)()))
        for chip in sys.argv[3].split(","):
            table = assemble(sys.argv[1], str(path), chip, "-O1")
            print(f"{path.name} {chip}: {describe(table)}", flush=True)
