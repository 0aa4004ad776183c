# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assembles attention, forward and backward, of several lengths, heads and element types: assemble_attention.py PTXAS
prints the most that a kernel of each uses in an object file. None may spill. A run takes some of them, others each
day."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from attention_step import attention_step

from selection import choose

SIZES = [("16x8", length) for length in ("64", "128", "200", "256", "512")]
# Sizes where the call chooses the batch or the length, and where there are few rows or very many.
SIZES += [("?x8", "128"), ("?x8", "512"), ("?x8", "?"), ("16x8", "?"), ("1x1", "2048"), ("1x1", "4100"),
          ("256x8", "512"), ("1x1", "17"), ("1x1", "333"), ("1x1", "?")]
CASES = [
    (batch, length, head, element, chip)
    for batch, length in SIZES
    for head in (32, 48, 64, 128)
    for element in ("f32", "bf16")
    for chip in ("sm_80", "sm_90a")
]
# At least one of each size.
for batch, length, head, element, chip in choose("attention-ptx", CASES, 0.0, group=lambda case: case[:2]):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "attention.mlir"
        path.write_text(attention_step(length, element, head, batch))
        command = ["flywheel-compile", str(path), f"--target=cuda:{chip}", f"--ptxas={sys.argv[1]}", "--report",
                   "-o", str(path.with_suffix(".o"))]  # fmt: skip
        said = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    uses = re.findall(r"kernel '(\w+)' for " + chip + r": registers (\d+), bytes spilled (\d+)", said)
    assert len(uses) > 4, said
    most = max(int(registers) for _, registers, _ in uses)
    print(f"batch {batch}, length {length}, heads of {head}, {element}, {chip}: {len(uses)} kernels, at most {most} "
          f"registers, {sum(int(spilled) for _, _, spilled in uses)} bytes spilled", flush=True)  # fmt: skip
