# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Devices in the vocabulary of TensorFlow 1: names that are merged (D1), those that are not there (D2), and
variables of several tasks in one process (D4, D5)."""

import warnings
from typing import Any, List

import numpy as np

import flywheel.v1 as tf

# D1: the innermost field wins, those that it leaves open come from outside, None clears.
with tf.Graph().as_default():
    with tf.device("/job:ps/task:1"):
        with tf.device("/gpu:1"):
            v = tf.Variable(1.0, name="v")
        with tf.device("/job:worker"):
            w = tf.Variable(1.0)
        with tf.device(None):
            anywhere = tf.Variable(2.0)
    assert v.device == "/job:ps/task:1/device:GPU:1" and w.device == "/job:worker/task:1" and anywhere.device == ""
    # D2: an unknown device is an error when it is run, which lists the known ones.
    with tf.Session() as sess:
        sess.run([w.initializer, anywhere.initializer])
        try:
            sess.run(v.initializer)
            raise AssertionError("expected an error")
        except tf.errors.InvalidArgumentError as error:
            words = ("Cannot assign a device for operation 'v", "/device:GPU:1", "/cpu:0")
            assert all(part in str(error) for part in words), error
        assert sess.run([w, anywhere]) == [1, 2]
    # D2: tf.test says that there is a GPU where a session has one.
    with tf.device("/gpu:0"):
        there = tf.Variable(3.0)
    with tf.Session() as sess:
        try:
            sess.run(there.initializer)
            has_gpu = True
        except tf.errors.FailedPreconditionError:
            # There is one, which does not take the code.
            has_gpu = True
        except tf.errors.InvalidArgumentError:
            has_gpu = False
    assert tf.test.is_gpu_available() == tf.test.is_built_with_cuda() == has_gpu
    assert tf.test.gpu_device_name() == ("/device:GPU:0" if has_gpu else "")
    # With soft placement it runs, with a warning.
    config = tf.ConfigProto(allow_soft_placement=True)
    with tf.Session(config=config) as sess, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sess.run(v.initializer)
        assert sess.run(v) == 1 and any("Cannot assign a device" in str(c.message) for c in caught)


def devices(setter: Any) -> List[str]:
    with tf.Graph().as_default(), tf.device(setter):
        made = [tf.get_variable(name, [1]) for name in "abc"]
        # An existing variable takes no turn, nor does one of another job; computed values are the workers'.
        with tf.variable_scope(tf.get_variable_scope(), reuse=True):
            tf.get_variable("a", [1])
        with tf.device("/job:chief/task:3"):
            other = tf.Variable(1.0)
        assert other.device == "/job:chief/task:3" and (made[0] + made[1]).device == "/job:worker"
        made.append(tf.get_variable("d", [1]))
        tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(made[1]), var_list=[made[1]])
        slot = next(x for x in tf.global_variables() if x.name == "b/Momentum:0")
        assert slot.device == made[1].device
        return [x.device for x in made]


# D4: the tasks in turn, in order of creation.
spec = tf.train.ClusterSpec({"ps": ["a:1", "b:2"], "worker": ["c:3", "d:4"]})
assert spec.jobs == ["ps", "worker"] and spec.num_tasks("ps") == 2 and spec.task_address("worker", 1) == "d:4"
two = [f"/job:ps/task:{task}" for task in (0, 1, 0, 1)]
setter = tf.train.replica_device_setter
assert devices(setter(ps_tasks=2)) == devices(setter(cluster=spec)) == devices(setter(cluster=spec.as_dict())) == two
assert devices(setter(ps_tasks=3, ps_strategy=lambda op: 2)) == ["/job:ps/task:2"] * 4
assert setter(ps_tasks=0) is None and setter(cluster={"worker": ["a:1"]}) is None
broken: Any
for broken in ({"ps": 1.5}, ["a:1"]):
    try:
        tf.train.ClusterSpec(broken)
        raise AssertionError("expected an error")
    except TypeError as error:
        assert "expected" in str(error)

# D5: values do not depend on how many tasks there are.
values = []
for tasks in (0, 1, 2, 3):
    with tf.Graph().as_default(), tf.device(setter(ps_tasks=tasks)), tf.Session() as sess:
        tf.set_random_seed(3)
        parts = [tf.get_variable(f"w{i}", [3]) for i in range(4)]
        loss = tf.reduce_sum(tf.square(tf.add_n(parts) - 1.0))
        step = tf.train.AdamOptimizer(0.1).minimize(loss)
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            sess.run(step)
        values.append(np.array(sess.run(parts)))
assert all(np.array_equal(values[0], other) for other in values[1:])
