# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""Agents and recurrences, as people wrote them in 2016 to 2018, train to TensorFlow's numbers in float64 (O20)."""

# mypy: disable-error-code="no-untyped-call"

from typing import Any

import numpy as np

from beside_tensorflow import Draws, in_doubles, program, run_all, trained


@program
@in_doubles
def a3c(tf: Any) -> Any:

    def build(scope: Any) -> Any:
        with tf.variable_scope(scope):
            x = tf.placeholder(tf.float64, [None, 5])
            a = tf.placeholder(tf.int32, [None])
            adv = tf.placeholder(tf.float64, [None])
            tv = tf.placeholder(tf.float64, [None])
            w = tf.get_variable("w", initializer=Draws(1)(5, 6) * 0.4)
            h = tf.nn.elu(tf.matmul(x, w))
            cell = tf.nn.rnn_cell.LSTMCell(4, state_is_tuple=True, initializer=tf.constant_initializer(0.11))
            c_in = tf.placeholder(tf.float64, [1, 4])
            h_in = tf.placeholder(tf.float64, [1, 4])
            out, st = tf.nn.dynamic_rnn(
                cell,
                tf.expand_dims(h, [0]),
                initial_state=tf.nn.rnn_cell.LSTMStateTuple(c_in, h_in),
                sequence_length=tf.shape(x)[:1],
                time_major=False,
            )
            out = tf.reshape(out, [-1, 4])
            wp = tf.get_variable("wp", initializer=Draws(2)(4, 3))
            wv = tf.get_variable("wv", initializer=Draws(3)(4, 1))
            policy = tf.nn.softmax(tf.matmul(out, wp))
            value = tf.matmul(out, wv)
            resp = tf.reduce_sum(policy * tf.one_hot(a, 3, dtype=tf.float64), [1])
            vl = 0.5 * tf.reduce_sum(tf.square(tv - tf.reshape(value, [-1])))
            ent = -tf.reduce_sum(policy * tf.log(policy))
            pl = -tf.reduce_sum(tf.log(resp) * adv)
            loss = 0.5 * vl + pl - ent * 0.01
            lv = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope)
            grads = tf.gradients(loss, lv)
            cl, n = tf.clip_by_global_norm(grads, 2.0)
            return dict(
                x=x,
                a=a,
                adv=adv,
                tv=tv,
                c=c_in,
                h=h_in,
                st=st,
                policy=policy,
                value=value,
                loss=loss,
                vn=tf.global_norm(lv),
                n=n,
                cl=cl,
                lv=lv,
                ent=ent,
            )

    g = build("global")
    ws = [build("worker_%d" % i) for i in range(2)]
    opt = tf.train.RMSPropOptimizer(0.007, decay=0.99, epsilon=0.1)
    ap = [opt.apply_gradients(zip(w["cl"], g["lv"])) for w in ws]
    sync = [[lv.assign(gv) for gv, lv in zip(g["lv"], w["lv"])] for w in ws]
    out = []
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        st = [(np.zeros((1, 4)), np.zeros((1, 4)))] * 2
        for i in range(12):
            k = i % 2
            w = ws[k]
            s.run(sync[k])
            n = 3 + i % 4
            pol, val, new = s.run(
                [w["policy"], w["value"], w["st"]], {w["x"]: Draws(i)(n, 5), w["c"]: st[k][0], w["h"]: st[k][1]}
            )
            f = {
                w["x"]: Draws(i)(n, 5),
                w["a"]: np.arange(n) % 3,
                w["adv"]: Draws(i + 9)(n),
                w["tv"]: Draws(i + 99)(n),
                w["c"]: st[k][0],
                w["h"]: st[k][1],
            }
            out += s.run([w["loss"], w["n"], w["vn"], w["ent"], ap[k]], f)[:4]
            st[k] = (new[0], new[1])
            out += [pol, val]
        out += s.run(g["lv"])
    return out


