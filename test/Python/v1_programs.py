# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t
# RUN: env FLYWHEEL_CACHE=%t/cache %python %s %t
"""Programs as people wrote them for TensorFlow 1: softmax regression step by step beside NumPy, a convolutional
network that is saved and restored (P3, P7, P8), a recurrent network with embeddings, and optimizers against
their formulas."""

import os
import sys
from typing import Any

import numpy as np

import flywheel.v1 as tf
from configurations import run_tests

folder = sys.argv[1]
rng = np.random.default_rng(0)
images = rng.random((60, 64)).astype(np.float32)
classes = images.reshape(60, 8, 8)[:, :2].mean((1, 2)).argsort().argsort() * 10 // 60
labels = np.eye(10, dtype=np.float32)[classes]


def test_softmax_regression() -> None:
    # Softmax regression.
    x = tf.placeholder(tf.float32, [None, 64])
    W = tf.Variable(tf.zeros([64, 10]))
    b = tf.Variable(tf.zeros([10]))
    y = tf.nn.softmax(tf.matmul(x, W) + b)
    y_ = tf.placeholder(tf.float32, [None, 10])
    cross_entropy = tf.reduce_mean(-tf.reduce_sum(y_ * tf.log(y), reduction_indices=[1]))
    train_step = tf.train.GradientDescentOptimizer(0.5).minimize(cross_entropy)
    sess: Any = tf.InteractiveSession()
    tf.global_variables_initializer().run()
    w, c = np.zeros((64, 10)), np.zeros(10)
    for i in range(20):
        part = slice(i % 3 * 20, i % 3 * 20 + 20)
        scores = np.exp(images[part] @ w + c)
        p = scores / scores.sum(1, keepdims=True)
        loss, _ = sess.run([cross_entropy, train_step], feed_dict={x: images[part], y_: labels[part]})
        assert np.isclose(loss, -(labels[part] * np.log(p)).sum(1).mean(), rtol=1e-4)
        w -= 0.5 * images[part].T @ (p - labels[part]) / 20
        c -= 0.5 * (p - labels[part]).mean(0)
    np.testing.assert_allclose(W.eval(), w, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(b.eval(), c, rtol=1e-4, atol=1e-5)
    correct_prediction = tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1))
    accuracy = tf.reduce_mean(tf.cast(correct_prediction, tf.float32))
    expected = ((images @ w + c).argmax(1) == classes).mean()
    assert np.isclose(sess.run(accuracy, feed_dict={x: images, y_: labels}), expected)
    sess.close()


# A convolutional network, saved and restored.
tf.reset_default_graph()
tf.set_random_seed(3)


def weight_variable(shape: Any) -> Any:
    return tf.Variable(tf.truncated_normal(shape, stddev=0.1))


def test_convolutional_network_saved_and_restored() -> None:
    x = tf.placeholder(tf.float32, shape=[None, 64], name="x")
    y_ = tf.placeholder(tf.float32, shape=[None, 10])
    keep_prob = tf.placeholder(tf.float32)
    x_image = tf.reshape(x, [-1, 8, 8, 1])
    with tf.name_scope("conv1"):
        W_conv1, b_conv1 = weight_variable([3, 3, 1, 4]), tf.Variable(tf.constant(0.1, shape=[4]))
        h_conv1 = tf.nn.relu(tf.nn.conv2d(x_image, W_conv1, strides=[1, 1, 1, 1], padding="SAME") + b_conv1)
        h_pool1 = tf.nn.max_pool(h_conv1, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    h_flat = tf.reshape(h_pool1, [-1, 4 * 4 * 4])
    h_drop = tf.nn.dropout(h_flat, keep_prob)
    logits = tf.layers.dense(h_drop, 10, name="out")
    loss_ = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=logits))
    global_step = tf.train.get_or_create_global_step()
    train_step = tf.train.AdamOptimizer(1e-2).minimize(loss_, global_step=global_step)
    assert W_conv1.name == "conv1/Variable:0" and "conv1/Variable/Adam_1:0" in [v.name for v in tf.global_variables()]
    saver = tf.train.Saver(max_to_keep=2)
    feed = {x: images, y_: labels, keep_prob: 1.0}
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        first = sess.run(loss_, feed)
        for i in range(60):
            sess.run(train_step, feed_dict={x: images, y_: labels, keep_prob: 0.9})
            if i % 20 == 19:
                path = saver.save(sess, os.path.join(folder, "model"), global_step=global_step)
        last, shown = sess.run([loss_, logits], feed)
        assert last < 0.8 * first, (first, last)
        for _ in range(3):
            sess.run(train_step, feed)
        resumed = sess.run(logits, feed)
    assert path == os.path.join(folder, "model-60") == tf.train.latest_checkpoint(folder)
    state = tf.train.get_checkpoint_state(folder)
    assert [os.path.basename(p) for p in state.all_model_checkpoint_paths] == ["model-40", "model-60"]
    with tf.Session() as sess:
        saver.restore(sess, state.model_checkpoint_path)
        assert np.array_equal(sess.run(logits, feed), shown) and sess.run(global_step) == 60
        # Slots are restored too: training continues as before.
        for _ in range(3):
            sess.run(train_step, feed)
        assert np.array_equal(sess.run(logits, feed), resumed)
        # The network by NumPy.
        filters, bias = sess.run([W_conv1, b_conv1])
        padded = np.pad(images.reshape(-1, 8, 8), ((0, 0), (1, 1), (1, 1)))
        conv = sum(padded[:, i : i + 8, j : j + 8, None] * filters[i, j, 0] for i in range(3) for j in range(3)) + bias
        pooled = np.maximum(conv, 0).reshape(-1, 4, 2, 4, 2, 4).max((2, 4)).reshape(-1, 64)
        kernel, last_bias = sess.run([v for v in tf.global_variables() if v.name in ("out/kernel:0", "out/bias:0")])
        np.testing.assert_allclose(resumed, pooled @ kernel + last_bias, rtol=1e-4, atol=1e-4)


