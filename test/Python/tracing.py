# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t
# RUN: env FLYWHEEL_CACHE=%t/cache %python %s %t
"""Traced functions: variables (V2, V6 to V8, V11), assignments in program order (A1 to A3, A10),
signatures and batches (R4, R5), stores (R2), collections (C1 to C7), derivatives (G1 to G7, G11, G15),
control flow (G16, X10), random numbers (I7), checkpoints (P3, P10), errors at the user's line (T9)."""

import array
import copy
import ctypes
import gc
import os
import pickle
import sys
import threading
import time
import weakref
from typing import Any, List

import numpy as np

import flywheel as fw
from configurations import raises
from flywheel._functions.arguments import as_array
from flywheel._programs import compilation

folder = sys.argv[1]
F32 = np.dtype("float32")


# V6: dtypes of initial values; V8, V12, N2.
assert fw.Variable(2).dtype == np.int32 and fw.Variable(3.23).dtype == F32 and fw.Variable(True).dtype == bool
assert fw.Variable(2**40).dtype == np.int64 and fw.Variable(np.float64(1)).dtype == np.float64
assert fw.Variable(2, dtype="int16").dtype == np.int16 and fw.Variable("Orange").numpy() == "Orange"
assert float(fw.Variable([3.23, 4.02], dtype="float64").numpy()[1]) == 4.02
raises(ValueError, "If initializer is a constant, do not specify shape", lambda: fw.Variable([1.0], shape=(1,)))
raises(ValueError, "must be fully defined", lambda: fw.Variable())
raises(ValueError, "is not a valid name", lambda: fw.Variable(1, name="a b"))
with fw.Namespace() as names:
    in_use = [fw.Variable(0.0, name=n) for n in ("a_1", "a", "a")]
    assert [v.name for v in in_use] == ["a_1", "a", "a_2"]
    in_use += [fw.Variable(0.0) for _ in range(2)]
    assert [v.name for v in in_use[-2:]] == ["Variable", "Variable_1"]
    with fw.name_scope("foo"):
        in_use.append(fw.Variable(0.0, name="v"))
    with fw.name_scope("foo"):
        in_use.append(fw.Variable(0.0, name="v"))
    assert [v.name for v in in_use[-2:]] == ["foo/v", "foo_1/v"]
    # C1 to C4.
    local = fw.Variable(0.0, name="local", collections=["LOCAL"])
    frozen = fw.Variable(0.0, name="frozen", trainable=False)
    both = fw.Variable(0.0, name="both", collections=["mine"], trainable=True)
    assert not local.trainable and local not in names.collection("GLOBAL") and both.trainable
    assert fw.collection("mine") == [both] and fw.collection("nothing") == []
    assert frozen not in fw.trainable_variables() and frozen in fw.global_variables()
    fw.add_to_collection("mine", "anything")
    assert fw.collection("mine") == [both, "anything"]
    # N13: a scope.
    assert [v.name for v in names.collection("GLOBAL", "foo/")] == ["foo/v"]

# A1, A2: an assignment yields the new value; what is read before keeps the old one.
counter = fw.Variable(0.0, name="counter")


@fw.function
def count() -> Any:
    before = counter.read()
    after = counter.assign_add(1.0)
    return before, after, counter + 0, counter.assign(counter * 2)


assert [float(x) for x in count()] == [0, 1, 1, 2] and float(counter.numpy()) == 2
counter.set(5)
assert [float(x) for x in count()] == [5, 6, 6, 12]

# A10: a swap.
one, two = fw.Variable(1.0, name="one"), fw.Variable(2.0, name="two")


@fw.function
def swap() -> None:
    a, b = one.read(), two.read()
    one.assign(b)
    two.assign(a)


assert swap() is None and (float(one.numpy()), float(two.numpy())) == (2, 1)

# Functions that are compiled apart share variables; a store has values of its own (R2).
table = fw.Variable(np.arange(3000, dtype=np.float32).reshape(1000, 3), name="table")


@fw.function
def double() -> None:
    table.assign(table * 2)


@fw.function
def total() -> Any:
    return fw.sum(table), {"rows": table[:2]}


