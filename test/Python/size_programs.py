# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %t %cc
"""X15: models whose batches differ in size train as with a program for each, also from C, by one program."""

import os
import subprocess
import sys
import warnings
from typing import Any, List

import numpy as np

import flywheel as fw
import flywheel.v1 as tf
from configurations import run_tests
from flywheel.keras import backend as K

FOLDER, CC = sys.argv[1], sys.argv[2:]


def normal(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def clip_losses(dynamic: Any, batches: List[int]) -> Any:
    """The loss of two encoders whose outputs agree if they are of one row, with a label for each row."""
    with fw.Namespace(), fw.Store():
        images, texts = fw.Variable(normal(6, 4), name="images"), fw.Variable(normal(5, 4, seed=1), name="texts")
        adam = fw.optimizers.Adam(0.05)

        @fw.function(dynamic=dynamic)
        def step(image: Any, text: Any) -> Any:
            a, b = image @ images, text @ texts
            a, b = (v / fw.sqrt(fw.sum(v * v, 1, keepdims=True)) for v in (a, b))
            scores, labels = a @ b.T * 5.0, fw.arange(image.shape[0])
            assert scores.shape[0] == text.shape[0]
            eye = fw.eye(a.shape[0])
            loss = fw.nn.sparse_softmax_cross_entropy(scores, labels) + fw.nn.sparse_softmax_cross_entropy(
                scores.T, labels
            )
            spread = fw.sum(scores * (1.0 - eye)) / (image.shape[0] * (text.shape[0] + 1))
            loss = loss / 2 + 0.01 * spread
            adam.minimize(loss)
            return loss

        found = [step(normal(n, 6, seed=n), normal(n, 5, seed=n + 50)) for n in batches]
        return np.array(found), len(step._traces)


def test_clip() -> None:
    batches = [8, 8, 5, 8, 3, 1, 8, 5]
    expected, programs = clip_losses(False, batches)
    assert programs == 4
    # Unless all sizes vary from the start, 1 has a program of its own.
    for dynamic, count in (("auto", 2), (True, 1)):
        found, programs = clip_losses(dynamic, batches)
        np.testing.assert_allclose(found, expected, 2e-5, 1e-6)
        assert programs == count


MAIN = """
#include "model.h"
#include <stdio.h>
#include <stdlib.h>
static const float x[24] = {%s};
int main(void) {
  static const int64_t sizes[] = {8, 5, 3, 8, 1};
  char *memory = malloc(MODEL_STATE_BYTES + MODEL_STATE_ALIGN);
  model_state *s = (model_state *)(memory + MODEL_STATE_ALIGN - (size_t)memory %% MODEL_STATE_ALIGN);
  if (model_init(s, 3)) return 1;
  for (int i = 0; i < 5; ++i) {
    float part, mean;
    if (model_parts(s, x, sizes[i], &part, &mean)) return 2;
    printf("%%a %%a ", part, mean);
  }
  free(memory);
  return 0;
}
"""


def test_exported() -> None:
    table, x = fw.Variable(np.arange(10, dtype=np.float32), name="table"), normal(8, 3)

    @fw.function(signature=[fw.spec("batch", 3)], results=["part", "mean"], threads=1)
    def parts(x: Any) -> Any:
        n = x.shape[0]
        return fw.sum(table[:n]) + 0.0 * fw.sum(fw.arange(n)), fw.sum(x) / n

    parts.export(os.path.join(FOLDER, "model.o"), model_name="model", max_dim_sizes={"batch": 8})
    source, program = os.path.join(FOLDER, "main.c"), os.path.join(FOLDER, "main")
    with open(source, "w") as file:
        file.write(MAIN % ", ".join(map(str, map(float, x.reshape(-1)))))
    subprocess.run([*CC, source, os.path.join(FOLDER, "model.o"), "-o", program, "-lm"], check=True)
    output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    found = np.array([float.fromhex(text) for text in output.split()]).reshape(5, 2)
    sizes = [8, 5, 3, 8, 1]
    np.testing.assert_array_equal(found[:, 0], [28, 10, 3, 28, 0])
    np.testing.assert_allclose(found[:, 1], [x[:n].sum() / n for n in sizes], 1e-5)


def test_computed_results() -> None:
    """The caller allocates results, and knows the sizes that are computed only in programs for sizes that are known."""

    @fw.function(dynamic=True)
    def twice(x: Any) -> Any:
        return fw.concatenate([x, x]), x + 1.0

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for n in (3, 4, 1, 3):
            x = normal(n, 2)
            both, more = twice(x)
            np.testing.assert_array_equal(both, np.concatenate([x, x]))
            np.testing.assert_array_equal(more, x + 1)
    assert ["'twice' is compiled for each size" in str(one.message) for one in seen] == [True], seen
    assert len(twice._traces) == 3
    given = fw.function(lambda x: fw.concatenate([x, x]), signature=[fw.spec(None, 2)])
    try:
        given(normal(3, 2))
    except fw.CompileError as error:
        assert "to be a dimension size of a feed" in str(error), error
    else:
        raise AssertionError("expected an error")


def test_rules_and_loops() -> None:
    """Sizes from around a region, and of what is in it."""

    @fw.custom_vjp
    def scaled(v: Any) -> Any:
        return v * v.shape[0]

    @scaled.defvjp
    def scaled_vjp(v: Any, weights: Any) -> Any:
        return weights * v.shape[0] + 0.0 * v

    @fw.function
    def all_of(x: Any) -> Any:
        n = x.shape[0]
        inner = fw.scan(lambda s, r: (fw.cond(fw.sum(s) > n, lambda: s / n, lambda: s + r * n), s[0]), fw.zeros(3), x)
        outer = fw.vmap(lambda v: fw.sum(v) / v.shape[0] + fw.arange(n)[v.shape[0] - 1], in_axes=1)(x)
        return inner, outer, fw.grad(lambda v: fw.sum(scaled(v) ** 2))(x), fw.jvp(lambda v: v / n, (x,), (x,))

    for n in (8, 5, 3, 8):
        x = normal(n, 3)
        (state, kept), outer, gradient, (primal, tangent) = all_of(x)
        s: Any = np.zeros(3, np.float32)
        for k, r in enumerate(x):
            np.testing.assert_allclose(kept[k], s[0], 1e-5, 1e-5)
            s = s / n if s.sum() > n else s + r * n
        np.testing.assert_allclose(state, s, 1e-4, 1e-4)
        np.testing.assert_allclose(outer, x.mean(0) + n - 1, 1e-5)
        np.testing.assert_allclose(gradient, 2 * n * n * x, 1e-4)
        np.testing.assert_allclose([primal, tangent], [x / n, x / n], 1e-5)
    assert len(all_of._traces) == 1


def test_front_ends_keep_none() -> None:
    """None is what sizes are called there."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3])
        assert x.get_shape().as_list() == x.shape.as_list() == [None, 3] and x.shape[0].value is None
        assert K.int_shape(x) == (None, 3)
        part = tf.reduce_sum(tf.range(10.0)[: tf.shape(x)[0]]) / tf.cast(tf.shape(x)[0], tf.float32)
        with tf.Session() as session:
            for n in (8, 5, 3):
                assert session.run(part, {x: normal(n, 3)}) == np.float32((n - 1) / 2)


def test_sizes_of_graphs() -> None:
    """Sizes that a run chooses are none that are known as 0."""
    for shape in ([None, 4, 4, 3], [None, None, None, 3]):
        with tf.Graph().as_default():
            image = tf.placeholder(tf.float32, shape)
            results = [
                tf.image.per_image_standardization(image),
                tf.space_to_batch_nd(image, [2, 2], [[0, 0], [0, 0]]),
                tf.batch_to_space_nd(image, [2, 1], [[0, 1], [1, 0]]),
            ]
            with tf.Session() as session:
                for n in (4, 2):
                    x = normal(n, 4, 4, 3)
                    found = session.run(results, {image: x})
                    flat = x.reshape(n, -1)
                    expected = (flat - flat.mean(1, keepdims=True)) / flat.std(1, keepdims=True)
                    np.testing.assert_allclose(found[0].reshape(n, -1), expected, 1e-4, 1e-5)
                    blocks = [x[:, i::2, j::2] for i in (0, 1) for j in (0, 1)]
                    np.testing.assert_array_equal(found[1], np.concatenate(blocks))
                    woven = np.stack([x[: n // 2], x[n // 2 :]], 2).reshape(n // 2, 8, 4, 3)
                    np.testing.assert_array_equal(found[2], woven[:, :7, 1:])
            for bad in (lambda: tf.random_normal(image.shape), lambda: tf.range(image.shape[0])):
                try:
                    bad()
                except (ValueError, TypeError):
                    continue
                raise AssertionError("sizes that a run chooses were taken for 0")


def test_volumes_of_graphs() -> None:
    x, w = normal(2, 7, 5, 5, 2), normal(2, 3, 3, 2, 4, seed=1)
    found = []
    for shape in ([2, 7, 5, 5, 2], [None, None, 5, 5, 2]):
        with tf.Graph().as_default():
            volume = tf.placeholder(tf.float32, shape)
            with tf.Session() as session:
                found.append(session.run(tf.nn.conv3d(volume, w, [1, 2, 1, 1, 1], "VALID"), {volume: x}))
    np.testing.assert_allclose(found[1], found[0], 1e-5, 1e-5)


def test_static_arguments() -> None:
    """A size is an argument as a number is; of a function that is called in another one, a value."""

    @fw.function
    def first_rows(x: Any, count: Any) -> Any:
        return fw.sum(x[:count])

    @fw.function
    def outer(x: Any) -> Any:
        return first_rows(x, x.shape[0] - 1), first_rows(x, 1)

    for n in (8, 5, 3):
        x = normal(n, 3)
        np.testing.assert_allclose(outer(x), [x[:-1].sum(), x[:1].sum()], 1e-5, 1e-5)
    assert len(outer._traces) == 1


run_tests(
    [
        test_clip,
        test_exported,
        test_computed_results,
        test_rules_and_loops,
        test_front_ends_keep_none,
        test_sizes_of_graphs,
        test_volumes_of_graphs,
        test_static_arguments,
    ]
)
