# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""f16 on a CPU without instructions for it (T42): long kernels call what converts, each in one place, and give the bits
of NumPy."""

import platform
import sys

import numpy as np

import flywheel

STEPS = 40
if platform.machine() != "x86_64":
    sys.exit()

# One kernel: each sum and each product is rounded to f16.
lines = ["func.func @f(%x: tensor<?xf16>) -> tensor<?xf16> {", "  %c = arith.constant 0.75 : f16",
         "  %zero = arith.constant 0 : index", "  %n = tensor.dim %x, %zero : tensor<?xf16>",
         "  %e = tensor.empty(%n) : tensor<?xf16>",
         "  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], "
         'iterator_types = ["parallel"]} ins(%x : tensor<?xf16>) outs(%e : tensor<?xf16>) {',
         "  ^bb0(%a: f16, %b: f16):", "    %y0 = arith.mulf %a, %a : f16"]  # fmt: skip
for step in range(STEPS):
    lines += [f"    %m{step} = arith.mulf %y{step}, %c : f16", f"    %y{step + 1} = arith.addf %m{step}, %a : f16"]
lines += [f"    linalg.yield %y{STEPS} : f16", "  } -> tensor<?xf16>", "  return %y : tensor<?xf16>", "}"]
model = flywheel.parse("\n".join(lines))

# All numbers of the type, NaN too.
x = np.arange(2**16, dtype=np.uint16).view(np.float16)
with np.errstate(all="ignore"):
    y = x * x
    for _ in range(STEPS):
        y = y * np.float16(0.75) + x

for cpu in ("x86-64", None):
    session = flywheel.Session(flywheel.compile(model, cpu=cpu))
    session.initialize(1)
    found = session.run("f", x=x)
    same = (found.view(np.uint16) == y.view(np.uint16)) | (np.isnan(found) & np.isnan(y))
    assert same.all(), (cpu, x[~same][:4], found[~same][:4], y[~same][:4])
