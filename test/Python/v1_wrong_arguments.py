# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""T9: wrong arguments of the functions that the modules of `flywheel.v1` have from others. The error names the function
or the argument, and says what was expected."""

import functools
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


def test_indices_of_more_numbers() -> None:
    """An index has no more numbers than there are dimensions (`gather_nd` and the updates of variables)."""
    made: Any = tf
    update: Any = tf.scatter_nd_update
    words = "expected indices of at most {0} numbers, into the shape {1}, as indices, found indices of {2}"
    check([
        (ValueError, "gather_nd: " + words.format(0, "()", 2), lambda: made.manip.gather_nd(0, (2, 3))),
        (ValueError, words.format(1, "(2,)", 3), lambda: made.gather_nd((2, 3), [[0, 1, 0]])),
        (ValueError, words.format(2, "(0, 3)", 3), lambda: made.gather_nd(np.ones((0, 3), np.float32), [0, 1, 2])),
        (ValueError, words.format(1, "(3,)", 2),
         lambda: update(tf.Variable([1.0, 2.0, 3.0]), [[0, 1]], [[1.0]])),
    ])  # fmt: skip
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(made.gather_nd(X + np.arange(3, dtype=np.float32), [[1, 2], [0, 0]]))
        np.testing.assert_array_equal(found, [3.0, 1.0])


def test_segments_of_numbers() -> None:
    """Functions that another one makes have the names that users call them by."""
    math: Any = tf.math
    for name in ("segment_sum", "segment_mean", "segment_prod", "segment_max", "segment_min"):
        own = getattr(math, name)
        words = f"{name}: expected numbers as data, found bool"
        check([(TypeError, words, functools.partial(own, X > 0, [0, 1])),
               (TypeError, f"{name}() missing 1 required positional argument: 'segment_ids'",
                functools.partial(own, X))])  # fmt: skip
    check([(TypeError, "unsorted_segment_sum: expected numbers as data, found string",
            lambda: math.unsorted_segment_sum(["a", "b"], [0, 1], 2))])  # fmt: skip


def test_images_of_fewer_dimensions() -> None:
    """A matrix is not an image: no function takes its rows as something else."""
    functions: Any = tf.image
    words = "expected images of 3 or 4 dimensions, [height, width, channels] or [batch, height, width, channels] as "
    cases: List[Any] = [
        ("resize_images", lambda f: f(X, (2, 3))), ("resize_bilinear", lambda f: f(X, (2, 3))),
        ("flip_left_right", lambda f: f(X)), ("flip_up_down", lambda f: f(X)),
        ("random_flip_left_right", lambda f: f(X)), ("transpose_image", lambda f: f(X)), ("rot90", lambda f: f(X)),
        ("per_image_standardization", lambda f: f(X)), ("adjust_contrast", lambda f: f(X, 2.0)),
        ("crop_to_bounding_box", lambda f: f(X, 0, 0, 1, 1)), ("pad_to_bounding_box", lambda f: f(X, 0, 0, 4, 4)),
        ("resize_image_with_crop_or_pad", lambda f: f(X, 4, 4)), ("central_crop", lambda f: f(X, 0.5)),
        ("total_variation", lambda f: f(X)), ("psnr", lambda f: f(X, X + 1, 1.0)),
    ]  # fmt: skip
    for name, call in cases:
        check([(ValueError, words, functools.partial(call, getattr(functions, name)))])
        with tf.Graph().as_default():
            try:
                call(getattr(functions, name))
            except ValueError as error:
                assert "found the shape (2, 3)" in str(error) and str(error).startswith(name), error


def test_seeds() -> None:
    """A seed is an integer: NumPy's generators end the process for some matrices."""
    from flywheel.keras import backend, initializers

    k: Any = backend
    drawing: Any = initializers
    odd = np.asmatrix(np.ones((2, 3), np.float32))
    for function in (k.random_normal_variable, k.random_uniform_variable):
        words = f"{function.__name__}: expected an integer as seed, found"
        check([(TypeError, words, functools.partial(function, (2,), 0.0, 1.0, seed=odd))])
    check([(TypeError, "expected an integer as seed", lambda: drawing.RandomNormal(seed=odd)((2, 3)))])
    with tf.Graph().as_default():
        drawn = []
        for seed in (3, 3, 4):
            np.random.seed(seed)
            drawn.append(k.eval(k.random_normal_variable((4,), 0.0, 1.0)))
        assert np.array_equal(drawn[0], drawn[1]) and not np.array_equal(drawn[0], drawn[2]), drawn


if __name__ == "__main__":
    run_tests([test_layers_of_volumes, test_matrices, test_functions_of_other_modules,
               test_names_that_are_no_tensors, test_indices_of_more_numbers, test_segments_of_numbers,
               test_images_of_fewer_dimensions, test_seeds])
