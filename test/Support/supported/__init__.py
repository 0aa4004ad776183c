# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A sample of every op of upstream's dialects, for every element type."""

from supported import arith_math, tensor_linalg, tosa  # noqa: F401
from supported.sampling import ELEMENTS, SAMPLES, Element, Sample, compare

__all__ = ["ELEMENTS", "SAMPLES", "Element", "Sample", "compare"]
