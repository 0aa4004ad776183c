# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, tensorflow
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""Programs as people wrote them for TensorFlow 1, once with `flywheel.v1` and once with TensorFlow's own
`tensorflow.compat.v1`: what they return is the same, names and errors too (N1 to N9, A1 to A9, C7, R1 to R4, P6 to P8,
X1 to X8, X10)."""

# mypy: disable-error-code="no-untyped-call"

import importlib
import importlib.util
import os
import tempfile
import warnings
from typing import Any, Callable, List

import numpy as np

import flywheel.v1

tensorflow: Any = importlib.import_module("tensorflow.compat.v1")

Program = Callable[[Any], Any]
PROGRAMS: List[Program] = []
# What TensorFlow has only with this package.
NEED_KERAS = {"layers_api", "gan", "rnn_lstm", "layer_objects", "both_directions"}


def program(function: Program) -> Program:
    PROGRAMS.append(function)
    return function


def draw(*shape: int) -> Any:
    return np.random.RandomState(sum(shape) + 7).randn(*shape).astype(np.float32)


def values(tf: Any, fetches: Any, feed: Any = None) -> Any:
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        return session.run(fetches, feed)


def leaves(tree: Any) -> List[Any]:
    if isinstance(tree, dict):
        return [leaf for key in sorted(tree) for leaf in leaves(tree[key])]
    return [leaf for one in tree for leaf in leaves(one)] if isinstance(tree, (list, tuple)) else [tree]


def check(function: Program) -> None:
    flywheel.v1.reset_default_graph()
    found = leaves(function(flywheel.v1))
    tensorflow.reset_default_graph()
    wanted = leaves(function(tensorflow))
    assert len(found) == len(wanted), (function.__name__, len(found), len(wanted))
    for place, (own, other) in enumerate(zip(found, wanted)):
        what = f"{function.__name__}, result {place}"
        if other is None or isinstance(other, (str, bytes, bool)):
            assert own == other, f"{what}: {own!r}, expected {other!r}"
            continue
        a, b = np.asarray(own), np.asarray(other)
        assert a.shape == b.shape, f"{what}: shape {a.shape}, expected {b.shape}"
        if b.dtype.kind in "OSU":
            assert a.tolist() == b.tolist(), f"{what}: {a}, expected {b}"
            continue
        assert a.dtype == b.dtype, f"{what}: {a.dtype}, expected {b.dtype}"
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=1e-5, err_msg=what)


@program
def mnist_mlp(tf: Any) -> Any:
    x = tf.placeholder(tf.float32, [None, 20], name="x")
    y = tf.placeholder(tf.int64, [None], name="y")
    with tf.variable_scope("l1"):
        W = tf.get_variable("W", initializer=tf.constant(draw(20, 16) * 0.2))
        b = tf.get_variable("b", [16], initializer=tf.zeros_initializer())
        h = tf.nn.relu(tf.matmul(x, W) + b)
    with tf.variable_scope("l2"):
        W2 = tf.get_variable("W", initializer=draw(16, 5) * 0.2)
        b2 = tf.get_variable("b", [5], initializer=tf.constant_initializer(0.1))
        logits = tf.add(tf.matmul(h, W2), b2, name="logits")
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    gs = tf.Variable(0, trainable=False, name="global_step")
    lr = tf.train.exponential_decay(0.1, gs, 2, 0.5, staircase=True)
    opt = tf.train.MomentumOptimizer(lr, 0.9)
    gv = opt.compute_gradients(loss)
    gv = [(tf.clip_by_value(g, -1.0, 1.0), v) for g, v in gv]
    train = opt.apply_gradients(gv, global_step=gs)
    pred = tf.argmax(logits, 1)
    acc = tf.reduce_mean(tf.cast(tf.equal(pred, y), tf.float32))
    out = []
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        for i in range(5):
            f = {x: draw(8, 20) + i, y: np.arange(8) % 5}
            _, l, a, r = s.run([train, loss, acc, lr], feed_dict=f)
            out += [l, a, r]
        out.append(s.run(tf.trainable_variables()))
        out.append([v.name for v in tf.global_variables()])
        out.append(s.run(gs))
        out.append(pred.eval({x: draw(3, 20)}))
        out.append([t.op.name for t in (logits,)])
    return out


@program
def mnist_cnn(tf: Any) -> Any:
    x = tf.placeholder("float", [None, 64])
    y_ = tf.placeholder("float", [None, 3])
    keep = tf.placeholder(tf.float32)

    def weight(shape: Any) -> Any:
        return tf.Variable(tf.constant(draw(*shape) * 0.1))

    img = tf.reshape(x, [-1, 8, 8, 1])
    h = tf.nn.relu(
        tf.nn.conv2d(img, weight([3, 3, 1, 4]), strides=[1, 1, 1, 1], padding="SAME")
        + tf.Variable(tf.constant(0.1, shape=[4]))
    )
    h = tf.nn.max_pool(h, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    h = tf.nn.relu(tf.nn.conv2d(h, weight([3, 3, 4, 6]), [1, 2, 2, 1], "VALID") + tf.Variable(tf.zeros([6])))
    fl = tf.reshape(h, [-1, int(np.prod(h.get_shape().as_list()[1:]))])
    fc = tf.nn.dropout(tf.nn.relu(tf.matmul(fl, weight([6, 10]))), keep)
    o = tf.nn.softmax(tf.matmul(fc, weight([10, 3])))
    ce = tf.reduce_mean(-tf.reduce_sum(y_ * tf.log(tf.clip_by_value(o, 1e-10, 1.0)), reduction_indices=[1]))
    t = tf.train.AdamOptimizer(1e-2).minimize(ce)
    correct = tf.equal(tf.argmax(o, 1), tf.argmax(y_, 1))
    acc = tf.reduce_mean(tf.cast(correct, "float"))
    out = []
    s = tf.InteractiveSession()
    tf.global_variables_initializer().run()
    Y = np.eye(3, dtype=np.float32)[np.arange(6) % 3]
    for i in range(4):
        t.run(feed_dict={x: draw(6, 64), y_: Y, keep: 1.0})
        out.append(ce.eval(feed_dict={x: draw(6, 64), y_: Y, keep: 1.0}))
    out.append(acc.eval({x: draw(6, 64), y_: Y, keep: 1.0}))
    s.close()
    return out


@program
def layers_api(tf: Any) -> Any:
    x = tf.placeholder(tf.float32, [None, 8, 8, 2])
    training = tf.placeholder(tf.bool)
    lab = tf.placeholder(tf.int32, [None])
    k = lambda *s: tf.constant_initializer(draw(*s) * 0.1)
    c = tf.layers.conv2d(
        inputs=x,
        filters=4,
        kernel_size=[3, 3],
        padding="same",
        activation=tf.nn.relu,
        kernel_initializer=k(3, 3, 2, 4),
        name="c1",
    )
    p = tf.layers.max_pooling2d(inputs=c, pool_size=[2, 2], strides=2)
    bn = tf.layers.batch_normalization(p, training=training)
    c2 = tf.layers.conv2d(bn, 5, 3, strides=(2, 2), padding="valid", use_bias=False, kernel_initializer=k(3, 3, 4, 5))
    a = tf.layers.average_pooling2d(bn, 2, 2)
    f = tf.layers.flatten(c2)
    f = tf.concat([f, tf.layers.flatten(a)], 1)
    d = tf.layers.dense(f, 6, activation=tf.tanh, kernel_initializer=k(21, 6), kernel_regularizer=None, name="d")
    d = tf.layers.dropout(d, rate=0.0, training=training)
    lg = tf.layers.dense(d, 3, kernel_initializer=k(6, 3))
    loss = tf.losses.sparse_softmax_cross_entropy(labels=lab, logits=lg)
    up = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    with tf.control_dependencies(up):
        tr = tf.train.GradientDescentOptimizer(0.5).minimize(loss, global_step=tf.train.get_or_create_global_step())
    out = [len(up), [v.name for v in tf.global_variables()], [v.name for v in tf.trainable_variables()]]
    with tf.Session() as s:
        s.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        for i in range(3):
            l, _ = s.run([loss, tr], {x: draw(4, 8, 8, 2) * (i + 1), lab: [0, 1, 2, 1], training: True})
            out.append(l)
        out.append(s.run([loss, lg], {x: draw(4, 8, 8, 2), lab: [0, 1, 2, 1], training: False}))
        out.append(s.run(tf.train.get_global_step()))
    return out


@program
def gan(tf: Any) -> Any:
    z = tf.placeholder(tf.float32, [None, 4])
    real = tf.placeholder(tf.float32, [None, 3])

    def G(z: Any) -> Any:
        with tf.variable_scope("generator"):
            h = tf.layers.dense(z, 5, tf.nn.leaky_relu, kernel_initializer=tf.constant_initializer(draw(4, 5)))
            return tf.layers.dense(h, 3, kernel_initializer=tf.constant_initializer(draw(5, 3)))

    def D(x: Any, reuse: Any = False) -> Any:
        with tf.variable_scope("discriminator", reuse=reuse):
            h = tf.layers.dense(x, 6, tf.nn.elu, kernel_initializer=tf.constant_initializer(draw(3, 6)), name="h")
            return tf.layers.dense(h, 1, kernel_initializer=tf.constant_initializer(draw(6, 1)), name="o")

    fake = G(z)
    dr = D(real)
    df = D(fake, reuse=True)
    dl = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=dr, labels=tf.ones_like(dr))) + tf.reduce_mean(
        tf.nn.sigmoid_cross_entropy_with_logits(logits=df, labels=tf.zeros_like(df))
    )
    gl = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=df, labels=tf.ones_like(df)))
    tv = tf.trainable_variables()
    dv = [v for v in tv if v.name.startswith("discriminator")]
    gv = [v for v in tv if "generator" in v.name]
    dt = tf.train.AdamOptimizer(0.01, beta1=0.5).minimize(dl, var_list=dv)
    gt = tf.train.AdamOptimizer(0.02, beta1=0.5).minimize(gl, var_list=gv)
    out = [[v.op.name for v in dv + gv]]
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        for i in range(3):
            f = {z: draw(7, 4) + i, real: draw(7, 3)}
            out.append(s.run([dt, dl], f)[1])
            out.append(s.run([gt, gl], f)[1])
        out.append(s.run(dv + gv))
        out.append(sorted(v.name for v in tf.global_variables()))
    return out


@program
def rnn_lstm(tf: Any) -> Any:
    x = tf.placeholder(tf.float32, [None, 5, 3])
    y = tf.placeholder(tf.float32, [None, 2])
    ln = tf.placeholder(tf.int32, [None])
    with tf.variable_scope("rnn", initializer=tf.constant_initializer(0.13)):
        cell = tf.nn.rnn_cell.BasicLSTMCell(4, forget_bias=1.0)
        out, st = tf.nn.dynamic_rnn(cell, x, sequence_length=ln, dtype=tf.float32)
        last = tf.layers.dense(st.h, 2, kernel_initializer=tf.constant_initializer(draw(4, 2)))
    loss = tf.losses.mean_squared_error(y, last)
    opt = tf.train.RMSPropOptimizer(0.01, momentum=0.5)
    tv = tf.trainable_variables()
    g, n = tf.clip_by_global_norm(tf.gradients(loss, tv), 0.5)
    tr = opt.apply_gradients(zip(g, tv))
    r = [[v.name for v in tv]]
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        for i in range(3):
            r += s.run([loss, n, tr], {x: draw(4, 5, 3), y: draw(4, 2), ln: [5, 3, 1, 4]})[:2]
        r.append(s.run(tv))
        r.append(s.run([out, st], {x: draw(2, 5, 3), ln: [2, 5]}))
    return r


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
def networks(tf: Any) -> Any:
    x = tf.placeholder(tf.float32, [None, 8, 8, 4])
    s = tf.placeholder(tf.float32, [None, 10, 3])
    o = [
        tf.nn.conv1d(s, tf.constant(draw(3, 3, 5)), 2, "SAME"),
        tf.nn.conv1d(s, tf.constant(draw(3, 3, 5)), 1, "VALID"),
        tf.nn.atrous_conv2d(x, tf.constant(draw(3, 3, 4, 2)), 2, "VALID"),
        tf.nn.depthwise_conv2d(x, tf.constant(draw(3, 3, 4, 2)), [1, 2, 2, 1], "SAME"),
        tf.nn.separable_conv2d(x, tf.constant(draw(3, 3, 4, 2)), tf.constant(draw(1, 1, 8, 3)), [1, 1, 1, 1], "VALID"),
        tf.nn.conv2d_transpose(x, tf.constant(draw(3, 3, 2, 4)), [2, 16, 16, 2], [1, 2, 2, 1]),
        tf.nn.conv2d_transpose(x, tf.constant(draw(3, 3, 2, 4)), [2, 17, 17, 2], [1, 2, 2, 1], padding="VALID"),
        tf.nn.weighted_cross_entropy_with_logits(
            targets=tf.constant(np.eye(3, dtype=np.float32)), logits=tf.constant(draw(3, 3)), pos_weight=2.5
        ),
        tf.nn.crelu(s),
        tf.nn.swish(s),
        tf.nn.zero_fraction(tf.nn.relu(s)),
        tf.nn.lrn(x, 2, 1.0, 0.3, 0.75),
        tf.nn.softmax(s, axis=1),
        tf.nn.log_softmax(s, 1),
        tf.nn.moments(x, [0, 1, 2]),
        tf.nn.l2_normalize(s, 1),
        tf.nn.bias_add(s, [1.0, 2.0, 3.0]),
        tf.nn.in_top_k(tf.constant(draw(4, 5)), [0, 1, 2, 3], 2),
        tf.nn.relu6(s * 9),
        tf.nn.selu(s),
        tf.nn.avg_pool(x, [1, 3, 3, 1], [1, 2, 2, 1], "SAME"),
        tf.nn.l2_loss(s),
    ]
    g = tf.gradients([tf.reduce_sum(tf.square(o[k])) for k in (0, 2, 3, 4, 5, 6, 11, 12)], [x, s])
    return values(tf, o + g, {x: draw(2, 8, 8, 4), s: draw(4, 10, 3)})


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
def layer_objects(tf: Any) -> Any:
    x = tf.placeholder(tf.float32, [None, 8, 8, 3])
    s = tf.placeholder(tf.float32, [None, 9, 3])
    k = lambda *a: tf.constant_initializer(draw(*a) * 0.3)
    d = tf.layers.Dense(4, activation=tf.nn.relu, kernel_initializer=k(3, 4), name="dd")
    a = d(s)
    b = d(s * 2.0)
    c = tf.layers.Conv2D(5, (3, 3), padding="same", kernel_initializer=k(3, 3, 3, 5))
    cc = c(x)
    t = tf.layers.conv2d_transpose(x, 2, 4, strides=2, padding="same", kernel_initializer=k(4, 4, 2, 3))
    t2 = tf.layers.conv2d_transpose(x, 2, (3, 3), strides=(2, 2), kernel_initializer=k(3, 3, 2, 3))
    sp = tf.layers.separable_conv2d(
        x, 6, 3, depth_multiplier=2, depthwise_initializer=k(3, 3, 3, 2), pointwise_initializer=k(1, 1, 6, 6)
    )
    c1 = tf.layers.conv1d(s, 4, 3, strides=2, padding="same", kernel_initializer=k(3, 3, 4))
    mp = tf.layers.max_pooling1d(s, 2, 2)
    ap = tf.layers.average_pooling1d(s, 3, 2, padding="same")
    r = values(tf, [a, b, cc, t, t2, sp, c1, mp, ap], {x: draw(2, 8, 8, 3), s: draw(2, 9, 3)})
    return r + [[v.name for v in tf.trainable_variables()], d.kernel.name, len(d.trainable_variables)]


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
def both_directions(tf: Any) -> Any:
    x = tf.placeholder(tf.float32, [None, 6, 3])
    n = tf.placeholder(tf.int32, [None])
    with tf.variable_scope("r", initializer=tf.constant_initializer(0.2)):
        o, s = tf.nn.bidirectional_dynamic_rnn(
            tf.nn.rnn_cell.GRUCell(4), tf.nn.rnn_cell.GRUCell(4), x, sequence_length=n, dtype=tf.float32
        )
        o2, s2 = tf.nn.dynamic_rnn(
            tf.nn.rnn_cell.MultiRNNCell(
                [tf.nn.rnn_cell.ResidualWrapper(tf.nn.rnn_cell.BasicRNNCell(3)), tf.nn.rnn_cell.LSTMCell(2)]
            ),
            x,
            dtype=tf.float32,
        )
        o3, s3 = tf.nn.static_rnn(
            tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.LSTMCell(3), output_keep_prob=1.0),
            tf.unstack(x, axis=1),
            dtype=tf.float32,
        )
    loss = tf.reduce_sum(tf.square(tf.concat(o, 2))) + tf.reduce_sum(o2) + tf.reduce_sum(o3[-1])
    tv = tf.trainable_variables()
    return values(tf, [o, s, o2, s2, o3, s3, tf.gradients(loss, tv)], {x: draw(3, 6, 3), n: [6, 2, 4]}) + [
        [v.name for v in tv]
    ]


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
    warnings.simplefilter("ignore")
    tensorflow.disable_eager_execution()
    tensorflow.logging.set_verbosity(tensorflow.logging.ERROR)
    for one in PROGRAMS:
        if one.__name__ in NEED_KERAS and importlib.util.find_spec("tf_keras") is None:
            continue
        check(one)