expected = np.arange(3000, dtype=np.float32).reshape(1000, 3)
assert np.allclose(total()[0], expected.sum())
double()
assert np.allclose(total()[0], 2 * expected.sum()) and np.array_equal(total()[1]["rows"], 2 * expected[:2])
other = fw.Store(seed=3)
with other:
    assert np.allclose(total()[0], expected.sum())
    double()
    double()
assert np.array_equal(table.numpy(), 2 * expected)
with other:
    assert np.array_equal(table.numpy(), 4 * expected)
    fw.current_store().initialize([table])
    assert np.array_equal(table.numpy(), expected)
strict = fw.Store(initializes=False)
with strict:
    raises(fw.FailedPreconditionError, "Attempting to use uninitialized value", total)
    assert not table.is_initialized()
    strict.initialize([table])
    assert table.is_initialized() and np.allclose(total()[0], expected.sum())

# I7, I8: initial values; the same from whichever program.
with fw.Namespace():
    drawn = fw.Variable(fw.initializers.RandomNormal(stddev=2.0), shape=(1000,), name="drawn")
    twice = fw.Variable(lambda: drawn.initialized_value() * 2, name="twice")
    assert twice.shape == (1000,) and abs(float(drawn.numpy().std()) - 2) < 0.2
    assert np.array_equal(twice.numpy(), 2 * drawn.numpy())
    first = drawn.numpy()
    with fw.Store():
        read = fw.function(lambda: (drawn.read(), twice.read()))
        got = read()
        assert np.array_equal(got[0], first) and np.array_equal(got[1], 2 * first)
    with fw.Store(seed=1):
        assert not np.array_equal(drawn.numpy(), first)

# R4: the batch is the call's choice; the second size is the last that compiles, but for 1.
weights = fw.Variable(np.ones((3, 2), np.float32), name="weights")


@fw.function
def affine(x: Any, scale: Any = 1.0) -> Any:
    return x @ weights * scale


for batch in (1, 5, 7, 2, 1):
    x = np.full((batch, 3), 2, np.float32)
    assert np.array_equal(affine(x), np.full((batch, 2), 6)), batch
assert len(affine._traces) == 2
assert np.array_equal(affine(x, scale=2.0), np.full((1, 2), 12)) and np.array_equal(affine(x=x), affine(x))
static = fw.function(affine._function, dynamic=False)
named = fw.function(affine._function, signature=[fw.spec("batch", 3), fw.spec()])
for batch in (1, 5, 7):
    x = np.full((batch, 3), 2, np.float32)
    assert np.array_equal(static(x), np.full((batch, 2), 6)) and np.array_equal(named(x, 1.0), np.full((batch, 2), 6))
assert len(static._traces) == 3 and len(named._traces) == 1
raises(ValueError, "Cannot feed value of shape (1, 4)", lambda: named(np.ones((1, 4), np.float32), 1.0))
raises(TypeError, "takes float32", lambda: named(np.ones((1, 3)), 1.0))
# R4: sizes that were equal at first, and are not at a later call, are two.
pairs = fw.function(lambda a, b: fw.sum(a) * fw.sum(b))
for sizes in ((8, 8), (5, 5), (8, 5), (7, 6), (4, 4)):
    assert pairs(*[np.ones(size, np.float32) for size in sizes]) == sizes[0] * sizes[1], sizes
# Feeds that are not arrays of NumPy, and not dense: dense ones are not copied.
assert np.array_equal(affine(np.ones((2, 3), np.float32).data), np.full((2, 2), 3))
assert np.array_equal(affine(np.ones((3, 2), np.float32).T), np.full((2, 2), 3))


class OnlyDLPack:
    def __init__(self, array: Any):
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


assert np.array_equal(affine(OnlyDLPack(np.ones((2, 3), np.float32))), np.full((2, 2), 3))
# Whatever has a buffer is an array, and no copy is made of it.
for buffered in (array.array("f", [1, 2, 3]), (ctypes.c_float * 3)(1, 2, 3), np.arange(1, 4, dtype="f").data):
    assert np.asarray(fw.function(lambda x: x * 2)(buffered)).tolist() == [2, 4, 6]
    assert np.shares_memory(as_array(buffered), np.asarray(buffered))


