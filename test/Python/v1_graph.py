# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Graphs and sessions in the vocabulary of TensorFlow 1: names, scopes and reuse (N2 to N11, N14), order
(A1, A2, A4 to A10), initialization (I8, S2 to S5), collections (C1, C2, C5, C6), runs (R1, R2, R3, R4)."""

import threading
from typing import Any, List
from unittest import mock

import numpy as np

import flywheel.v1 as tf
from configurations import raises, run_tests
from flywheel._core import trace as _trace
from flywheel.v1 import derivatives
from flywheel.v1.conversion import make


def test_suffixes() -> None:
    # N2: suffixes.
    with tf.Graph().as_default():
        assert [tf.Variable(0.0, name=n).name for n in ("a_1", "a", "a")] == ["a_1:0", "a:0", "a_2:0"]
        assert [tf.Variable(0.0).name for _ in range(2)] == ["Variable:0", "Variable_1:0"]


def test_name_scopes_and_variable_scopes() -> None:
    # N3: name scopes and variable scopes.
    with tf.Graph().as_default():
        with tf.name_scope("foo1"):
            assert tf.get_variable("v", [1]).name == "v:0" and tf.Variable(1, name="v2").name == "foo1/v2:0"
        with tf.variable_scope("foo2"):
            assert tf.get_variable("v", [1]).name == "foo2/v:0" and tf.Variable(1, name="v2").name == "foo2/v2:0"
        # N4: nesting.
        with tf.variable_scope("foo"), tf.variable_scope("bar"):
            assert tf.get_variable("v", [1]).name == "foo/bar/v:0"
    with tf.Graph().as_default():
        names = []
        for _ in range(2):
            with tf.variable_scope("n1"):
                names += [tf.Variable(1.0).name, tf.Variable(1.0).name]
        assert names == ["n1/Variable:0", "n1/Variable_1:0", "n1_1/Variable:0", "n1_1/Variable_1:0"], names


def layer(x: Any) -> Any:
    w = tf.get_variable("W", [2, 2])
    return tf.nn.relu(tf.matmul(x, w)), w


def test_name_scopes_and_variable_scopes_2() -> None:
    with tf.Graph().as_default():
        one = tf.ones([1, 2])
        with tf.variable_scope("n2"):
            first, w1 = layer(one)
        with tf.variable_scope("n2", reuse=True):
            second, w2 = layer(one)
            # N7: other shapes and dtypes.
            raises(ValueError, "Trying to share variable n2/W, but specified shape", lambda: tf.get_variable("W", [3]))
            raises(ValueError, "specified dtype", lambda: tf.get_variable("W", dtype=tf.int32))
            # N6: nothing to share; what `Variable` made does not count.
            tf.Variable(1.0, name="own")
            raises(
                ValueError, "Variable n2/own does not exist, or was not created with", lambda: tf.get_variable("own")
            )
        assert w1 is w2 and (first.name, second.name) == ("n2/Relu:0", "n2_1/Relu:0")
        # N5: it exists.
        with tf.variable_scope("n2"):
            raises(ValueError, ("Variable n2/W already exists, disallowed. Did you mean to set "
                                "reuse=True or reuse=AUTO_REUSE"),
                   lambda: layer(one))  # fmt: skip
            raises(ValueError, __file__, lambda: layer(one))
        # N8: shared or made.
        with tf.variable_scope("auto", reuse=tf.AUTO_REUSE):
            assert layer(one)[1] is layer(one)[1]
        # N9: inherited, switched on, entered by object.
        with tf.variable_scope("model") as scope:
            _, w = layer(one)
            scope.reuse_variables()
            assert layer(one)[1] is w
            with tf.variable_scope("inner", reuse=False):
                raises(ValueError, "does not exist", lambda: layer(one))
        with tf.variable_scope("foo") as foo:
            pass
        with tf.variable_scope("other"), tf.variable_scope(foo):
            assert tf.get_variable("v", []).name == "foo/v:0"
        # N10: what a scope gives its variables, and those of scopes in it that say nothing else.
        with tf.variable_scope("given", initializer=tf.ones_initializer(), dtype=tf.float64, regularizer=tf.reduce_sum,
                               constraint=lambda x: tf.clip_by_value(x, 0.0, 0.5)):  # fmt: skip
            outer = tf.get_variable("v", [2])
            with tf.variable_scope("inner"):
                inherited = tf.get_variable("v", [3])
            with tf.variable_scope("own", initializer=tf.zeros_initializer()):
                own = tf.get_variable("v", [3])
            narrow = tf.get_variable("narrow", [1], tf.float32)
        terms = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
        clip = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(outer), var_list=[outer])
        with tf.variable_scope("twice", custom_getter=lambda getter, *args, **kwargs: 2 * getter(*args, **kwargs)):
            doubled = tf.get_variable("v", [], initializer=tf.ones_initializer())
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            assert [x.dtype for x in (outer, inherited, own, narrow)] == [tf.float64] * 3 + [tf.float32]
            found = sess.run([outer, inherited, own, narrow])
            assert [x.tolist() for x in found] == [[1, 1], [1, 1, 1], [0, 0, 0], [1]]
            assert [float(x) for x in sess.run(terms)] == [2, 3, 0, 1] and sess.run(doubled) == 2
            sess.run(clip)
            assert sess.run(outer).tolist() == [0.5, 0.5]
        # N11: default names.
        made = []
        for _ in range(2):
            with tf.variable_scope(None, default_name="d"):
                made.append(tf.get_variable("x", []).name)
        assert made == ["d/x:0", "d_1/x:0"]
        raises(ValueError, "reuse=True cannot be used without a name_or_scope",
               lambda: tf.variable_scope(None, "d", reuse=True).__enter__())  # fmt: skip
        raises(ValueError, "If default_name is None then name_or_scope is required",
               lambda: tf.variable_scope(None).__enter__())  # fmt: skip


def convolve(x: Any) -> Any:
    w = tf.get_variable("w", [5, 5, x.shape[-1].value, 16])
    return tf.nn.conv2d(x, w, strides=[1, 2, 2, 1], padding="SAME") + tf.get_variable("biases", [16])


def test_function_under_two_scopes() -> None:
    # N14: a function under two scopes has two sets of variables, under one with reuse a single one.
    with tf.Graph().as_default():
        small, large = tf.zeros([1, 10, 10, 32]), tf.zeros([1, 20, 20, 32])
        for x, size in ((small, 5), (large, 10)):
            with tf.variable_scope(f"conv{size // 5}"):
                assert convolve(x).shape.as_list() == [1, size, size, 16]
        with tf.variable_scope("shared") as scope:
            convolve(small)
            scope.reuse_variables()
            convolve(large)
        assert [v.name for v in tf.global_variables()] == [
            f"{scope}/{name}:0" for scope in ("conv1", "conv2", "shared") for name in ("w", "biases")
        ]


def test_op_runs_when_it_is_fetched() -> None:
    # A2: an op runs when it is fetched, once a run.
    with tf.Graph().as_default(), tf.Session() as sess:
        counter = tf.Variable(0, name="counter")
        inc = tf.assign(counter, counter + 1)
        # S3: a value is needed.
        raises(
            tf.errors.FailedPreconditionError, "Attempting to use uninitialized value counter", lambda: sess.run(inc)
        )
        sess.run(tf.global_variables_initializer())
        assert [int(sess.run(inc)) for _ in range(3)] == [1, 2, 3] and sess.run([inc, inc]) == [4, 4]
        assert sess.run({"a": inc, "b": (inc.op, counter)}) == {"a": 5, "b": (None, 5)}


def test_version_rule() -> None:
    # A5: the version rule.
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.Variable(0.0)
        plus = v + 0
        v1 = tf.assign_add(v, 1.0)
        v2 = tf.assign_add(v, 1.0)
        with tf.control_dependencies([v1]):
            late = v.read_value()
            old = v + 0
        init = tf.global_variables_initializer()
        sess.run(init)
        assert sess.run([v, v1]) == [1, 1] and sess.run([plus, v1]) == [1, 2]
        sess.run(init)
        assert sess.run([v1, v2]) == [1, 2] and sess.run(v) == 2
        # A6: a read after the assignment; an implicit one sees the start.
        assert sess.run(late) == 3 and sess.run([late, v2, v]) == [4, 5, 5] and sess.run(old) == 5 and sess.run(v) == 6
        # A7: what waits runs the rest.
        with tf.control_dependencies([v1]):
            waits = tf.identity(tf.constant(7))
        assert sess.run(waits) == 7 and sess.run(v) == 7
        # A9: chained.
        chained = v.assign(v1)
        assert sess.run(chained) == 8 and sess.run([v, v1]) == [9, 9]
        # A8: a group has no value.
        assert sess.run(tf.group(v1, v2)) is None and sess.run(v) == 11


def test_swap() -> None:
    # A10: a swap.
    with tf.Graph().as_default(), tf.Session() as sess:
        a, b = tf.Variable(1.0), tf.Variable(2.0)
        swap = [tf.assign(a, b), tf.assign(b, a)]
        sess.run(tf.global_variables_initializer())
        sess.run(swap)
        assert sess.run([a, b]) == [2, 1]
        # A4: shapes and numbers.
        raises(ValueError, "shapes", lambda: a.assign([1.0, 2.0]))
        raises(TypeError, "Expected int32", lambda: tf.Variable(1).assign(1.5))


def test_initial_values_of_others() -> None:
    # I8: initial values of others.
    with tf.Graph().as_default():
        v = tf.Variable(tf.zeros([]), name="v")
        w = tf.Variable(v.initialized_value() + 1, name="w")
        u = tf.Variable(v * 2 + 1, name="u")
        init = tf.global_variables_initializer()
        with tf.Session() as sess:
            # S4: what has no value, in order.
            missing = tf.report_uninitialized_variables()
            assert list(sess.run(missing)) == [b"v", b"w", b"u"] and not sess.run(tf.is_variable_initialized(v))
            sess.run(w.initializer)
            assert sess.run(w) == 1 and list(sess.run(missing)) == [b"v", b"u"]
            raises(tf.errors.FailedPreconditionError, "uninitialized value v", lambda: sess.run(u.initializer))
            v.load(5.0, sess)
            sess.run(w.initializer)
            assert sess.run(w) == 6
            sess.run(init)
            assert sess.run([v, w, u]) == [0, 1, 1] and list(sess.run(missing)) == []
            assert sess.run(tf.is_variable_initialized(v))


def test_collections() -> None:
    # C1, C2: collections; C5, C6: what is updated.
    with tf.Graph().as_default(), tf.Session() as sess:
        local = tf.Variable(1.0, collections=[tf.GraphKeys.LOCAL_VARIABLES])
        assert local not in tf.global_variables() and local not in tf.trainable_variables()
        f, w = tf.Variable(2.0, trainable=False, name="f"), tf.Variable(1.0, name="w")
        loss = tf.square(f * 3.0 * w - 12.0)
        step = tf.train.GradientDescentOptimizer(0.001).minimize(loss)
        other = tf.train.GradientDescentOptimizer(0.001).minimize(loss, var_list=[f])
        sess.run(tf.global_variables_initializer())
        sess.run(step)
        assert np.allclose(sess.run([f, w]), [2, 1.072])
        sess.run(tf.global_variables_initializer())
        sess.run(other)
        assert np.allclose(sess.run([f, w]), [2.036, 1])
        assert tf.gradients(loss, [local]) == [None]


def test_containers() -> None:
    # R2: containers; R3: default sessions; R4: placeholders.
    with tf.Graph().as_default():
        v = tf.Variable(1.0, name="v")
        raises(ValueError, "No default session is registered", lambda: v.eval())
        s1, s2, s3 = tf.Session("c"), tf.Session("c"), tf.Session()
        s1.run(v.assign(7.0))
        assert s2.run(v) == 7
        raises(tf.errors.FailedPreconditionError, "uninitialized value v", lambda: s3.run(v))
        x = tf.placeholder(tf.float32, [None, 3])
        y = tf.matmul(x, tf.ones([3, 2]))
        for batch in (1, 5):
            assert s1.run(y, {x: np.ones((batch, 3))}).shape == (batch, 2)
        raises(tf.errors.InvalidArgumentError, "You must feed a value for placeholder", lambda: s1.run(y))
        raises(ValueError, "Cannot feed value of shape", lambda: s1.run(y, {x: np.ones((2, 4))}))
        raises(TypeError, "expected a dict of tensors to values as feed_dict, found list", lambda: s1.run(y, [x]))
        raises(TypeError, "has no elements before it is run: use sess.run(", lambda: np.asarray(y))
        left, right = (tf.placeholder(tf.float32, [None], name=name) for name in ("left", "right"))
        raises(tf.errors.InvalidArgumentError, "it is 2 in placeholder 'left'", lambda: s1.run(
            left * right, {left: [1.0, 2.0], right: [1.0, 2.0, 3.0]}))  # fmt: skip
        raises(TypeError, "Cannot convert None to a feed of float32", lambda: s1.run(y, {x: [[None, 1.0, 2.0]]}))
        whole = tf.placeholder(tf.int32, [], name="whole")
        for given in (2**40, 1.7, np.int64(2**40)):
            raises(
                TypeError,
                f"Type of feed value {given} is not compatible with a feed of int32",
                lambda given=given: s1.run(whole, {whole: given}),  # type: ignore[misc]
            )
        assert s1.run(whole, {whole: np.int64(7)}) == 7
        raises(AttributeError, "there is no flywheel.v1.estimator", lambda: tf.estimator)
        # Branches run alone; loops keep their state.
        flag = tf.placeholder(tf.bool, [])
        either = tf.cond(flag, lambda: v.assign_add(1.0), lambda: tf.constant(-1.0))
        assert s1.run(either, {flag: False}) == -1 and s1.run(v) == 7
        assert s1.run(either, {flag: True}) == 8 and s1.run(v) == 8
        i, total = tf.while_loop(lambda i, t: i < 4, lambda i, t: (i + 1, t + v), [tf.constant(0), tf.constant(0.0)])
        assert s1.run([i, total]) == [4, 32]


# Types of what ops make are found in one trace a thread, also after an op that cannot be made, by way of variables of
# one name, and by ops that are made by others.
threads: List[int] = []


class Counted(_trace.Trace):
    def __init__(self, *args: Any, **kwargs: Any):
        threads.append(threading.get_ident())
        super().__init__(*args, **kwargs)


def grow() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3])
        for _ in range(40):
            x = tf.tanh(x + 1.0)
        raises(ValueError, "could not be broadcast", lambda: x + tf.ones([2]))
        inner = make("outer", lambda y: [y, tf.nn.relu(tf.ones([4])).shape[0].value * y][1], x)
        assert (x * 2.0).shape.as_list() == inner.shape.as_list() == [None, 3]


def test_one_name() -> None:
    with mock.patch.object(_trace, "Trace", Counted):
        grow()
        thread = threading.Thread(target=grow)
        thread.start()
        thread.join()
    assert 2 <= len(threads) < 12 and len(set(threads)) == 2, threads
    for size in (2, 3):
        with tf.Graph().as_default():
            assert tf.map_fn(lambda _: tf.get_variable("same", [size]) + 1.0, tf.ones([4])).shape.as_list() == [4, size]


def test_gradients_walk_once() -> None:
    # Gradients walk once, however many variables there are.
    with tf.Graph().as_default():
        total = tf.zeros([2])
        weights = [tf.get_variable(f"w{i}", [2]) for i in range(30)]
        for w in weights:
            total = tf.tanh(total + w)
        with mock.patch.object(derivatives, "sources_of", side_effect=derivatives.sources_of) as visited:
            assert None not in tf.gradients(total, weights)
        assert visited.call_count < 150, visited.call_count


def test_sizes_of_several_results() -> None:
    # The sizes of several results of one run, none of which a feed has.
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None])
        parts = [tf.boolean_mask(x, x > 1), x, x[: tf.shape(x)[0] // 2], tf.tile(x, [2])]
        for numbers in ([0.0, 1.0, 2.0, 3.0], [5.0], [0.0] * 7):
            fed: Any = np.array(numbers, np.float32)
            halves = [fed[fed > 1], fed, fed[: len(fed) // 2], np.tile(fed, 2)]
            for got, right in zip(sess.run(parts, {x: fed}), halves):
                np.testing.assert_array_equal(got, right)


def test_dtype_of_an_initializer() -> None:
    # An initializer has an argument `dtype` or none; an error inside of it is its own.
    with tf.Graph().as_default(), tf.Session() as sess:
        plain = [
            tf.get_variable("a", [2], initializer=lambda shape: tf.ones(shape)),
            tf.get_variable("b", [2], initializer=lambda shape, **given: tf.ones(shape, given["dtype"])),
            tf.get_variable("c", [2], tf.float64, initializer=np.ones),
        ]
        sess.run(tf.global_variables_initializer())
        assert [v.dtype for v in plain] == [tf.float32, tf.float32, tf.float64]
        np.testing.assert_array_equal(sess.run(plain), np.ones((3, 2)))

        def broken(shape: Any, dtype: Any = None) -> Any:
            if dtype is not None:
                raise TypeError("no dtype is right here")
            return tf.ones(shape)

        raises(TypeError, "no dtype is right here", lambda: tf.get_variable("d", [2], initializer=broken))


run_tests([test_suffixes, test_name_scopes_and_variable_scopes, test_name_scopes_and_variable_scopes_2,
           test_function_under_two_scopes, test_op_runs_when_it_is_fetched, test_version_rule, test_swap,
           test_initial_values_of_others, test_collections, test_containers, test_one_name,
           test_gradients_walk_once, test_sizes_of_several_results, test_dtype_of_an_initializer])  # fmt: skip
