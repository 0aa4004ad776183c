# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""N16: nothing but its users keeps a model: after each kind of use its variables, functions, optimizers and stores are
collected, its names are free, and a model that is built again is called as the first one was."""

import gc
import os
import tempfile
import weakref
from typing import Any, Callable, Dict, List

import numpy as np

import flywheel as fw
import flywheel.keras as keras
from configurations import run_tests
from flywheel.math.optimizer import levenberg_marquardt

X = np.ones((4, 3), np.float32)


class Model:
    def __init__(self) -> None:
        self.w = fw.Variable(np.ones((3, 2)), dtype=np.float32, name="w")
        self.big = fw.Variable(np.zeros(400, np.float32), name="big")
        self.optimizer = fw.optimizers.Adam(0.1)
        self.average = fw.ExponentialMovingAverage(0.9)

    def loss(self, x: Any) -> Any:
        return fw.mean((fw.nn.dropout(x, 0.5) @ self.w) ** 2) + self.big[0]

    @fw.function
    def step(self, x: Any) -> Any:
        loss = self.loss(x)
        self.optimizer.minimize(loss)
        self.average.apply([self.w])
        return loss

    def residuals(self, x: Any) -> Any:
        return x * x - 2.0


def traced(make: Callable[[Model], Any]) -> Callable[[Model], List[Any]]:
    """A use of a model in a traced function."""

    def use(model: Model) -> List[Any]:
        body = make(model)
        function = fw.function(body)
        function(X)
        return [body, function]

    return use


def solve_arrays(model: Model) -> List[Any]:
    for _ in range(2):
        levenberg_marquardt.minimize(model.residuals, np.ones(2), 2)
    return []


def solve_variables(model: Model) -> List[Any]:
    residuals = [lambda w, big: (w - 1.0), lambda w, big: big + model.w[0, 0]]
    for _ in range(2):
        levenberg_marquardt.minimize(residuals, [model.w, model.big], 2)
    return residuals


def keep_in_files(model: Model) -> List[Any]:
    with tempfile.TemporaryDirectory() as folder:
        model.step(X)
        model.optimizer.lr.set(0.5)
        fw.save(os.path.join(folder, "a"))
        fw.restore(os.path.join(folder, "a"))
        fw.export([Model.step.__get__(model).trace(X)], os.path.join(folder, "model.o"))
    return []


def fail(model: Model) -> List[Any]:
    function = fw.function(lambda x: x @ model.w @ model.w)
    try:
        function(X)
    except ValueError:
        return [function]
    raise AssertionError("expected an error")


def collect(model: Model) -> List[Any]:
    fw.add_to_collection("losses", model.w)
    return [fw.collection("losses")[0]]


def fit_keras(_: Model) -> List[Any]:
    model = keras.models.Sequential([keras.layers.Dense(2, input_shape=(3,))])
    model.compile("adam", "mse")
    model.fit(X, np.ones((4, 2), np.float32), epochs=1, verbose=0)
    model.predict(X)
    return [model]


def set_before(model: Model) -> List[Any]:
    store = fw.Store()
    with store:
        model.optimizer.lr.set(0.5)
        model.w.numpy()
    return [store]


USES: Dict[str, Callable[[Model], List[Any]]] = {
    "step": lambda model: [model.step(X)][:0], "arrays": solve_arrays, "variables": solve_variables,
    "files": keep_in_files, "error": fail, "collection": collect, "keras": fit_keras, "set": set_before,
    "grad": traced(lambda model: lambda x: fw.grad(lambda w: fw.sum((x @ w) ** 2))(model.w)),
    "vmap": traced(lambda model: lambda x: fw.vmap(lambda row: row @ model.w)(x)),
    "loop": traced(lambda model: lambda x: fw.fori_loop(0, 3, lambda i, v: v + x @ model.w, fw.zeros((4, 2)))),
    "cond": traced(lambda model: lambda x: fw.cond(x[0, 0] > 0, lambda: fw.sum(model.w), lambda: 0.0)),
    "inner": traced(lambda model: lambda x: model.loss(x) + Model.step.__get__(model)(x)),
    "cost": lambda model: [Model.step.__get__(model).cost(X)][:0],
    "picture": lambda model: [Model.step.__get__(model).picture(X)][:0],
}  # fmt: skip


def use(name: str) -> "tuple[List[Any], List[str]]":
    """References to all that is made, and the names."""
    model = Model()
    made = [model, model.w, model.big, model.optimizer, *USES[name](model)]
    names = [model.w.name, model.big.name, model.optimizer.name, *sorted(fw.current_namespace().variables)]
    return [weakref.ref(one) for one in made], names


def test_nothing_is_kept() -> None:
    for name in USES:
        first, before = None, set(fw.current_store().names)
        for _ in range(2):
            references, names = use(name)
            gc.collect()
            alive = [found for found in (reference() for reference in references) if found is not None]
            assert not alive, (name, [gc.get_referrers(one) for one in alive])
            first = first or names
            # Layers of Keras count on, as theirs do.
            assert names == first or name == "keras", (name, names, first)
            assert set(fw.current_store().names) == before, (name, fw.current_store().names)


run_tests([test_nothing_is_kept])