# Trees, constants of a trace, functions in functions, methods.
@fw.function
def trees(pair: Any, how: str = "sum", *, named: Any = None) -> Any:
    x, more = pair
    value = x + more["y"] if how == "sum" else x * more["y"]
    return {"value": value, "twice": (value * 2, [affine(fw.reshape(value, (1, 3)))]), "none": None}


found = trees((np.ones(3, np.float32), {"y": np.full(3, 2, np.float32)}))
assert found["none"] is None and np.array_equal(found["twice"][0], [6, 6, 6])
assert np.array_equal(found["twice"][1][0], [[9, 9]])
assert np.array_equal(trees((np.ones(3, np.float32), {"y": np.full(3, 2, np.float32)}), "product")["value"], [2, 2, 2])
raises(TypeError, "nor hashable", lambda: affine({1, 2}))


class Layer:
    def __init__(self, value: float):
        self.w = fw.Variable(value, name="layer/w")

    @fw.function
    def apply(self, x: Any) -> Any:
        return x * self.w


layers = [Layer(2.0), Layer(3.0)]
assert [float(layer.apply(1.0)) for layer in layers] == [2, 3] and layers[1].w.name == "layer/w_1"


# G1 to G3, G5, G7, G11: gradients of arguments, variables and what is in between.
@fw.function
def derivatives(a: Any, b: Any) -> Any:
    f = 3 * a**2 + 2 * a * b
    pair = fw.stack([a * b, a + b**2])
    h = a * b
    return {
        "f": fw.gradients(f, [a, b]),
        "sum": fw.gradients([a * b, a + b**2], [a, b]),
        "weighted": fw.gradients([a * b, a + b**2], [a, b], [fw.constant(1.0), fw.constant(0.0)]),
        "jacobian": fw.jacobian_of(pair, [a, b]),
        "none": [g is None for g in fw.gradients(f, [a, fw.constant(1.0)])],
        "stopped": fw.gradients(fw.stop_gradient(a) * a, a),
        "between": fw.gradients(h**2, h),
        "hessian": fw.hessian(lambda z: 3 * z[0] ** 2 + 2 * z[0] * z[1])(fw.stack([a, b])),
        "third": fw.grad(fw.grad(fw.grad(lambda z: z**4)))(a),
        "jvp": fw.jvp(lambda p, q: p * q, (a, b), (1.0, 0.0)),
        "vjp": fw.vjp(lambda p, q: p * q, a, b)[1](2.0),
    }


found = derivatives(np.float32(2), np.float32(3))
assert [float(g) for g in found["f"]] == [18, 4] and [float(g) for g in found["sum"]] == [4, 8]
assert [float(g) for g in found["weighted"]] == [3, 2] and found["none"].count is not None
assert [list(map(float, g)) for g in found["jacobian"]] == [[3, 1], [2, 6]]
assert float(found["stopped"]) == 2 and float(found["between"]) == 12 and float(found["third"]) == 48
assert found["hessian"].tolist() == [[6, 2], [2, 0]]
assert [float(x) for x in found["jvp"]] == [6, 3] and [float(x) for x in found["vjp"]] == [6, 4]

# G6: the gradient of each example, by a Jacobian and by vmap of a gradient.
slope = fw.Variable(2.0, name="slope")


@fw.function
def per_example(x: Any) -> Any:
    losses = (slope * x - 1) ** 2

    def loss(w: Any, one: Any) -> Any:
        return (w * one - 1) ** 2

    return fw.jacobian_of(losses, slope), fw.vmap(fw.grad(loss), (None, 0))(slope, x)


for found in per_example(np.array([1, 2, 3], np.float32)):
    assert found.tolist() == [2, 12, 30]


# vmap of products, of trees, at other axes, with a shared argument.
@fw.function(dynamic=True)
def batched(x: Any, w: Any) -> Any:
    def one(row: Any, matrix: Any) -> Any:
        return {"y": row @ matrix, "s": fw.sum(row * row)}

    return fw.vmap(one, (0, None))(x, w), fw.vmap(lambda c: c * 2, 1, 1)(x)


x, w = np.random.default_rng(1).random((5, 3), np.float32), np.random.default_rng(2).random((3, 2), np.float32)
found, doubled = batched(x, w)
assert np.allclose(found["y"], x @ w, 1e-5) and np.allclose(found["s"], (x * x).sum(1), 1e-5)
assert np.array_equal(doubled, 2 * x)


