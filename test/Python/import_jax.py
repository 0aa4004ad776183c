# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, jax
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""B5: functions of JAX train 20 steps here and there, in float64: losses, parameters and state are compared. Descent
with momentum and Adam are written here by hand."""

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import flywheel as fw
import flywheel.jax

jax.config.update("jax_enable_x64", True)

Tree = Any
RNG = np.random.default_rng(3)


def draw(*shape: int) -> Any:
    return RNG.standard_normal(shape)


#
# Optimizers, as functions from parameters, slots and a gradient to both
#


def momentum(rate: float) -> Tuple[Any, Callable[..., Any]]:
    def update(p: Any, slots: Any, g: Any, t: int) -> Any:
        velocity = 0.9 * slots[0] - rate * g
        return p + velocity, (velocity, slots[1])

    return fw.optimizers.SGD(lr=rate, momentum=0.9), update


def adam(rate: float) -> Tuple[Any, Callable[..., Any]]:
    def update(p: Any, slots: Any, g: Any, t: int) -> Any:
        m, v = 0.9 * slots[0] + 0.1 * g, 0.999 * slots[1] + 0.001 * g * g
        step = rate * np.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        return p - step * m / (jnp.sqrt(v) + 1e-7), (m, v)

    return fw.optimizers.Adam(lr=rate, epsilon=1e-7), update


def train(
    loss: Callable[..., Any], params: Tree, state: Tree, batch: Sequence[Any], update: Any, steps: int
) -> Tuple[List[float], Tree, Tree]:
    """JAX's own steps: the losses, and what is left in the end."""
    has_state = state is not None
    derivative = jax.jit(jax.value_and_grad(loss, has_aux=has_state, allow_int=True))
    leaves, tree = jax.tree_util.tree_flatten(params)
    slots = [(jnp.zeros_like(leaf), jnp.zeros_like(leaf)) for leaf in leaves]
    losses = []
    for t in range(1, steps + 1):
        params = jax.tree_util.tree_unflatten(tree, leaves)
        value, gradient = derivative(params, *([state] if has_state else []), *batch)
        if has_state:
            value, state = value
        losses.append(float(value))
        pairs = [
            update(p, s, g, t) if jnp.issubdtype(p.dtype, jnp.floating) else (p, s)
            for p, s, g in zip(leaves, slots, jax.tree_util.tree_leaves(gradient))
        ]
        leaves, slots = [p for p, _ in pairs], [s for _, s in pairs]
    return losses, jax.tree_util.tree_unflatten(tree, leaves), state


def close(found: Tree, expected: Tree, rtol: float, atol: float) -> None:
    assert jax.tree_util.tree_structure(found) == jax.tree_util.tree_structure(expected)
    for (path, one), other in zip(jax.tree_util.tree_flatten_with_path(found)[0], jax.tree_util.tree_leaves(expected)):
        np.testing.assert_allclose(one, other, rtol, atol, err_msg=jax.tree_util.keystr(path))
        assert one.dtype == other.dtype


def beside(
    function: Callable[..., Any],
    params: Tree,
    inputs: Sequence[Any],
    optimizer: Tuple[Any, Any],
    state: Tree = None,
    loss: Optional[Callable[..., Any]] = None,
    targets: Optional[Sequence[Any]] = None,
    steps: int = 20,
) -> Any:
    """Trains here and in JAX, and compares."""
    ours = flywheel.jax.from_function(
        function, params, inputs, state=state, loss=loss, example_targets=targets, optimizer=optimizer[0]
    )
    batch = [*inputs, *(targets or ())]

    def whole(p: Any, *rest: Any) -> Any:
        if loss is None:
            return function(p, *rest)
        count = len(rest) - len(targets or ())
        result = function(p, *rest[:count])
        if state is None:
            return loss(result, *rest[count:])
        return loss(result[0], *rest[count:]), result[1]

    expected, trained, moved = train(whole, params, state, batch, optimizer[1], steps)
    found = [float(ours.step(*batch)) for _ in range(steps)]
    assert expected[-1] < expected[0] * 0.97, "the model does not learn"
    np.testing.assert_allclose(found, expected, 1e-7)
    close(ours.params(), trained, 1e-6, 1e-8)
    if state is not None:
        close(ours.state(), moved, 1e-6, 1e-8)
    # For inference, with what it has learned; state stays as it is.
    result = function(trained, *([moved] if state is not None else []), *inputs)
    close(ours(*inputs), jax.tree_util.tree_map(np.asarray, result if state is None else result[0]), 1e-5, 1e-7)
    if state is not None:
        close(ours.state(), moved, 1e-6, 1e-8)
    saved = ours.state_dict()
    ours.load_state_dict(saved)
    assert list(saved) == list(ours.variables)
    return ours


