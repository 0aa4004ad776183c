# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Errors that say what to write: Python adds no hint of its own to an unknown name, arguments that a trace does not
know name the remedy, and residuals of least squares that draw random numbers say so."""

import contextlib
import io
import sys
from typing import Any, Callable, List

import numpy as np

import flywheel as fw
import flywheel.v1 as tf
from configurations import run_tests
from flywheel.keras import layers
from flywheel.keras.layers import Dense, Dropout
from flywheel.keras.models import Sequential
from flywheel.keras.optimizers import LevenbergMarquardt
from flywheel.math.optimizer.levenberg_marquardt import minimize

X = np.random.default_rng(1).random((6, 3), np.float32)


def error_of(action: Callable[[], Any]) -> Exception:
    try:
        action()
    except Exception as error:
        return error
    raise AssertionError("expected an error")


def test_one_hint() -> None:
    cases: List[Any] = [
        (fw, "summ", "sum"), (fw.optimizers, "Adm", "Adam"), (fw.nn, "rellu", "relu"), (fw, "softmax", "nn.softmax"),
        (fw.schedules, "ExponentialDecay", "ExponentialRate"), (fw.optimizers.Adam(), "bta_1", "beta_1"),
        (tf, "reduce_summ", "reduce_sum"), (layers, "Dens", "Dense"),
        (fw.nn.Dense(2, 3), "kernle", "kernel" if sys.version_info >= (3, 10) else ""),
        (fw.nn.Dense(2, 3), "register_buffer", ""), (fw.initializers.GlorotUniform(), "sclae", ""),
    ]  # fmt: skip
    for thing, name, expected in cases:
        error = error_of(lambda: getattr(thing, name))  # noqa: B023
        assert type(error) is AttributeError, error
        # As Python prints it, with what it adds.
        with contextlib.redirect_stderr(io.StringIO()) as printed:
            sys.__excepthook__(type(error), error, error.__traceback__)
        text = printed.getvalue().splitlines()[-1]
        assert text.lower().count("did you mean") + text.count("instead:") <= 1, text
        assert expected in text, text
        if "; " in str(error):
            assert getattr(error, "name", name) == name, error


def test_traced_numbers() -> None:
    """A number that only a call knows is no axis: `static` names such an argument."""
    cases: List[Callable[[Any, Any], Any]] = [
        lambda x, n: fw.sum(x, n), lambda x, n: fw.mean(x, axis=n), lambda x, n: x.sum(n), lambda x, n: fw.argmax(x, n),
        lambda x, n: fw.concatenate([x, x], n), lambda x, n: fw.nn.softmax(x, n), lambda x, n: fw.transpose(x, (n, 0)),
        lambda x, n: fw.expand_dims(x, n), lambda x, n: fw.cumsum(x, n), lambda x, n: fw.sum(x, (0, n)),
        lambda x, n: fw.split(x, n), lambda x, n: fw.stack([x, x], n), lambda x, n: fw.flip(x, n),
    ]  # fmt: skip
    for place, case in enumerate(cases):
        error = error_of(lambda: fw.function(case)(X, 1))  # noqa: B023
        assert type(error) is TypeError and "static" in str(error), (place, error)
        if place != 10:
            fw.function(case, static=1)(X, 1)


def test_residuals_that_draw() -> None:
    words = "a residual of least squares, which each iteration computes more than once, must not draw random numbers"
    assert words in str(error_of(lambda: minimize(lambda a: fw.nn.dropout(a * X[0], 0.5), [np.zeros(3)], 2)))
    model = Sequential([Dense(4, input_shape=(3,)), Dropout(0.5), Dense(1)])
    model.compile(LevenbergMarquardt(), "mse")
    assert words in str(error_of(lambda: model.fit(X, X[:, :1], verbose=0)))
    step = fw.Variable(1.0)

    def counted(a: Any) -> Any:
        step.assign(step + 1.0)
        return a

    assert "must not assign" in str(error_of(lambda: minimize(counted, [np.zeros(3)], 2)))


if __name__ == "__main__":
    run_tests([test_one_hint, test_traced_numbers, test_residuals_that_draw])
