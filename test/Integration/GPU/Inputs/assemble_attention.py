# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assembles attention, forward and backward, of several lengths, heads and element types: assemble_attention.py PTXAS
prints the most that a kernel of each uses. None may spill. A run takes some of them, others each day."""

import sys
import tempfile
from pathlib import Path

from attention_step import attention_step
from ptx import assemble

from selection import choose

CASES = [
    (length, head, element, chip)
    for length in ("64", "128", "200", "256", "512")
    for head in (32, 64)
    for element in ("f32", "bf16")
    for chip in ("sm_80", "sm_90a")
]
# At least one of each length and type. As object files are made.
for length, head, element, chip in choose("attention-ptx", CASES, 0.0, group=lambda case: (case[0], case[2])):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "attention.mlir"
        path.write_text(attention_step(length, element, head))
        table = assemble(sys.argv[1], str(path), chip, "-O3")
    spilled = {name: use for name, use in table.items() if use.spilled}
    most = max(use.registers for use in table.values())
    print(f"length {length}, heads of {head}, {element}, {chip}: {len(table)} kernels, at most {most} registers, "
          f"{sum(use.spilled for use in table.values())} bytes spilled", flush=True)  # fmt: skip
    assert not spilled, f"expected no spills, found {spilled}"
