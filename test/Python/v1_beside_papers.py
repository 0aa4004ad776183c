# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""Programs of papers of 2013 to 2018, as people wrote them, train to TensorFlow's numbers in float64 (O20)."""

# mypy: disable-error-code="no-untyped-call"

from typing import Any

import numpy as np

from beside_tensorflow import Draws, check, in_doubles, program, run_all, trained


@program
@in_doubles
def capsules(tf: Any) -> Any:
    r = Draws(1)
    x = tf.placeholder(tf.float64, [None, 6, 4])
    y = tf.placeholder(tf.int64, [None])
    W = tf.get_variable("W", initializer=r(1, 6, 3, 5, 4) * 0.3, dtype=tf.float64)
    b = tf.get_variable("bias", initializer=np.zeros((1, 1, 3, 5, 1)), dtype=tf.float64)

    def squash(s: Any) -> Any:
        n = tf.reduce_sum(tf.square(s), -2, keep_dims=True)
        return n / (1 + n) / tf.sqrt(n + 1e-09) * s

    batch = tf.shape(x)[0]
    inp = tf.tile(tf.reshape(x, [-1, 6, 1, 4, 1]), [1, 1, 3, 1, 1])
    u = tf.matmul(tf.tile(W, [batch, 1, 1, 1, 1]), inp)
    us = tf.stop_gradient(u)
    blog = tf.zeros([batch, 6, 3, 1, 1], dtype=tf.float64)
    for it in range(3):
        c = tf.nn.softmax(blog, dim=2)
        if it == 2:
            s = tf.reduce_sum(tf.multiply(c, u), axis=1, keep_dims=True) + b
            v = squash(s)
        else:
            s = tf.reduce_sum(tf.multiply(c, us), axis=1, keep_dims=True) + b
            v = squash(s)
            blog += tf.matmul(us, tf.tile(v, [1, 6, 1, 1, 1]), transpose_a=True)
    v = tf.squeeze(v, axis=[1])
    length = tf.sqrt(tf.reduce_sum(tf.square(v), axis=2, keepdims=True) + 1e-09)
    t = tf.one_hot(y, 3, dtype=tf.float64)
    ml = tf.square(tf.maximum(tf.zeros_like(length), 0.9 - length))
    mr = tf.square(tf.maximum(tf.zeros_like(length), length - 0.1))
    ml, mr = (tf.reshape(ml, [batch, -1]), tf.reshape(mr, [batch, -1]))
    margin = tf.reduce_mean(tf.reduce_sum(t * ml + 0.5 * (1 - t) * mr, axis=1))
    masked = tf.matmul(tf.squeeze(v, -1), tf.reshape(t, (-1, 3, 1)), transpose_a=True)
    flat = tf.reshape(masked, [-1, 5])
    W2 = tf.get_variable("W2", initializer=r(5, 24) * 0.3)
    rec = tf.sigmoid(tf.matmul(flat, W2))
    loss = margin + 0.05 * tf.reduce_mean(tf.square(rec - tf.reshape(x, [-1, 24])))
    gs = tf.Variable(0, name="gs", trainable=False)
    op = tf.train.AdamOptimizer(0.01).minimize(loss, global_step=gs)
    acc = tf.reduce_mean(
        tf.cast(tf.equal(tf.to_int32(tf.argmax(tf.reshape(length, [-1, 3]), 1)), tf.cast(y, tf.int32)), tf.float32)
    )
    X = r(12, 6, 4)
    return trained(tf, op, [loss, acc], lambda i: {x: X[: 8 + i % 4], y: (np.arange(12) % 3)[: 8 + i % 4]})


