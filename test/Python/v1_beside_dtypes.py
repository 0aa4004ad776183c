# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""Attributes and comparisons of `tf.DType`, as in TensorFlow 1 (V17)."""

# mypy: disable-error-code="no-untyped-call"

import functools
from typing import Any, Callable

import numpy as np

from beside_tensorflow import draw, program, run_all, values

NAMES = ("float16", "float32", "float64", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
         "uint64", "bool", "string")  # fmt: skip
FACTS = ("name", "base_dtype", "real_dtype", "as_numpy_dtype", "as_datatype_enum", "is_floating", "is_integer",
         "is_unsigned", "is_bool", "is_complex", "is_quantized", "is_numpy_compatible", "min", "max",
         "limits")  # fmt: skip


def _fact(action: Callable[[], Any]) -> Any:
    try:
        found = action()
    except (TypeError, ValueError) as error:
        return type(error).__name__
    return float(found) if isinstance(found, np.generic) else str(found)


@program
def facts(tf: Any) -> Any:
    return [_fact(functools.partial(getattr, getattr(tf, one), fact)) for one in NAMES for fact in FACTS]


@program
def shown(tf: Any) -> Any:
    return [text(getattr(tf, one)) for one in NAMES for text in (repr, str, int)]


@program
def equal(tf: Any) -> Any:
    others = [tf.float32, "float32", "float", "double", "half", "nonsense", np.float32, np.dtype("float32"), None, 1, 3,
              float, bool, tf.int32, "string", np.bool_, 2.5, [1], "float33"]  # fmt: skip
    out = []
    for one in (tf.float32, tf.bool, tf.string, tf.int32):
        out += [[one == other, one != other, other == one] for other in others]
    return [int(one) for row in out for one in row]


@program
def made(tf: Any) -> Any:
    named = ["float32", "float", "double", "half", "int64", "bool", "string", np.float32, np.dtype("int8"), np.bool_,
             np.array([1.0]).dtype, tf.uint8, 1, 9, 99, "nonsense", None]  # fmt: skip
    out = [_fact(functools.partial(tf.as_dtype, one)) for one in named]
    out += [_fact(lambda: tf.DType(1)), _fact(lambda: tf.DType("float32")), _fact(lambda: tf.float32(3.0))]
    out += [_fact(functools.partial(tf.float32.is_compatible_with, one)) for one in ("float32", np.float64, tf.float32)]
    return out


@program
def of_tensors(tf: Any) -> Any:
    """An initializer and a layer of one's own, written for any dtype."""
    seen = []

    def start(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        seen.append(dtype.name)
        return np.arange(np.prod(shape)).reshape(shape).astype(dtype.as_numpy_dtype)

    x = tf.placeholder(tf.float32, [None, 3])
    w = tf.get_variable("w", [3, 2], x.dtype, start)
    low = tf.constant(np.finfo(x.dtype.as_numpy_dtype).eps, dtype=x.dtype.base_dtype)
    mask = tf.constant(-x.dtype.max if x.dtype.is_floating else 0, x.dtype)
    y = tf.maximum(tf.matmul(x, w) + tf.cast(tf.fill([2], 1), w.dtype.base_dtype) * low, mask)
    kinds = [one.dtype.base_dtype.name for one in (x, w, y, tf.argmax(y, 1), y > 0, tf.constant(["a"]))]
    array = tf.TensorArray(tf.int64, 1)
    data = tf.data.Dataset.from_tensor_slices((np.zeros(3, np.float32), np.zeros(3, np.int32)))
    kinds += [array.dtype.name, *(one.name for one in data.output_types)]
    return [*kinds, *seen, *values(tf, [y], {x: draw(4, 3)})]


if __name__ == "__main__":
    run_all()