# G15.
@fw.custom_vjp
def scaled(x: Any) -> Any:
    return x * slope


@scaled.defvjp
def _(x: Any, dy: Any) -> Any:
    return fw.clip(dy, -1.0, 1.0)


@fw.function
def custom(x: Any) -> Any:
    return scaled(x), fw.gradients(fw.sum(scaled(x) * 3), x)


found = custom(np.array([1, 2], np.float32))
assert found[0].tolist() == [2, 4] and found[1].tolist() == [1, 1]


# G16, X10: control flow and its derivatives.
state = fw.Variable(0.0, name="state")


@fw.function
def flow(x: Any, n: Any) -> Any:
    branch = fw.cond(x > 0, lambda: x * 2, lambda: x * 3)
    power = fw.fori_loop(0, 3, lambda i, y: y * x, fw.constant(1.0))
    counted = fw.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] * x), (0, fw.constant(1.0)), max_iterations=8)
    last, sums = fw.scan(lambda c, y: (c + y, c + y), fw.constant(0.0), fw.stack([x, x * 2, x * 3]))
    back = fw.scan(lambda c, y: (c + y, c), fw.constant(0.0), fw.stack([x, x * 2]), reverse=True)[1]

    def assign() -> Any:
        return state.assign_add(1.0)

    fw.cond(x > 0, assign, lambda: state.read())
    total = branch + power + counted[1] + last
    return branch, power, counted, sums, back, fw.gradients(total, x), state.read()


found = flow(2.0, 4)
assert float(found[0]) == 4 and float(found[1]) == 8 and [float(v) for v in found[2]] == [4, 16]
assert found[3].tolist() == [2, 6, 12] and found[4].tolist() == [4, 0]
assert float(found[5]) == 2 + 12 + 32 + 6 and float(found[6]) == 1
assert float(flow(-2.0, 4)[0]) == -6 and float(state.numpy()) == 1


# Variables that only loops and branches read have gradients and are trained: c is 1, then w + 2; the branch adds 2 u,
# the loops in each other 6 v. A variable that is read behind stop_gradient is not trained.
values = {"w": 3.0, "u": 1.0, "v": 1.0, "idle": 7.0}
inner = {name: fw.Variable(value, name=f"inner/{name}") for name, value in values.items()}
descent = fw.optimizers.GradientDescent(lr=0.5)


def recurrent(x: Any) -> Any:
    last, _ = fw.scan(lambda c, y: (c * inner["w"] + y, ()), fw.constant(0.0), fw.stack([x, x * 2]))
    branch = fw.cond(x > 0, lambda: inner["u"] * 2, lambda: inner["u"] * 5)
    six = fw.fori_loop(0, 2, lambda i, c: fw.fori_loop(0, 3, lambda j, d: d + inner["v"], c), fw.constant(0.0))
    idle = fw.fori_loop(0, 2, lambda i, c: c + inner["idle"], fw.constant(0.0))
    return last + branch + six + 0 * fw.nn.stop_gradient(idle)


@fw.function
def train_recurrent(x: Any) -> Any:
    loss = recurrent(x)
    descent.minimize(loss)
    return loss


trained = [inner[name] for name in ("w", "u", "v")]
assert [float(g) for g in fw.function(lambda x: fw.gradients(recurrent(x), trained))(1.0)] == [1, 2, 6]
assert float(train_recurrent(1.0)) == 13
assert [float(variable.numpy()) for variable in inner.values()] == [2.5, 0, -2, 7]


# A loop or branch in another one uses what is outside of both.
@fw.function
def nested(x: Any) -> Any:
    inner = fw.fori_loop(0, 2, lambda i, c: fw.fori_loop(0, 3, lambda j, v: v + x[1], c), x[0])
    chosen = fw.fori_loop(0, 2, lambda i, c: fw.cond(c > 0, lambda: c + x[1], lambda: c), x[0])
    return inner, chosen


assert [float(v) for v in nested(np.array([1, 2], np.float32))] == [13, 5]


# A body reads what it assigned in the iteration before.
@fw.function
def accumulate() -> Any:
    def body(i: Any, s: Any) -> Any:
        state.assign(state + 1)
        return s + state

    return fw.fori_loop(0, 3, body, fw.constant(0.0))


