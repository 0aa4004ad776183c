# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t
# RUN: env FLYWHEEL_CACHE= %python %s %t
"""Options of `flywheel.v1` that are seldom given have TensorFlow's meaning, or are refused by name (T9)."""

import os
import sys
from typing import Any, Callable

import numpy as np

import flywheel.keras as keras
import flywheel.v1 as tf
from configurations import run_tests

folder = sys.argv[1]


def raises(kind: Any, text: str, action: Callable[[], Any]) -> None:
    try:
        action()
    except kind as error:
        assert text in str(error), error
        return
    raise AssertionError(f"no {kind.__name__} of {text}")


# Loops without gradients.
x = tf.constant([1.0, 2.0, 3.0])


def test_loops_without_gradients() -> None:
    for back_prop in (True, False):
        made = [
            tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 2.0), [0, x], back_prop=back_prop)[1],
            tf.map_fn(lambda a: a * 2.0, x, back_prop=back_prop),
            tf.scan(lambda a, b: a * b, x, back_prop=back_prop),
            tf.foldl(lambda a, b: a * b, x, back_prop=back_prop),
            tf.foldr(lambda a, b: a * b, x, back_prop=back_prop),
        ]
        assert [tf.gradients(y, x)[0] is not None for y in made] == [back_prop] * 5
        with tf.Session() as session:
            assert [np.sum(y) for y in session.run(made)] == [48.0, 12.0, 9.0, 6.0, 6.0]


def test_dtypes_of_conversions() -> None:
    # Dtypes of conversions.
    assert tf.convert_to_tensor(1, preferred_dtype=tf.float32).dtype == tf.float32
    assert tf.convert_to_tensor(1.5, preferred_dtype=tf.int32).dtype == tf.float32
    raises(ValueError, "requested dtype float32", lambda: tf.convert_to_tensor(tf.constant(1), tf.float32))
    raises(ValueError, "requested dtype int32", lambda: tf.convert_to_tensor(tf.Variable(1.0), tf.int32))
    mixed = tf.convert_to_tensor([tf.constant(1), 2], tf.float32)
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(mixed), np.array([1, 2], np.float32))
    numbers = [(1.5, tf.int32), ([1.5, 2], tf.int32), (2.0, tf.int64), (1, tf.bool), ([np.float32(1), 1], tf.int32)]
    for value, kind in numbers:
        raises(TypeError, f"Expected {kind.name}", lambda: tf.constant(value, kind))  # noqa: B023
    raises(TypeError, "Expected int32", lambda: tf.convert_to_tensor([tf.constant(1), 2.5]))
    raises(TypeError, "Expected int32", lambda: tf.Variable(1.5, dtype=tf.int32))
    assert tf.constant(np.array([1.5]), tf.int32).dtype == tf.int32
    assert tf.constant([], tf.int32).shape == (0,)


def test_numbers_that_are_said_twice() -> None:
    # Numbers that are said twice.
    raises(ValueError, "num=3", lambda: tf.split(x, [1, 2], num=3))
    assert len(tf.split(x, [1, 2], num=2)) == 2
    raises(ValueError, "accumulate_n", lambda: tf.accumulate_n([x, x], shape=[2]))
    raises(TypeError, "tensor_dtype is int32", lambda: tf.accumulate_n([x, x], tensor_dtype=tf.int32))
    classes = tf.constant([[1], [2]], tf.int64)
    for sampler in (tf.nn.log_uniform_candidate_sampler, tf.nn.uniform_candidate_sampler):
        raises(ValueError, "num_true=2", lambda: sampler(classes, 2, 3, True, 9))  # noqa: B023
    raises(NotImplementedError, "shards",
           lambda: tf.nn.fixed_unigram_candidate_sampler(classes, 1, 2, True, 3, unigrams=[1, 1, 1],
                                                               shard=1))  # fmt: skip
    with tf.Session() as session:
        a, b = np.eye(2, dtype=np.float32), np.ones((2, 1), np.float32)
        found = session.run([tf.linalg.lstsq(a, b, 1.0), tf.linalg.lstsq(a, b, 1.0, fast=False)])
        np.testing.assert_allclose(np.stack(found), np.stack([b / 2, b]), rtol=1e-6)


def test_names_of_slots_and_scopes() -> None:
    # Names of slots and scopes.
    with tf.Graph().as_default():
        w = tf.get_variable("w", [2])
        tf.train.FtrlOptimizer(0.1, accum_name="n", linear_name="z").minimize(tf.reduce_sum(w * w))
        assert {v.op.name for v in tf.global_variables()} == {"w", "w/n", "w/z"}
    for now in (False, True):
        with tf.Graph().as_default():
            template = tf.make_template("t", lambda: tf.get_variable("v", [1]), create_scope_now_=now)
            with tf.variable_scope(None, default_name="t"):
                tf.get_variable("other", [1])
            first = template()
            assert template() is first and first.op.name == ("t/v" if now else "t_1/v"), first.op.name
    with tf.Graph().as_default() as graph, tf.Graph().as_default():
        step = tf.train.create_global_step(graph)
        assert step.graph is graph and tf.train.get_global_step() is None
        raises(ValueError, "already exists", lambda: tf.train.create_global_step(graph))


