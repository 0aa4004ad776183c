# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: mkdir -p %t && env FLYWHEEL_CACHE= %python %s %t
"""X31: layers of Keras 1 which Keras 2.1 keeps, drawings of models, functions of Keras that programs import although
their names begin with an underscore, and products of K.dot, beside NumPy."""

import os
import sys
import types
import warnings
from typing import Any, List, Tuple

import numpy as np

from configurations import raises, run_tests
from flywheel.keras import backend as K
from flywheel.keras import config, losses
from flywheel.keras.engine.training import (
    _check_array_lengths,
    _check_loss_and_target_compatibility,
    _make_batches,
    _slice_arrays,
    _weighted_masked_objective,
)
from flywheel.keras.layers import Dense, Input, Lambda, Masking
from flywheel.keras.legacy.layers import Highway, MaxoutDense, Merge, merge
from flywheel.keras.models import Model, Sequential, load_model, model_from_json
from flywheel.keras.utils import vis_utils

FOLDER = sys.argv[1]
a, b = (np.random.RandomState(i).randn(5, 3).astype(np.float32) for i in (1, 2))
cosine = (a * b).sum(1) / np.sqrt((a**2).sum(1) * (b**2).sum(1))
first, second = Input((3,)), Input((3,))


def test_merges_of_tensors() -> None:
    # Merges of tensors, and models with them that are made again.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for mode, wanted in (("sum", a + b), ("mul", a * b), ("ave", (a + b) / 2), ("max", np.maximum(a, b)),
                             ("concat", np.concatenate([a, b], 1)), ("dot", (a * b).sum(1, keepdims=True)),
                             ("cos", cosine[:, None])):  # fmt: skip
            made = Model([first, second], merge([first, second], mode=mode))
            for one in (made, Model.from_config(made.get_config())):
                found = one.predict([a, b])
                np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
                assert one.compute_output_shape([(5, 3), (5, 3)]) == found.shape
        scaled = merge([first, second], mode=lambda xs, k: xs[0] * k + xs[1], arguments={"k": 2.0},
                       output_shape=lambda s: s[0])  # fmt: skip
        np.testing.assert_allclose(Model([first, second], scaled).predict([a, b]), 2 * a + b, rtol=1e-6)
    raises(ValueError, "Invalid merge mode: plus", lambda: Merge(mode="plus"))


def test_branches() -> None:
    # Branches, which are the inputs of a Sequential.
    K.clear_session()
    branches = [Sequential([Dense(2, activation="tanh", input_shape=(3,))]) for _ in range(2)]
    joined = Sequential([Merge(branches, mode="concat"), Dense(1)])
    joined.compile("sgd", "mse")
    w = joined.get_weights()
    wanted = np.concatenate([np.tanh(a @ w[0] + w[1]), np.tanh(b @ w[2] + w[3])], 1) @ w[4] + w[5]
    np.testing.assert_allclose(joined.predict([a, b]), wanted, rtol=1e-4, atol=1e-6)
    assert np.isfinite(joined.train_on_batch([a, b], np.zeros((5, 1))))
    again = Sequential.from_config(joined.get_config())
    again.set_weights(w)
    np.testing.assert_allclose(again.predict([a, b]), wanted, rtol=1e-4, atol=1e-6)


def test_units_with_several_linear_functions() -> None:
    # Units with several linear functions, and with gates.
    K.clear_session()
    maxout, highway = Sequential([MaxoutDense(2, input_dim=3)]), Sequential([Highway(activation="tanh", input_dim=3)])
    kernel, bias = maxout.get_weights()
    assert kernel.shape == (4, 3, 2)
    wanted = (np.einsum("bi,nio->bno", a, kernel) + bias).max(1)
    np.testing.assert_allclose(maxout.predict(a), wanted, rtol=1e-4, atol=1e-6)
    kernel, carry, bias, carry_bias = highway.get_weights()
    assert (bias == 0).all() and (carry_bias == 1).all()
    t = 1 / (1 + np.exp(-(a @ carry + carry_bias)))
    np.testing.assert_allclose(highway.predict(a), t * np.tanh(a @ kernel) + (1 - t) * a, rtol=1e-4, atol=1e-6)
    kinds = [type(Sequential.from_config(one.get_config()).layers[0]) for one in (maxout, highway)]
    assert kinds == [MaxoutDense, Highway]


def test_legacy() -> None:
    # K.dot contracts the last dimension of x and the last but one of y, whatever their ranks.
    for x, y in (((2, 3), (3, 4)), ((2, 3), (4, 3, 5)), ((2, 2, 3), (3, 4)), ((2, 2, 3), (4, 3, 5)),
                 ((2, 3), (2, 4, 3, 5))):  # fmt: skip
        p, q = np.random.RandomState(3).randn(*x), np.random.RandomState(4).randn(*y)
        fed = K.placeholder((None, *x[1:]))
        result = K.dot(fed, K.variable(q))
        np.testing.assert_allclose(K.function([fed], [result])([p])[0], np.dot(p, q), rtol=1e-4, atol=1e-5)
        assert K.int_shape(result)[1:] == np.dot(p, q).shape[1:]


def test_keras_legacy() -> None:
    # K.batch_dot of matrices sums along the batch, too.
    for right, axes, wanted in ((b, 0, (a * b).sum(0)), (b.T, (1, 0), (a * b).sum(1))):
        found = K.eval(K.batch_dot(K.constant(a), K.constant(right), axes))
        np.testing.assert_allclose(found, wanted[:, None], rtol=1e-5)