state.set(0)
assert float(accumulate()) == 6 and float(state.numpy()) == 3


# I7, X13: random numbers are others at each call, and the same in each fresh store.
@fw.function
def draw(like: Any) -> Any:
    return fw.random.uniform((4,)), fw.random.normal((fw.dim(like, 0), 3), seed=7), fw.nn.dropout(like, 0.5)


like = np.ones((6, 2), np.float32)
with fw.Store(seed=9):
    one_run = [draw(like) for _ in range(2)]
with fw.Store(seed=9):
    again = [draw(like) for _ in range(2)]
with fw.Store(seed=8):
    differs = draw(like)
for a, b in zip(one_run, again):
    assert all(np.array_equal(p, q) for p, q in zip(a, b))
assert not np.array_equal(one_run[0][0], one_run[1][0]) and not np.array_equal(one_run[0][0], differs[0])
assert one_run[0][1].shape == (6, 3) and set(np.unique(one_run[0][2])) <= {0, 2}

# N12, O2, C5 to C7, R9: optimizers; hyper-parameters do not compile again.
with fw.Namespace(), fw.Store():
    shared = fw.Variable(2.0, name="w")
    sgd = fw.optimizers.GradientDescent(0.01)

    @fw.function
    def share(x: Any) -> Any:
        y = shared * (shared * x)
        loss = (y - 10) ** 2
        dw = fw.gradients(loss, shared)
        sgd.minimize(loss)
        return loss, dw

    assert [float(v) for v in share(3.0)] == [4, 48] and np.isclose(shared.numpy(), 1.52)
    p = fw.Variable(1.0, name="p")
    momentum = fw.optimizers.SGD(lr=0.1)
    step = fw.function(lambda: momentum.minimize(p * p / 2))
    trail = []
    for rate in (0.1, 0.1, 0.01):
        momentum.lr.set(rate)
        step()
        trail.append(float(p.numpy()))
    assert np.allclose(trail, [0.9, 0.81, 0.8019]) and len(step._traces) == 1 and int(momentum.iterations.numpy()) == 3
    f, w2 = fw.Variable(2.0, name="f", trainable=False), fw.Variable(1.0, name="w2")
    transfer = fw.function(lambda: fw.optimizers.GradientDescent(0.001).minimize((f * 3.0 * w2 - 12) ** 2))
    transfer()
    assert np.isclose(w2.numpy(), 1.072) and float(f.numpy()) == 2
    v1, v2 = fw.Variable(np.zeros(3, np.float32), name="v1"), fw.Variable(np.zeros(2, np.float32), name="v2")
    d_opt, g_opt = fw.optimizers.GradientDescent(0.1), fw.optimizers.GradientDescent(0.1)
    d_step = fw.function(lambda: d_opt.minimize(fw.sum((v1 - 1) ** 2)))
    g_step = fw.function(lambda: g_opt.minimize(fw.sum((v2 - fw.sum(v1)) ** 2), [v2]))
    d_step()
    assert np.allclose(v1.numpy(), 0.2) and not v2.numpy().any()
    g_step()
    assert np.allclose(v2.numpy(), 0.12) and np.allclose(v1.numpy(), 0.2)
    raises(ValueError, "No gradients provided", fw.function(lambda: d_opt.minimize(fw.constant(1.0), [v1])))
    raises(ValueError, "No variables to optimize", fw.function(lambda: d_opt.minimize(fw.constant(1.0))))
    # O11: optimizers of Keras refuse a listed variable without a gradient.
    keras, away = fw.optimizers.SGD(lr=0.5), fw.Variable(1.0, name="away")
    raises(ValueError, "`None` for gradient: the loss does not depend on away",
           fw.function(lambda: keras.minimize(p * p, [p, away])))  # fmt: skip
    raises(ValueError, "`None` for gradient",
           fw.function(lambda: d_opt.minimize(p * p, [p, away], unconnected="error")))  # fmt: skip
    raises(ValueError, "expected unconnected to be", fw.function(lambda: d_opt.minimize(p * p, unconnected="zero")))
    p.set(1.0)
    fw.function(lambda: keras.minimize(p * p, [p, away], unconnected="skip"))()
    fw.function(lambda: d_opt.minimize(p * p / 2, [away, p]))()
    assert np.isclose(p.numpy(), 0.0) and float(away.numpy()) == 1
    # G9: gradients that are changed before they are applied.
    q = fw.Variable(4.0, name="q")
    tripled = fw.function(lambda: d_opt.apply_gradients([(3 * fw.gradients(q * q / 2, q), q)]))
    tripled()
    assert np.isclose(q.numpy(), 2.8)


