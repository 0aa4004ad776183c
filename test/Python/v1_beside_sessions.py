# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""Savers that share a folder, and feeds that are fetched, as in TensorFlow 1 (P8, R1)."""

# mypy: disable-error-code="no-untyped-call"

import os
import tempfile
from typing import Any, List

import numpy as np

from beside_tensorflow import program, run_all


def _saved(folder: str) -> List[str]:
    """The names of checkpoints, which are several files of TensorFlow."""
    return sorted({name.partition(".")[0] for name in os.listdir(folder)} - {"checkpoint", "graph"})


def _kept(tf: Any, folder: str) -> List[str]:
    state = tf.train.get_checkpoint_state(folder)
    return [os.path.basename(path) for path in (state.model_checkpoint_path, *state.all_model_checkpoint_paths)]


@program
def two_savers(tf: Any) -> Any:
    """Each saver deletes what it has saved itself; the state file lists what the last one keeps."""
    v = tf.Variable(0.0, name="v")
    found = []
    with tempfile.TemporaryDirectory() as folder, tf.Session() as session:
        session.run(tf.global_variables_initializer())
        savers = [tf.train.Saver(max_to_keep=2), tf.train.Saver(max_to_keep=1)]
        for step, which in enumerate((0, 0, 1, 0, 1, 0, 1, 1)):
            name = os.path.join(folder, ("all", "best")[which])
            savers[which].save(session, name, global_step=step)
            found += [_saved(folder), _kept(tf, folder), [len(one.last_checkpoints) for one in savers]]
        # A program that is started again keeps what is there, unless it is told to go on.
        again = tf.train.Saver(max_to_keep=1)
        again.save(session, os.path.join(folder, "all"), global_step=20)
        found += [_saved(folder), _kept(tf, folder)]
        following = tf.train.Saver(max_to_keep=1)
        following.recover_last_checkpoints(tf.train.get_checkpoint_state(folder).all_model_checkpoint_paths)
        following.save(session, os.path.join(folder, "all"), global_step=21)
        found += [_saved(folder), _kept(tf, folder), v.eval()]
    return found


@program
def monitored_again(tf: Any) -> Any:
    """A monitored session that is started again goes on with the list of the folder."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for last in (4, 8):
            with tf.Graph().as_default():
                step = tf.train.get_or_create_global_step()
                add = tf.assign_add(step, 1)
                scaffold = tf.train.Scaffold(saver=tf.train.Saver(max_to_keep=2))
                hooks = [tf.train.StopAtStepHook(last_step=last)]
                with tf.train.MonitoredTrainingSession(
                        checkpoint_dir=folder, scaffold=scaffold, hooks=hooks, save_checkpoint_secs=None,
                        save_checkpoint_steps=1, save_summaries_steps=None, save_summaries_secs=None,
                        log_step_count_steps=None) as session:  # fmt: skip
                    while not session.should_stop():
                        session.run(add)
            found += [[name for name in _saved(folder) if name.startswith("model")], _kept(tf, folder)]
    return found


@program
def fed_and_fetched(tf: Any) -> Any:
    """A fed array is fetched as it is: texts stay texts, which ops have as bytes."""
    p, q, x = tf.placeholder(tf.string, [None]), tf.placeholder(tf.string), tf.placeholder(tf.float32, [])
    y = tf.identity(p)
    found: List[Any] = []
    with tf.Session() as session:
        for feed in ({p: np.array(["x", "yé"], object), q: "zz"}, {p: ["x", "y"], q: b"raw"},
                     {p: [b"x", b"y"], q: np.array([["a", "b"]], object)}, {p: np.array(["x", "yy"]), q: ""}):
            for one in (*session.run([p, y, q], feed), session.run(p, feed)):
                array = np.asarray(one)
                found += [type(one).__name__, array.dtype.kind, array.shape, repr(array.ravel().tolist())]
        given = np.float32(2.5)
        for one in session.run([x, x + 1], {x: given}):
            found += [type(one).__name__, float(one)]
        array = np.ones([2], np.float32)
        free = tf.placeholder(tf.float32)
        found += [session.run(free, {free: [1, 2]}), session.run([free, free * 2], {free: array})]
    return found


if __name__ == "__main__":
    run_all()
