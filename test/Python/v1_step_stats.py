# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Measured times of ops in runs of graphs and models of Keras (F8)."""

import glob
import json
import os
import struct
import tempfile
from typing import Any, Dict, List, Type

import numpy as np

import flywheel.v1 as tf
from configurations import run_tests
from flywheel import keras
from flywheel.keras import backend as K
from flywheel.v1.python.client import timeline


def raises(kind: Type[BaseException], text: str, call: Any) -> None:
    try:
        call()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"no error: {text}")


def nodes(metadata: tf.RunMetadata) -> List[Any]:
    return [node for device in metadata.step_stats.dev_stats for node in device.node_stats]


FULL = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
x = tf.placeholder(tf.float32, [None, 64], name="x")
w = tf.Variable(np.linspace(-1.0, 1.0, 64 * 32, dtype=np.float32).reshape(64, 32), name="w")
product = tf.matmul(x, w, name="product")
loss = tf.reduce_mean(tf.square(tf.nn.relu(product, name="act"), name="sq"), name="loss")
train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
feed = {x: np.linspace(-1.0, 2.0, 256 * 64, dtype=np.float32).reshape(256, 64)}

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    metadata = tf.RunMetadata()
    measured = []
    for _ in range(3):
        measured.append(session.run([loss, train], feed, options=FULL, run_metadata=metadata)[0])
    # It trains, and the results are those of runs that are not measured.
    session.run(tf.global_variables_initializer())
    plain = [session.run([loss, train], feed)[0] for _ in range(3)]
    assert measured == plain and plain[2] < plain[0], (measured, plain)

    # One device; what ran, with times, in order, and each op of the program in some group.
    (device,) = metadata.step_stats.dev_stats
    assert device.device == "/job:localhost/replica:0/task:0/device:CPU:0"
    held = {name for node in device.node_stats for name in node.ops}
    assert {"product", "act", "sq", "loss", "gradients/product_grad/MatMul"} <= held, held
    assert any(name.startswith("GradientDescent/") for name in held), held
    total = 0
    for before, node in zip([None, *device.node_stats], device.node_stats):
        # Scalars, checks and the call are one more.
        assert node.node_name == node.ops[0] and node.timeline_label.startswith(f"{node.node_name} = ")
        assert node.op_end_rel_micros == node.op_end_rel_nanos // 1000
        assert node.all_start_micros == node.all_start_nanos // 1000 > 1.5e15
        assert before is None or before.all_start_nanos <= node.all_start_nanos
        total += node.op_end_rel_nanos
    assert total > 0
    entry = metadata.profiles[0].entries[0]
    assert abs(total - entry.seconds * 1e9) < 0.02 * total + 20 * len(device.node_stats)
    matmul = next(node for node in device.node_stats if "product" in node.ops)
    assert matmul.node_name == "product" and "MatMul" in matmul.timeline_label and "(x, " in matmul.timeline_label

    # The trace: a process, a thread, a slice for each, and arrows between slices that exist.
    trace = json.loads(timeline.Timeline(metadata.step_stats).generate_chrome_trace_format())["traceEvents"]
    slices = [event for event in trace if event["ph"] == "X"]
    assert len(slices) == len(device.node_stats)
    assert all(event["ts"] > 0 and event["dur"] >= 0 and event["args"]["name"] for event in slices)
    assert [event["args"]["name"] for event in trace if event["name"] == "process_name"] == [f"{device.device} Compute"]
    assert any(event["ph"] == "s" for event in trace) and any("ops" in event["args"] for event in slices)
    lean = json.loads(timeline.Timeline(metadata.step_stats).generate_chrome_trace_format(show_dataflow=False))
    assert not any(event["ph"] == "s" for event in lean["traceEvents"])
    raises(NotImplementedError, "show_memory", lambda: timeline.Timeline(metadata.step_stats)
           .generate_chrome_trace_format(show_memory=True))  # fmt: skip
    raises(TypeError, "expected a StepStats", lambda: timeline.Timeline(metadata))  # type: ignore[arg-type]

    # A run without a trace leaves nothing of the one before.
    assert metadata.HasField("step_stats")
    for options in (None, tf.RunOptions(), tf.RunOptions(trace_level=tf.RunOptions.NO_TRACE)):
        session.run(loss, feed, options=FULL, run_metadata=metadata)
        session.run(loss, feed, options=options, run_metadata=metadata)
        assert not metadata.HasField("step_stats") and list(metadata.step_stats.dev_stats) == []
    session.run(loss, feed, options=FULL)

    # The profile of a run, by ops and by their types.
    session.run(loss, feed, options=FULL, run_metadata=metadata)
    spent = sum(node.op_end_rel_nanos for node in nodes(metadata)) / 1000
    chosen = tf.profiler.ProfileOptionBuilder(
        tf.profiler.ProfileOptionBuilder.time_and_memory(min_micros=0)).with_empty_output().build()  # fmt: skip
    for cmd in ("scope", "graph", "op"):
        found = tf.profiler.profile(tf.get_default_graph(), metadata, cmd=cmd, options=chosen)
        assert abs(found.total_exec_micros - spent) < 1e-6 * spent and found.name == "_TFProfRoot"
        times = [one.total_exec_micros for one in found.children]
        assert times == sorted(times, reverse=True) and times
        assert ("product" in [one.name for one in found.children]) == (cmd != "op")
    profiler = tf.profiler.Profiler(tf.get_default_graph())
    profiler.add_step(0, metadata)
    assert abs(profiler.profile_operations(chosen).total_exec_micros - spent) < 1e-6 * spent
    raises(ValueError, "times are those of a run", lambda: tf.profiler.profile(options=chosen))

    # A loop: the time of all iterations, also where there are more calls than a trace has.
    i, y = tf.while_loop(lambda i, y: i < 3000, lambda i, y: (i + 1, tf.matmul(y, y, name="power") * 0.01),
                         [tf.constant(0), tf.ones([24, 24])])  # fmt: skip
    session.run(y, options=FULL, run_metadata=metadata)
    entry = metadata.profiles[0].entries[0]
    assert sum(kernel.calls for kernel in entry.kernels) >= 3000
    total = sum(node.op_end_rel_nanos for node in nodes(metadata))
    assert abs(total - entry.seconds * 1e9) < 0.05 * total, (total, entry)
    assert any("/power" in name or name == "power" for node in nodes(metadata) for name in node.ops)

    # Random numbers go on as in runs that are not measured; functions of Python are measured too.
    drawn = tf.random_uniform([3], seed=5)
    doubled = tf.py_func(lambda a: 2 * a, [drawn], tf.float32, name="doubled")
    first = session.run([drawn, doubled], options=FULL, run_metadata=metadata)
    assert np.array_equal(first[1], 2 * first[0])
    assert any(node.node_name == "doubled" for node in nodes(metadata))
    assert not np.array_equal(session.run(drawn), first[0])

    call = session.make_callable(loss, [x], accept_options=True)
    assert call(feed[x], options=FULL, run_metadata=metadata) == session.run(loss, feed) and nodes(metadata)

    # Event files.
    session.run(loss, feed, options=FULL, run_metadata=metadata)
    with tempfile.TemporaryDirectory() as folder:
        with tf.summary.FileWriter(folder) as writer:
            writer.add_run_metadata(metadata, "step 1", 7)
            raises(ValueError, "already used", lambda: writer.add_run_metadata(metadata, "step 1"))
        (path,) = glob.glob(os.path.join(folder, "*"))
        with open(path, "rb") as binary:
            records = binary.read()
        (length,) = struct.unpack("<Q", records[:8])
        event = records[12 + length + 4 + 12 :][:-4]
        assert b"\n\x06step 1\x12" in event and event.endswith(metadata.SerializeToString())