# A function with a name is saved by its code; a file with code is loaded by who says so, or gives the function.
def halved(x: Any, by: float = 2.0) -> Any:
    return x / by


def test_function_with_a_name() -> None:
    K.clear_session()
    model = Sequential([Lambda(halved, input_shape=(3,)), Dense(1)])
    path = os.path.join(FOLDER, "halved.safetensors")
    model.save(path)
    wanted = model.predict(a)
    np.testing.assert_allclose(wanted, (a / 2) @ model.get_weights()[0], rtol=1e-4, atol=1e-6)
    raises(ValueError, "a Lambda of code", lambda: load_model(path))
    for more in ({"safe_mode": False}, {"custom_objects": {"halved": halved}}):
        K.clear_session()
        np.testing.assert_allclose(load_model(path, **more).predict(a), wanted, rtol=1e-5)


def test_program_that_trusts_its_files() -> None:
    # A program that trusts its files says so once; a model without variables is a file, too.
    K.clear_session()
    path = os.path.join(FOLDER, "empty.safetensors")
    Sequential([Lambda(halved, input_shape=(3,))]).save(path)
    raises(ValueError, "a Lambda of code", lambda: load_model(path))
    config.enable_unsafe_deserialization()
    np.testing.assert_allclose(load_model(path).predict(a), a / 2)
    copied = Lambda.from_config(Lambda(halved, input_shape=(3,)).get_config())
    np.testing.assert_allclose(Sequential([copied]).predict(a), a / 2)


def test_helpers_of_training() -> None:
    # Helpers of training.
    assert _make_batches(7, 3) == [(0, 3), (3, 6), (6, 7)]
    assert [one.tolist() for one in _slice_arrays([np.arange(5), np.arange(5) * 2], 1, 3)] == [[1, 2], [2, 4]]
    assert _slice_arrays([None], 0, 1) == [None] == _slice_arrays(None)
    assert _slice_arrays(np.arange(5), [0, 4]).tolist() == [0, 4]
    _check_array_lengths([a, b], [a, b], [a, b])
    raises(ValueError, "should have the same number of samples", lambda: _check_array_lengths([a], [b[:2]], None))
    raises(ValueError, "All input arrays", lambda: _check_array_lengths([a, b[:2]], [a], [a]))
    raises(
        ValueError,
        "You are passing a target array of shape (5, 1)",
        lambda: _check_loss_and_target_compatibility([a[:, :1]], [losses.categorical_crossentropy], [(5, 3)]),
    )
    raises(
        ValueError,
        "targets to have the same shape",
        lambda: _check_loss_and_target_compatibility([a], [losses.mean_squared_error], [(None, 4)]),
    )
    mean = _weighted_masked_objective(losses.mean_absolute_error)
    mask = np.array([1.0, 1, 0, 1, 1], np.float32)
    value = K.eval(mean(K.variable(a), K.variable(b), K.variable(np.ones(5)), K.variable(mask)))
    assert np.isclose(value, (np.abs(a - b).mean(1) * mask).sum() / mask.sum(), rtol=1e-5)
    fed = Input((3,))
    assert _weighted_masked_objective(losses.mean_squared_error)(fed, fed, None).static_shape == ()


# Drawings: without pydot an error that says so; with it, a box for each layer and an arrow for each input.
class Dot:
    def __init__(self) -> None:
        self.labels: List[str] = []
        self.edges: List[Tuple[str, str]] = []

    def set(self, *_: Any) -> None: ...

    def set_node_defaults(self, **_: Any) -> None: ...

    def add_node(self, node: Any) -> None:
        self.labels.append(node[1])

    def add_edge(self, edge: Any) -> None:
        self.edges.append(edge)

    def write(self, *_: Any, **__: Any) -> None:
        raise FileNotFoundError("dot")


def test_drawings() -> None:
    K.clear_session()
    inputs = Input((3,))
    drawn = Model(inputs, merge([Dense(2)(inputs), Dense(2)(Masking()(inputs))]))
    sys.modules.update(pydot=None, pydotplus=None, pydot_ng=None)  # type: ignore[call-overload]
    raises(ImportError, "You must install pydot", lambda: vis_utils.model_to_dot(drawn))
    stub: Any = types.ModuleType("pydot")
    stub.Dot, stub.Node, stub.Edge = Dot, lambda name, label: (name, label), lambda x, y: (x, y)
    sys.modules["pydot"] = stub
    dot = vis_utils.model_to_dot(drawn, show_shapes=True)
    assert len(dot.labels) == 5 and len(dot.edges) == 5
    assert dot.labels[0].startswith("input_1: InputLayer\n|{input:|output:}")
    assert dot.labels[-1] == "merge_1: Merge\n|{input:|output:}|{{[(None, 2), (None, 2)]}|{(None, 2)}}"
    raises(ImportError, "graphviz", lambda: vis_utils.plot_model(drawn, os.path.join(FOLDER, "model.png")))
    assert model_from_json(drawn.to_json()).layers[-1].mode == "sum"


run_tests([test_merges_of_tensors, test_branches, test_units_with_several_linear_functions, test_legacy,
           test_keras_legacy, test_function_with_a_name, test_program_that_trusts_its_files,
           test_helpers_of_training, test_drawings])  # fmt: skip