def test_refused() -> None:
    # Refused.
    variable = tf.Variable(1.0)
    raises(NotImplementedError, "variable_def", lambda: tf.Variable(1.0, variable_def=object()))
    raises(NotImplementedError, "saver_def", lambda: tf.train.Saver([variable], saver_def=object()))
    raises(NotImplementedError, "handle", lambda: tf.TensorArray(tf.float32, 2, handle=x))
    raises(NotImplementedError, "session", lambda: tf.summary.FileWriter(folder, session=object()))
    raises(NotImplementedError, "op_log", lambda: tf.profiler.profile(op_log=object()))
    raises(ValueError, "cmd", lambda: tf.profiler.profile(cmd="ops"))
    raises(NotImplementedError, "var", lambda: tf.strided_slice(x, [0], [1], var=variable))
    raises(NotImplementedError, "is_chief", lambda: tf.train.MonitoredTrainingSession(is_chief=False))
    raises(
        TypeError, "dtype float16", lambda: tf.contrib.seq2seq.LuongAttention(2, tf.zeros([1, 2, 2]), dtype=tf.float16)
    )
    raises(NotImplementedError, "dtype", lambda: keras.metrics.Mean(dtype="float64"))
    assert keras.metrics.MeanSquaredError(dtype="float32").name == "mean_squared_error"


def test_monitored_sessions() -> None:
    # Monitored sessions: summaries of the scaffold and of the rate of steps, and what is to be ready.
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        w = tf.Variable(2.0, name="w")
        run = tf.train.GradientDescentOptimizer(0.1).minimize(w * w, global_step=step)
        tf.summary.scalar("of_the_graph", w)
        own = tf.summary.merge([tf.summary.scalar("of_the_scaffold", w, collections=[])])
        base = tf.train.Scaffold(summary_op=own, init_fn=lambda _, s: s.run(w.assign(3.0)))
        scaffold = tf.train.Scaffold(copy_from_scaffold=base)
        assert scaffold.summary_op is own
        raises(ValueError, "Exactly one", lambda: tf.train.SummarySaverHook(1, scaffold=base, summary_op=own))
        path = os.path.join(folder, "monitored")
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=path, scaffold=scaffold, save_summaries_steps=1, log_step_count_steps=2
        ) as monitored:
            assert monitored.run(w) == 3.0
            for _ in range(5):
                monitored.run(run)
        written = b"".join(open(os.path.join(path, name), "rb").read() for name in os.listdir(path)  # noqa: SIM115
                           if "events" in name)  # fmt: skip
        # The graph, which is written too, has both names; six runs have summaries.
        assert written.count(b"of_the_scaffold") == written.count(b"of_the_graph") + 6
        assert b"global_step/sec" in written
    for key in ("ready_op", "ready_for_local_init_op"):
        with tf.Graph().as_default():
            given: Any = {key: tf.constant(["late"])}
            creator = tf.train.ChiefSessionCreator(tf.train.Scaffold(**given))
            raises(RuntimeError, "late", lambda: tf.train.MonitoredSession(creator))  # noqa: B023


def test_event_files() -> None:
    # Event files are written while a program runs.
    with tf.Graph().as_default():
        text = tf.Session().run(tf.summary.scalar("of_a_writer", 1.0))
        options: Any
        for options, counts in (({"max_queue": 2}, [0, 2]), ({"flush_secs": 0}, [1, 2]), ({}, [0, 0])):
            path = os.path.join(folder, f"writer{len(options)}{counts[0]}")
            writer = tf.summary.FileWriter(path, **options)
            found = []
            for i in (1, 2):
                writer.add_summary(text, i)
                (name,) = os.listdir(path)
                with open(os.path.join(path, name), "rb") as file:
                    found.append(file.read().count(b"of_a_writer"))
            assert found == counts, (options, found)
            writer.close()


def test_summaries_of_a_step() -> None:
    # Summaries of a step.
    with tf.Graph().as_default():
        w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
        loss = tf.reduce_sum(w * w)

        def tags(summaries: Any) -> bytes:
            tf.contrib.layers.optimize_loss(loss, None, 0.1, "SGD", clip_gradients=1.0, summaries=summaries)
            merged = tf.summary.merge(tf.get_collection_ref(tf.GraphKeys.SUMMARIES))
            tf.get_collection_ref(tf.GraphKeys.SUMMARIES).clear()
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                found: bytes = session.run(merged)
                return found

        text = tags(None)
        for tag in (b"loss", b"learning_rate", b"global_norm/gradient_norm", b"global_norm/clipped_gradient_norm"):
            assert tag in text, text
        text = tags(["gradients", "gradient_norm"])
        assert b"gradients/w_0" in text and b"gradient_norm/w_0" in text and b"loss" not in text, text
        raises(ValueError, "Summaries should be one of", lambda: tags(["losses"]))


run_tests([test_loops_without_gradients, test_dtypes_of_conversions, test_numbers_that_are_said_twice,
           test_names_of_slots_and_scopes, test_refused, test_monitored_sessions, test_event_files,
           test_summaries_of_a_step])  # fmt: skip
