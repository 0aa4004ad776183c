# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""Models and layers train as in TensorFlow 1."""

# mypy: disable-error-code="no-untyped-call"

from typing import Any, List

import numpy as np

from beside_tensorflow import draw, program, run_all, values


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
def batch_normalization(tf: Any) -> Any:
    """Results and moving averages of every rank, axis and dtype, and a step that depends on the updates."""
    random, out = np.random.RandomState(0), []
    for shape, axis in (((3, 2, 2, 4), -1), ((3, 2, 2, 4), 1), ((5, 4), -1), ((5, 3, 4), 1), ((2, 2, 3, 2, 4), [4])):
        given = random.randn(*shape) * 2 + 1
        for number, kind in enumerate((tf.float32, tf.float64)):
            fused = (None, False, True)[(number + len(shape)) % 3]
            with tf.Graph().as_default():
                x = tf.placeholder(kind, [None, *shape[1:]])
                training = tf.placeholder_with_default(True, [])
                y = tf.layers.batch_normalization(x, axis, 0.9, training=training, fused=fused)
                moves = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
                with tf.control_dependencies(moves):
                    step = tf.train.AdamOptimizer(0.01).minimize(tf.reduce_sum(y**3))
                with tf.Session() as session:
                    session.run(tf.global_variables_initializer())
                    for _ in range(2):
                        session.run(step, {x: given})
                    out += [session.run(y, {x: given}), session.run(y, {x: given, training: False})]
    return out


def _own_optimizers(tf: Any) -> List[Any]:
    """Optimizers as programs write them: of slots, of a variable beside them, with weight decay around Adam."""

    class Heavy(tf.train.Optimizer):  # type: ignore[misc]
        def __init__(self, rate: float, name: str = "Heavy"):
            super().__init__(False, name)
            self._rate = rate

        def _prepare(self) -> None:
            self._rate_t = tf.convert_to_tensor(self._rate, name="rate")

        def _create_slots(self, var_list: Any) -> None:
            self._create_non_slot_variable(1.0, "power", var_list[0])
            for v in var_list:
                self._zeros_slot(v, "m", self._name)
                self._get_or_make_slot(v, tf.ones(v.shape), "norm", "norm")

        def _apply_dense(self, grad: Any, var: Any) -> Any:
            m, norm = self.get_slot(var, "m"), self.get_slot(var, "norm")
            m_t = m.assign(0.9 * m + grad)
            norm_t = norm.assign(norm + grad * grad)
            power = self._get_non_slot_variable("power", graph=tf.get_default_graph())
            return tf.group(var.assign_sub(self._rate_t * power * m_t / tf.sqrt(norm_t)), m_t, norm_t)

        _resource_apply_dense = _apply_dense

        def _finish(self, update_ops: Any, name_scope: str) -> Any:
            with tf.control_dependencies(update_ops):
                power = self._get_non_slot_variable("power", graph=tf.get_default_graph())
                return tf.group(*update_ops, power.assign(power * 0.5), name=name_scope)

    class Decayed(tf.train.AdamOptimizer):  # type: ignore[misc]
        def _apply_dense(self, grad: Any, var: Any) -> Any:
            with tf.control_dependencies([super()._apply_dense(grad, var)]):
                return var.assign_sub(0.1 * var.read_value())

        def _resource_apply_dense(self, grad: Any, var: Any) -> Any:
            with tf.control_dependencies([super()._resource_apply_dense(grad, var)]):
                return var.assign_sub(0.1 * var.read_value())

    return [Heavy(0.1), Decayed(0.05)]


@program
def own_optimizers(tf: Any) -> Any:
    out: List[Any] = []
    for number in range(2):
        tf.reset_default_graph()
        w, b = tf.get_variable("w", initializer=draw(3, 2)), tf.get_variable("b", initializer=np.ones(2, np.float32))
        optimizer = _own_optimizers(tf)[number]
        step = optimizer.minimize(tf.reduce_sum(tf.square(tf.matmul(tf.constant(draw(4, 3)), w) + b)))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(3):
                session.run(step)
            out += session.run([w, b, *[optimizer.get_slot(w, name) for name in optimizer.get_slot_names()]])
        out += [sorted(v.name for v in tf.global_variables()), optimizer.get_slot_names(), optimizer.get_name()]
    return out


if __name__ == "__main__":
    run_all(["layers_api", "gan", "rnn_lstm", "layer_objects", "both_directions"])