@program
@in_doubles
def wgan_gp(tf: Any) -> Any:
    z = tf.placeholder(tf.float64, [None, 4])
    x = tf.placeholder(tf.float64, [None, 5])
    eps = tf.placeholder(tf.float64, [None, 1])

    def lin(name: Any, x: Any, n: Any) -> Any:
        m = x.get_shape().as_list()[1]
        w = tf.get_variable(name + "_w", [m, n], tf.float64, tf.constant_initializer(Draws(n + m)(m, n) * 0.4))
        b = tf.get_variable(name + "_b", [n], tf.float64, tf.zeros_initializer())
        return tf.nn.bias_add(tf.matmul(x, w), b)

    def lrelu(x: Any, a: Any = 0.2) -> Any:
        return tf.maximum(a * x, x)

    def G(z: Any) -> Any:
        with tf.variable_scope("G"):
            return lin("o", lrelu(lin("h", z, 8)), 5)

    def Dn(x: Any, reuse: Any = False) -> Any:
        with tf.variable_scope("D") as sc:
            if reuse:
                sc.reuse_variables()
            return lin("o", tf.tanh(lin("h2", lrelu(lin("h", x, 8)), 8)), 1)

    fake = G(z)
    df, dr = (Dn(fake), Dn(x, True))
    gl = -tf.reduce_mean(df)
    dl = tf.reduce_mean(df) - tf.reduce_mean(dr)
    inter = x + eps * (fake - x)
    g = tf.gradients(Dn(inter, True), [inter])[0]
    slopes = tf.sqrt(tf.reduce_sum(tf.square(g), reduction_indices=[1]))
    gp = tf.reduce_mean((slopes - 1.0) ** 2)
    dl += 10 * gp
    tv = tf.trainable_variables()
    dop = tf.train.AdamOptimizer(0.01, beta1=0.5, beta2=0.9).minimize(
        dl, var_list=[v for v in tv if v.name.startswith("D")]
    )
    gop = tf.train.AdamOptimizer(0.01, beta1=0.5, beta2=0.9).minimize(gl, var_list=[v for v in tv if "G" in v.name])
    out = []
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        for i in range(15):
            for k in range(3):
                f = {z: Draws(i * 3 + k)(6, 4), x: Draws(100 + i * 3 + k)(6, 5)}
                f[eps] = np.random.RandomState(i + k).rand(6, 1)
                _, a, b = s.run([dop, dl, gp], f)
                out += [a, b]
            _, a = s.run([gop, gl], {z: f[z]})
            out.append(a)
        out += s.run(tv)
    return out