@program
@in_doubles
def deterministic_policy(tf: Any) -> Any:
    """DDPG (Lillicrap et al., 2016): an actor and a critic, their targets, which follow, and a buffer of steps."""
    rng = np.random.RandomState(0)
    kind, states, actions, hidden = tf.float64, 3, 2, 16

    def dense(x: Any, n: int, name: str) -> Any:
        m = int(x.get_shape()[-1])
        with tf.variable_scope(name):
            w = tf.get_variable("w", [m, n], kind, tf.constant_initializer(rng.randn(m, n) * 0.3))
            b = tf.get_variable("b", [n], kind, tf.constant_initializer(rng.randn(n) * 0.3))
        return tf.matmul(x, w) + b

    training = tf.placeholder(tf.bool, [])

    def actor(s: Any, scope: str) -> Any:
        with tf.variable_scope(scope):
            h = tf.nn.relu(tf.layers.batch_normalization(dense(s, hidden, "l1"), training=training, momentum=0.875))
            return tf.tanh(dense(tf.nn.relu(dense(h, hidden, "l2")), actions, "out")) * 2.0

    def critic(s: Any, a: Any, scope: str) -> Any:
        with tf.variable_scope(scope):
            h = tf.concat([tf.nn.relu(dense(s, hidden, "l1")), a], 1)
            return dense(tf.nn.relu(dense(h, hidden, "l2")), 1, "out")

    s, s2 = tf.placeholder(kind, [None, states]), tf.placeholder(kind, [None, states])
    a, wanted, slope = tf.placeholder(kind, [None, actions]), tf.placeholder(kind, [None, 1]), tf.placeholder(kind)
    slope.set_shape([None, actions])
    mu, q = actor(s, "actor"), critic(s, a, "critic")
    q2 = critic(s2, actor(s2, "actor_target"), "critic_target")

    def of(scope: str) -> Any:
        return tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope + "/")

    loss = tf.reduce_mean(tf.square(wanted - q)) + sum(0.01 * tf.nn.l2_loss(v) for v in of("critic") if "w" in v.name)
    critic_step = tf.train.AdamOptimizer(1e-2).minimize(loss, var_list=of("critic"))
    by_action = tf.gradients(q, a)
    pairs = [(g / 16.0, v) for g, v in zip(tf.gradients(mu, of("actor"), -slope), of("actor"))]
    actor_step = tf.train.AdamOptimizer(1e-3).apply_gradients(pairs)
    both = list(zip(of("actor") + of("critic"), of("actor_target") + of("critic_target")))
    copied = tf.group(*[tf.assign(t, v) for v, t in both])
    follow = [t.assign(tf.multiply(v, 0.05) + tf.multiply(t, 1.0 - 0.05)) for v, t in both]
    moved = tf.group(*tf.get_collection(tf.GraphKeys.UPDATE_OPS, "actor/"))
    found = []
    rng = np.random.RandomState(5)
    buffer = [(rng.randn(states), rng.randn(actions), rng.randn(1), rng.randn(states)) for _ in range(64)]
    state, dynamics = rng.randn(states), rng.randn(states + actions, states) * 0.3
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(copied)
        for _ in range(100):
            action = session.run(mu, {s: state[None], training: False})[0] + rng.randn(actions) * 0.1
            following = np.tanh(np.concatenate([state, action]) @ dynamics) + 0.1 * rng.randn(states)
            buffer.append((state, action, np.array([-np.sum(following**2)]), following))
            state = following
            chosen = rng.randint(0, len(buffer), 16)
            S, A, R, S2 = (np.stack([buffer[k][j] for k in chosen]) for j in range(4))
            goal = R + 0.99 * session.run(q2, {s2: S2, training: False})
            found += session.run([loss, q, critic_step], {s: S, a: A, wanted: goal})[:2]
            acted = session.run(mu, {s: S, training: True})
            session.run([actor_step, moved], {s: S, slope: session.run(by_action, {s: S, a: acted})[0], training: True})
            session.run(follow)
        return found + session.run(tf.trainable_variables())


