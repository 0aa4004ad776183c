# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Optimizers of every front end stay finite with constant gradients (O3, O25): a variance, which is a difference there,
becomes 0, and rounding may make it less."""

import functools
import inspect
from typing import Any, Callable, Dict

import numpy as np

import flywheel as fw
import flywheel.keras as keras
import flywheel.keras.backend as K
import flywheel.v1 as tf

GRADIENTS = np.array([3.0, -3.0, 1e-3, 0.1, -7.0, 100.0, 0.3, 1.0 / 3.0, 0.0, 12345.0], np.float32)
STEPS = 700

V1: Dict[str, Callable[[], Any]] = {
    "gradient_descent": lambda: tf.train.GradientDescentOptimizer(1e-3),
    "momentum": lambda: tf.train.MomentumOptimizer(1e-3, 0.9),
    "nesterov": lambda: tf.train.MomentumOptimizer(1e-3, 0.9, use_nesterov=True),
    "adagrad": lambda: tf.train.AdagradOptimizer(1e-3), "adadelta": lambda: tf.train.AdadeltaOptimizer(1e-3),
    "adam": lambda: tf.train.AdamOptimizer(1e-3), "ftrl": lambda: tf.train.FtrlOptimizer(1e-3),
    "proximal_adagrad": lambda: tf.train.ProximalAdagradOptimizer(1e-3),
    "proximal": lambda: tf.train.ProximalGradientDescentOptimizer(1e-3),
    **{f"rmsprop_{decay}_{centered}": functools.partial(tf.train.RMSPropOptimizer, 1e-3, decay, centered=centered)
       for decay in (0.5, 0.9, 0.95, 0.99) for centered in (False, True)},
}  # fmt: skip


def test_v1() -> None:
    with tf.Graph().as_default():
        variables, steps = {}, []
        for name, make in V1.items():
            w = tf.get_variable(name, GRADIENTS.shape, initializer=tf.zeros_initializer())
            variables[name] = w
            steps.append(make().minimize(tf.reduce_sum(w * GRADIENTS), var_list=[w]))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(STEPS):
                session.run(steps)
            for name, found in session.run(variables).items():
                assert np.isfinite(found).all(), f"{name}: {found}"


def test_keras() -> None:
    kinds = [kind for name, kind in vars(keras.optimizers).items() if inspect.isclass(kind) and name[0] != "_"
             and issubclass(kind, keras.optimizers.Optimizer)
             and name not in ("LevenbergMarquardt", "Optimizer", "TFOptimizer")]  # fmt: skip
    assert len(kinds) >= 7
    for kind in kinds:
        K.clear_session()
        w = K.variable(np.zeros(GRADIENTS.shape, np.float32))
        loss = K.sum(w * K.constant(GRADIENTS))
        step = K.function([], [loss], updates=kind().get_updates(loss, [w]))
        for _ in range(STEPS):
            step([])
        assert np.isfinite(K.get_value(w)).all(), f"{kind.__name__}: {K.get_value(w)}"


def test_package() -> None:
    more: Dict[str, Dict[str, Any]] = {"TFRMSProp": {"centered": True, "decay": 0.95}}
    base = fw.optimizers.Optimizer
    kinds = [kind for kind in vars(fw.optimizers).values() if inspect.isclass(kind) and kind is not base
             and issubclass(kind, base) and kind.__name__ in fw.optimizers.__all__]  # fmt: skip
    assert len(kinds) >= 15
    for kind in kinds:
        # Muon is for matrices.
        shape = (2, 5) if kind.__name__ == "Muon" else GRADIENTS.shape
        with fw.Namespace(), fw.Store():
            w = fw.Variable(np.zeros(shape, np.float32), name="w")
            parameters = inspect.signature(kind).parameters
            rate: Dict[str, Any] = {"lr": 1e-3} if "lr" in parameters else {}
            optimizer = kind(**rate, **more.get(kind.__name__, {}))

            @fw.function
            def step() -> Any:
                loss = fw.sum(w * GRADIENTS.reshape(shape))
                optimizer.minimize(loss)
                return loss

            for _ in range(STEPS):
                step()
            assert np.isfinite(np.asarray(w.numpy())).all(), f"{kind.__name__}: {w.numpy()}"


if __name__ == "__main__":
    test_v1()
    test_keras()
    test_package()
