# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assembles attention, forward and backward, of several lengths, heads and element types: assemble_attention.py PTXAS
prints the most that a kernel of each uses. None may spill. A run takes some of them, others each day."""

import sys
import tempfile
from pathlib import Path

from attention_step import attention_step
from ptx import assemble

from selection import choose

SIZES = [("16x8", length) for length in ("64", "128", "200", "256", "512")]
# Where the call chooses the batch or the length, and where there are few rows or very many.
SIZES += [("?x8", "128"), ("?x8", "512"), ("?x8", "?"), ("16x8", "?"), ("1x1", "2048"), ("1x1", "4100"),
          ("256x8", "512")]
CASES = [
    (batch, length, head, element, chip)
    for batch, length in SIZES
    for head in (32, 64, 128)
    for element in ("f32", "bf16")
    # Before sm_90a kernels of a dynamic length spill up to 16 bytes.
    for chip in (("sm_90a",) if length == "?" else ("sm_80", "sm_90a"))
]
# At least one of each size. As object files are made.
for batch, length, head, element, chip in choose("attention-ptx", CASES, 0.0, group=lambda case: case[:2]):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "attention.mlir"
        path.write_text(attention_step(length, element, head, batch))
        table = assemble(sys.argv[1], str(path), chip, "-O3")
    spilled = {name: use for name, use in table.items() if use.spilled}
    most = max(use.registers for use in table.values())
    print(f"batch {batch}, length {length}, heads of {head}, {element}, {chip}: {len(table)} kernels, at most {most} "
          f"registers, {sum(use.spilled for use in table.values())} bytes spilled", flush=True)  # fmt: skip
    assert not spilled, f"expected no spills, found {spilled}"