@program
@in_doubles
def neural_style(tf: Any) -> Any:
    r = Draws(3)
    k1, k2 = (r(3, 3, 3, 4) * 0.3, r(3, 3, 4, 5) * 0.3)

    def net(img: Any) -> Any:
        l1 = tf.nn.relu(tf.nn.conv2d(img, tf.constant(k1), [1, 1, 1, 1], "SAME"))
        p = tf.nn.avg_pool(l1, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
        return {"l1": l1, "l2": tf.nn.relu(tf.nn.conv2d(p, tf.constant(k2), [1, 1, 1, 1], "SAME"))}

    content, style = (r(1, 8, 9, 3), r(1, 8, 9, 3))
    with tf.Session() as s:
        c = s.run(net(tf.constant(content))["l2"])
        st = {}
        for l, v in s.run(net(tf.constant(style))).items():
            f = np.reshape(v, (-1, v.shape[3]))
            st[l] = np.matmul(f.T, f) / f.size
    image = tf.Variable(r(1, 8, 9, 3) * 0.256)
    n = net(image)
    closs = 5 * (2 * tf.nn.l2_loss(n["l2"] - c) / c.size)
    sl = 0
    for l in ("l1", "l2"):
        layer = n[l]
        _, h, w, ch = layer.get_shape().as_list()
        f = tf.reshape(layer, (-1, ch))
        gram = tf.matmul(tf.transpose(f), f) / (h * w * ch)
        sl += 2 * tf.nn.l2_loss(gram - st[l]) / st[l].size
    tv = 2 * (
        tf.nn.l2_loss(image[:, 1:, :, :] - image[:, :7, :, :]) / 100
        + tf.nn.l2_loss(image[:, :, 1:, :] - image[:, :, :8, :]) / 90
    )
    loss = closs + 10 * sl + 3 * tv
    op = tf.train.AdamOptimizer(0.1, 0.9, 0.999, 1e-08).minimize(loss)
    clip = image.assign(tf.clip_by_value(image, -1.0, 1.0))
    out = []
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        for i in range(20):
            out.append(s.run([op, loss, sl, tv])[1:])
            s.run(clip)
        out.append(image.eval())
    return out


@program
@in_doubles
def vae(tf: Any) -> Any:
    r = Draws(4)
    ds = tf.distributions
    x = tf.placeholder(tf.float64, [None, 6])
    eps = tf.placeholder(tf.float64, [None, 2])
    w1 = tf.Variable(r(6, 8) * 0.3)
    w2 = tf.Variable(r(8, 4) * 0.3)
    w3 = tf.Variable(r(2, 8) * 0.3)
    w4 = tf.Variable(r(8, 6) * 0.3)
    h = tf.nn.softplus(tf.matmul(x, w1))
    mu, raw = tf.split(tf.matmul(h, w2), 2, axis=1)
    q = ds.Normal(loc=mu, scale=1e-06 + tf.nn.softplus(raw))
    p = ds.Normal(tf.zeros_like(mu), tf.ones_like(mu))
    z = q.loc + q.scale * eps
    px = ds.Bernoulli(logits=tf.matmul(tf.nn.elu(tf.matmul(z, w3)), w4))
    ll = tf.reduce_sum(
        px.log_prob(tf.cast(x > 0, tf.int32))
        if False
        else -tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.to_double(x > 0), logits=px.logits),
        1,
    )
    kl = tf.reduce_sum(ds.kl_divergence(q, p), 1)
    mc = tf.reduce_sum(q.log_prob(z) - p.log_prob(z), 1)
    elbo = tf.reduce_mean(ll - kl, 0)
    op = tf.train.RMSPropOptimizer(0.01).minimize(-elbo - 0.01 * tf.reduce_mean(mc))
    return trained(
        tf,
        op,
        [elbo, tf.reduce_mean(kl), tf.reduce_mean(mc), px.mean()],
        lambda i: {x: Draws(i)(7, 6), eps: Draws(50 + i)(7, 2)},
    )


@program
@in_doubles
def tied_autoencoder(tf: Any) -> Any:
    r = Draws(8)
    x = tf.placeholder(tf.float64, [None, 7], name="x")
    w1 = tf.Variable(r(7, 5) * 0.4)
    w2 = tf.Variable(r(5, 3) * 0.4)
    w3 = tf.transpose(w2, name="w3")
    w4 = tf.transpose(w1)
    bs = [tf.Variable(tf.zeros(n, dtype=tf.float64)) for n in (5, 3, 5, 7)]
    h1 = tf.nn.elu(tf.matmul(x, w1) + bs[0])
    h2 = tf.nn.elu(tf.matmul(h1, w2) + bs[1])
    h3 = tf.nn.elu(tf.matmul(h2, w3) + bs[2])
    o = tf.matmul(h3, w4) + bs[3]
    reg = tf.contrib.layers.l2_regularizer(0.01) if hasattr(tf, "contrib") else lambda w: 0.01 * tf.nn.l2_loss(w)
    loss = tf.reduce_mean(tf.square(o - x)) + reg(w1) + reg(w2)
    gs = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(tf.constant(0.05, tf.float64), gs, 5, 0.7, staircase=True)
    opt = tf.train.AdamOptimizer(rate).minimize(loss, global_step=gs)
    ema = tf.train.ExponentialMovingAverage(0.875)
    with tf.control_dependencies([opt]):
        op = ema.apply(tf.trainable_variables())
    out = trained(tf, op, [loss], lambda i: {x: Draws(i)(6, 7)}, 15)
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        for i in range(4):
            s.run(op, {x: Draws(i)(6, 7)})
        out += s.run([ema.average(v) for v in tf.trainable_variables()])
    return out