def test_step_stats() -> None:
    raises(ValueError, 'no "trace" field', lambda: tf.RunOptions(trace=3))
    raises(ValueError, "trace_level", lambda: tf.RunOptions(trace_level=9))


def test_options_that_are_not_implemented() -> None:
    # Options that are not implemented are refused by name, also where they are set later.
    for refused in ({"timeout_in_ms": 100}, {"output_partition_graphs": True}, {"debug_options": object()}):
        ((field, value),) = refused.items()
        raises(NotImplementedError, field, lambda: tf.RunOptions(**refused))  # noqa: B023
        raises(NotImplementedError, field, lambda: setattr(tf.RunOptions(), field, value))  # noqa: B023
    assert tf.RunOptions(timeout_in_ms=0, report_tensor_allocations_upon_oom=True).timeout_in_ms == 0
    with tf.Session() as session:
        raises(TypeError, "RunMetadata", lambda: session.run(tf.constant(1.0), options=FULL, run_metadata={}))


def test_monitored_sessions() -> None:
    # Monitored sessions: of the caller, and of a hook that writes traces.
    with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        v = tf.Variable(2.0)
        run = tf.train.GradientDescentOptimizer(0.1).minimize(v * v, global_step=step)
        hook = tf.train.ProfilerHook(save_steps=2, output_dir=folder)
        with tf.train.MonitoredSession(hooks=[hook]) as monitored:
            metadata = tf.RunMetadata()
            for _ in range(5):
                monitored.run(run)
            written = sorted(os.listdir(folder))
            assert written == ["timeline-3.json", "timeline-5.json"], written
            with open(os.path.join(folder, written[0]), encoding="utf-8") as file:
                assert json.load(file)["traceEvents"]
            monitored.run(run, options=FULL, run_metadata=metadata)
            assert nodes(metadata)


def test_keras() -> None:
    # Keras.
    K.clear_session()
    metadata = tf.RunMetadata()
    inputs = K.placeholder((None, 3))
    function = K.function([inputs], [K.sum(K.square(inputs))], options=FULL, run_metadata=metadata)
    assert function([np.ones((2, 3))])[0] == 6 and nodes(metadata)
    model = keras.models.Sequential([keras.layers.Dense(8, activation="relu", input_shape=(4,)), keras.layers.Dense(1)])
    weights = model.get_weights()
    data: Dict[str, Any] = {"x": np.linspace(0, 1, 64).reshape(16, 4), "y": np.linspace(0, 1, 16).reshape(16, 1)}
    losses = []
    for more in ({}, {"options": FULL, "run_metadata": metadata}):
        model.set_weights(weights)
        model.compile("sgd", "mse", **more)
        losses.append(model.fit(**data, epochs=2, batch_size=8, shuffle=False, verbose=0).history["loss"])
    assert losses[0] == losses[1], losses
    held = {name for node in nodes(metadata) for name in node.ops}
    assert any(name.startswith("dense_1/") for name in held) and any("SGD/" in name for name in held), held


run_tests([test_step_stats, test_options_that_are_not_implemented, test_monitored_sessions, test_keras])
