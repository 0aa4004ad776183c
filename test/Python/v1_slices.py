# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Norms of the gradients of tables (X12): of what each lookup adds, before rows that come twice are summed, as of the
values of TensorFlow's `IndexedSlices`. With TensorFlow in Python, its own numbers are compared too."""

import importlib
import importlib.util
from typing import Any, Dict

import numpy as np
from numpy.typing import NDArray

import flywheel.v1 as fw_v1

IDS = np.array([[1, 4, 1], [0, 1, 4]], np.int32)
TABLE = np.random.default_rng(1).standard_normal((6, 3))
COEFFICIENTS = np.random.default_rng(2).standard_normal((2, 3, 3))


def build(tf: Any) -> Dict[str, Any]:
    """The values to compare, by name."""
    ids = tf.placeholder(tf.int32, [2, 3], name="ids")
    table = tf.get_variable("table", initializer=tf.constant(TABLE))
    dense = tf.get_variable("dense", initializer=tf.constant(TABLE[:3] * 0.5))
    rows = tf.nn.embedding_lookup(table, ids)
    loss = tf.reduce_sum(tf.square(tf.matmul(tf.reshape(rows * tf.constant(COEFFICIENTS), [6, 3]), dense)))
    twice = loss + tf.reduce_sum(tf.gather(table, ids[0]) ** 3)
    mixed = loss + 0.1 * tf.reduce_sum(table**2)
    values: Dict[str, Any] = {}
    for name, y in (("once", loss), ("twice", twice), ("mixed", mixed)):
        found = tf.gradients(y, [table, dense])
        values[f"{name}, norm"] = tf.global_norm(found)
        clipped, norm = tf.clip_by_global_norm(found, 5.0)
        values[f"{name}, norm of clipped"] = norm
        values[f"{name}, clipped"] = tf.convert_to_tensor(clipped[0])
        values[f"{name}, clipped dense"] = clipped[1]
        values[f"{name}, norm after"] = tf.global_norm(clipped)
        own = tf.clip_by_norm(found[0], 2.0)
        values[f"{name}, by its norm"] = tf.convert_to_tensor(own)
        values[f"{name}, norm of both"] = tf.global_norm([own, found[1]])
        weighted = tf.gradients(y, [table], grad_ys=[tf.constant(0.25, tf.float64)])
        values[f"{name}, weighted"] = tf.global_norm(weighted)
    optimizer = tf.train.GradientDescentOptimizer(0.125)
    gradients, variables = zip(*optimizer.compute_gradients(twice))
    clipped, _ = tf.clip_by_global_norm(gradients, 5.0)
    values["step"] = optimizer.apply_gradients(zip(clipped, variables))
    return values


def run(tf: Any) -> Dict[str, NDArray[Any]]:
    with tf.Graph().as_default(), tf.Session() as session:
        values = build(tf)
        session.run(tf.global_variables_initializer())
        step = values.pop("step")
        found = session.run(values, {"ids:0": IDS})
        for number in range(3):
            session.run(step, {"ids:0": (IDS + number) % 6})
        table, dense = session.run(tf.trainable_variables())
        found.update({"trained table": table, "trained dense": dense})
    return {name: np.asarray(value) for name, value in found.items()}


def check_formulas(found: Dict[str, NDArray[Any]]) -> None:
    """Compares with the derivatives by hand."""
    rows, dense = TABLE[IDS] * COEFFICIENTS, TABLE[:3] * 0.5
    products = rows.reshape(6, 3) @ dense
    of_rows = (2 * products @ dense.T).reshape(2, 3, 3) * COEFFICIENTS
    of_dense = rows.reshape(6, 3).T @ (2 * products)
    summed = np.zeros_like(TABLE)
    np.add.at(summed, IDS, of_rows)
    cubes = 3 * TABLE[IDS[0]] ** 2

    def norm_of(*parts: NDArray[Any]) -> float:
        return float(np.sqrt(sum(np.sum(part**2) for part in parts)))

    expected: Dict[str, Any] = {
        "once, norm": norm_of(of_rows, of_dense),
        "twice, norm": norm_of(of_rows, cubes, of_dense),
        # A variable that is read whole too has one gradient.
        "mixed, norm": norm_of(summed + 0.2 * TABLE, of_dense),
        "once, clipped": summed * 5 / norm_of(of_rows, of_dense),
        "once, by its norm": summed * 2 / norm_of(of_rows),
        "once, norm of both": norm_of(of_rows * 2 / norm_of(of_rows), of_dense),
        "once, weighted": norm_of(of_rows) / 4,
    }
    assert norm_of(of_rows) > 1.01 * norm_of(summed) or norm_of(of_rows) < 0.99 * norm_of(summed)
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-12, err_msg=name)


found = run(fw_v1)
check_formulas(found)
if importlib.util.find_spec("tensorflow"):
    peer: Any = importlib.import_module("tensorflow").compat.v1
    peer.disable_v2_behavior()
    for key, value in run(peer).items():
        np.testing.assert_allclose(found[key], value, rtol=1e-10, err_msg=key)