@program
@in_doubles
def svm_rbf(tf: Any) -> Any:
    r = Draws(9)
    xd = tf.placeholder(shape=[None, 2], dtype=tf.float64)
    yt = tf.placeholder(shape=[None, 1], dtype=tf.float64)
    pg = tf.placeholder(shape=[None, 2], dtype=tf.float64)
    b = tf.Variable(r(1, 10))
    gamma = tf.constant(-2.0, tf.float64)
    dist = tf.reshape(tf.reduce_sum(tf.square(xd), 1), [-1, 1])
    sq = tf.add(
        tf.subtract(dist, tf.multiply(tf.cast(2.0, tf.float64), tf.matmul(xd, tf.transpose(xd)))), tf.transpose(dist)
    )
    K = tf.exp(tf.multiply(gamma, tf.abs(sq)))
    first = tf.reduce_sum(b)
    bc = tf.matmul(tf.transpose(b), b)
    yc = tf.matmul(yt, tf.transpose(yt))
    second = tf.reduce_sum(tf.multiply(K, tf.multiply(bc, yc)))
    loss = tf.negative(tf.subtract(first, second))
    rA = tf.reshape(tf.reduce_sum(tf.square(xd), 1), [-1, 1])
    rB = tf.reshape(tf.reduce_sum(tf.square(pg), 1), [-1, 1])
    ps = tf.add(
        tf.subtract(rA, tf.multiply(tf.cast(2.0, tf.float64), tf.matmul(xd, tf.transpose(pg)))), tf.transpose(rB)
    )
    pk = tf.exp(tf.multiply(gamma, tf.abs(ps)))
    po = tf.matmul(tf.multiply(tf.transpose(yt), b), pk)
    pred = tf.sign(po - tf.reduce_mean(po))
    acc = tf.reduce_mean(tf.cast(tf.equal(tf.squeeze(pred), tf.squeeze(yt)), tf.float32))
    op = tf.train.GradientDescentOptimizer(0.002).minimize(loss)
    X = r(10, 2)
    feed = {xd: X, yt: np.sign(X[:, :1] * X[:, 1:] + 0.1), pg: X}
    return trained(tf, op, [loss, acc, pred], lambda _: feed, 8)


@program
@in_doubles
def mdn(tf: Any) -> Any:
    r = Draws(14)
    x = tf.placeholder(tf.float64, [None, 1])
    y = tf.placeholder(tf.float64, [None, 1])
    w1, w2 = (tf.Variable(r(1, 8)), tf.Variable(r(8, 9) * 0.3))
    o = tf.matmul(tf.nn.tanh(tf.matmul(x, w1)), w2)
    pi, sg, mu = tf.split(axis=1, num_or_size_splits=3, value=o)
    mx = tf.reduce_max(pi, 1, keep_dims=True)
    pi = tf.exp(tf.subtract(pi, mx))
    pi = tf.multiply(tf.reciprocal(tf.reduce_sum(pi, 1, keep_dims=True)), pi)
    sg = tf.exp(sg)
    res = tf.subtract(y, mu)
    res = tf.multiply(res, tf.reciprocal(sg))
    res = -tf.square(res) / 2
    k = tf.multiply(tf.exp(res), tf.reciprocal(sg)) * (1 / np.sqrt(2 * np.pi))
    loss = tf.reduce_mean(-tf.log(tf.reduce_sum(tf.multiply(k, pi), 1, keep_dims=True)))
    op = tf.train.AdagradOptimizer(0.1).minimize(loss)
    return trained(tf, op, [loss, pi], lambda i: {x: Draws(i)(9, 1), y: np.sin(Draws(i)(9, 1))}, 20)