@program
@in_doubles
def trpo(tf: Any) -> Any:
    r = Draws(13)
    obs = tf.placeholder(tf.float64, [None, 4])
    act = tf.placeholder(tf.int32, [None])
    adv = tf.placeholder(tf.float64, [None])
    old = tf.placeholder(tf.float64, [None, 3])
    w1 = tf.get_variable("w1", initializer=r(4, 6) * 0.4)
    w2 = tf.get_variable("w2", initializer=r(6, 3) * 0.4)
    b2 = tf.get_variable("b2", initializer=np.zeros(3))
    p = tf.nn.softmax(tf.matmul(tf.tanh(tf.matmul(obs, w1)), w2) + b2)
    N = tf.shape(obs)[0]
    Nf = tf.cast(N, tf.float64)

    def slice_2d(x: Any, i0: Any, i1: Any) -> Any:
        shape = tf.shape(x)
        return tf.gather(tf.reshape(x, [-1]), i0 * shape[1] + i1)

    pn = slice_2d(p, tf.range(0, N), act)
    oldn = slice_2d(old, tf.range(0, N), act)
    surr = -tf.reduce_mean(pn / oldn * adv)
    vl = tf.trainable_variables()
    kl = tf.reduce_sum(old * tf.log((old + 1e-06) / (p + 1e-06))) / Nf
    klff = tf.reduce_sum(tf.stop_gradient(p) * tf.log(tf.stop_gradient(p + 1e-06) / (p + 1e-06))) / Nf

    def flat(grads: Any) -> Any:
        return tf.concat([tf.reshape(g, [int(np.prod(v.get_shape().as_list()))]) for v, g in zip(vl, grads)], 0)

    pg = flat(tf.gradients(surr, vl))
    grads = tf.gradients(klff, vl)
    ft = tf.placeholder(tf.float64, shape=[None])
    start = 0
    tangents = []
    for v in vl:
        size = int(np.prod(v.get_shape().as_list()))
        tangents.append(tf.reshape(ft[start : start + size], v.get_shape()))
        start += size
    gvp = [tf.reduce_sum(g * t) for g, t in zip(grads, tangents)]
    fvp = flat(tf.gradients(gvp, vl))
    theta = tf.placeholder(tf.float64, [sum(int(np.prod(v.shape.as_list())) for v in vl)])
    start, assigns = (0, [])
    for v in vl:
        size = int(np.prod(v.get_shape().as_list()))
        assigns.append(tf.assign(v, tf.reshape(theta[start : start + size], v.get_shape())))
        start += size
    sff, gf = (tf.group(*assigns), tf.concat([tf.reshape(v, [-1]) for v in vl], 0))
    out = []
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        for i in range(5):
            o = Draws(i)(7, 4)
            f = {obs: o, act: np.arange(7) % 3, adv: Draws(i + 7)(7)}
            f[old] = s.run(p, {obs: o})
            th = s.run(gf)
            g = s.run(pg, f)

            def Av(v: Any) -> Any:
                f[ft] = v
                return s.run(fvp, f) + 0.1 * v

            x = np.zeros_like(g)
            rr = -g.copy()
            pp = rr.copy()
            rd = rr.dot(rr)
            for _ in range(8):
                z = Av(pp)
                a = rd / pp.dot(z)
                x += a * pp
                rr -= a * z
                nd = rr.dot(rr)
                pp = rr + nd / rd * pp
                rd = nd
            shs = 0.5 * x.dot(Av(x))
            lm = np.sqrt(shs / 0.01)
            s.run(sff, {theta: th + x / lm})
            out += s.run([surr, kl], f) + [g, x]
        out += s.run(vl)
    return out


