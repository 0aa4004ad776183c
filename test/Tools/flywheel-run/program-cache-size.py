# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s %t
"""A folder of programs stays at about its size, though few of the programs that are kept look at the whole of it."""

import subprocess
import sys
from pathlib import Path

LIMIT = 96 * 1024
folder = Path(sys.argv[1])
model = folder / "model.mlir"
cache = folder / "cache"
folder.mkdir(parents=True, exist_ok=True)
kept = 0
for number in range(80):
    model.write_text(
        "func.func @step(%x: tensor<f32>) -> tensor<f32> {\n"
        f"  %c = arith.constant dense<{number}.0> : tensor<f32>\n"
        "  %y = arith.addf %x, %c : tensor<f32>\n"
        "  return %y : tensor<f32>\n}\n"
    )
    subprocess.run(["flywheel-run", model, "--entry=step", "--feed=x=2", f"--cache-dir={cache}",
                    f"--cache-size={LIMIT}", "--lowering=reference"], check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    sizes = [path.stat().st_size for path in cache.glob("*.program")]
    assert sum(sizes) < LIMIT * 5 / 4, f"{sum(sizes)} bytes after {number + 1} programs"
    kept = max(kept, len(sizes))
assert 10 < kept < 80, kept
