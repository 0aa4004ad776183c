# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Triangles against numpy, in each configuration (X7, X11)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases import DTYPES, Cases, tensor
from configurations import run_tests

Array = NDArray[Any]


def test_triangle() -> None:
    """X7: each triangle of odd and dynamic shapes, off the diagonal and beyond the matrix."""
    rng = np.random.default_rng(1)
    cases = Cases()
    dtypes = {**DTYPES, "i32": np.int32, "i1": np.bool_}
    for element, dtype in dtypes.items():
        for extents, shape in (((3, 3), (3, 3)), (("?", 17), (5, 17)), (("?", 3, "?"), (2, 3, 1)),
                               ((2, "?", 3, 9), (2, 4, 3, 9)), (("?", 0), (3, 0))):
            kind = tensor(extents, element)
            for name, keep in (("lower", np.tril), ("upper", np.triu)):
                for k in (-2, 0, 1, 40):
                    fill = 1 if dtype is np.bool_ else -7
                    what = f"triangle {name} {element}"
                    plain = cases.add(what, (kind,), kind, f"%y = nn.triangle {name} %a0 diagonal {k} : {kind}")
                    filled = cases.add(what, (kind,), kind,
                                       f"%y = nn.triangle {name} %a0 diagonal {k} fill {fill}.0 : {kind}")
                    x: Array = np.asarray(rng.integers(-9, 9, shape)).astype(dtype)
                    ones = keep(np.ones(shape, np.bool_), k)
                    plain([x], keep(x, k))
                    filled([x], np.where(ones, x, np.array(fill, dtype)))
    cases.check()


run_tests([test_triangle])