#
# Models
#


def dense(inputs: int, outputs: int) -> Dict[str, Any]:
    return {"w": draw(inputs, outputs) / np.sqrt(inputs), "b": np.zeros(outputs)}


def apply(p: Any, x: Any) -> Any:
    return x @ p["w"] + p["b"]


def cross_entropy(logits: Any, labels: Any) -> Any:
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1))


def test_perceptron() -> None:
    params = {"layers": [dense(8, 16), dense(16, 4)], "scale": np.array(1.5)}

    def loss(p: Any, x: Any, y: Any) -> Any:
        h = jax.nn.gelu(apply(p["layers"][0], x))
        return cross_entropy(p["scale"] * apply(p["layers"][1], h), y)

    ours = beside(loss, params, (draw(5, 8), RNG.integers(0, 4, 5)), momentum(0.1))
    assert sorted(ours.variables) == ["layers/0/b", "layers/0/w", "layers/1/b", "layers/1/w", "scale"]
    assert ours.variables["layers/0/w"].name == "layers/0/w" and ours.variables["scale"].trainable


def batch_norm(p: Any, s: Any, x: Any) -> Any:
    mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
    moved = jax.tree_util.tree_map(
        lambda old, new: 0.9 * old + 0.1 * lax.stop_gradient(new), s, {"mean": mean, "variance": variance}
    )
    return (x - mean) * lax.rsqrt(variance + 1e-5) * p["gamma"] + p["beta"], moved


def convolve(x: Any, w: Any, stride: int = 1) -> Any:
    return lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def norm(channels: int) -> Any:
    return {"gamma": np.ones(channels), "beta": np.zeros(channels)}


