# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""T9: wrong arguments of the functions that the modules of `flywheel.v1` have from others. The error names the function
or the argument, and says what was expected."""

from typing import Any, Callable, List, Tuple, Type

import numpy as np

import flywheel.v1 as tf
from configurations import run_tests
from flywheel.keras.preprocessing import image
from flywheel.v1.contrib import seq2seq

X, IMAGE = np.ones((2, 3), np.float32), np.ones((2, 6, 6, 3), np.float32)
VOLUME = np.ones((1, 4, 4, 4, 2), np.float32)
contrib: Any = tf.contrib
layers: Any = tf.layers


def check(cases: List[Tuple[Type[Exception], str, Callable[[], Any]]]) -> None:
    for kind, words, call in cases:
        with tf.Graph().as_default():
            try:
                call()
            except kind as error:
                assert words in str(error), (words, error)
            else:
                raise AssertionError(f"expected: {words}")


def test_layers_of_volumes() -> None:
    for pool in (layers.max_pooling3d, layers.average_pooling3d):
        check([
            (TypeError, "expected an integer as pool_size, found module", lambda: pool(VOLUME, np, 1)),
            (TypeError, "expected an integer as strides, found NoneType", lambda: pool(VOLUME, 2, None)),
            (TypeError, "expected a list or a tuple as strides, found str", lambda: pool(VOLUME, 2, "a")),
            (ValueError, "expected an integer or 3 of them as pool_size, found [2, 2]",
             lambda: pool(VOLUME, [2, 2], 1)),
            (TypeError, "expected a string as data_format, found ndarray", lambda: pool(VOLUME, 2, 1, data_format=X)),
            (TypeError, "expected a string as padding, found int", lambda: pool(VOLUME, 2, 1, padding=1)),
        ])  # fmt: skip
        with tf.Graph().as_default():
            assert pool(VOLUME, np.int64(2), (2, 1, 2)).shape.as_list() == [1, 2, 3, 2, 2]


def test_matrices() -> None:
    linalg: Any = tf.linalg
    check([
        (ValueError, "pinv: expected matrices", lambda: linalg.pinv(np.float32(1))),
        (ValueError, "matrix_rank: expected matrices", lambda: linalg.matrix_rank(np.ones(3, np.float32))),
        (ValueError, "expm: expected matrices", lambda: linalg.expm(np.ones(3, np.float32))),
        (ValueError, "dense does not take", lambda: layers.dense(X, np.ma.masked)),
        (TypeError, "expected a number as rcond", lambda: linalg.pinv(X, rcond="a")),
    ])  # fmt: skip


def test_functions_of_other_modules() -> None:
    """Functions are explained in each module that has them, not only where they are defined."""
    parts: Any = seq2seq
    check([
        (ValueError, "pack_sequence_as: flat_sequence cannot be 3", lambda: tf.nest.pack_sequence_as([1], 3)),
        (TypeError, "as_bytes: expected a str as encoding, found 3", lambda: tf.compat.as_bytes("a", 3)),
        (ValueError, "conv2d: kernel_size cannot be None", lambda: contrib.layers.conv2d(IMAGE, 2, None)),
        (TypeError, "l1_regularizer: expected a number as scale", lambda: contrib.layers.l1_regularizer("a")),
        (ValueError, "random_zoom", lambda: image.random_zoom(X, 1)),
        (TypeError, "tile_batch: expected an integer as multiplier, found None", lambda: parts.tile_batch(X, None)),
    ])  # fmt: skip


def test_names_that_are_no_tensors() -> None:
    made: Any = tf.tuple
    check([
        (TypeError, "tuple: expected tensors and None in tensors, found 'a'", lambda: made({"a": X})),
        (TypeError, "expected a list or a tuple as control_inputs, found str", lambda: made([None], None, "reflect")),
        (TypeError, "a masked array has a mask", lambda: tf.multinomial(np.ma.masked, 3)),
        (ValueError, "expected a function or the name of one of tf.nn as activation, found 'mean'",
         lambda: layers.dense(X, 2, "mean")),
    ])  # fmt: skip


if __name__ == "__main__":
    run_tests([test_layers_of_volumes, test_matrices, test_functions_of_other_modules,
               test_names_that_are_no_tensors])
