# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The sequences of docs/Guides/v1.md.
import numpy as np

import flywheel.v1 as tf

inputs = tf.placeholder(tf.float32, [None, None, 8])
lengths = tf.placeholder(tf.int32, [None])


def check():
    x = np.random.default_rng(0).standard_normal((3, 5, 8)).astype(np.float32)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = session.run(outputs, {inputs: x, lengths: np.array([5, 2, 0], np.int32)})
    assert found.shape == (3, 5, 32), found.shape
    assert np.all(found[0] != 0) and np.all(found[1, 2:] == 0) and np.all(found[2] == 0)