# P3, P10: a fresh store goes on bit by bit, slots and random streams too.
def train(store: fw.Store, steps: int) -> Any:
    with store:
        for _ in range(steps):
            noisy(like)
        return noise_w.numpy()


noise_w = fw.Variable(fw.initializers.RandomNormal(), shape=(2, 3), name="noise_w")
adam = fw.optimizers.Adam(lr=0.1)


@fw.function
def noisy(x: Any) -> None:
    adam.minimize(fw.mean((fw.nn.dropout(x, 0.3) @ noise_w) ** 2))


path = os.path.join(folder, "noisy.safetensors")
whole = train(fw.Store(seed=4), 5)
part = fw.Store(seed=4)
train(part, 2)
part.save(path)
resumed = fw.Store()
resumed.restore(path)
assert np.array_equal(train(resumed, 3), whole)
raises(fw.NotFoundError, "nope", lambda: fw.restore(os.path.join(folder, "nope")))
with resumed:
    fw.save(os.path.join(folder, "one.safetensors"), {"renamed": noise_w})
with fw.Store():
    fw.restore(os.path.join(folder, "one.safetensors"), {"renamed": noise_w})
    assert np.array_equal(noise_w.numpy(), whole)
manager = fw.CheckpointManager()
assert resumed.save_step(manager, os.path.join(folder, "step"), 7, [noise_w]).endswith("step-7")
with fw.Store() as latest:
    assert latest.restore_latest(folder, [noise_w]) and np.array_equal(noise_w.numpy(), whole)


# T9: errors are raised at the user's line, with the location of the op.
def line_of(error: BaseException) -> int:
    traceback, line = error.__traceback__, 0
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == __file__:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


@fw.function
def wrong(x: Any) -> Any:
    y = x * 2
    return fw.nn.dense(y, weights)


try:
    wrong(np.ones((2, 5), np.float32))
except fw.CompileError as error:
    assert line_of(error) == wrong._function.__code__.co_firstlineno + 3
    assert f"{__file__}:{line_of(error)}:12: error: 'nn.dense' of x (2, 5), w (" in str(error), error
else:
    raise AssertionError("expected an error")
raises(ValueError, "do not multiply", lambda: fw.function(lambda x: x @ weights)(np.ones((2, 5), np.float32)))
raises(ValueError, "could not be broadcast", lambda: fw.function(lambda x: x + weights)(np.ones((2, 5), np.float32)))
raises(TypeError, "truth value", lambda: fw.function(lambda x: 1 if x > 0 else 2)(1.0))
raises(RuntimeError, "decorate the function", lambda: fw.exp(1.0))
raises(IndexError, "out of bounds", lambda: fw.function(lambda x: x[3])(np.ones(3, np.float32)))
raises(fw.InvalidArgumentError, "out of", lambda: fw.function(lambda x, i: x[i])(np.ones(3, np.float32), 3))
raises(ValueError, "one type", lambda: fw.function(lambda x: fw.cond(x > 0, lambda: x, lambda: 1))(1.0))
raises(ValueError, "shapes of a variable", lambda: fw.function(lambda: weights.assign(np.ones(3, np.float32)))())
raises(TypeError, "Expected int32", lambda: fw.Variable(1).set(1.5))
raises(TypeError, "not pickled", lambda: pickle.dumps(wrong))
leaked: Any = []


@fw.function
def leak(x: Any) -> Any:
    leaked.append(x)
    return fw.cond(x > 0, lambda: leaked.append(x * 2) or x, lambda: x)


