# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of few bits, and sizes of objects that use them: for the tests of narrow weights."""

import json
import os
import subprocess
from typing import Any, Dict, List, Tuple

import numpy as np
from numpy.typing import NDArray

from configurations import dtype_of

Array = NDArray[Any]
# For each element type, the op that converts it to floats, and a range.
TYPES = {
    "i8": ("arith.sitofp", "int8", -128, 128),
    "i16": ("arith.sitofp", "int16", -2000, 2000),
    "f16": ("arith.extf", "float16", -200, 200),
    "bf16": ("arith.extf", "bfloat16", -200, 200),
}


def values(dtype: str, low: int, high: int, shape: Tuple[int, ...]) -> Array:
    """Whole numbers that the type has exactly."""
    return np.random.default_rng(3).integers(low, high, shape).astype(np.float64).astype(dtype_of(dtype))


def compile_object(text: str, options: List[str], folder: str) -> Tuple[Dict[str, Any], int]:
    """The manifest of an object and the bytes of the object."""
    source, target = os.path.join(folder, "m.mlir"), os.path.join(folder, "m.o")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run(["flywheel-compile", source, "-o", target, *options], check=True)
    with open(os.path.join(folder, "m.json"), encoding="utf-8") as file:
        return json.load(file), os.path.getsize(target)
