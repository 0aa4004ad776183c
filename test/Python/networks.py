# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Every function of flywheel.nn against NumPy (X1, X2, X3, X5, X6, X8, X12), and every optimizer, schedule,
constraint and initializer (O2, O8, O12, O23, O26, I1, I2, I6)."""

import inspect
import re
from typing import Any, Callable, Dict, List, Tuple, cast

import numpy as np

import flywheel as fw
from configurations import run_tests
from flywheel import nn

Array = Any
rng = np.random.default_rng(5)
Case = Tuple[Callable[..., Any], Callable[..., Any], List[Any]]


def f32(values: Any) -> Array:
    return np.array(values, np.float32)


def floats(*shape: int) -> Array:
    return rng.standard_normal(shape).astype(np.float32)


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def conv2d(x: Array, w: Array, stride: int, same: bool) -> Array:
    n, height, width, _ = x.shape
    k = w.shape[0]
    if same:
        out = -(-height // stride)
        total = max((out - 1) * stride + k - height, 0)
        x = np.pad(x, [(0, 0), (total // 2, total - total // 2), (total // 2, total - total // 2), (0, 0)])
    out = (x.shape[1] - k) // stride + 1
    result = np.zeros((n, out, out, w.shape[3]), np.float32)
    for i in range(out):
        for j in range(out):
            patch = x[:, i * stride : i * stride + k, j * stride : j * stride + k]
            result[:, i, j] = np.tensordot(patch, w, 3)
    return result


def pool(x: Array, how: Callable[..., Array]) -> Array:
    n, h, w, c = x.shape
    return how(how(x.reshape(n, h // 2, 2, w // 2, 2, c), 4), 2)


def normal(x: Array, axes: Any, epsilon: float = 0.001) -> Array:
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


def attend(q: Array, k: Array, v: Array) -> Array:
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    return softmax(np.where(np.tril(np.ones(scores.shape[-2:])), scores, -np.inf)) @ v


def turned(x: Array, base: float, positions: Any = None) -> Array:
    """By complex numbers: the first half of a row and the second one are real and imaginary parts."""
    half = x.shape[-1] // 2
    places = np.arange(x.shape[-2]) if positions is None else positions
    pairs = (x[..., :half] + 1j * x[..., half:]) * np.exp(1j * np.outer(places, base ** (-np.arange(half) / half)))
    return np.concatenate([pairs.real, pairs.imag], -1)


def rows(loss: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    return lambda p, t: np.mean(loss(p, t))


x, y = floats(3, 4), floats(3, 4)
p, t = softmax(x), softmax(y)
label, image = rng.integers(0, 4, 3).astype(np.int32), floats(2, 6, 6, 3)
w3, deep = floats(3, 3, 3, 5), floats(2, 3, 4)
square = f32([[4, 1], [1, 3]])
table, places = floats(5, 2), np.array([0, 3, 3], np.int32)
eps = 1e-7


def clip(v: Array) -> Array:
    return np.clip(v, eps, 1 - eps)


cases: Dict[str, Case] = {
    "relu": (nn.relu, lambda v: np.maximum(v, 0), [x]),
    "relu6": (nn.relu6, lambda v: np.clip(v, 0, 6), [x * 5]),
    "sigmoid": (nn.sigmoid, lambda v: 1 / (1 + np.exp(-v)), [x]),
    "hard_sigmoid": (nn.hard_sigmoid, lambda v: np.clip(0.2 * v + 0.5, 0, 1), [x * 3]),
    "softplus": (nn.softplus, lambda v: np.log1p(np.exp(v)), [x]),
    "softsign": (nn.softsign, lambda v: v / (1 + np.abs(v)), [x]),
    "gelu": (lambda v: nn.gelu(v, approximate=True),
             lambda v: v * (1 + np.tanh(np.sqrt(2 / np.pi) * (v + 0.044715 * v**3))) / 2, [x]),
    "silu": (nn.silu, lambda v: v / (1 + np.exp(-v)), [x]),
    "elu": (lambda v: nn.elu(v, alpha=2), lambda v: np.where(v > 0, v, 2 * np.expm1(v)), [x]),
    "selu": (nn.selu, lambda v: 1.0507009873554805 * np.where(v > 0, v, 1.6732632423543772 * np.expm1(v)), [x]),
    "leaky_relu": (lambda v: nn.leaky_relu(v, 0.1), lambda v: np.where(v > 0, v, 0.1 * v), [x]),
    "softmax": (nn.softmax, softmax, [x]),
    "log_softmax": (nn.log_softmax, lambda v: np.log(softmax(v)), [x]),
    "add": (nn.add, np.add, [x, y[0]]), "sub": (nn.sub, np.subtract, [x, y[0]]),
    "mul": (nn.mul, np.multiply, [x, y[0]]), "div": (nn.div, np.divide, [x, p]),
    "max": (nn.max, np.maximum, [x, y]), "min": (nn.min, np.minimum, [x, y]), "pow": (nn.pow, np.power, [p, y]),
    "matmul": (lambda a, b: nn.matmul(a, b, transpose_b=True), lambda a, b: a @ b.T, [x, y]),
    "dense": (nn.dense, lambda a, b, c: a @ b + c, [x, floats(4, 2), floats(2)]),
    "dense_without": (nn.dense, lambda a, b: a @ b, [x, floats(4, 2)]),
    "conv2d": (lambda a, b: nn.conv2d(a, b, strides=[2, 2], padding="same"), lambda a, b: conv2d(a, b, 2, True),
               [image, w3]),
    "conv2d_valid": (nn.conv2d, lambda a, b: conv2d(a, b, 1, False), [image, w3]),
    "conv2d_padded": (lambda a, b: nn.conv2d(a, b, padding=[(1, 1), (1, 1)]), lambda a, b: conv2d(a, b, 1, True),
                      [image, w3]),
    "conv2d_transpose": (lambda a, b: fw.gradients(nn.conv2d_transpose(a, b, strides=[2, 2], padding="same"), a),
                         lambda a, b: np.broadcast_to(conv2d(np.ones((2, 12, 12, 3), np.float32), b, 2, True), a.shape),
                         [floats(2, 6, 6, 5), w3]),
    "max_pool2d": (lambda v: nn.max_pool2d(v, [2, 2]), lambda v: pool(v, np.max), [image]),
    "avg_pool2d": (lambda v: nn.avg_pool2d(v, [2, 2]), lambda v: pool(v, np.mean), [image]),
    "attention": (lambda q, k, v: nn.attention(q, k, v, causal=True), attend, [deep, floats(2, 3, 4), floats(2, 3, 2)]),
    "layer_norm": (lambda v, g, b: nn.layer_norm(v, g, b, axes=[-1]), lambda v, g, b: normal(v, -1) * g + b,
                   [x, y[0], y[1]]),
    "layer_norm_beta": (lambda v, b: nn.layer_norm(v, None, b, axes=[1]), lambda v, b: normal(v, -1) + b, [x, y[1]]),
    "rms_norm": (lambda v, g: nn.rms_norm(v, g, axes=[-1], epsilon=1e-6),
                 lambda v, g: v / np.sqrt((v * v).mean(-1, keepdims=True) + 1e-6) * g, [x, y[0]]),
    "batch_norm_training": (lambda v: nn.batch_norm_training(v)[0], lambda v: normal(v, 0), [x]),
    "batch_norm_inference": (lambda v, m, s: nn.batch_norm_inference(v, m, s),
                             lambda v, m, s: (v - m) / np.sqrt(s + 0.001), [x, y[0], p[0]]),
    "softmax_cross_entropy": (lambda a, b: nn.softmax_cross_entropy(a, b, reduction="none"),
                              lambda a, b: -(b * np.log(softmax(a))).sum(-1), [x, t]),
    "sparse_softmax_cross_entropy": (nn.sparse_softmax_cross_entropy,
                                     lambda a, b: -np.log(softmax(a))[range(3), b].mean(), [x, label]),
    "sparse_of_bytes": (nn.sparse_softmax_cross_entropy,
                        lambda a, b: -np.log(softmax(a))[range(3), b].mean(), [x, label.astype(np.uint8)]),
    "sigmoid_cross_entropy": (lambda a, b: nn.sigmoid_cross_entropy(a, b, reduction="none"),
                              lambda a, b: np.maximum(a, 0) - a * b + np.log1p(np.exp(-np.abs(a))), [x, t]),
    "mean_squared_error": (nn.mean_squared_error, rows(lambda a, b: ((a - b) ** 2).mean(-1)), [x, y]),
    "mean_squared_error_of_ints": (nn.mean_squared_error, rows(lambda a, b: ((a - b) ** 2).mean(-1)),
                                   [x, np.ones((3, 4), np.int32)]),
    "mean_absolute_error": (nn.mean_absolute_error, rows(lambda a, b: np.abs(a - b).mean(-1)), [x, y]),
    "mean_absolute_percentage_error": (
        nn.mean_absolute_percentage_error, rows(lambda a, b: 100 * (np.abs(a - b) / np.abs(b)).mean(-1)), [x, y]),
    "mean_squared_logarithmic_error": (
        nn.mean_squared_logarithmic_error, rows(lambda a, b: ((np.log1p(a) - np.log1p(b)) ** 2).mean(-1)), [p, t]),
    "huber": (nn.huber, rows(lambda a, b: np.where(np.abs(a - b) <= 1, (a - b) ** 2 / 2, np.abs(a - b) - 0.5).mean(-1)),
              [x, y]),
    "hinge": (nn.hinge, rows(lambda a, b: np.maximum(1 - a * b, 0).mean(-1)), [x, np.sign(y)]),
    "squared_hinge": (nn.squared_hinge, rows(lambda a, b: (np.maximum(1 - a * b, 0) ** 2).mean(-1)), [x, np.sign(y)]),
    "categorical_hinge": (nn.categorical_hinge, rows(
        lambda a, b: np.maximum(((1 - b) * a).max(-1) - (a * b).sum(-1) + 1, 0)), [x, f32(np.eye(4)[label])]),
    "log_cosh": (nn.log_cosh, rows(lambda a, b: np.log(np.cosh(a - b)).mean(-1)), [x, y]),
    "kl_divergence": (nn.kl_divergence, rows(lambda a, b: (b * np.log(b / a)).sum(-1)), [p, t]),
    "poisson": (nn.poisson, rows(lambda a, b: (a - b * np.log(a + eps)).mean(-1)), [p, t]),
    "cosine_proximity": (nn.cosine_proximity, rows(
        lambda a, b: -(a * b).sum(-1) / np.sqrt((a * a).sum(-1) * (b * b).sum(-1))), [x, y]),
    "binary_crossentropy": (nn.binary_crossentropy, rows(
        lambda a, b: -(b * np.log(clip(a)) + (1 - b) * np.log(1 - clip(a))).mean(-1)), [p, t]),
    "categorical_crossentropy": (nn.categorical_crossentropy, rows(lambda a, b: -(b * np.log(clip(a))).sum(-1)),
                                 [p, t]),
    "l2_loss": (nn.l2_loss, lambda a: (a * a).sum() / 2, [x]),
    "reduce": (lambda a: nn.reduce(a, "max", [-1], keepdims=True), lambda a: a.max(-1, keepdims=True), [x]),
    "argsort": (lambda a: nn.argsort(a, a.ndim - 1), lambda a: a.argsort(-1, kind="stable"), [x]),
    "argmax": (lambda a: nn.argmax(a, -1), lambda a: a.argmax(-1), [x]),
    "argmin": (lambda a: nn.argmin(a, 0), lambda a: a.argmin(0), [x]),
    "tile": (lambda a: nn.tile(a, [1, 2]), lambda a: np.tile(a, (1, 2)), [x]),
    "gather": (lambda a, i: nn.gather(a, i, 0), lambda a, i: a[i], [table, places]),
    "embedding": (nn.embedding, lambda a, i: a[i], [table, places]),
    "scatter": (lambda a, i, u: nn.scatter(a, i, u, 0), lambda a, i, u: f32([u[0], a[1], a[2], u[2], a[4]]),
                [table, places, floats(3, 2)]),
    "scatter_add": (lambda a, i, u: nn.scatter_add(a, i, u, 0),
                    lambda a, i, u: f32([a[0] + u[0], a[1], a[2], a[3] + u[1] + u[2], a[4]]),
                    [table, places, floats(3, 2)]),
    "take_along_axis": (lambda a, i: nn.take_along_axis(a, i, 1), lambda a, i: np.take_along_axis(a, i, 1),
                        [x, label[:, None]]),
    "scatter_add_along_axis": (lambda a, i, u: nn.scatter_add_along_axis(a, i, u, 1),
                               lambda a, i, u: a + u * np.eye(4, dtype=np.float32)[i[:, 0]],
                               [x, label[:, None], floats(3, 1)]),
    "cumsum": (lambda a: nn.cumsum(a, 1), lambda a: np.cumsum(a, 1), [x]),
    "cumprod": (lambda a: nn.cumprod(a, -1, exclusive=True),
                lambda a: np.cumprod(np.c_[np.ones(3), a[:, :-1]], 1), [x]),
    "logcumsumexp": (lambda a: nn.logcumsumexp(a, 1), lambda a: np.log(np.cumsum(np.exp(a), 1)), [x]),
    "triangle": (lambda a: nn.triangle(a, "lower", fill=-1.0), lambda a: np.where(np.tril(np.ones(a.shape)), a, -1),
                 [x]),
    "cholesky": (nn.cholesky, np.linalg.cholesky, [square]),
    "try_cholesky": (lambda a: nn.try_cholesky(a)[0], np.linalg.cholesky, [square]),
    "triangular_solve": (lambda a, b: nn.triangular_solve(a, b, "lower"),
                         lambda a, b: np.linalg.solve(np.tril(a), b), [square, floats(2, 3)]),
    "lstsq": (lambda a, b: nn.lstsq(a, b, l2=0.1),
              lambda a, b: np.linalg.solve(a.T @ a + 0.1 * np.eye(2), a.T @ b), [floats(5, 2), floats(5, 1)]),
    "lstsq_damped": (lambda a, b, d: nn.lstsq(a, b, d),
                     lambda a, b, d: np.linalg.solve(a.T @ a + d * np.eye(2), a.T @ b),
                     [floats(5, 2), floats(5, 1), np.float32(0.5)]),
    "one_hot": (lambda i: nn.one_hot(i, 4), lambda i: np.eye(4)[i], [label]),
    "stop_gradient": (nn.stop_gradient, lambda v: v, [x]),
    "dropout": (lambda v: nn.dropout(v, 0.5, training=False), lambda v: v, [x]),
    "group_norm": (lambda v, g, b: nn.group_norm(v, 2, g, b),
                   lambda v, g, b: normal(v.reshape(2, 3, 2, 2), (1, 3)).reshape(2, 3, 4) * g + b,
                   [floats(2, 3, 4), floats(4), floats(4)]),
    "rotary": (lambda v: nn.rotary(v, base=100.0), lambda v: turned(v, 100.0), [floats(2, 3, 6)]),
    "rotary_interleaved": (
        lambda v, p: nn.rotary(v, p, interleaved=True),
        lambda v, p: turned(v[..., [0, 2, 1, 3]], 1e4, p)[..., [0, 2, 1, 3]],
        [floats(2, 3, 4), np.array([7, 0, 2])]),
}  # fmt: skip


def test_layers_have_a_test() -> None:
    # Layers have a test of their own, module_layers_beside.py.
    layers = {name for name in nn.__all__ if isinstance(getattr(nn, name), type)}
    missing = set(nn.__all__) - layers - {name for name in nn.__all__ if any(case.startswith(name) for case in cases)}
    assert not missing, missing


@fw.function
def run(given: Dict[str, Any]) -> Dict[str, Any]:
    return {name: ours(*given[name]) for name, (ours, _, _) in cases.items()}


def test_layers_have_a_test_2() -> None:
    results = run({name: args for name, (_, _, args) in cases.items()})
    for name, (_, theirs, args) in cases.items():
        np.testing.assert_allclose(results[name], theirs(*args), 2e-4, 2e-5, err_msg=name)
    for name in nn.__all__:
        function = getattr(nn, name)
        assert inspect.getdoc(function) and "```" not in (inspect.getdoc(function) or ""), name


def test_batch_norm_averages() -> None:
    # Batch norm moves its averages while it trains.
    mean, variance = fw.Variable(np.zeros(4, np.float32)), fw.Variable(np.ones(4, np.float32))
    train = fw.function(lambda v: nn.batch_norm(v, None, None, mean, variance, training=True, momentum=0.5))
    test = fw.function(lambda v: nn.batch_norm(v, None, None, mean, variance, training=False))
    np.testing.assert_allclose(train(x), normal(x, 0), 1e-4, 1e-5)
    np.testing.assert_allclose(mean.numpy(), x.mean(0) / 2, 1e-4, 1e-6)
    np.testing.assert_allclose(test(x), (x - mean.numpy()) / np.sqrt(variance.numpy() + 0.001), 1e-4, 1e-5)


# O2 to O8, O21 to O27: p after three steps of loss sum p^2 / 2 from [1, -2, 3].
optimizers = fw.optimizers
expected: List[Tuple[fw.optimizers.Optimizer, List[float]]] = [
    (optimizers.SGD(0.1), [0.729, -1.458, 2.187]),
    (optimizers.SGD(0.1, momentum=0.9), [0.486, -0.972, 1.458]),
    (optimizers.SGD(0.1, momentum=0.9, nesterov=True), [0.327321, -0.654642, 0.981963]),
    (optimizers.SGD(0.1, momentum=0.9, decay=0.5), [0.5775, -1.155, 1.7325]),
    (optimizers.RMSprop(0.1), [0.3691806959, -1.3087179538, 2.2917658489]),
    (optimizers.Adagrad(0.1), [0.7804561988, -1.7758215240, 2.7743593520]),
    (optimizers.Adadelta(1), [0.9957124680, -1.9957108020, 2.9957102476]),
    (optimizers.Adam(0.1), [0.7015870149, -1.7006237584, 2.7003817664]),
    (optimizers.Adamax(0.1), [0.7154994990, -1.7076482491, 2.7050095214]),
    (optimizers.Nadam(0.1), [0.7527292898, -1.7475085133, 2.7458760102]),
    (optimizers.GradientDescent(0.1), [0.729, -1.458, 2.187]),
    (optimizers.Momentum(0.1), [0.486, -0.972, 1.458]),
    (optimizers.TFAdam(0.1), [0.7015863457, -1.7006234280, 2.7003815473]),
    (optimizers.TFAdagrad(0.1), [0.7875127680, -1.7777007088, 2.7752057308]),
    (optimizers.TFRMSProp(0.1), [0.7260460355, -1.5446386202, 2.4423625821]),
    (optimizers.TFAdadelta(1), [0.9986434432, -1.9986432770, 2.9986432217]),
    (optimizers.Ftrl(0.1), [0.5117015783, -1.4761193609, 2.4674071500]),
]
# Optimizers without a row there: they lower the loss, and have the slots that they list.
others = [optimizers.AdamW(), optimizers.NAdamW(), optimizers.AdaBelief(), optimizers.Lion(), optimizers.LAMB(),
          optimizers.Adafactor(), optimizers.Muon()]  # fmt: skip
everything = [optimizer for optimizer, _ in expected] + others
assert {type(optimizer).__name__ for optimizer in everything} == set(optimizers.__all__) - {"Optimizer"}
parameters = [fw.Variable(np.array([1.0, -2.0, 3.0]), name="p") for _ in everything]


@fw.function
def descend() -> None:
    for optimizer, parameter in zip(everything, parameters):
        optimizer.minimize(fw.sum(parameter**2) / 2)


def test_optimizers_without_a_row() -> None:
    for _step in range(3):
        descend()
    for (optimizer, values), parameter in zip(expected, parameters):
        np.testing.assert_allclose(parameter.numpy(), values, 1e-9, err_msg=str(optimizer))
    for parameter in parameters[len(expected) :]:
        assert np.abs(parameter.numpy()).sum() < 6
    scalars = {v.name for v in descend.trace().program.variables if v.slot_of is None and not v.name.startswith("p")}
    assert scalars == {variable.name for optimizer in everything for variable in optimizer.variables}
    assert int(everything[0].iterations.numpy()) == 3 and everything[0].lr.dtype == np.float64


# Schedules, clauses.
rate = fw.optimizers.GradientDescent(1.0)
single = fw.Variable(1.0, name="single")
schedules = [fw.schedules.ConstantRate(0.5), fw.schedules.PiecewiseRate([1], [0.5, 0.25]),
             fw.schedules.CosineRate(0.5, 9),
             fw.schedules.ExponentialRate(1, 0.5, 1), fw.schedules.PolynomialRate(0.5, 4, power=2),
             fw.schedules.OneCycleRate(1.0, 10)]  # fmt: skip


def test_schedules_clauses() -> None:
    assert {type(schedule).__name__ for schedule in schedules} == set(fw.schedules.__all__) - {"Schedule"}
    found = fw.function(lambda step: [schedule(step) for schedule in schedules])(np.int32(2))
    np.testing.assert_allclose(found[:2] + found[3:4], [0.5, 0.25, 0.25], 1e-6)


@fw.function
def clipped() -> None:
    rate.minimize(8 * single, [single], schedule=schedules[0], clip_global_norm=1.0, l2=0.0)


def test_schedules_clauses_2() -> None:
    clipped()
    assert np.isclose(single.numpy(), 0.5)


# G9, O1: few bits, and gradients of several calls.
narrow = fw.Variable(np.array([1.0, -2.0]), dtype="float16", name="narrow")
scaled = fw.optimizers.GradientDescent(0.5, name="scaled")
settings = fw.clauses.LossScale(initial=1024.0, growth_interval=1)


@fw.function
def accumulated(x: fw.Tensor) -> None:
    loss = fw.sum(fw.cast(narrow, "float32") * x)
    scaled.minimize(loss, loss_scale=settings, accumulate=2, master_weights=True)


def test_few_bits() -> None:
    for feed in ([1.0, 2.0], [np.inf, 0.0], [3.0, 4.0]):
        accumulated(f32(feed))
    np.testing.assert_allclose(narrow.numpy(), [0.0, -3.5])
    names = {v.name: v for v in accumulated.trace().program.variables}
    assert {"scaled/loss_scale", "scaled/micro_step", "narrow/scaled/master"} <= set(names), names
    try:
        fw.function(lambda: fw.optimizers.SGD(0.1).minimize(single * 2, [single], accumulate=cast(int, 1.5)))()
    except TypeError as error:
        assert "integer" in str(error), error
    else:
        raise AssertionError("expected a TypeError")
    single.set(1.0)
    fixed = fw.optimizers.GradientDescent(0.25)
    fw.function(lambda: fixed.minimize(single * 2, [single], loss_scale=8))()
    assert np.isclose(single.numpy(), 0.5)


# R10: averages, and a swap for evaluation; a checkpointed average is not a new one.
moving = fw.Variable(f32([1.0, 2.0]), name="moving")
half_moving = fw.Variable(np.array([1.0]), dtype="float16", name="half_moving")
count = fw.Variable(0, dtype="int64", name="count", trainable=False)
averages = fw.ExponentialMovingAverage(0.5, num_updates=count)


def test_averages() -> None:
    assert averages.average(moving) is None


@fw.function
def move(x: fw.Tensor) -> None:
    moving.assign(x)
    half_moving.assign(fw.cast(x[:1], "float16"))
    averages.apply([moving, half_moving])
    count.assign_add(100)


@fw.function
def swap() -> None:
    averages.swap()


def test_averages_2() -> None:
    for feed in ([3.0, 4.0], [5.0, 6.0]):
        move(f32(feed))
    average = averages.average(moving)
    assert average is not None and average.name == averages.average_name(moving) == "moving/ExponentialMovingAverage"
    # decay is min(0.5, 1 / 10) first, and then 0.5.
    np.testing.assert_allclose(average.numpy(), [3.9, 4.9], 1e-6)
    swap()
    np.testing.assert_allclose(moving.numpy(), [3.9, 4.9], 1e-6)
    np.testing.assert_allclose(half_moving.numpy(), [3.9], 1e-3)
    np.testing.assert_allclose(average.numpy(), [5.0, 6.0])
    swap()
    np.testing.assert_array_equal(moving.numpy(), [5.0, 6.0])
    np.testing.assert_array_equal(half_moving.numpy(), [5.0])
    for wrong, what in (
        (lambda: fw.ExponentialMovingAverage(1.0), "within"),
        (lambda: fw.ExponentialMovingAverage(0.5, name="none").swap(), "no variable is averaged"),
    ):
        try:
            wrong()
        except ValueError as error:
            assert what in str(error), error
        else:
            raise AssertionError(what)


def test_constraints() -> None:
    # O12: constraints; I1, I2, I6: initializers.
    start = f32([[3, 0.3], [4, 0.4]])
    constraints: Dict[Any, Array] = {
        fw.constraints.NonNeg(): start, fw.constraints.MaxNorm(): [[1.2, 0.3], [1.6, 0.4]],
        fw.constraints.UnitNorm(): [[0.6, 0.6], [0.8, 0.8]],
        fw.constraints.MinMaxNorm(1.0, 2.0): [[1.2, 0.6], [1.6, 0.8]]}  # fmt: skip
    assert {type(constraint).__name__ for constraint in constraints} == set(fw.constraints.__all__) - {"Constraint"}
    held = [fw.Variable(start, name="held", constraint=constraint) for constraint in constraints]
    none = fw.optimizers.GradientDescent(0.0)
    fw.function(lambda: none.minimize(sum((fw.sum(variable) for variable in held), fw.constant(0.0))))()
    for variable, value in zip(held, constraints.values()):
        np.testing.assert_allclose(variable.numpy(), value, 1e-6)
    initializers: Dict[Any, Callable[[Array], bool]] = {
        fw.initializers.Zeros(): lambda v: not v.any(), fw.initializers.Ones(): lambda v: (v == 1).all(),
        fw.initializers.Constant([1.0, 2.0]): lambda v: (v.reshape(-1)[:3] == [1, 2, 2]).all(),
        fw.initializers.GlorotUniform(): lambda v: 0.15 < v.max() <= np.sqrt(6 / 200),
        fw.initializers.HeNormal(): lambda v: abs(v.std() / (0.8796 * np.sqrt(2 / 100)) - 1) < 0.05,
        fw.initializers.RandomNormal(1.0, 2.0): lambda v: abs(v.mean() - 1) < 0.1 and abs(v.std() - 2) < 0.1,
        fw.initializers.RandomUniform(-1, 1): lambda v: -1 <= v.min() < -0.9 and 0.9 < v.max() < 1,
        fw.initializers.TruncatedNormal(stddev=0.5): lambda v: np.abs(v).max() <= 1}  # fmt: skip
    assert {type(initializer).__name__ for initializer in initializers} == set(fw.initializers.__all__) - {
        "Initializer"
    }
    for initializer, holds in initializers.items():
        assert holds(fw.Variable(initializer, shape=(100, 100)).numpy()), initializer


# Wrong steps of a window, at the call.
image, kernel = np.zeros((1, 8, 8, 1), np.float32), np.zeros((3, 3, 1, 1), np.float32)


def test_wrong_steps_of_a_window() -> None:
    steps: Dict[str, Callable[[Any, Any], Any]] = {
        r"strides of at least 1, found \[0, 1\]": lambda x, w: fw.nn.conv2d(x, w, strides=(0, 1)),
        r"strides of at least 1, found \[-1, 1\]": lambda x, w: fw.nn.conv2d_transpose(x, w, strides=(-1, 1)),
        r"strides of at least 1, found \[2, 0\]": lambda x, w: fw.nn.max_pool2d(x, (2, 2), strides=(2, 0)),
        r"dilations of at least 1, found \[0, 1\]": lambda x, w: fw.nn.conv2d(x, w, dilations=(0, 1)),
    }
    for message, call in steps.items():
        try:
            fw.function(call)(image, kernel)
        except ValueError as error:
            assert re.search(message, str(error)), error
        else:
            raise AssertionError(f"expected {message}")


run_tests([test_layers_have_a_test, test_layers_have_a_test_2, test_batch_norm_averages,
           test_optimizers_without_a_row, test_schedules_clauses, test_schedules_clauses_2, test_few_bits,
           test_averages, test_averages_2, test_constraints, test_wrong_steps_of_a_window])  # fmt: skip
