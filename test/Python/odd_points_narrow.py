# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""G20: second and third derivatives of f16 and bf16 at odd points, in reverse and forward mode and nested, against f64
at the same numbers."""

import itertools
from typing import Any

import ml_dtypes
import numpy as np

import flywheel as fw
from odd_point_cases import BINARY, CASES
from odd_points import MODES, NAMES, ROUND_BETWEEN, ULPS, Function, nested
from selection import choose


def check(name: str, dtype: Any) -> int:
    """Compares the second and third derivatives of one function; returns how many numbers were compared.

    A derivative is computed of the lower ones, and of others of its order. So its error is that of the largest of
    these, with one more rounding of each op in each order, and nothing is known where one of them overflows.
    """
    ours = CASES[name].ours if name in CASES else BINARY[name][0]
    points = [(p,) for p in CASES[name].points] if name in CASES else BINARY[name][2]
    function: Function = eval(f"lambda {'x, y'[: 3 * len(points[0]) - 2]}: {ours}", NAMES)
    with np.errstate(over="ignore"):
        given = [np.array(column).astype(dtype) for column in zip(*points)]
    places = "01"[: len(given)]
    words = [("", ""), *((modes, "".join(word)) for order in MODES
                         for word in itertools.combinations_with_replacement(places, order)
                         for modes in MODES[order])]  # fmt: skip

    @fw.function
    def program(*args: Any) -> Any:
        return [nested(function, modes, word)(*args) for modes, word in words]

    results = [[np.asarray(one, np.float64) for one in program(*(x.astype(kind) for x in given))]
               for kind in (dtype, np.float64)]  # fmt: skip
    info, compared = ml_dtypes.finfo(dtype), 0
    size_of_arguments = np.max([np.abs(x.astype(np.float64)) for x in given], axis=0)
    for (modes, word), found, wanted in zip(words, *results):
        if len(word) < 2:
            continue
        size = np.max([np.abs(one) for (_, other), one in zip(words, results[1]) if len(other) <= len(word)], axis=0)
        is_number = size < float(info.max) / 2
        rounded = np.maximum(float(info.eps) * size, float(info.tiny))
        bound = ULPS * 2 ** (len(word) - 1) * rounded + 2.0**-24 * size_of_arguments
        with np.errstate(invalid="ignore"):
            bad = is_number & ~(np.abs(found - wanted) <= bound)
        compared += int(np.sum(is_number))
        assert not np.any(bad), (
            f"{name} of {dtype}, derivative {word!r} in mode {modes!r} at {[x[bad] for x in given]}: {found[bad]}, "
            f"f64 {wanted[bad]}"
        )
    return compared


if __name__ == "__main__":
    cases = [(name, kind) for kind in (np.dtype("float16"), fw.bfloat16) for name in [*CASES, *BINARY]
             if not name.startswith(ROUND_BETWEEN)]  # fmt: skip
    total = sum(check(name, kind) for name, kind in choose("odd points of narrow types, nested", cases, 0.12))
    assert total > 500, total
    print(f"{total} derivatives")