@program
@in_doubles
def gp_regression(tf: Any) -> Any:
    X = tf.placeholder(tf.float64, [6, 2])
    y = tf.placeholder(tf.float64, [None, 1])
    Xs = tf.placeholder(tf.float64, [3, 2])
    ls, lv, ln = (tf.Variable(np.zeros(2)), tf.Variable(np.float64(0.0)), tf.Variable(np.float64(-1.0)))

    def K(a: Any, b: Any) -> Any:
        a, b = (a / tf.exp(ls), b / tf.exp(ls))
        d = tf.reduce_sum(a * a, 1)[:, None] + tf.reduce_sum(b * b, 1)[None, :] - 2 * tf.matmul(a, b, transpose_b=True)
        return tf.exp(lv) * tf.exp(-0.5 * d)

    n = tf.shape(X)[0]
    L = tf.cholesky(K(X, X) + tf.exp(ln) * tf.eye(n, dtype=tf.float64))
    al = tf.cholesky_solve(L, y)
    nll = (
        0.5 * tf.reduce_sum(y * al)
        + tf.reduce_sum(tf.log(tf.diag_part(L)))
        + 0.5 * tf.cast(n, tf.float64) * np.log(2 * np.pi)
    )
    ks = K(X, Xs)
    mean = tf.matmul(ks, al, transpose_a=True)
    v = tf.matrix_triangular_solve(L, ks)
    var = tf.diag_part(K(Xs, Xs)) - tf.reduce_sum(v**2, 0)
    op = tf.train.AdamOptimizer(0.05).minimize(nll)
    feed = {X: Draws(3)(6, 2), y: np.sin(Draws(3)(6, 2)[:, :1]), Xs: Draws(4)(3, 2)}
    return trained(tf, op, [nll, mean, var], lambda _: feed, 15)


@program
@in_doubles
def center_loss(tf: Any) -> Any:
    r = Draws(16)
    x = tf.placeholder(tf.float64, [None, 5])
    lab = tf.placeholder(tf.int64, [None])
    w = tf.Variable(r(5, 2) * 0.5)
    w2 = tf.Variable(r(2, 3) * 0.5)
    feat = tf.matmul(x, w)
    logits = tf.matmul(tf.nn.relu(feat), w2)
    centers = tf.get_variable(
        "centers", [3, 2], dtype=tf.float64, initializer=tf.constant_initializer(0), trainable=False
    )
    labels = tf.reshape(lab, [-1])
    cb = tf.gather(centers, labels)
    loss = tf.nn.l2_loss(feat - cb)
    diff = cb - feat
    ul, ui, uc = tf.unique_with_counts(labels)
    at = tf.reshape(tf.gather(uc, ui), [-1, 1])
    diff = diff / tf.cast(1 + at, tf.float64)
    diff = 0.5 * diff
    cu = tf.scatter_sub(centers, labels, diff)
    sl = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    total = sl + 0.1 * loss
    gs = tf.Variable(0, trainable=False)
    with tf.control_dependencies([cu]):
        op = tf.train.AdamOptimizer(0.01).minimize(total, global_step=gs)

    def feed(i: int) -> Any:
        return {x: Draws(i)(6, 5), lab: np.random.RandomState(i).randint(0, 3, 6)}

    return trained(tf, op, [total, sl], feed, 12)


@program
@in_doubles
def word2vec(tf: Any) -> Any:
    r = Draws(17)
    inp = tf.placeholder(tf.int32, [None])
    lab = tf.placeholder(tf.int64, [None, 1])
    emb = tf.Variable(r(20, 6))
    nw = tf.Variable(r(20, 6) / 2)
    nb = tf.Variable(np.zeros(20))
    e = tf.nn.embedding_lookup(emb, inp)
    sampled = (
        tf.constant([3, 5, 7, 9], tf.int64),
        tf.placeholder(tf.float64, [None, 1]),
        tf.placeholder(tf.float64, [4]),
    )
    loss = tf.reduce_mean(
        tf.nn.nce_loss(
            weights=nw,
            biases=nb,
            inputs=e,
            labels=lab,
            num_sampled=4,
            num_classes=20,
            sampled_values=sampled,
            remove_accidental_hits=False,
        )
    )
    op = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
    norm = tf.sqrt(tf.reduce_sum(tf.square(emb), 1, keep_dims=True))
    ne = emb / norm
    sim = tf.matmul(tf.nn.embedding_lookup(ne, [1, 4, 6]), ne, transpose_b=True)

    def f(i: Any) -> Any:
        q = np.random.RandomState(i)
        return {
            inp: q.randint(0, 20, 8),
            lab: q.randint(0, 20, (8, 1)),
            sampled[1]: q.rand(8, 1) * 0.2 + 0.01,
            sampled[2]: q.rand(4) * 0.2 + 0.01,
        }

    return trained(tf, op, [loss, sim], f, 15)