@program
@in_doubles
def maml(tf: Any) -> Any:
    r = Draws(12)
    xa, ya, xb, yb = (tf.placeholder(tf.float64, [3, 5, 1]) for _ in range(4))
    w = {
        "w1": tf.Variable(r(1, 6)),
        "b1": tf.Variable(np.zeros(6)),
        "w2": tf.Variable(r(6, 1) * 0.3),
        "b2": tf.Variable(np.zeros(1)),
    }

    def fwd(x: Any, w: Any) -> Any:
        return tf.matmul(tf.tanh(tf.matmul(x, w["w1"]) + w["b1"]), w["w2"]) + w["b2"]

    def mse(p: Any, l: Any) -> Any:
        return tf.reduce_mean(tf.square(tf.reshape(p, [-1]) - tf.reshape(l, [-1])))

    def task(inp: Any) -> Any:
        xa, ya, xb, yb = inp
        losses = []
        fast = w
        for k in range(2):
            la = mse(fwd(xa, fast), ya)
            g = dict(zip(fast.keys(), tf.gradients(la, list(fast.values()))))
            fast = dict(zip(fast.keys(), [fast[k] - 0.1 * g[k] for k in fast]))
            losses.append(mse(fwd(xb, fast), yb))
        return [la] + losses

    res = [task([v[i] for v in (xa, ya, xb, yb)]) for i in range(3)]
    total = tf.add_n([q[-1] for q in res]) / 3.0
    opt = tf.train.AdamOptimizer(0.01)
    gvs = opt.compute_gradients(total)
    gvs = [(tf.clip_by_value(g, -10, 10), v) for g, v in gvs]
    op = opt.apply_gradients(gvs)

    def feed(i: int) -> Any:
        return {one: Draws(i + k)(3, 5, 1) for k, one in enumerate((xa, ya, xb, yb))}

    return trained(tf, op, [total] + res[0], feed, 12)


@program
@in_doubles
def hmm_scan(tf: Any) -> Any:
    r = Draws(10)
    obs = tf.placeholder(tf.int32, [None, 3])
    A = tf.Variable(r(4, 4))
    B = tf.Variable(r(4, 6))
    p0 = tf.Variable(r(4))
    T_ = tf.nn.softmax(A)
    E = tf.nn.softmax(B)
    p = tf.nn.softmax(p0)
    em = tf.transpose(tf.gather(tf.transpose(E), obs), [0, 1, 2])

    def step(prev: Any, e: Any) -> Any:
        a, ll = prev
        a = tf.matmul(a, T_) * e
        n = tf.reduce_sum(a, 1, keep_dims=True)
        return (a / n, ll + tf.log(tf.squeeze(n, 1)))

    a0 = p * em[0]
    n0 = tf.reduce_sum(a0, 1, keep_dims=True)
    alphas, lls = tf.scan(step, em[1:], initializer=(a0 / n0, tf.log(tf.squeeze(n0, 1))))
    loss = -tf.reduce_mean(lls[-1])

    def vit(prev: Any, e: Any) -> Any:
        s, _ = prev
        c = tf.expand_dims(s, 2) + tf.log(T_)
        return (tf.reduce_max(c, 1) + tf.log(e), tf.cast(tf.argmax(c, 1), tf.int32))

    vs, bp = tf.scan(vit, em[1:], (tf.log(a0), tf.zeros_like(tf.cast(a0, tf.int32))))
    last = tf.cast(tf.argmax(vs[-1], 1), tf.int32)

    def back(t: Any, b: Any) -> Any:
        return tf.reduce_sum(tf.one_hot(t, 4, dtype=tf.int32) * b, 1)

    path = tf.scan(back, tf.reverse(bp, [0]), last)
    op = tf.train.AdamOptimizer(0.05).minimize(loss)
    return trained(
        tf, op, [loss, path, alphas], lambda i: {obs: np.random.RandomState(i).randint(0, 6, (5 + i % 3, 3))}, 12
    )


@program
@in_doubles
def scan_rnn(tf: Any) -> Any:
    r = Draws(11)
    x = tf.placeholder(tf.float64, [None, None, 3])
    y = tf.placeholder(tf.float64, [None, 2])
    Wx, Wh, Wo = (tf.Variable(r(3, 5) * 0.4), tf.Variable(r(5, 5) * 0.4), tf.Variable(r(5, 2) * 0.4))
    b = tf.Variable(np.zeros(5))
    xt = tf.transpose(x, [1, 0, 2])
    init = tf.matmul(xt[0], tf.zeros([3, 5], tf.float64))
    hs = tf.scan(lambda h, xx: tf.tanh(tf.matmul(xx, Wx) + tf.matmul(h, Wh) + b), xt, initializer=init)
    outs = tf.map_fn(lambda h: tf.nn.relu(tf.matmul(h, Wo)), hs)
    loss = tf.reduce_sum(tf.squared_difference(outs[-1], y))
    opt = tf.train.MomentumOptimizer(0.02, 0.9, use_nesterov=True)
    gv = [(tf.clip_by_norm(g, 1.0), v) for g, v in opt.compute_gradients(loss)]
    op = opt.apply_gradients(gv)
    return trained(tf, op, [loss, tf.shape(hs)], lambda i: {x: Draws(i)(4, 3 + i % 3, 3), y: Draws(i + 1)(4, 2)}, 12)


