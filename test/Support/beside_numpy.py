# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions on tensors beside functions of NumPy."""

from typing import Any, Callable, Dict, List, Tuple

import numpy as np

import flywheel as fw

rng = np.random.default_rng(3)
Case = Tuple[Callable[..., Any], Callable[..., Any], List[Any]]


def f32(values: Any) -> "np.ndarray[Any, Any]":
    return np.array(values, np.float32)


def i32(values: Any) -> "np.ndarray[Any, Any]":
    return np.array(values, np.int32)


def i64(values: Any) -> "np.ndarray[Any, Any]":
    return np.array(values, np.int64)


def u8(values: Any) -> "np.ndarray[Any, Any]":
    return np.array(values, np.uint8)


def floats(*shape: int) -> "np.ndarray[Any, Any]":
    return rng.standard_normal(shape).astype(np.float32)


def ints(*shape: int, low: int = -9, high: int = 9) -> "np.ndarray[Any, Any]":
    return rng.integers(low, high, shape).astype(np.int32)


def check(cases: Dict[str, Case], rtol: float = 2e-5, atol: float = 2e-6) -> None:
    """All cases as one entry: it compiles once. A result that has another dtype than
    NumPy's is one of 64 bits there, which this package has not, or is of a Python float."""
    arguments = {name: args for name, (_, _, args) in cases.items()}

    @fw.function
    def run(given: Dict[str, Any]) -> Dict[str, Any]:
        return {name: ours(*given[name]) for name, (ours, _, _) in cases.items()}

    results = run(arguments)
    for name, (_, theirs, args) in cases.items():
        expected = np.asarray(theirs(*args))
        found = np.asarray(results[name])
        assert found.shape == expected.shape, (name, found.shape, expected.shape)
        narrow = {"int64": "int32", "float64": "float32", "uint64": "uint32"}.get(expected.dtype.name)
        assert found.dtype.name in (expected.dtype.name, narrow), (name, found.dtype, expected.dtype)
        if found.dtype.kind == "f":
            np.testing.assert_allclose(found, expected, rtol, atol, err_msg=name)
        else:
            np.testing.assert_array_equal(found, expected, err_msg=name)