def test_convolutional() -> None:
    """Filters, pools, normalized batches whose statistics are state."""
    params = {
        "conv1": draw(3, 3, 2, 6) * 0.3,
        "norm1": norm(6),
        "conv2": draw(3, 3, 6, 8) * 0.2,
        "norm2": norm(8),
        "out": dense(8, 3),
    }
    state = {name: {"mean": np.zeros(n), "variance": np.ones(n)} for name, n in (("norm1", 6), ("norm2", 8))}

    def model(p: Any, s: Any, x: Any) -> Any:
        y, first = batch_norm(p["norm1"], s["norm1"], convolve(x, p["conv1"]))
        y = lax.reduce_window(jax.nn.relu(y), -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
        y, second = batch_norm(p["norm2"], s["norm2"], convolve(y, p["conv2"], 2))
        y = lax.reduce_window(jax.nn.relu(y), 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4
        return apply(p["out"], y.mean((1, 2))), {"norm1": first, "norm2": second}

    images, labels = draw(6, 9, 8, 2), RNG.integers(0, 3, 6)
    ours = beside(model, params, (images,), adam(0.01), state, cross_entropy, (labels,))
    assert not ours.variables["state/norm1/mean"].trainable


def layer_norm(p: Any, x: Any) -> Any:
    return jax.nn.standardize(x, -1, epsilon=1e-5) * p["gamma"] + p["beta"]


def transformer(channels: int, hidden: int, tokens: int, length: int) -> Tree:
    return {
        "tokens": draw(tokens, channels) * 0.5,
        "places": draw(length, channels) * 0.1,
        "norm1": norm(channels),
        "qkv": dense(channels, 3 * channels),
        "proj": dense(channels, channels),
        "norm2": norm(channels),
        "up": dense(channels, hidden),
        "down": dense(hidden, channels),
    }


def attend(p: Any, x: Any, heads: int) -> Any:
    batch, time, channels = x.shape
    q, k, v = [part.reshape(batch, time, heads, -1) for part in jnp.split(apply(p["qkv"], x), 3, -1)]
    scores = jnp.einsum("bthd,bshd->bhts", q, k) / np.sqrt(channels // heads)
    scores = jnp.where(jnp.tril(jnp.ones((time, time), bool)), scores, -jnp.inf)
    values = jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(scores), v)
    return apply(p["proj"], values.reshape(batch, time, channels))


def language_model(p: Any, tokens: Any) -> Any:
    x = p["tokens"][tokens] + p["places"][: tokens.shape[1]]
    x = x + attend(p, layer_norm(p["norm1"], x), 4)
    x = x + apply(p["down"], jax.nn.gelu(apply(p["up"], layer_norm(p["norm2"], x))))
    return x @ p["tokens"].T


def test_transformer() -> None:
    params = transformer(16, 32, 20, 8)
    tokens = RNG.integers(0, 20, (3, 7))
    beside(language_model, params, (tokens,), adam(0.01), None, cross_entropy, (RNG.integers(0, 20, (3, 7)),))


def gru(p: Any, x: Any) -> Any:
    """`x` is [batch, time, features]; the last state."""

    def cell(h: Any, row: Any) -> Any:
        parts = row @ p["w"] + p["b"]
        z, r, n = jnp.split(parts, 3, -1)
        hz, hr, hn = jnp.split(h @ p["u"], 3, -1)
        z, r = jax.nn.sigmoid(z + hz), jax.nn.sigmoid(r + hr)
        h = (1 - z) * jnp.tanh(n + r * hn) + z * h
        return h, h

    start = jnp.zeros((x.shape[0], p["u"].shape[0]), x.dtype)
    return lax.scan(cell, start, x.swapaxes(0, 1))[0]


def test_recurrent() -> None:
    params = {"gru": {"w": draw(3, 15) * 0.5, "u": draw(5, 15) * 0.4, "b": np.zeros(15)}, "out": dense(5, 3)}

    def loss(p: Any, x: Any, y: Any) -> Any:
        return cross_entropy(apply(p["out"], gru(p["gru"], x)), y)

    beside(loss, params, (draw(4, 6, 3), RNG.integers(0, 3, 4)), momentum(0.1))


def test_mixed() -> None:
    """Branches, loops, sorting, scatter, rules of its own and parameters in containers of several kinds."""

    rounded = jax.custom_vjp(lambda x: jnp.round(x * 4) / 4)
    rounded.defvjp(lambda x: (jnp.round(x * 4) / 4, None), lambda _, g: (g,))
    params = (draw(4, 6) * 0.3, [dense(6, 6)], {"bias": draw(6), "count": np.array(3, np.int32)})
    state = {"steps": np.array(0, np.int64), "seen": np.zeros(5)}

    def loss(p: Any, s: Any, x: Any, k: Any) -> Any:
        h = x @ p[0] + p[2]["bias"]
        h = lax.fori_loop(0, 3, lambda i, v: jnp.tanh(apply(p[1][0], v)) + 0.1 * i, h)
        h = lax.cond(s["steps"] % 2 == 0, lambda v: v, lambda v: v * 1.1, h)
        top = jnp.sort(h, -1)[:, -3:]
        table = jnp.zeros((5, 6)).at[k].add(h)
        value = jnp.mean((top - 1) ** 2) + 0.1 * jnp.mean(table**2) + jnp.mean(rounded(h) * 0.3) ** 2
        return value, {"steps": s["steps"] + 1, "seen": s["seen"].at[k].add(1.0)}

    ours = beside(loss, params, (draw(7, 4), RNG.integers(0, 5, 7)), momentum(0.05), state)
    assert not ours.variables["2/count"].trainable and int(ours.state()["steps"]) == 20
    assert isinstance(ours.params(), tuple) and ours.params()[2]["count"] == 3


#
# Use
#


def test_inference() -> None:
    """An import without training, another function for inference, and one as part of a traced function."""
    params, x = dense(3, 2), draw(4, 3)
    ours = flywheel.jax.from_function(apply, params, (x,), name="frozen")
    np.testing.assert_allclose(ours(x), apply(params, x), 1e-12)
    assert ours.variables["w"].name == "frozen/w"

    @fw.function
    def twice(v: Any) -> Any:
        return ours(v) * 2

    np.testing.assert_allclose(twice(x), 2 * apply(params, x), 1e-12)
    raises(ValueError, lambda: ours.step(x), "a loss and an optimizer")

    def drop(p: Any, s: Any, v: Any) -> Any:
        key, own = jax.random.split(jax.random.wrap_key_data(s))
        kept = jax.random.bernoulli(own, 0.5, v.shape)
        return apply(p, jnp.where(kept, v * 2, 0)), jax.random.key_data(key)

    key = np.asarray(jax.random.key_data(jax.random.key(5)))
    ours = flywheel.jax.from_function(
        drop,
        params,
        (x,),
        state=key,
        loss=lambda y, t: jnp.mean((y - t) ** 2),
        example_targets=(draw(4, 2),),
        optimizer=fw.optimizers.SGD(lr=0.1),
        inference=lambda p, s, v: apply(p, v),
        name="dropped",
    )
    np.testing.assert_allclose(ours(x), apply(params, x), 1e-12)
    target, theirs, state = draw(4, 2), params, key
    for _ in range(3):

        def loss(p: Any, state: Any = state) -> Any:
            y, after = drop(p, state, x)
            return jnp.mean((y - target) ** 2), after

        (value, state), gradient = jax.value_and_grad(loss, has_aux=True)(theirs)
        theirs = jax.tree_util.tree_map(lambda p, g: p - 0.1 * g, theirs, gradient)
        np.testing.assert_allclose(ours.step(x, target), value, 1e-9)
    assert (ours.state() == np.asarray(state)).all()
    moving = fw.function(lambda v: ours(v, training=True))
    expected, state = drop(ours.params(), state, x)
    np.testing.assert_allclose(moving(x), expected, 1e-9)
    assert (ours.state() == np.asarray(state)).all()


def test_own_loss() -> None:
    """A loss of this package's ops, and a tree of inputs and of outputs."""
    params = dense(3, 2)

    def model(p: Any, batch: Any) -> Any:
        return {"y": apply(p, batch["x"]), "sum": batch["x"].sum()}

    x, target = draw(4, 3), draw(4, 2)
    ours = flywheel.jax.from_function(
        model,
        params,
        ({"x": x},),
        loss=lambda out, t: fw.mean(fw.square(out["y"] - t)),
        optimizer=fw.optimizers.SGD(lr=0.1),
    )

    def loss(p: Any) -> Any:
        return jnp.mean((model(p, {"x": x})["y"] - target) ** 2)

    found = float(ours.step({"x": x}, target))
    value, gradient = jax.value_and_grad(loss)(params)
    np.testing.assert_allclose(found, value, 1e-9)
    close(ours.params(), jax.tree_util.tree_map(lambda p, g: np.asarray(p - 0.1 * g), params, gradient), 1e-9, 1e-12)
    result = ours({"x": x})
    assert sorted(result) == ["sum", "y"]
    np.testing.assert_allclose(result["y"], apply(ours.params(), x), 1e-9)


def test_symbolic() -> None:
    """Sizes that the call chooses."""
    params = {"in": dense(3, 8), "out": dense(8, 4)}

    def loss(p: Any, x: Any, y: Any) -> Any:
        h = jax.nn.relu(apply(p["in"], x))
        return cross_entropy(apply(p["out"], h / x.shape[0]), y) + jnp.mean(
            jnp.broadcast_to(p["out"]["b"], (x.shape[0], 4))
        )

    (batch,) = jax.export.symbolic_shape("batch")
    example = (jax.ShapeDtypeStruct((batch, 3), np.float64), jax.ShapeDtypeStruct((batch,), np.int64))
    optimizer, update = momentum(0.1)
    ours = flywheel.jax.from_function(loss, params, example, optimizer=optimizer)
    leaves, tree = jax.tree_util.tree_flatten(params)
    slots: List[Any] = [(jnp.zeros_like(leaf), 0) for leaf in leaves]
    for t, count in enumerate((5, 3, 1, 8), 1):
        x, y = draw(count, 3), RNG.integers(0, 4, count)
        value, gradient = jax.value_and_grad(loss)(jax.tree_util.tree_unflatten(tree, leaves), x, y)
        np.testing.assert_allclose(ours.step(x, y), value, 1e-9)
        pairs = [update(p, s, g, t) for p, s, g in zip(leaves, slots, jax.tree_util.tree_leaves(gradient))]
        leaves, slots = [p for p, _ in pairs], [s for _, s in pairs]
    close(ours.params(), jax.tree_util.tree_map(np.asarray, jax.tree_util.tree_unflatten(tree, leaves)), 1e-9, 1e-12)


def test_single_array() -> None:
    ours = flywheel.jax.from_function(
        lambda w, x: jnp.sum((x * w) ** 2), np.array(2.0), (draw(3),), optimizer=fw.optimizers.SGD(lr=0.0)
    )
    assert list(ours.variables) == ["params"] and ours.params() == 2.0


def test_bfloat16() -> None:
    params = jax.tree_util.tree_map(lambda a: jnp.asarray(a, jnp.bfloat16), dense(8, 4))
    x, y = jnp.asarray(draw(5, 8), jnp.bfloat16), jnp.asarray(draw(5, 4), jnp.bfloat16)

    def loss(p: Any, x: Any, y: Any) -> Any:
        return jnp.mean(jnp.square(apply(p, x) - y).astype(jnp.float32))

    ours = flywheel.jax.from_function(loss, params, (x, y), optimizer=fw.optimizers.SGD(lr=0.1))
    found, own = [], params
    expected = []
    for _ in range(5):
        found.append(float(ours.step(x, y)))
        value, gradient = jax.value_and_grad(loss)(own, x, y)
        own = jax.tree_util.tree_map(lambda p, g: p - jnp.bfloat16(0.1) * g, own, gradient)
        expected.append(float(value))
    np.testing.assert_allclose(found, expected, 2e-2)
    assert ours.params()["w"].dtype == jnp.bfloat16


#
# Errors
#


def raises(kind: Any, thunk: Callable[[], Any], *parts: str) -> None:
    try:
        thunk()
    except kind as error:
        assert all(part in str(error) for part in parts), error
        return
    raise AssertionError("no error")


def test_unsupported() -> None:
    """All that is missing, with the lines, before anything is compiled."""

    def strange(p: Any, x: Any) -> Any:
        linalg = lax.linalg
        y = linalg.schur(x * p)[0]  # line of schur
        return y.sum() + linalg.hessenberg(x)[0] @ linalg.tridiagonal(x)[0]

    try:
        flywheel.jax.from_function(strange, np.array(1.0), (draw(3, 3),), optimizer=fw.optimizers.SGD(lr=0.1))
    except flywheel.jax.UnsupportedOpError as error:
        text = str(error)
        with open(__file__) as file:
            line = next(i for i, text in enumerate(file, 1) if "# line of schur" in text and "linalg" in text)
        assert "of this JAX model are not imported" in text and "stablehlo.custom_call @lapack_dgees_ffi" in text, text
        assert f"{__file__}:{line}" in text, text
        assert all(name in text for name in ("@lapack_dgehrd_ffi", "@lapack_dsytrd_ffi")), text
        assert len(error.missing) >= 3
    else:
        raise AssertionError("an op that is not imported")
    assert not fw.global_variables()


def test_unsupported_forms() -> None:
    """So are all forms of ops that are not imported, and ops in loops."""

    def strange(x: Any) -> Any:
        z = x.at[np.array([0, 1])].apply(jnp.sin)
        return lax.fori_loop(0, 3, lambda i, v: v + lax.linalg.schur(v)[0], z)

    try:
        flywheel.jax.from_function(lambda p, x: strange(x), {}, (draw(3, 3),))
    except flywheel.jax.UnsupportedOpError as error:
        assert "@lapack_dgees_ffi" in str(error), error
    else:
        raise AssertionError("an op that is not imported")

    def forms(x: Any) -> Any:
        y = lax.reduce_precision(x, 5, 2)
        return y + x.at[np.array([0, 1])].apply(jnp.sin)

    raises(
        flywheel.jax.UnsupportedOpError,
        lambda: flywheel.jax.from_function(lambda p, x: forms(x), {}, (draw(3, 3),)),
        "2 ops of this JAX model",
        "stablehlo.reduce_precision to 5 bits of exponent and 2 of mantissa, ",
        "stablehlo.scatter with a function of its own, ",
        __file__,
    )
    raises(
        flywheel.jax.UnsupportedOpError,
        lambda: flywheel.jax.from_function(lambda p, x: jnp.sort(x * 1j).real, {}, (draw(3, 3),)),
        "complex",
    )


def test_errors() -> None:
    params, x = dense(3, 2), draw(4, 3)
    sgd = fw.optimizers.SGD(lr=0.1)

    def make(function: Any, tree: Any = params, *inputs: Any, **options: Any) -> Any:
        return flywheel.jax.from_function(function, tree, inputs or (x,), **{"optimizer": sgd, **options})

    def loss(p: Any, v: Any) -> Any:
        return jnp.sum(apply(p, v) ** 2)

    ours = make(loss)
    raises(ValueError, lambda: ours.step(draw(5, 3)), "(5, 3)", "(4, 3)")
    raises(TypeError, lambda: ours.step(x.astype(np.float32)), "float64(4, 3)", "float32")
    raises(ValueError, lambda: ours.step(x, x), "1 arguments of the form (*,), found 2 of the form (*, *)")
    raises(ValueError, lambda: ours({"x": x}), "arguments of the form")
    raises(ValueError, lambda: fw.function(lambda v: ours(v))(draw(5, 3)), "float64(4, 3)", "float64(5, 3)")
    raises(ValueError, lambda: ours(x, training=True), "traced functions")
    raises(ValueError, lambda: ours.load_state_dict({"w": x}), "lacks ['b']")
    before = ours.state_dict()
    raises(ValueError, lambda: ours.load_state_dict({"b": before["b"] + 1, "w": x}), "'w'", "(3, 2)", "(4, 3)")
    raises(TypeError, lambda: ours.load_state_dict({"b": before["b"] + 1, "w": before["w"].astype(np.float32)}), "'w'")
    np.testing.assert_array_equal(ours.state_dict()["b"], before["b"])
    raises(TypeError, lambda: make(loss, {"w": 3.0, "b": "text"}), "expected arrays as params", "found str at 'b'")
    raises(TypeError, lambda: make(loss, {"w": jax.random.key(0)}), "jax.random.key_data")
    raises(TypeError, lambda: make(loss, {"w": draw(3) * 1j}), "complex128")
    raises(TypeError, lambda: make(loss, draw(3) * 1j), "params is of complex128")
    raises(ValueError, lambda: make(loss, {}), "found none")
    raises(ValueError, lambda: make(apply), "a loss is a scalar", "float64(4, 2)")
    raises(ValueError, lambda: make(lambda p, v: jnp.argmax(v)), "a loss is a scalar", "int64()")
    raises(ValueError, lambda: make(lambda p, s, v: loss(p, v), state={"s": x}), "returns a pair", "found")
    raises(ValueError, lambda: make(lambda p, s, v: (loss(p, v), s[0]), state=[x]), "another form")
    raises(
        ValueError, lambda: make(lambda p, s, v: (loss(p, v), [s[0][:2]]), state=[x]), "'state/0'", "(4, 3)", "(2, 3)"
    )
    raises(ValueError, lambda: make(lambda p, s, v: (loss(p, v), s), {"state": {"w": x}}, x, state={"w": x}), "state/w")
    raises(ValueError, lambda: make(loss, optimizer=None, loss=lambda y: y), "an optimizer with a loss")
    raises(ValueError, lambda: make(loss, example_targets=(x,)), "a loss with example_targets")
    raises(TypeError, lambda: flywheel.jax.from_function(loss, params, x, optimizer=sgd), "a tuple of example inputs")
    with jax.enable_x64(False):
        raises(TypeError, lambda: make(loss), "jax_enable_x64", "float32")


def run(tests: Sequence[Callable[[], None]]) -> None:
    for test in tests:
        with fw.Namespace(), fw.Store():
            test()


if __name__ == "__main__":
    run([test for name, test in list(globals().items()) if name.startswith("test_")])
