# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Looks for scores of attention in memory of the device: find_scores.py PEERS LENGTH[:ELEMENT[:BATCH]]... prints, for a
transformer of the benchmarks in the folder PEERS and each length of its text, or, with an element type, for a step of
attention alone in that, the bytes of the workspace beside those of scores, and fails where a buffer of the device has a
score for each pair of positions, or, from 256 positions on, the workspace has bytes for all of them. A length, and
sizes of a batch such as 16x8, may be '?'."""

import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import flywheel

sys.path.insert(0, sys.argv[1])
import ours  # type: ignore[import-not-found]
import rows  # type: ignore[import-not-found]
from attention_step import attention_step

# The values of dynamic sizes when bytes are counted.
BATCH, LENGTH, BYTES = 16, 1024, {"f16": 4, "bf16": 4, "f32": 4, "f64": 8}

for argument in sys.argv[2:]:
    length, element, batch = (argument.split(":") + ["", ""])[:3]
    source = (attention_step(length, element, batch=batch or "16x8") if element
              else ours.module_text(rows.gpt(context=int(length))))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.mlir"
        path.write_text(source)
        command = ["flywheel-compile", str(path), "--target=cuda:sm_90a", "--emit=flywheel-bufferize", "-o", "-"]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    # Buffers in workgroup memory have a memory space.
    buffers = re.finditer(r"memref<((?:[\d?]+x)+)(?:bf|f)\d+(?:, strided<[^>]*>)?>", text)
    shapes = {tuple(m[1].split("x"))[:-1] for m in buffers}
    scores = [shape for shape in shapes if len(shape) >= 3 and shape[-2:] == (length, length)]
    if element:
        info = flywheel.compile(source, target="cuda:sm_90a").entries[0]
        symbols = {symbol: BATCH if symbol == "batch" else LENGTH for symbol in info.symbols}
        sizes = [int(size) if size != "?" else BATCH for size in (batch or "16x8").split("x")]
        positions = int(length) if length != "?" else LENGTH
        workspace = info.workspace_bytes(**symbols)
        needed = math.prod(sizes) * positions * positions * BYTES[element]
        print(f"length {argument}: a workspace of {workspace} bytes, scores of {needed}, ", end="")
        # Buffers of scores may have any shape. With fewer positions, queries and buffers of their size have more bytes.
        if positions >= 256 and workspace >= needed:
            sys.exit(f"expected a workspace of fewer than {needed} bytes, found {workspace}")
    else:
        print(f"length {argument}: ", end="")
    print(f"{len(scores)} buffers of scores", flush=True)
    if scores:
        sys.exit(f"expected no buffer of {scores}")
