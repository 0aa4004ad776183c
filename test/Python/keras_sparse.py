# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, scipy
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Sparse inputs of Keras: a model that is fed matrices of SciPy has the numbers of the same model with arrays (X48)."""

# mypy: disable-error-code="no-untyped-call"

import importlib
import warnings
from typing import Any, List

import numpy as np

import flywheel.v1 as tf
from flywheel import keras
from flywheel.keras import backend as K
from flywheel.keras.layers import Dense, Input, Lambda
from flywheel.keras.models import Model, Sequential, model_from_json

sparse: Any = importlib.import_module("scipy.sparse")


def matrix(rows: int, columns: int, seed: int = 1) -> Any:
    return sparse.random(rows, columns, density=0.3, random_state=seed, dtype=np.float32).tocsr()


def build(is_sparse: bool) -> Any:
    x = Input(shape=(6,), sparse=is_sparse, name="x")
    z = Input(shape=(3,), name="z")
    hidden = Dense(4, activation="tanh")(x)
    model = Model([x, z], [keras.layers.concatenate([hidden, z]), Dense(2)(hidden)])
    model.set_weights([np.random.RandomState(i).randn(*w.shape).astype(np.float32)
                       for i, w in enumerate(model.get_weights())])  # fmt: skip
    model.compile("adam", "mse", metrics=["mae"])
    return model


def results(model: Any, x: Any, z: Any, ys: List[Any]) -> List[Any]:
    """Returns the results of each way to call a model, and its weights at the end."""
    found: List[Any] = [*model.predict([x, z], batch_size=4)]
    history = model.fit([x, z], ys, batch_size=4, epochs=2, verbose=0, validation_split=0.25, shuffle=False)
    found += [value for _, value in sorted(history.history.items())]
    found += model.evaluate([x, z], ys, batch_size=3, sample_weight=[np.arange(10.0), np.ones(10)])
    found += model.train_on_batch({"x": x, "z": z}, ys)
    found += model.test_on_batch([x, z], ys)
    found += model.predict_on_batch([x, z])

    def batches() -> Any:
        while True:
            yield [x[:5], z[:5]], [y[:5] for y in ys]

    found += model.fit_generator(batches(), 3, verbose=0).history["loss"]
    model.fit([x, z], ys, validation_data=([x, z], ys), verbose=0, shuffle=False)
    return [*found, *model.get_weights()]


def models() -> None:
    """Sparse rows for sparse inputs, for dense ones, and as targets."""
    x, z, ys = matrix(10, 6), matrix(10, 3, 2), [matrix(10, 7, 3), matrix(10, 2, 4)]
    wanted = results(build(False), x.toarray(), z.toarray(), [y.toarray() for y in ys])
    for is_sparse in (False, True):
        for form in ("tocsr", "tocoo", "tocsc"):
            own = results(build(is_sparse), getattr(x, form)().tocsr(), z, ys)
            for a, b in zip(own, wanted):
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    one = build(True)
    np.testing.assert_allclose(one.predict([x.tocoo(), z.tocoo()])[0], build(False).predict(
        [x.toarray(), z.toarray()])[0], rtol=1e-5)  # fmt: skip
    shuffled = build(True).fit([x, z], ys, batch_size=3, epochs=2, verbose=0).history["loss"]
    assert np.isfinite(shuffled).all()


def of_one_input() -> None:
    x, y = matrix(9, 6), np.arange(9) % 3
    model = Sequential([Dense(3, activation="softmax", input_shape=(6,))])
    model.compile("sgd", "sparse_categorical_crossentropy")
    model.fit(x, y, epochs=1, verbose=0, class_weight={0: 1.0, 1: 2.0, 2: 0.5})
    assert model.predict(x).shape == (9, 3)
    assert model.predict(x.tocoo()).shape == (9, 3)
    a = Input(shape=(6,), sparse=True)
    b = Model(a, Lambda(lambda v: K.to_dense(v) * 2.0, output_shape=(6,))(a))
    np.testing.assert_allclose(b.predict(x), x.toarray() * 2)
    again = model_from_json(Model(a, Dense(2)(a)).to_json())
    assert K.is_sparse(again.inputs[0]) and again.predict(x).shape == (9, 2)


def backend() -> None:
    x, w = matrix(4, 5), np.random.RandomState(1).randn(5, 4).astype(np.float32)
    v = K.variable(x)
    assert K.is_sparse(v) and K.is_tensor(v) and not K.is_sparse(K.variable(w)) and K.ndim(v) == 2
    assert K.int_shape(v) == (4, 5) and K.dtype(v) == "float32"
    np.testing.assert_allclose(K.eval(v), x.toarray())
    np.testing.assert_allclose(K.eval(K.dot(v, K.variable(w))), x.toarray() @ w, rtol=1e-6)
    both = K.concatenate([v, v])
    assert K.is_sparse(both) and not K.is_sparse(K.concatenate([v, K.variable(w.T)]))
    np.testing.assert_allclose(K.eval(both), np.concatenate([x.toarray()] * 2, 1))
    assert K.eval(K.concatenate([v, v], 0)).shape == (8, 5)
    p = K.placeholder((None, 5), sparse=True)
    assert K.is_sparse(p) and K.is_placeholder(p) and K.int_shape(p) == (None, 5) and not K.is_keras_tensor(p)
    product = K.dot(p, K.variable(w))
    f = K.function([p], [product, K.gradients(K.sum(product**2), [p.values])[0]])
    for rows in (4, 3, 1):
        own = matrix(rows, 5, rows)
        wanted = own.toarray() @ w
        found = f([own])
        np.testing.assert_allclose(found[0], wanted, rtol=1e-5, atol=1e-6)
        coo = own.tocoo()
        np.testing.assert_allclose(found[1], [2 * wanted[i] @ w[j] for i, j in zip(coo.row, coo.col)], rtol=1e-4,
                                   atol=1e-5)  # fmt: skip
        value = tf.SparseTensorValue(np.stack([coo.row, coo.col], 1), coo.data, coo.shape)
        np.testing.assert_allclose(f([value])[0], wanted, rtol=1e-5, atol=1e-6)
    assert K.to_dense(product) is product
    labels = K.ctc_label_dense_to_sparse(K.constant([[3, 1, 2], [4, 5, 6]], "int32"), K.constant([[2], [3]], "int32"))
    np.testing.assert_array_equal(K.eval(labels), [[3, 1, 0], [4, 5, 6]])


def refused() -> None:
    x = matrix(4, 6)
    model = build(True)
    for call in (lambda: model.predict([matrix(4, 5), matrix(4, 3)]), lambda: model.predict([x, matrix(3, 3)]),
                 lambda: model.predict([x.toarray(), matrix(4, 3)]),
                 lambda: K.function([K.placeholder((None, 6), sparse=True)], [K.constant(1.0)])([np.zeros([4, 6])])):
        try:
            call()
        except (TypeError, ValueError):
            continue
        raise AssertionError("expected an error")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for test in (models, of_one_input, backend, refused):
        K.clear_session()
        test()
