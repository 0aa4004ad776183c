# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs as people wrote them for TensorFlow 1, once with `flywheel.v1` and once with TensorFlow's own
`tensorflow.compat.v1`: what they return is the same. If TensorFlow is not installed, its results are those that
record_tensorflow.py recorded, and `tensorflow` is None."""

import functools
import importlib
import importlib.util
import inspect
import sys
import warnings
from pathlib import Path
from typing import Any, Callable, List, Sequence

import numpy as np

import flywheel.v1
from recordings import Recordings, compare

RECORDINGS = Recordings(Path(sys.argv[0]).stem, "tensorflow")
tensorflow: Any = importlib.import_module("tensorflow.compat.v1") if RECORDINGS.is_live else None

Program = Callable[[Any], Any]
PROGRAMS: List[Program] = []


def program(function: Program) -> Program:
    PROGRAMS.append(function)
    return function


def draw(*shape: int) -> Any:
    return np.random.RandomState(sum(shape) + 7).randn(*shape).astype(np.float32)


class Draws:
    """Normal numbers of a seed, an array after another one."""

    def __init__(self, seed: int):
        self._rng = np.random.RandomState(seed)

    def __call__(self, *shape: int) -> Any:
        return self._rng.randn(*shape)


class Doubles:
    """A package whose optimizers take their numbers, given ones and defaults, as NumPy's of float64. TensorFlow makes
    float32 tensors of those of Python, also for variables of float64."""

    def __init__(self, tf: Any):
        self._tf = tf

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._tf, name)
        if name == "train":
            return Doubles(found)
        if not name.endswith("Optimizer") and name != "ExponentialMovingAverage":
            return found

        def make(*args: Any, **kwargs: Any) -> Any:
            bound = inspect.signature(found).bind(*args, **kwargs)
            bound.apply_defaults()
            return found(**{key: np.float64(value) if isinstance(value, float) else value
                            for key, value in bound.arguments.items()})  # fmt: skip

        return make


def in_doubles(function: Program) -> Program:
    """A program whose optimizers have numbers of float64."""

    @functools.wraps(function)
    def run(tf: Any) -> Any:
        return function(Doubles(tf))

    return run


def trained(tf: Any, step: Any, fetches: Sequence[Any], feed_of: Callable[[int], Any], count: int = 20) -> List[Any]:
    """Returns what is fetched before each of some steps, and all trainable variables after them."""
    found: List[Any] = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for number in range(count):
            found += session.run(list(fetches), feed_of(number))
            session.run(step, feed_of(number))
        return found + list(session.run(tf.trainable_variables()))


def values(tf: Any, fetches: Any, feed: Any = None) -> Any:
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        return session.run(fetches, feed)


def caught(action: Callable[[], Any]) -> Any:
    """Returns what `action` returns, or the name of the class of its error."""
    try:
        return action()
    except Exception as error:  # noqa: BLE001
        return type(error).__name__


def leaves(tree: Any) -> List[Any]:
    if isinstance(tree, dict):
        return [leaf for key in sorted(tree) for leaf in leaves(tree[key])]
    return [leaf for one in tree for leaf in leaves(one)] if isinstance(tree, (list, tuple)) else [tree]


def _of_tensorflow(function: Program) -> List[Any]:
    tensorflow.reset_default_graph()
    return leaves(function(tensorflow))


def check(function: Program, rtol: float = 2e-4, atol: float = 1e-5) -> None:
    flywheel.v1.reset_default_graph()
    found = leaves(function(flywheel.v1))
    wanted = RECORDINGS.expect(function.__name__, lambda: _of_tensorflow(function))
    assert len(found) == len(wanted), (function.__name__, len(found), len(wanted))
    for place, (own, other) in enumerate(zip(found, wanted)):
        compare(own, other, f"{function.__name__}, result {place}", rtol, atol)


def run_all(needs_keras: Sequence[str] = (), rtol: float = 2e-4, atol: float = 1e-5) -> None:
    """Runs all programs; those that TensorFlow needs the package tf_keras for only where it is."""
    warnings.simplefilter("ignore")
    if tensorflow is not None:
        tensorflow.disable_eager_execution()
        tensorflow.logging.set_verbosity(tensorflow.logging.ERROR)
    for one in PROGRAMS:
        if tensorflow is None or one.__name__ not in needs_keras or importlib.util.find_spec("tf_keras") is not None:
            check(one, rtol, atol)
