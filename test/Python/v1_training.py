# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""tf.train and tf.layers of flywheel.v1 by their formulas: Ftrl (O26), decays of the rate, updates along the rows of
tables that were looked up (O30), and batch normalization."""

import math
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

import flywheel.v1 as tf
from configurations import raises, run_tests


def test_numbers_of_the_table() -> None:
    # O26: the numbers of the table, and one step of the formula.
    start = np.array([1.0, -2.0, 3.0])
    cases: List[Any] = [
        ({}, [0.5117015783, -1.4761193609, 2.4674071500]),
        ({"l1_regularization_strength": 1.0, "l2_regularization_strength": 0.5},
         [0.3941881291, -1.3631445627, 2.3577810938]),
        ({"l2_shrinkage_regularization_strength": 0.1}, [0.4775537457, -1.4351160040, 2.4245798909]),
    ]  # fmt: skip
    for keys, after in cases:
        with tf.Graph().as_default(), tf.Session() as sess:
            p = tf.Variable(start)
            optimizer = tf.train.FtrlOptimizer(0.1, **keys)
            step = optimizer.minimize(0.5 * tf.reduce_sum(tf.square(p)))
            assert [v.name for v in tf.global_variables()[1:]] == ["Variable/Ftrl:0", "Variable/Ftrl_1:0"]
            assert optimizer.get_slot_names() == ["accum", "linear"]
            sess.run(tf.global_variables_initializer())
            for _ in range(3):
                sess.run(step)
            np.testing.assert_allclose(sess.run(p), after, rtol=1e-9)
    with tf.Graph().as_default(), tf.Session() as sess:
        p = tf.Variable(np.float64(1.0))
        step = tf.train.FtrlOptimizer(0.1, learning_rate_power=-0.7).apply_gradients(
            [(tf.constant(0.5, tf.float64), p)]
        )
        sess.run([tf.global_variables_initializer()])
        sess.run(step)
        n = 0.1 + 0.25
        z = 0.5 - (n**0.7 - 0.1**0.7) / 0.1 * 1.0
        assert np.isclose(sess.run(p), -z / (n**0.7 / 0.1), rtol=1e-12)
    raises(ValueError, "initial_accumulator_value", lambda: tf.train.FtrlOptimizer(0.1, initial_accumulator_value=-1.0))
    raises(ValueError, "learning_rate_power", lambda: tf.train.FtrlOptimizer(0.1, learning_rate_power=0.5))


# Decays of the rate.
def restarts(t: float, t_mul: float, m_mul: float, alpha: float) -> float:
    length, rate, at = 10.0, 1.0, t
    while at >= length:
        at, length, rate = at - length, length * t_mul, rate * m_mul
    return (1 - alpha) * 0.5 * rate * (1 + math.cos(math.pi * at / length)) + alpha


train = tf.train


def test_decays_of_the_rate() -> None:
    decays: List[Tuple[Callable[[Any], Any], Callable[[float], float]]] = [
        (lambda s: train.exponential_decay(0.5, s, 10, 0.9), lambda t: 0.5 * 0.9 ** (t / 10)),
        (lambda s: train.exponential_decay(0.5, s, 10, 0.9, staircase=True), lambda t: 0.5 * 0.9 ** (t // 10)),
        (lambda s: train.piecewise_constant(s, [10, 20], [1.0, 0.5, 0.1]),
         lambda t: [1, 0.5, 0.1][(t > 10) + (t > 20)]),
        (lambda s: train.polynomial_decay(0.5, s, 16, 0.1, 2.0), lambda t: 0.4 * (1 - min(t, 16) / 16) ** 2 + 0.1),
        (lambda s: train.polynomial_decay(0.5, s, 8, 0.1, cycle=True),
         lambda t: 0.4 * (1 - t / (8 * max(math.ceil(t / 8), 1))) + 0.1),
        (lambda s: train.natural_exp_decay(0.5, s, 10, 0.7), lambda t: 0.5 * math.exp(-0.7 * t / 10)),
        (lambda s: train.natural_exp_decay(0.5, s, 10, 0.7, True), lambda t: 0.5 * math.exp(-0.7 * (t // 10))),
        (lambda s: train.inverse_time_decay(0.5, s, 10, 0.7), lambda t: 0.5 / (1 + 0.7 * t / 10)),
        (lambda s: train.inverse_time_decay(0.5, s, 10, 0.7, True), lambda t: 0.5 / (1 + 0.7 * (t // 10))),
        (lambda s: train.cosine_decay(0.5, s, 20, 0.1),
         lambda t: 0.5 * (0.9 * 0.5 * (1 + math.cos(math.pi * min(t, 20) / 20)) + 0.1)),
        (lambda s: train.cosine_decay_restarts(0.5, s, 10, 2.0, 0.8, 0.1), lambda t: 0.5 * restarts(t, 2.0, 0.8, 0.1)),
        (lambda s: train.cosine_decay_restarts(0.5, s, 10, 1.0, 0.8), lambda t: 0.5 * restarts(t, 1.0, 0.8, 0.0)),
        (lambda s: train.linear_cosine_decay(0.5, s, 20, 1.5, 0.2, 0.01),
         lambda t: 0.5 * ((0.2 + 1 - min(t, 20) / 20) * 0.5 * (1 + math.cos(3 * math.pi * min(t, 20) / 20)) + 0.01)),
    ]  # fmt: skip
    with tf.Graph().as_default(), tf.Session() as sess:
        global_step = tf.train.create_global_step()
        rates: Any = [decay[0](global_step) for decay in decays]
        assert all(r.dtype == tf.float32 and r.shape == () for r in rates)
        for now in (0, 1, 8, 9, 11, 16, 20, 21, 25, 29, 31, 40):
            global_step.load(now, sess)
            for decay, got in zip(decays, sess.run(rates)):
                assert np.isclose(got, decay[1](now), rtol=1e-4, atol=1e-6), (now, got, decay[1](now))
        # A rate of its own dtype, from a rate that is a tensor.
        wide = tf.train.cosine_decay(tf.constant(0.5, tf.float64), global_step, 100)
        assert sess.run(wide) == 0.5 * 0.5 * (1 + math.cos(math.pi * 0.4))
        # In a step the rate is that of the step before it is counted.
        p = tf.Variable(1.0)
        step = tf.train.GradientDescentOptimizer(train.polynomial_decay(1.0, global_step, 50, 0.0)).minimize(
            p, global_step
        )
        sess.run(p.initializer)
        sess.run(step)
        assert np.isclose(sess.run(p), 1 - 0.2) and sess.run(global_step) == 41
        raises(ValueError, "1 less", lambda: train.piecewise_constant(global_step, [1], [0.1]))
        raises(ValueError, "increasing", lambda: train.piecewise_constant(global_step, [2, 1], [0.1, 0.2, 0.3]))
        raises(ValueError, "global_step is required", lambda: train.cosine_decay(0.1, None, 10))


# O30: rows of a table. Indices that come twice are summed; rows of others stay, as in TensorFlow, but for Adam.
rng = np.random.default_rng(0)
ROWS, WIDTH = 2048, 32
table_start = rng.normal(size=(ROWS, WIDTH))
batches = [rng.integers(0, 40, (6, 2)).astype(np.int32) for _ in range(3)]
scale = rng.normal(size=WIDTH)
Slots = Dict[str, Any]


def momentum(p: Any, g: Any, s: Slots, t: int) -> Any:
    s["a"] = 0.9 * s.get("a", 0.0) + g
    return p - 0.1 * s["a"]


def nesterov(p: Any, g: Any, s: Slots, t: int) -> Any:
    s["a"] = 0.9 * s.get("a", 0.0) + g
    return p - 0.1 * g - 0.1 * 0.9 * s["a"]


def adagrad(p: Any, g: Any, s: Slots, t: int) -> Any:
    s["a"] = s.get("a", 0.1) + g * g
    return p - 0.1 * g / np.sqrt(s["a"])


def adadelta(p: Any, g: Any, s: Slots, t: int) -> Any:
    s["a"] = 0.95 * s.get("a", 0.0) + 0.05 * g * g
    u = g * np.sqrt(s.get("d", 0.0) + 1e-8) / np.sqrt(s["a"] + 1e-8)
    s["d"] = 0.95 * s.get("d", 0.0) + 0.05 * u * u
    return p - 0.1 * u


def rmsprop(p: Any, g: Any, s: Slots, t: int) -> Any:
    s["s"], s["c"] = 0.8 * s.get("s", 1.0) + 0.2 * g * g, 0.8 * s.get("c", 0.0) + 0.2 * g
    s["m"] = 0.5 * s.get("m", 0.0) + 0.1 * g / np.sqrt(s["s"] - s["c"] ** 2 + 1e-10)
    return p - s["m"]


def ftrl(p: Any, g: Any, s: Slots, t: int) -> Any:
    old = s.get("n", 0.1)
    s["n"] = old + g * g
    s["z"] = s.get("z", 0.0) + g + 0.02 * p - (np.sqrt(s["n"]) - np.sqrt(old)) / 0.1 * p
    q = np.sqrt(s["n"]) / 0.1 + 0.4
    return np.where(np.abs(s["z"]) > 0.3, (0.3 * np.sign(s["z"]) - s["z"]) / q, 0.0)


def adam(p: Any, g: Any, s: Slots, t: int) -> Any:
    s["m"], s["v"] = 0.9 * s.get("m", 0.0) + 0.1 * g, 0.999 * s.get("v", 0.0) + 0.001 * g * g
    return p - 0.1 * math.sqrt(1 - 0.999**t) / (1 - 0.9**t) * s["m"] / (np.sqrt(s["v"]) + 1e-8)


def test_rows_of_a_table() -> None:
    rules: List[Tuple[Callable[[Any], Any], Any, bool]] = [
        (lambda lr: train.GradientDescentOptimizer(lr), lambda p, g, s, t: p - 0.1 * g, False),
        (lambda lr: train.MomentumOptimizer(lr, 0.9), momentum, False),
        (lambda lr: train.MomentumOptimizer(lr, tf.constant(0.9), use_nesterov=True), nesterov, False),
        (lambda lr: train.AdagradOptimizer(lr), adagrad, False),
        (lambda lr: train.AdadeltaOptimizer(lr), adadelta, False),
        (lambda lr: train.RMSPropOptimizer(lr, 0.8, 0.5, centered=True), rmsprop, False),
        (lambda lr: train.FtrlOptimizer(lr, l1_regularization_strength=0.3, l2_regularization_strength=0.2,
                                        l2_shrinkage_regularization_strength=0.01), ftrl, False),
        (lambda lr: train.AdamOptimizer(lr), adam, True),
    ]  # fmt: skip
    for number, (make, rule, is_dense) in enumerate(rules):
        with tf.Graph().as_default(), tf.Session() as sess:
            ids = tf.placeholder(tf.int32, [None, 2])
            table = tf.Variable(table_start.astype(np.float32), name="table")
            plain = tf.Variable(1.0)
            found = tf.nn.embedding_lookup(table, ids) if number % 2 else tf.gather(table, ids)
            loss = tf.reduce_sum(tf.square(found) * scale.astype(np.float32)) + plain
            fed: Any = 0.1 if number % 3 else tf.placeholder_with_default(0.1, [])
            global_step = tf.train.create_global_step()
            step = make(fed).minimize(loss, global_step)
            kinds = {op.type for op in tf.get_default_graph().get_operations()}
            assert any(kind.startswith("SparseApply") for kind in kinds), kinds
            raises(tf.errors.FailedPreconditionError, "value table", lambda: sess.run(step, {ids: batches[0]}))
            sess.run(tf.global_variables_initializer())
            rows: Any = table_start.astype(np.float32).astype(np.float64)
            states: List[Slots] = [{} for _ in range(ROWS)]
            whole: Slots = {}
            for t, batch in enumerate(batches, 1):
                sess.run(step, {ids: batch})
                g = np.zeros((ROWS, WIDTH))
                np.add.at(g, batch.ravel(), 2 * rows[batch.ravel()] * scale)
                if is_dense:
                    rows = rule(rows, g, whole, t)
                else:
                    for row in np.unique(batch):
                        rows[row] = rule(rows[row], g[row], states[row], t)
            np.testing.assert_allclose(sess.run(table), rows, rtol=2e-4, atol=2e-5, err_msg=rule.__name__)
            assert sess.run(global_step) == 3
            # Slots are under the names of TensorFlow, and have values.
            names = [v.name for v in tf.global_variables() if v.name.startswith("table/")]
            assert len(names) == {0: 0, 1: 1, 2: 1, 3: 1, 4: 2, 5: 3, 6: 2, 7: 2}[number], names
            assert all(np.isfinite(sess.run(name)).all() for name in names)


def test_time_of_an_update_of_rows() -> None:
    # The update of rows takes no memory of the size of the table.
    with tf.Graph().as_default(), tf.Session() as sess:
        ids = tf.placeholder(tf.int32, [None])
        table = tf.get_variable("table", [65536, 16])
        step = train.AdagradOptimizer(0.1).minimize(tf.reduce_sum(tf.square(tf.nn.embedding_lookup(table, ids))))
        sess.run(tf.global_variables_initializer())
        sess.run(step, {ids: [1, 2, 1]})
        compiled = [one for one, _ in sess._entries.values() if one.fed]
        (entry,) = compiled[0].program.entries
        assert entry.workspace_bytes(**{name: 64 for name in entry.symbols}) < 1 << 20


def test_clipped_by_the_norm() -> None:
    # Clipped by the norm of all gradients they are rows still: Momentum leaves the others.
    with tf.Graph().as_default(), tf.Session() as sess:
        ids = tf.placeholder(tf.int32, [None])
        table = tf.Variable(np.ones((4, 2), np.float32))
        other = tf.Variable(np.float32(2.0))
        by_momentum = train.MomentumOptimizer(0.1, 0.9)
        pairs = by_momentum.compute_gradients(tf.reduce_sum(tf.square(tf.gather(table, ids))) + other * other)
        clipped, norm = tf.clip_by_global_norm([g for g, _ in pairs], 2.0)
        step = by_momentum.apply_gradients(zip(clipped, [v for _, v in pairs]))
        sess.run(tf.global_variables_initializer())
        rows, slots = np.ones((4, 2)), np.zeros((4, 2))
        plain_value, plain_slot = 2.0, 0.0
        for looked_up in ([1, 1], [2]):
            g = np.zeros((4, 2))
            np.add.at(g, looked_up, 2 * rows[looked_up])
            # The norm is of what each lookup adds, before it is summed.
            n = np.sqrt(((2 * rows[looked_up]) ** 2).sum() + (2 * plain_value) ** 2)
            assert np.isclose(sess.run([norm, step], {ids: looked_up})[0], n, rtol=1e-6)
            for row in set(looked_up):
                slots[row] = 0.9 * slots[row] + g[row] * 2 / n
                rows[row] -= 0.1 * slots[row]
            plain_slot = 0.9 * plain_slot + 2 * plain_value * 2 / n
            plain_value -= 0.1 * plain_slot
        np.testing.assert_allclose(sess.run(table), rows, rtol=1e-5)
        np.testing.assert_allclose(sess.run(other), plain_value, rtol=1e-5)


def test_rows_clipped_by_their_own_norm() -> None:
    # So are those clipped by their own norm. Updates towards 0 would move all rows, and are refused.
    rule: Any
    for rule, moved in ((train.MomentumOptimizer(0.1, 0.9), 0.9), (train.FtrlOptimizer(0.1), 0.6031424)):
        with tf.Graph().as_default(), tf.Session() as sess:
            ids = tf.placeholder(tf.int32, [None])
            table = tf.Variable(np.ones((3, 1), np.float32))
            pairs = rule.compute_gradients(tf.reduce_sum(tf.square(tf.gather(table, ids))))
            step = rule.apply_gradients([(tf.clip_by_norm(g, 1.0), v) for g, v in pairs])
            sess.run(tf.global_variables_initializer())
            sess.run(step, {ids: [0]})
            np.testing.assert_allclose(sess.run(table).ravel(), [moved, 1.0, 1.0], rtol=1e-5)
    with tf.Graph().as_default():
        table = tf.Variable(np.ones((3, 1), np.float32))
        loss = tf.reduce_sum(tf.gather(table, [0]))
        count = train.get_or_create_global_step()
        for rule in (train.ProximalGradientDescentOptimizer(0.1, l2_regularization_strength=1.0),
                     train.ProximalAdagradOptimizer(0.1, l1_regularization_strength=1.0),
                     train.AdagradDAOptimizer(0.1, count)):  # fmt: skip
            raises(NotImplementedError, "which moves no other row", lambda rule=rule: rule.minimize(loss))  # type: ignore[misc]
        train.ProximalGradientDescentOptimizer(0.1).minimize(loss)


def test_table_that_is_used_otherwise() -> None:
    # A table that is used otherwise, too, has a gradient of all rows; a constraint is refused.
    with tf.Graph().as_default(), tf.Session() as sess:
        table = tf.Variable(np.ones((4, 2), np.float32))
        loss = tf.reduce_sum(tf.gather(table, [1, 1])) + tf.reduce_sum(table)
        step = train.MomentumOptimizer(0.1, 0.9).minimize(loss)
        assert not any(op.type.startswith("Sparse") for op in tf.get_default_graph().get_operations())
        sess.run(tf.global_variables_initializer())
        sess.run(step)
        np.testing.assert_allclose(sess.run(table), [[0.9] * 2, [0.7] * 2, [0.9] * 2, [0.9] * 2], rtol=1e-6)
        bounded = tf.get_variable("bounded", [4, 2], constraint=lambda w: tf.clip_by_value(w, 0.0, 1.0))
        lookup = tf.reduce_sum(tf.gather(bounded, [1]))
        raises(
            RuntimeError, "constraint", lambda: train.GradientDescentOptimizer(0.1).minimize(lookup, var_list=[bounded])
        )
        twice = tf.Variable(np.ones((4, 2), np.float32))
        down = train.GradientDescentOptimizer(0.1)
        before = twice.assign_add(np.ones((4, 2), np.float32))
        step = down.minimize(tf.reduce_sum(tf.gather(twice, [1])), var_list=[twice])
        sess.run(tf.global_variables_initializer())
        raises(NotImplementedError, "run one after the other", lambda: sess.run([before, step]))


def test_batch_normalization_beside_numpy() -> None:
    # Batch normalization beside NumPy.
    shapes: Any = ([None, 3], [None, 4, 4, 3])
    for shape in shapes:
        for kind in ("placeholder", "python"):
            with tf.Graph().as_default(), tf.Session() as sess:
                x = tf.placeholder(tf.float32, shape)
                training: Any = tf.placeholder(tf.bool, []) if kind == "placeholder" else True
                y = tf.layers.batch_normalization(x, training=training, momentum=0.9, name="bn")
                assert [v.name for v in tf.trainable_variables()] == ["bn/gamma:0", "bn/beta:0"]
                averages = tf.global_variables()[2:]
                assert [v.name for v in averages] == ["bn/moving_mean:0", "bn/moving_variance:0"]
                updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
                with tf.control_dependencies(updates):
                    step = train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(y * y * y))
                sess.run(tf.global_variables_initializer())
                mean, variance = np.zeros(3), np.ones(3)
                axes = tuple(range(len(shape) - 1))
                for _ in range(3):
                    batch = rng.normal(1.0, 2.0, (5, *shape[1:])).astype(np.float32)
                    gamma, beta = sess.run(tf.trainable_variables())
                    feed = {x: batch, training: True} if kind == "placeholder" else {x: batch}
                    got, _ = sess.run([y, step], feed)
                    own = (batch - batch.mean(axes)) / np.sqrt(batch.var(axes) + 1e-3) * gamma + beta
                    np.testing.assert_allclose(got, own, rtol=1e-3, atol=1e-4)
                    mean = 0.9 * mean + 0.1 * batch.mean(axes)
                    variance = 0.9 * variance + 0.1 * batch.var(axes, ddof=1 if len(shape) == 4 else 0)
                assert np.abs(sess.run(tf.trainable_variables()[0]) - 1).max() > 1e-3
                np.testing.assert_allclose(sess.run(averages), [mean, variance], rtol=1e-4, atol=1e-6)
                if kind == "placeholder":
                    gamma, beta = sess.run(tf.trainable_variables())
                    got = sess.run([y, *updates], {x: batch, training: False})[0]
                    own = (batch - mean) / np.sqrt(variance + 1e-3) * gamma + beta
                    np.testing.assert_allclose(got, own, rtol=1e-3, atol=1e-4)
                    np.testing.assert_allclose(sess.run(averages), [mean, variance], rtol=1e-4, atol=1e-6)
    with tf.Graph().as_default(), tf.Session() as sess:
        tests = tf.layers.batch_normalization(tf.constant([[1.0, 2.0]]), center=False)
        assert not tf.get_collection(tf.GraphKeys.UPDATE_OPS) and len(tf.global_variables()) == 3
        sess.run(tf.global_variables_initializer())
        np.testing.assert_allclose(sess.run(tests), np.array([[1.0, 2.0]]) / np.sqrt(1.001), rtol=1e-5)
    raises(ValueError, "axis=4", lambda: tf.layers.batch_normalization(tf.zeros([2, 3, 4, 5]), axis=4))


def test_default_names_in_a_scope() -> None:
    # Default names in a scope that is entered again are the same again.
    with tf.Graph().as_default():
        ones = tf.ones([2, 3])
        with tf.variable_scope("model"):
            tf.layers.dense(tf.layers.dense(ones, 4), 4)
        with tf.variable_scope("model", reuse=True):
            tf.layers.dense(tf.layers.dense(ones, 4), 4)
        with tf.variable_scope("other"):
            tf.layers.dense(ones, 4)
        names = [v.name for v in tf.global_variables()]
        assert names == [f"{scope}/{key}:0" for scope in ("model/dense", "model/dense_1", "other/dense")
                         for key in ("kernel", "bias")], names  # fmt: skip


# Data sets that keep what the first pass gave, and its order.
def passes(data: Any) -> List[int]:
    found: List[int] = []
    element = data.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        try:
            while True:
                found.append(int(session.run(element)))
        except tf.errors.OutOfRangeError:
            return found


begun: List[int] = []


def counted() -> Any:
    begun.append(len(begun))
    yield from range(6)


def test_data_sets_that_keep_their_place() -> None:
    with tf.Graph().as_default():
        numbers = tf.data.Dataset.from_generator(counted, tf.int32, tf.TensorShape([]))
        assert passes(numbers.cache().repeat(3)) == [*range(6)] * 3 and begun == [0]
        for again, same in ((None, False), (True, False), (False, True)):
            order = passes(tf.data.Dataset.range(20).shuffle(20, 3, reshuffle_each_iteration=again).repeat(2))
            assert sorted(order[:20]) == [*range(20)] and (order[:20] == order[20:]) == same
        order = passes(tf.data.Dataset.range(20).shuffle(20, 3).cache().repeat(2))
        assert order[:20] == order[20:]


run_tests([test_numbers_of_the_table, test_decays_of_the_rate, test_rows_of_a_table,
           test_time_of_an_update_of_rows, test_clipped_by_the_norm, test_rows_clipped_by_their_own_norm,
           test_table_that_is_used_otherwise, test_batch_normalization_beside_numpy,
           test_default_names_in_a_scope, test_data_sets_that_keep_their_place])  # fmt: skip
