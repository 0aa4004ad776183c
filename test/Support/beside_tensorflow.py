# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs as people wrote them for TensorFlow 1, once with `flywheel.v1` and once with TensorFlow's own
`tensorflow.compat.v1`: what they return is the same."""

import importlib
import importlib.util
import warnings
from typing import Any, Callable, List, Sequence

import numpy as np

import flywheel.v1

tensorflow: Any = importlib.import_module("tensorflow.compat.v1")

Program = Callable[[Any], Any]
PROGRAMS: List[Program] = []


def program(function: Program) -> Program:
    PROGRAMS.append(function)
    return function


def draw(*shape: int) -> Any:
    return np.random.RandomState(sum(shape) + 7).randn(*shape).astype(np.float32)


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


def check(function: Program) -> None:
    flywheel.v1.reset_default_graph()
    found = leaves(function(flywheel.v1))
    tensorflow.reset_default_graph()
    wanted = leaves(function(tensorflow))
    assert len(found) == len(wanted), (function.__name__, len(found), len(wanted))
    for place, (own, other) in enumerate(zip(found, wanted)):
        what = f"{function.__name__}, result {place}"
        if other is None or isinstance(other, (str, bytes, bool)):
            assert own == other, f"{what}: {own!r}, expected {other!r}"
            continue
        a, b = np.asarray(own), np.asarray(other)
        assert a.shape == b.shape, f"{what}: shape {a.shape}, expected {b.shape}"
        if b.dtype.kind in "OSU":
            assert a.tolist() == b.tolist(), f"{what}: {a}, expected {b}"
            continue
        assert a.dtype == b.dtype, f"{what}: {a.dtype}, expected {b.dtype}"
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=1e-5, err_msg=what)


def run_all(needs_keras: Sequence[str] = ()) -> None:
    """Runs all programs; those that TensorFlow needs the package tf_keras for only where it is."""
    warnings.simplefilter("ignore")
    tensorflow.disable_eager_execution()
    tensorflow.logging.set_verbosity(tensorflow.logging.ERROR)
    for one in PROGRAMS:
        if one.__name__ not in needs_keras or importlib.util.find_spec("tf_keras") is not None:
            check(one)