@program
@in_doubles
def raw(tf: Any) -> Any:
    r = Draws(22)
    x = tf.placeholder(tf.float64, [None, None, 3])
    n = tf.placeholder(tf.int32, [None])
    W, U = (tf.Variable(r(3, 4) * 0.5), tf.Variable(r(4, 4) * 0.5))

    class Cell(tf.nn.rnn_cell.RNNCell):  # type: ignore[misc]
        state_size = 4
        output_size = 4

        def __call__(self, x: Any, s: Any, scope: Any = None) -> Any:
            h = tf.tanh(tf.matmul(x, W) + tf.matmul(s, U))
            return (h, h)

    xt = tf.transpose(x, [1, 0, 2])
    T_ = tf.shape(xt)[0]
    B = tf.shape(x)[0]

    def loop_fn(time: Any, out: Any, state: Any, loop_state: Any) -> Any:
        emit = out
        if out is None:
            nstate, ls = (tf.zeros([B, 4], tf.float64), tf.zeros([], tf.float64))
        else:
            nstate, ls = (state, loop_state + tf.reduce_sum(out))
        done = time >= n
        fin = tf.reduce_all(done)
        nxt = tf.cond(fin, lambda: tf.zeros([B, 3], tf.float64), lambda: xt[tf.minimum(time, T_ - 1)])
        nxt.set_shape([None, 3])
        nstate.set_shape([None, 4])
        return (done, nxt, nstate, emit, ls)

    ta, st, ls = tf.nn.raw_rnn(Cell(), loop_fn)
    o = tf.transpose(ta.stack(), [1, 0, 2])
    loss = tf.reduce_mean(tf.square(o)) + tf.reduce_sum(st[:, 0]) * 0.1 + 0.01 * ls
    g = tf.gradients(loss, [W, U, x])
    op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return trained(tf, op, [o, st, ls, *g], lambda i: {x: Draws(i)(4, 5, 3), n: [5 - i % 2, 3, 1, 2]}, 5)


@program
@in_doubles
def semantic_order(tf: Any) -> Any:
    """train, then soft update in the same run by read_value"""
    r = Draws(20)
    x = tf.placeholder(tf.float64, [None, 3])
    w = tf.Variable(r(3, 2))
    t = tf.Variable(w.initial_value, trainable=False)
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - tf.stop_gradient(tf.matmul(x, t)) * 0.9 - 1))
    op = tf.train.AdamOptimizer(0.05).minimize(loss)
    with tf.control_dependencies([op]):
        soft = t.assign(0.1 * w.read_value() + 0.9 * t.read_value())
    return trained(tf, soft, [loss], lambda i: {x: Draws(i)(4, 3)}, 20)


@program
def reads_of_a_variable(tf: Any) -> Any:
    """The gradient of a variable is that of all of its reads, also of those after an assignment, and of no assigned
    value."""
    r = Draws(31)
    v, w = tf.Variable(r(3)), tf.Variable(r(3))
    start = v.read_value()
    first = tf.reduce_sum(tf.sin(v) * start * tf.exp(w))
    with tf.control_dependencies([start]):
        moved = v.assign_add(0.5 * w)
    with tf.control_dependencies([moved]):
        later = v.read_value()
    second = tf.reduce_sum(tf.square(later) * w * tf.cos(start))
    found = []
    with tf.Session() as session:
        for loss, by in [(first, [v, w]), (first, [start, v]), (second, [v, w]), (first, [w]),
                         (tf.reduce_sum(start * start), [v])]:  # fmt: skip
            slopes = [g for g in tf.gradients(loss, by) if g is not None]
            session.run(tf.global_variables_initializer())
            found += session.run(slopes)
    return found


if __name__ == "__main__":
    # Roundings of float64, which some training steps multiply.
    run_all(rtol=1e-9, atol=1e-9)
