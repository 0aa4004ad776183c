# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""A run in which an assignment replaces what another op computes, without having read it, warns (A5); others do not."""

import re
import warnings
from typing import Any, Callable, List

import numpy as np

import flywheel.v1 as tf

START = np.array([1.0, -1.0])


class Graph:
    """A variable, two optimizers, and assignments."""

    def __init__(self) -> None:
        tf.reset_default_graph()
        self.v = v = tf.Variable(START, name="v")
        self.down = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(v))
        self.up = tf.train.MomentumOptimizer(0.3, 0.0).minimize(-tf.reduce_sum(v))
        self.clip = v.assign(tf.clip_by_value(v, -0.5, 0.5))
        with tf.control_dependencies([self.down]):
            self.clip_later = v.assign(tf.clip_by_value(v.read_value(), -0.5, 0.5))
            self.clip_late = v.assign(tf.clip_by_value(v, -0.5, 0.5))
        self.add = v.assign_add([1.0, 2.0])
        self.constant = v.assign([7.0, 8.0])
        self.chained = v.assign(2 * self.add)
        self.average = tf.train.ExponentialMovingAverage(0.5).apply([v])


def run(choose: Callable[[Graph], List[Any]]) -> Any:
    """The variable after two runs, and the warnings: of the first one alone."""
    graph = Graph()
    with warnings.catch_warnings(record=True) as caught, tf.Session() as session:
        warnings.simplefilter("always")
        session.run(tf.global_variables_initializer())
        session.run(choose(graph))
        session.run(tf.global_variables_initializer())
        session.run(choose(graph))
        return session.run(graph.v), caught


CLIPPED = np.clip(START, -0.5, 0.5)
LOST = [
    ("clip", lambda g: [g.down, g.clip], CLIPPED, "GradientDescent"),
    ("clip late", lambda g: [g.clip_late], CLIPPED, "GradientDescent"),
    ("two optimizers", lambda g: [g.up, g.down], START + 0.3, "GradientDescent"),
]
KEPT = [
    ("one optimizer", lambda g: [g.down], START - 0.1),
    ("clip that reads", lambda g: [g.clip_later], np.clip(START - 0.1, -0.5, 0.5)),
    ("a sum", lambda g: [g.down, g.add], START - 0.1 + [1, 2]),
    ("a constant", lambda g: [g.down, g.constant], np.array([7.0, 8.0])),
    ("a chain", lambda g: [g.chained], 2 * (START + [1, 2])),
    ("an average", lambda g: [g.down, g.average], START - 0.1),
]
for what, choose, expected, first in LOST:
    value, caught = run(choose)
    np.testing.assert_allclose(value, expected, rtol=1e-12, err_msg=what)
    assert len(caught) == 1 and caught[0].filename == __file__, (what, [str(w.message) for w in caught])
    text = rf"'\S*Assign\S*' computes 'v' from its value at the start of the run, and replaces what '{first}\S*' "
    assert re.match(text, str(caught[0].message)), (what, str(caught[0].message))
for what, choose, expected in KEPT:
    value, caught = run(choose)
    np.testing.assert_allclose(value, expected, rtol=1e-12, err_msg=what)
    assert not caught, (what, [str(w.message) for w in caught])
