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
from flywheel.keras import activations, constraints, initializers, layers, losses, metrics, optimizers
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


def test_keywords() -> None:
    """An argument by keyword that a function does not have: the nearest one that it has, also behind wrappers."""
    fit_of: Any = compiled()
    step: Any = fw.function(lambda a, b: a + b, name="step")
    w = fw.Variable(np.ones(3, np.float32), name="w")
    any_fw: Any = fw
    any_tf: Any = tf
    any_layers: Any = layers
    cases: List[Any] = [
        (lambda: fw.function(lambda: any_fw.optimizers.SGD(0.1).minimize(fw.sum(w), clip_globl_norm=1.0))(),
         "minimize has no argument 'clip_globl_norm'; did you mean 'clip_global_norm'?"),
        (lambda: any_fw.optimizers.SGD(0.1, clip_globl_norm=1.0),
         "'clip_globl_norm'; instead: minimize(loss, clip_norm="),
        (lambda: any_tf.reduce_mean(X, axs=1), "reduce_mean has no argument 'axs'; did you mean 'axis'?"),
        (lambda: any_tf.matmul(X, X, transpos_b=True),
         "matmul has no argument 'transpos_b'; did you mean 'transpose_b'?"),
        (lambda: any_tf.exp(X, nme=1), "exp has no argument 'nme'; did you mean 'name'?"),
        (lambda: any_layers.Dense(2, activaton="relu"), "'activaton'; did you mean 'activation'?"),
        (lambda: any_layers.LSTM(2, return_sequnces=True), "'return_sequnces'; did you mean 'return_sequences'?"),
        (lambda: any_layers.Dense(2, quite_other=1), "Keyword argument not understood: 'quite_other'"),
        (lambda: optimizers.Adam(clipnrm=1.0), "optimizer: clipnrm; did you mean 'clipnorm'?"),
        (lambda: fit_of.fit(X, X, epoch=1), "Unrecognized keyword arguments: {'epoch': 1}; did you mean 'epochs'?"),
        (lambda: fit_of.evaluate(X, X, batchsize=1),
         "evaluate has no argument 'batchsize'; did you mean 'batch_size'?"),
        (lambda: step(X, c=X), "step has no argument 'c', only a, b"),
        (lambda: step.export("step.o", X, X, threads=2),
         "has no argument 'threads'; instead: flywheel.function(threads=)"),
    ]  # fmt: skip
    for case, expected in cases:
        error = error_of(case)
        assert type(error) is TypeError and expected in str(error), error
        if "quite_other" in expected:
            assert "did you mean" not in str(error), error


def test_missing_arguments() -> None:
    """An argument that is missing: the function is named once, by the name that the user has called."""
    join: Any = fw.function(lambda a, b: a + b, name="join")
    any_tf: Any = tf
    any_layers: Any = layers
    cases: List[Any] = [
        (lambda: join(X), "join: missing a required argument: 'b'"),
        (lambda: any_tf.reduce_mean(), "reduce_mean() missing 1 required positional argument: 'input_tensor'"),
        (lambda: any_tf.matmul(X), "matmul() missing 1 required positional argument: 'b'"),
        (lambda: any_tf.exp(X, "a", 3, 4), "exp() takes from 1 to 2 positional arguments but 4 were given"),
        (lambda: any_layers.Dense(), "Dense() missing 1 required positional argument: 'units'"),
        (lambda: any_layers.Conv2D(3), "Conv2D() missing 1 required positional argument: 'kernel_size'"),
    ]  # fmt: skip
    for case, expected in cases:
        error = error_of(case)
        assert type(error) is TypeError and str(error) == expected, error


def test_names_of_keras() -> None:
    """Losses, optimizers, activations and such by names that are misspelt."""
    get: List[Any] = [
        (optimizers, "adm", "Unknown optimizer: adm; did you mean 'adam'?"),
        (losses, "categorical_crossentropi", "did you mean 'categorical_crossentropy'?"),
        (activations, "rellu", "Unknown activation function: rellu; did you mean 'relu'?"),
        (initializers, "glorot_unifrm", "Unknown initializer: glorot_unifrm; did you mean 'glorot_uniform'?"),
        (constraints, "max_nrm", "did you mean 'max_norm'?"), (metrics, "mean_squard_error", "'mean_squared_error'?"),
    ]  # fmt: skip
    for module, name, expected in get:
        error = error_of(lambda: module.get(name))  # noqa: B023
        assert type(error) is ValueError and expected in str(error), error
    assert "did you mean" not in str(error_of(lambda: losses.get("entirely other")))


def compiled() -> Any:
    model = Sequential([Dense(3, input_shape=(3,))])
    model.compile("sgd", "mse")
    return model


if __name__ == "__main__":
    run_tests([test_one_hint, test_traced_numbers, test_residuals_that_draw, test_keywords, test_missing_arguments,
               test_names_of_keras])