leak(1.0)
raises(ValueError, "another function", lambda: fw.function(lambda x: x + leaked[0])(1.0))
raises(RuntimeError, "decorate the function", lambda: leaked[0] + 1)
raises(fw.CompileError, "outside of where it was made", lambda: fw.function(
    lambda x: (fw.cond(x > 0, lambda: leaked.append(x * 2) or x, lambda: x), leaked[-1] + 1)[1])(1.0))  # fmt: skip

# Looking inside, and files.
assert "nn.dense" in affine.mlir() and "loc(" not in affine.mlir() and "linalg" in affine.stage("flywheel-linalg")
cost = affine.cost(fw.spec("batch", 3), 1.0, bindings={"batch": 4})
assert "before" in cost
affine.export(os.path.join(folder, "affine.o"), fw.spec("batch", 3), fw.spec())
assert all(os.path.exists(os.path.join(folder, f"affine.{extension}")) for extension in ("o", "h", "json"))
# One function is a list of one; names in C have an underscore for what they cannot have.
fw.export(total, os.path.join(folder, "total.o"), model_name="a b")
with open(os.path.join(folder, "total.h")) as header:
    assert "a_b_total(" in header.read()
both_entries = fw.module_of([count, total.trace()])
assert fw.compile(both_entries).entries[1].name == "total"

# T22: the disk has programs of other processes; a warm one is read, not compiled.
files = set(os.listdir(os.environ["FLYWHEEL_CACHE"]))
assert files
compilation._programs.clear()
# A file that is written anew is another one.
before = [os.stat(os.path.join(os.environ["FLYWHEEL_CACHE"], name)).st_ino for name in sorted(files)]
with fw.Store():
    assert float(fw.function(count._function, name="count")()[0]) == 0
    assert np.allclose(fw.function(total._function, name="total")()[0], expected.sum())
assert set(os.listdir(os.environ["FLYWHEEL_CACHE"])) == files
assert [os.stat(os.path.join(os.environ["FLYWHEEL_CACHE"], name)).st_ino for name in sorted(files)] == before

# Threads: each has its own trace and store; calls on one store take turns.
results: List[float] = []


def work() -> None:
    with fw.Store() as mine:
        assert fw.current_store() is mine
        for _ in range(100):
            count()
        results.append(float(counter.numpy()))


threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(results) == 4 and len(set(results)) == 1

# Devices are those of a thread.
chosen: List[str] = []
with fw.device("/gpu:0"):
    thread = threading.Thread(target=lambda: chosen.append(fw.function(lambda x: x).options.target))
    thread.start()
    thread.join()
    assert chosen == [""] and fw.function(lambda x: x).options.target == "cuda"

# A store that is dropped is freed with its values, and another one in its place is none of its cases.
dropped: List[Any] = []
for _number in range(3):
    with fw.Store() as temporary_store:
        count(), count()
        dropped.append(weakref.ref(temporary_store))
    del temporary_store
    assert dropped[-1]() is None
    with fw.Store():
        before_call = float(counter.numpy())
        count()
        assert float(counter.numpy()) != before_call

# A copy of an object has its own functions.
class Scaled:
    def __init__(self) -> None:
        self.scale = 2.0

    @fw.function
    def scaled(self, x: Any) -> Any:
        return x * self.scale


class Slotted:
    __slots__ = ("scale",)
    scaled = Scaled.scaled


original = Scaled()
assert float(original.scaled(1.0)) == 2 and original.scaled is original.scaled
for made in (copy.copy(original), copy.deepcopy(original), pickle.loads(pickle.dumps(original))):
    made.scale = 5.0
    assert float(made.scaled(1.0)) == 5 and float(original.scaled(1.0)) == 2
raises(TypeError, "add '__dict__' to its __slots__", lambda: Slotted().scaled)

# A function that is dropped is freed with its session.
temporary: Any = fw.function(lambda x: x + counter.assign_add(1.0))
counter.set(1)
assert float(temporary(1.0)) == 3
held = weakref.ref(temporary.trace())
del temporary
gc.collect()
assert held() is None and float(counter.numpy()) == 2

# A call that has compiled runs no Python of ours: thousands take no time.
small: Any = fw.function(lambda x: x + 1)
small(np.ones(4, np.float32))
argument = np.ones(4, np.float32)
start = time.perf_counter()
for _number in range(10000):
    small(argument)
assert time.perf_counter() - start < 2
