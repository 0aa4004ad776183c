# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""A `tf.DType` wherever a dtype of NumPy is taken (V17)."""

import copy
import pickle
from typing import Any, Dict

import numpy as np

import flywheel as fw
import flywheel.v1 as tf
from configurations import raises, run_tests

untyped: Any = tf


def test_dtypes() -> None:
    NAMES = ["float16", "float32", "float64", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "uint16",
             "uint32",
             "uint64", "bool", "string"]  # fmt: skip
    for name in NAMES:
        one = getattr(untyped, name)
        plain = fw._dtypes.as_dtype(name)
        # NumPy's functions take it, and an array has it.
        assert np.dtype(one) == plain and np.zeros(2, one).dtype == one
        assert np.zeros(2, dtype=one.as_numpy_dtype).dtype == one
        assert one == plain and plain == one and hash(one) == hash(plain) and {one: 1}[plain] == 1
        assert np.zeros(3).astype(one).dtype == plain and one.itemsize == one.size == plain.itemsize
        assert one.kind == plain.kind and (name == "string" or issubclass(one.type, np.generic))
        assert copy.copy(one) is copy.deepcopy(one) is pickle.loads(pickle.dumps(one)) is one
        assert tf.as_dtype(name) is tf.as_dtype(plain) is tf.as_dtype(one.as_numpy_dtype) is one
        # So do the functions of this package.
        x = tf.placeholder(one, [None])
        assert x.dtype is one and tf.zeros([2], one).dtype is one and tf.constant([], plain).dtype is one
        if one.is_numeric or name == "bool":
            assert fw.Variable(np.ones(2), dtype=one).dtype == plain
            assert tf.cast(x, tf.float32).dtype is tf.float32
            # A dtype without bounds says so.
            if name != "bool":
                assert one.min <= 0 < one.max and type(one.max)(one.max) == one.max
    raises(TypeError, "Cannot find maximum value of tf.string", lambda: tf.string.max)
    raises(TypeError, "Cannot find minimum value of tf.bool", lambda: untyped.bool.min)
    raises(ValueError, "expected the number of a dtype, found 'float32'; tf.as_dtype takes names",
           lambda: tf.DType("float32"))  # fmt: skip
    raises(TypeError, "not callable", lambda: untyped.float32(3.0))
    raises(TypeError, "no tensor has the dtype 'flaot32'; did you mean 'float32'?", lambda: tf.as_dtype("flaot32"))
    raises(AttributeError, "as_numpy", lambda: untyped.float32.as_numpy)


# A variable's dtype is that of its value, and values of runs have it.
seen: Dict[str, Any] = {}


def start(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
    seen["start"] = dtype
    return np.ones(shape, dtype.as_numpy_dtype)


def test_variable_dtype() -> None:
    with tf.variable_scope("narrow", dtype=tf.float16):
        v = tf.get_variable("v", [2], initializer=start)
    w = tf.get_variable("w", [2], np.float64, start)
    assert seen["start"] is w.dtype is tf.float64 and v.dtype is tf.float16 and v.dtype.base_dtype == np.float16
    with tf.variable_scope("narrow", reuse=True):
        raises(
            ValueError, "specified dtype float32 and found dtype float16", lambda: tf.get_variable("v", [2], tf.float32)
        )
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for value in (v, w, tf.cast(w, tf.int32), w > 0):
            found = session.run(value)
            assert found.dtype == value.dtype and value.dtype == found.dtype
    assert tf.Variable([1], untyped.float32).dtype is tf.float32 and tf.Variable([1]).dtype is tf.int32


run_tests([test_dtypes, test_variable_dtype])
