# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""Arguments by the names that TensorFlow 1 has for them, and switches between its versions (X35)."""

# mypy: disable-error-code="no-untyped-call"

import os
import tempfile
from typing import Any, List

import numpy as np

from beside_tensorflow import caught, draw, program, run_all, values


@program
def alike(tf: Any) -> Any:
    x = tf.placeholder(tf.float32, [None, 3])
    made = [tf.zeros_like(tensor=x, dtype=tf.int32), tf.ones_like(x, tf.float64), tf.ones_like(x, optimize=False),
            tf.zeros_like([1, 2]), tf.ones_like(x > 0), tf.zeros_like(x, dtype="bool")]  # fmt: skip
    kinds = [one.dtype.base_dtype.name for one in made]
    return [*kinds, tf.gradients(tf.ones_like(x), x)[0] is None, *values(tf, made, {x: draw(2, 3)})]


@program
def products(tf: Any) -> Any:
    a, b = tf.constant(draw(3, 2)), tf.constant(draw(3, 4))
    made = [tf.matmul(a, b, adjoint_a=True), tf.matmul(b, a, transpose_a=True, a_is_sparse=True),
            tf.matmul(a, a, adjoint_b=True), tf.transpose(a, conjugate=True)]  # fmt: skip
    both = caught(lambda: tf.matmul(a, b, transpose_a=True, adjoint_a=True))
    return [both, *values(tf, made)]


@program
def counts(tf: Any) -> Any:
    x = tf.placeholder(tf.float32, [None, 4])
    made = [tf.size(x), tf.size(x, out_type=tf.int64), tf.argmin(x, dimension=1), tf.argmin(x, 1, output_type=tf.int32),
            tf.arg_min(x, 1), tf.count_nonzero(x, reduction_indices=1), tf.count_nonzero(x, 1, keep_dims=True),
            tf.count_nonzero(x, axis=0, dtype=tf.int32), tf.nn.l2_loss(t=x), tf.nn.sigmoid(x=x),
            tf.nn.tanh(x=x)]  # fmt: skip
    twice: List[Any] = [caught(lambda: tf.count_nonzero(x, 1, keepdims=True, keep_dims=True)),
                        caught(lambda: tf.count_nonzero(x, axis=1, reduction_indices=1)),
                        caught(lambda: tf.count_nonzero())]  # fmt: skip
    return [*twice, *values(tf, made, {x: np.maximum(draw(3, 4), 0)})]


@program
def files(tf: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        one, other = os.path.join(folder, "a.txt"), os.path.join(folder, "b", "c.txt")
        tf.gfile.MakeDirs(dirname=os.path.join(folder, "b"))
        with tf.gfile.GFile(one, "w") as file:
            file.write("text")
        tf.gfile.Copy(oldpath=one, newpath=other)
        again = caught(lambda: tf.gfile.Copy(one, other)) is not None
        tf.gfile.Copy(one, other, overwrite=True)
        found = [tf.gfile.Exists(filename=other), tf.gfile.IsDirectory(dirname=folder), again,
                 sorted(tf.gfile.ListDirectory(dirname=folder)),
                 len(tf.gfile.Glob(filename=[os.path.join(folder, "*.txt"), other]))]  # fmt: skip
        tf.gfile.Rename(oldname=other, newname=other + "2", overwrite=True)
        tf.gfile.Remove(filename=one)
        found += [sorted(name for _, _, names in tf.gfile.Walk(folder, in_order=False) for name in names)]
        tf.gfile.DeleteRecursively(dirname=os.path.join(folder, "b"))
        return [*found, tf.gfile.ListDirectory(folder) == []]


@program
def in_order(tf: Any) -> Any:
    """Arguments without names, and those that have two."""
    y, x = np.abs(draw(3, 4)), draw(3, 4)
    losses = [tf.nn.softmax_cross_entropy_with_logits_v2(y, x), tf.nn.softmax_cross_entropy_with_logits_v2(y, x, 0),
              tf.nn.softmax_cross_entropy_with_logits_v2(y, x, dim=0),
              tf.nn.weighted_cross_entropy_with_logits(y, x, 2.0)]  # fmt: skip
    angles = [tf.atan2(y=y, x=x), tf.atan2(y, x), tf.math.atan2(x=x, y=y)]
    both = caught(lambda: tf.nn.softmax_cross_entropy_with_logits_v2(y, x, axis=0, dim=0))
    return [both, *values(tf, [*losses, *angles])]


@program
def sessions(tf: Any) -> Any:
    v = tf.Variable(3.0)
    with tf.train.SingularMonitoredSession([], tf.train.Scaffold(), "", None) as session:
        return session.run(v)


@program
def switches(tf: Any) -> Any:
    tf.disable_v2_behavior()
    tf.disable_eager_execution()
    tf.disable_v2_tensorshape()
    x, v = tf.placeholder(tf.float32, [None, 3]), tf.Variable([1.0, 2.0, 3.0])
    start = [tf.initializers.global_variables(), tf.tables_initializer(), tf.initialize_all_tables()]
    sizes = [tf.dimension_value(one) for one in x.shape]
    slope = tf.gradients(x * v, v, aggregation_method=tf.AggregationMethod.EXPERIMENTAL_TREE)
    with tf.Session() as session:
        session.run(start)
        found = session.run(slope, {x: draw(2, 3)})
    return [tf.executing_eagerly(), tf.is_tensor(x), tf.is_tensor(3.0), tf.no_regularizer(v), *sizes, *found,
            tf.dtypes.half.name, tf.dtypes.DType is tf.DType]  # fmt: skip


if __name__ == "__main__":
    run_all()