@program
@in_doubles
def realnvp(tf: Any) -> Any:
    r = Draws(18)
    x = tf.placeholder(tf.float64, [None, 4])
    logdet, h = (tf.zeros([tf.shape(x)[0]], tf.float64), x)
    for k in range(3):
        a, b = (h[:, :2], h[:, 2:]) if k % 2 == 0 else (h[:, 2:], h[:, :2])
        w, v = (tf.Variable(r(2, 8) * 0.4), tf.Variable(r(8, 4) * 0.2))
        st = tf.matmul(tf.nn.leaky_relu(tf.matmul(a, w), 0.25), v)
        s, t = (tf.tanh(st[:, :2]), st[:, 2:])
        b = b * tf.exp(s) + t
        logdet += tf.reduce_sum(s, 1)
        h = tf.concat([a, b] if k % 2 == 0 else [b, a], 1)
    loss = -tf.reduce_mean(-0.5 * tf.reduce_sum(h**2, 1) - 2 * np.log(2 * np.pi) + logdet)
    op = tf.train.AdadeltaOptimizer(1.0).minimize(loss)
    return trained(tf, op, [loss], lambda i: {x: Draws(i)(9, 4)}, 15)


@program
@in_doubles
def neural_ode(tf: Any) -> Any:
    r = Draws(21)
    x = tf.placeholder(tf.float64, [None, 3])
    w = tf.Variable(r(3, 3) * 0.4)
    b = tf.Variable(np.zeros(3))
    f = lambda y: tf.tanh(tf.matmul(y, w) + b)

    def body(i: Any, y: Any) -> Any:
        h = 0.1
        k1 = f(y)
        k2 = f(y + h / 2 * k1)
        k3 = f(y + h / 2 * k2)
        k4 = f(y + h * k3)
        return (i + 1, y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))

    _, y = tf.while_loop(lambda i, y: i < 7, body, [tf.constant(0), x])
    loss = tf.reduce_mean(tf.square(y - tf.reverse(x, [1])))
    g = tf.gradients(loss, [w, b, x])
    op = tf.train.RMSPropOptimizer(0.01, momentum=0.5, centered=True).minimize(loss)
    return trained(tf, op, [loss, *g], lambda i: {x: Draws(i)(4, 3)}, 12)


def numbers_of_float32(tf: Any) -> Any:
    """The numbers of optimizers and averages of float32 variables: the second moment of Adam is 1 - .999 = .00099998713
    times the square, and an average moves by 1 - .9999 = .00010001659."""
    v = tf.Variable([1.0, -2.0, 0.5])
    optimizer = tf.train.AdamOptimizer(0.01)
    step = optimizer.minimize(tf.reduce_sum(tf.square(v)))
    follows = tf.Variable([0.0, 0.0])
    average = tf.train.ExponentialMovingAverage(0.9999)
    move = average.apply([follows])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        session.run(step)
        session.run(follows.assign([1.0, 3.0]))
        session.run(move)
        found = [*session.run([v, optimizer.get_slot(v, "m"), optimizer.get_slot(v, "v")]),
                 session.run(average.average(follows))]  # fmt: skip
    np.testing.assert_allclose(found[3], [0.00010001659, 3 * 0.00010001659], rtol=1e-6)
    return found


if __name__ == "__main__":
    # Roundings of float64, which some training steps multiply.
    run_all(rtol=1e-9, atol=1e-12)
    check(numbers_of_float32, rtol=1e-6)
