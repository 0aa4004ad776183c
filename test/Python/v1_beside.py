# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""State, order, names, checkpoints, metrics and optimizers as TensorFlow 1 has them (N1 to N9, A1 to A9, C7, R1 to R4,
P6 to P8, X1 to X8, X10)."""

# mypy: disable-error-code="no-untyped-call"

import os
import tempfile
from typing import Any

import numpy as np

from beside_tensorflow import draw, program, run_all, values


@program
def cond_while(tf: Any) -> Any:
    a = tf.placeholder(tf.float32, [])
    v = tf.Variable(2.0)
    r = tf.cond(a > 1.0, lambda: a * v, lambda: a - v)
    g = tf.gradients(r, [v, a])
    i = tf.constant(0)
    c = lambda i, acc: tf.less(i, 6)
    b = lambda i, acc: (tf.add(i, 1), acc * 1.5 + tf.cast(i, tf.float32))
    w = tf.while_loop(c, b, [i, a])
    n = tf.while_loop(lambda x: tf.reduce_sum(x) < 100.0, lambda x: x * 2.0, [tf.constant([1.0, 2.0, 3.0])])
    cs = tf.case(
        [(a < 0.0, lambda: tf.constant(-1)), (a > 5.0, lambda: tf.constant(5))], default=lambda: tf.constant(0)
    )
    out = []
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        for k in (0.5, 3.0, 7.0, -1.0):
            out.append(s.run([r, g, w, n, cs], {a: k}))
    return out


@program
def control(tf: Any) -> Any:
    v = tf.Variable(1.0, name="v")
    c = tf.Variable(0, trainable=False)
    inc = tf.assign_add(c, 1)
    with tf.control_dependencies([inc]):
        z = tf.identity(v * 2.0)
        rd = c.read_value()
    up = v.assign(v + 10.0)
    grp = tf.group(inc, up)
    out = []
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        out.append(s.run(z))
        out.append(s.run(c))
        out.append(s.run(rd))
        out.append(s.run(grp))
        out.append(s.run([v, c]))
        out.append(s.run({"a": v, "b": [c, (v + 1.0)]}))
        out.append(s.run(tf.assign_sub(v, 0.5)))
        out.append(v.eval(s))
        out.append(s.run(tf.no_op()))
    return out


@program
def saver(tf: Any) -> Any:
    d = tempfile.mkdtemp()
    w = tf.get_variable("w", initializer=draw(3, 2))
    b = tf.Variable(tf.zeros([2]), name="b")
    st = tf.Variable(0, name="step", trainable=False)
    sv = tf.train.Saver(max_to_keep=2)
    out = []
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        for i in range(4):
            s.run([w.assign(w * 2), b.assign_add([1.0, 2.0]), st.assign_add(1)])
            p = sv.save(s, os.path.join(d, "model.ckpt"), global_step=st)
            out.append(os.path.basename(p))
        out.append([os.path.basename(q) for q in sv.last_checkpoints])
    ck = tf.train.get_checkpoint_state(d)
    out.append(os.path.basename(ck.model_checkpoint_path))
    out.append([os.path.basename(q) for q in ck.all_model_checkpoint_paths])
    with tf.Session() as s:
        sv.restore(s, tf.train.latest_checkpoint(d))
        out.append(s.run([w, b, st]))
        out.append(list(s.run(tf.report_uninitialized_variables())))
    return out


@program
def arrays(tf: Any) -> Any:
    x = tf.placeholder(tf.float32, [None, 4, 3])
    i = tf.placeholder(tf.int32, [None, 2])
    o = [
        tf.reverse(x, [1]),
        tf.reverse(x, axis=[0, 2]),
        tf.gather_nd(x, i),
        tf.eye(3),
        tf.eye(2, 4),
        tf.linspace(0.5, 2.0, 7),
        tf.diag([1.0, 2.0]),
        tf.matrix_diag(x),
        tf.sequence_mask([1, 3, 0], 4),
        tf.sequence_mask([1, 3, 0], 4, dtype=tf.float32),
        tf.cumsum(x, 1),
        tf.cumsum(x, axis=1, exclusive=True, reverse=True),
        tf.cumprod(x, 1),
        tf.tensordot(x, tf.constant(draw(3, 2)), [[2], [0]]),
        tf.tensordot(x, tf.constant(draw(3, 2)), 1),
        tf.einsum("bij,jk->bik", x, tf.constant(draw(3, 2))),
        tf.trace(tf.constant(draw(3, 3))),
        tf.norm(x),
        tf.norm(x, axis=1),
        tf.norm(x, ord=1, axis=2, keepdims=True),
        tf.count_nonzero(x),
        tf.count_nonzero(tf.constant([[0, 1], [2, 0]]), axis=1),
        tf.add_n([x, x]),
        tf.meshgrid(tf.constant([1.0, 2.0, 3.0]), tf.constant([4.0, 5.0])),
        tf.meshgrid(tf.constant([1.0, 2.0, 3.0]), tf.constant([4.0, 5.0]), indexing="ij"),
        tf.where([True, False], tf.constant(draw(2, 3)), tf.constant(draw(2, 3) + 1)),
        tf.one_hot([1, 0, 2], 3, on_value=5.0, off_value=-1.0, axis=0),
        tf.one_hot([[1], [2]], 4, axis=1),
        tf.matrix_transpose(x),
        tf.matrix_diag_part(tf.constant(draw(2, 3, 3))),
        tf.depth_to_space(tf.constant(draw(2, 3, 2, 8)), 2),
        tf.space_to_depth(tf.constant(draw(2, 4, 6, 3)), 2),
        tf.roll(x, 1, 1),
        tf.broadcast_to(tf.constant([1.0, 2.0, 3.0]), [2, 3]),
        tf.to_double(x),
        tf.to_int64(x * 3),
        tf.cast(x, "double"),
        tf.atan2(x, x + 1),
        tf.log_sigmoid(x),
        tf.squared_difference(x, 1.0),
        tf.reduce_logsumexp(x, 1),
        tf.reduce_any(x > 0, axis=[1, 2]),
        tf.argmin(x, 2),
        tf.clip_by_norm(x, 2.0, [2]),
    ]
    return values(tf, o, {x: draw(5, 4, 3), i: [[0, 1], [4, 3], [2, 2]]})


@program
def losses(tf: Any) -> Any:
    l = tf.losses
    y = tf.constant(draw(4, 3))
    p = tf.Variable(draw(4, 3) * 0.5 + 0.1)
    oh = tf.constant(np.eye(3, dtype=np.float32)[[0, 1, 2, 1]])
    b = tf.constant((draw(4, 3) > 0).astype(np.float32))
    w = tf.constant([1.0, 0.0, 2.0, 0.5])
    w2 = tf.constant([[1.0], [0.0], [2.0], [0.5]])
    o = [
        l.mean_squared_error(y, p),
        l.mean_squared_error(y, p, weights=w2),
        l.absolute_difference(y, p, weights=0.3),
        l.huber_loss(y, p * 3, delta=0.7),
        l.log_loss(b, tf.nn.sigmoid(p)),
        l.hinge_loss(b, p),
        l.cosine_distance(tf.nn.l2_normalize(y, 1), tf.nn.l2_normalize(p, 1), axis=1),
        l.softmax_cross_entropy(oh, p, weights=w),
        l.softmax_cross_entropy(oh, p, label_smoothing=0.1),
        l.sparse_softmax_cross_entropy([0, 1, 2, 1], p, weights=w),
        l.sigmoid_cross_entropy(b, p, label_smoothing=0.2),
        l.mean_squared_error(y, p, weights=w2, reduction=l.Reduction.SUM),
        l.mean_squared_error(y, p, reduction=l.Reduction.NONE),
        l.mean_squared_error(y, p, weights=w2, reduction=l.Reduction.MEAN),
        l.compute_weighted_loss(p, w2, reduction=l.Reduction.SUM_OVER_BATCH_SIZE),
    ]
    n = len(l.get_losses())
    return values(tf, o + tf.gradients(tf.add_n(o[:12]), [p])) + [n]


@program
def averages(tf: Any) -> Any:
    v = tf.Variable([1.0, 2.0], name="v")
    st = tf.Variable(0, trainable=False, name="st")
    e = tf.train.ExponentialMovingAverage(0.9)
    up = tf.assign_add(v, [1.0, 1.0])
    with tf.control_dependencies([up]):
        m = e.apply([v])
    e2 = tf.train.ExponentialMovingAverage(0.99, num_updates=st, name="avg2")
    m2 = e2.apply()
    out = [e.average_name(v), e.average(v).op.name, sorted(e.variables_to_restore())]
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        for i in range(3):
            s.run(m)
            out.append(s.run([v, e.average(v)]))
        s.run(m2)
        out.append(s.run(e2.average(v)))
    return out


@program
def metrics(tf: Any) -> Any:
    l = tf.placeholder(tf.int64, [None])
    p = tf.placeholder(tf.int64, [None])
    f = tf.placeholder(tf.float32, [None])
    ms = [
        tf.metrics.accuracy(l, p),
        tf.metrics.precision(l, p),
        tf.metrics.recall(l, p),
        tf.metrics.mean(f),
        tf.metrics.mean_squared_error(tf.cast(l, tf.float32), f),
        tf.metrics.auc(l, tf.sigmoid(f)),
        tf.metrics.true_positives(l, p),
        tf.metrics.mean_absolute_error(tf.cast(l, tf.float32), f),
    ]
    out = []
    with tf.Session() as s:
        s.run(tf.local_variables_initializer())
        for i in range(3):
            r = np.random.RandomState(i)
            out.append(
                s.run(
                    [m[1] for m in ms], {l: r.randint(0, 2, 7), p: r.randint(0, 2, 7), f: r.randn(7).astype(np.float32)}
                )
            )
        out.append(s.run([m[0] for m in ms]))
    return out


@program
def names(tf: Any) -> Any:
    with tf.variable_scope("a"):
        v = tf.get_variable("v", [1])
        w = tf.Variable(1.0)
        with tf.name_scope("n"):
            c = tf.constant(1.0, name="c")
            u = tf.get_variable("u", [2], initializer=tf.zeros_initializer())
            x = tf.Variable(2.0, name="x")
        with tf.variable_scope("b", reuse=tf.AUTO_REUSE):
            y = tf.get_variable("y", [3])
            y2 = tf.get_variable("y", [3])
    with tf.variable_scope("a", reuse=True) as sc:
        v2 = tf.get_variable("v", [1])
        z = tf.add(v2, 1.0)
    with tf.variable_scope(sc):
        q = tf.multiply(v2, 2.0, name="q")
    with tf.variable_scope(None, default_name="d"):
        d1 = tf.get_variable("k", [1])
    with tf.variable_scope(None, default_name="d"):
        d2 = tf.get_variable("k", [1])
    found = [t.name for t in (v, w, c, u, x, y, y2, v2, z, q, d1, d2)] + [
        y is y2,
        v is v2,
        [t.name for t in tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="a")],
    ]
    for f in (lambda: tf.get_variable("a/v", [1]), lambda: [tf.get_variable("zz", [2]), tf.get_variable("zz", [2])]):
        try:
            f()
            found.append("no error")
        except ValueError as error:
            found.append(str(error)[:60])
    return found


@program
def optimizers(tf: Any) -> Any:
    out = []
    T = tf.train
    for i, mk in enumerate(
        [
            lambda: T.GradientDescentOptimizer(0.1),
            lambda: T.MomentumOptimizer(0.1, 0.8, use_nesterov=True),
            lambda: T.AdagradOptimizer(0.2, 0.3),
            lambda: T.AdadeltaOptimizer(0.7, 0.9),
            lambda: T.RMSPropOptimizer(0.05, 0.8, 0.3, centered=True),
            lambda: T.AdamOptimizer(0.03, 0.8, 0.95, 1e-4),
            lambda: T.FtrlOptimizer(0.2, l1_regularization_strength=0.05, l2_regularization_strength=0.1),
        ]
    ):
        v = tf.Variable(draw(3, 2) + i, name="v%d" % i)
        u = tf.Variable(draw(2) + i)
        loss = tf.reduce_sum(tf.square(tf.matmul(v, tf.reshape(u, [2, 1])) - 1.0)) + tf.reduce_sum(tf.abs(v))
        o = mk()
        op = o.minimize(loss, var_list=[v, u])
        out.append(
            (
                v,
                u,
                op,
                loss,
                [
                    o.get_slot_names(),
                    [s.name for s in o.variables()] if i != 5 else sorted(s.name for s in o.variables()),
                ],
            )
        )
    res = []
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        for v, u, op, loss, nm in out:
            for _ in range(4):
                s.run(op)
            res += s.run([v, u, loss])
            res.append(sorted(nm[0]))
    return res


if __name__ == "__main__":
    run_all()
