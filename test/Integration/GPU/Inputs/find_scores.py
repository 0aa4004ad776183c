# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Looks for scores of attention in memory of the device: find_scores.py PEERS LENGTH[:ELEMENT]... prints, for a
transformer of the benchmarks in the folder PEERS and each length of its text, or, with an element type, for a step of
attention alone in that, the largest tensor of the step, and fails where a buffer of the device has a score for each
pair of positions."""

import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, sys.argv[1])
import ours  # type: ignore[import-not-found]
import rows  # type: ignore[import-not-found]
from attention_step import attention_step

for argument in sys.argv[2:]:
    number, _, element = argument.partition(":")
    length = int(number)
    source = attention_step(str(length), element) if element else ours.module_text(rows.gpt(context=length))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.mlir"
        path.write_text(source)
        command = ["flywheel-compile", str(path), "--target=cuda:sm_90a", "--emit=flywheel-bufferize", "-o", "-"]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    # Those in workgroup memory have a memory space.
    shapes = {tuple(map(int, m[1].split("x"))) for m in re.finditer(r"memref<((?:\d+x)*\d+)x(?:bf|f)\d+>", text)}
    largest = max(shapes, key=math.prod)
    scores = [shape for shape in shapes if len(shape) >= 3 and shape[-2:] == (length, length)]
    print(f"length {argument}: the largest buffer is {largest}, {len(scores)} buffers of scores", flush=True)
    if scores:
        sys.exit(f"expected no buffer of {scores}")