def test_recurrent_network_over_embedded_words() -> None:
    # A recurrent network over embedded words, unrolled.
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.set_random_seed(1)
        words = rng.integers(0, 20, (6, 5)).astype(np.int32)
        inputs = tf.placeholder(tf.int32, [None, 5])
        targets = tf.placeholder(tf.int32, [None])
        embeddings = tf.get_variable("embeddings", [20, 8], initializer=tf.random_uniform_initializer(-1.0, 1.0))
        embedded = tf.nn.embedding_lookup(embeddings, inputs)
        state_ = tf.zeros([tf.shape(inputs)[0], 8])
        for step, word in enumerate(tf.unstack(embedded, axis=1)):
            with tf.variable_scope("rnn", reuse=step > 0):
                cell = tf.get_variable("cell", [16, 8])
                state_ = tf.tanh(tf.matmul(tf.concat([word, state_], 1), cell))
        scores = tf.layers.dense(state_, 20, name="scores")
        rnn_loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=scores))
        grads, variables = zip(*tf.train.GradientDescentOptimizer(1.0).compute_gradients(rnn_loss))
        clipped, norm = tf.clip_by_global_norm(grads, 0.5)
        train_op = tf.train.GradientDescentOptimizer(0.5).apply_gradients(zip(clipped, variables))
        sess.run(tf.global_variables_initializer())
        feed = {inputs: words, targets: words[:, 0]}
        table, recurrent, before = sess.run([embeddings, cell, rnn_loss], feed)
        hidden = np.zeros((6, 8))
        for step in range(5):
            hidden = np.tanh(np.concatenate([table[words[:, step]], hidden], 1) @ recurrent)
        np.testing.assert_allclose(sess.run(state_, feed), hidden, rtol=1e-4, atol=1e-5)
        found, whole, parts = sess.run([norm, grads, clipped], feed)
        # The norm is of what each lookup adds: v1_slices.py has its formula.
        assert found > 0.5
        for one, part in zip(whole, parts):
            np.testing.assert_allclose(part, one * 0.5 / found, rtol=1e-5, atol=1e-7)
        for _ in range(60):
            sess.run(train_op, feed)
        assert sess.run(rnn_loss, feed) < 0.5 * before


def test_adam_by_its_formula() -> None:
    # Adam by its formula.
    with tf.Graph().as_default(), tf.Session() as sess:
        weight = tf.Variable([1.0, -2.0, 3.0])
        adam = tf.train.AdamOptimizer(0.1).minimize(0.5 * tf.reduce_sum(tf.square(weight)))
        sess.run(tf.global_variables_initializer())
        value, m, v = np.array([1.0, -2.0, 3.0]), np.zeros(3), np.zeros(3)
        for t in range(1, 4):
            sess.run(adam)
            m, v = 0.9 * m + 0.1 * value, 0.999 * v + 0.001 * value**2
            value = value - 0.1 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t) * m / (np.sqrt(v) + 1e-8)
        np.testing.assert_allclose(sess.run(weight), value, rtol=1e-5)


def test_rate_that_is_fed() -> None:
    # A rate that is fed, and changes: it is outside of the accumulator.
    with tf.Graph().as_default(), tf.Session() as sess:
        rate = tf.placeholder(tf.float32, [])
        parameter = tf.Variable(1.0)
        step_op = tf.train.MomentumOptimizer(rate, 0.9).minimize(0.5 * parameter * parameter)
        sess.run(tf.global_variables_initializer())
        for fed, after in ((0.1, 0.9), (0.01, 0.882)):
            sess.run(step_op, {rate: fed})
            assert np.isclose(sess.run(parameter), after)


def test_others_by_one_step() -> None:
    # Others by one step from 1 with gradient 1, and devices that are recorded.
    for kind, after in ((tf.train.AdagradOptimizer, 1 - 0.1 / np.sqrt(1.1)), (tf.train.RMSPropOptimizer, 0.9),
                        (tf.train.AdadeltaOptimizer, 1 - 0.1 * np.sqrt(1e-8) / np.sqrt(0.05))):  # fmt: skip
        with tf.Graph().as_default(), tf.Session() as sess:
            parameter = tf.Variable(np.float64(1.0))
            step_op = kind(0.1).minimize(0.5 * parameter * parameter)
            sess.run(tf.global_variables_initializer())
            sess.run(step_op)
            assert np.isclose(sess.run(parameter), after, rtol=1e-6), (kind, sess.run(parameter), after)
    with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(ps_tasks=2)):
        placed = [tf.Variable(0.0) for _ in range(3)]
        assert [one.device for one in placed] == [f"/job:ps/task:{task}" for task in (0, 1, 0)]
        assert (placed[0] + placed[1]).device == "/job:worker"


run_tests([test_softmax_regression, test_convolutional_network_saved_and_restored,
           test_recurrent_network_over_embedded_words, test_adam_by_its_formula, test_rate_that_is_fed,
           test_others_by_one_step])  # fmt: skip
