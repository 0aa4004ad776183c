# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Programs in the manner of JAX: trees, static arguments, sizes that vary (X15), rules, small matrices."""

from collections import OrderedDict, defaultdict
from typing import Any, List, Tuple, Type

import numpy as np

import flywheel as fw
from configurations import run_tests

rng = np.random.default_rng(5)


def f32(values: Any) -> Any:
    return np.array(values, np.float32)


def floats(*shape: int) -> Any:
    return rng.standard_normal(shape)


def close(found: Any, wanted: Any, rtol: float = 1e-9) -> None:
    np.testing.assert_allclose(np.asarray(found), wanted, rtol, 1e-12)


# Trees: keys of several types, ordered and defaulted ones; axes of parts of arguments; trees of derivatives.
x, y = floats(3), floats(3)


def test_trees() -> None:
    tree = OrderedDict(z=x, a=[y, None])
    doubled = fw.function(lambda t: OrderedDict((key, fw.map_leaves(lambda leaf: leaf * 2, t[key])) for key in t))(tree)
    assert type(doubled) is OrderedDict and list(doubled) == ["z", "a"] and doubled["a"][1] is None
    close(doubled["z"], 2 * x)
    counts = defaultdict(list, {1: x, "b": y})
    close(fw.function(lambda t: t[1] + t["b"])(counts), x + y)
    named = fw.function(lambda v: {"a b": v, "a_b": v + 1})(x)
    close(named["a_b"], x + 1)


weights = {"w": floats(5, 3), "b": floats(5)}


def test_trees_2() -> None:
    spread = fw.vmap(lambda p, v, k: {"y": p["w"] @ v + p["b"], "k": k}, in_axes=({"w": 0, "b": 0}, None, 1),
                     out_axes={"k": 1, "y": 0})  # fmt: skip
    batch = fw.function(spread)(weights, x, np.zeros((2, 5)))
    close(batch["y"], weights["w"] @ x + weights["b"])
    assert batch["k"].shape == (2, 5)
    close(fw.function(lambda w: fw.vmap(lambda v, k: fw.sum(v) * k)(w, k=w[:, 0]))(weights["w"]),
          weights["w"].sum(1) * weights["w"][:, 0])  # fmt: skip
    for wrong in ({"w": 0}, (0, 0)):
        try:
            fw.function(lambda p, axes=wrong: fw.vmap(lambda q: q["w"], in_axes=(axes,))(p))(weights)
            raise AssertionError("expected a ValueError")
        except ValueError as error:
            assert "expected in_axes of the form" in str(error)


def test_trees_3() -> None:
    second = fw.function(fw.hessian(lambda p: fw.sum(p["w"] ** 3) * p["b"]))({"w": x, "b": np.float64(2)})
    close(second["w"]["w"], np.diag(12 * x))
    close(second["w"]["b"], 3 * x**2)
    close(second["b"]["b"], 0)
    both = fw.function(fw.jacobian(lambda v: (v**2, v[:2].sum())))(x)
    close(both[0], np.diag(2 * x))
    close(both[1], [1, 1, 0])


def test_arguments_that_derivatives() -> None:
    # Arguments that derivatives are not with respect to stay Python values: flags, numbers, names.
    close(
        fw.function(lambda v: fw.grad(lambda u, power, flag=True: fw.sum(u**power) if flag else u[0])(v, 2))(x), 2 * x
    )


@fw.custom_vjp
def root(v: Any) -> Any:
    return fw.sqrt(v)


@root.defvjp
def _(v: Any, weights: Any) -> Any:
    return weights / (2 * root(v))  # A rule that calls its own function.


def test_arguments_that_derivatives_2() -> None:
    squares = x * x + 1
    close(fw.function(fw.grad(lambda v: fw.sum(root(v))))(squares), 0.5 / np.sqrt(squares))
    close(fw.function(fw.hessian(lambda v: fw.sum(root(v))))(squares), np.diag(-0.25 * squares**-1.5))


# Static arguments, and parameters that are left at their defaults.
traces: List[str] = []


@fw.function(static=("mode", "count"))
def chosen(v: Any, mode: Any, count: int = 2, scale: Any = 1.0, flag: bool = False) -> Any:
    traces.append(str(mode))
    for _ in range(count):
        v = v * 2 if mode else v + 1
    return v * scale if not flag else v


def test_static_arguments() -> None:
    close(chosen(x, True), 4 * x)
    close(chosen(x, False, count=3), x + 3)
    close(chosen(x, True, scale=0.5), 2 * x)
    close(chosen(x, True, 2, 0.25), x)
    close(chosen(x, mode=False, count=3), x + 3)


def test_number_beside_a_tensor() -> None:
    # A number that is given beside float64 is traced anew, as it is not rounded then.
    assert traces == ["True", "False", *["True"] * 4], traces
    assert fw.function(lambda v, n: n, static=1)(x, 3).dtype == np.int32
    for bad in ("other", 9):
        try:
            fw.function(lambda v: v, static=bad)
            raise AssertionError("expected a ValueError")
        except ValueError as error:
            assert "no parameter" in str(error)
    try:
        chosen(x, [1])
        raise AssertionError("expected a TypeError")
    except TypeError as error:
        assert "nor hashable: list" in str(error), error


class Model:
    def __init__(self, scale: float):
        self.scale = scale

    @fw.function(static="flag")
    def __call__(self, v: Any, flag: bool) -> Any:
        return v * self.scale if flag else v


def test_number_beside_a_tensor_2() -> None:
    close(Model(3.0)(x, True), 3 * x)
    close(Model(3.0)(x, flag=False), x)


# Sizes that vary: one program where it can be, and else one for each.
passes: List[Any] = []


def known(v: Any) -> List[Any]:
    return [n if isinstance(n, int) else "n" for n in v.shape]


@fw.function
def rows(v: Any) -> Any:
    passes.append(known(v))
    return fw.concatenate([v, v]), sum(list(v))


def test_sizes_that_vary() -> None:
    for count in (2, 3, 2, 4):
        given = floats(count, 3)
        close(rows(given)[0], np.concatenate([given, given]))
    assert passes == [[2, 3], ["n", 3], [3, 3], [4, 3]], passes


@fw.function
def general(v: Any) -> Any:
    passes.append(known(v))
    return v[::-1] * fw.shape(v)[0], fw.flip(v, 0)


def test_sizes_that_vary_2() -> None:
    passes.clear()
    for count in (2, 3, 5, 1):
        given = floats(count, 3)
        close(general(given)[0], given[::-1] * count)
        close(general(given)[1], given[::-1])
    assert passes == [[2, 3], ["n", 3], [1, 3]], passes


def test_names_of_functions() -> None:
    # Names of functions that C programs could not have.
    for name in ("reset", "init", "save", "model"):
        close(fw.function(lambda v: v + 1, name=name)(x), x + 1)


def test_feeds() -> None:
    # Feeds: other byte orders are copied; numbers of 16 bits that NumPy has no name for are in
    # test/Python/import_torch.py.
    close(fw.function(lambda v: v * 2)(x.astype(">f8")), 2 * x)
    try:
        fw.function(lambda v: fw.sum(v) + fw.as_tensor({"a": 1}))(x)
        raise AssertionError("expected a TypeError")
    except TypeError as error:
        assert "found dict" in str(error)


def test_branches_by_number() -> None:
    # Branches by number, and a loop over slices.
    branches = [lambda v: v, lambda v: v * 2, lambda v: v - 1, lambda v: v * v, lambda v: -v]
    switched = fw.function(lambda number, v: fw.switch(number, branches, v))
    for number, place in ((-3, 0), (0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (9, 4)):
        close(switched(np.int32(number), x), branches[place](x))
    close(fw.function(lambda v: fw.map(lambda row: {"s": fw.sum(row)}, v)["s"])(weights["w"]), weights["w"].sum(1))
    close(fw.function(fw.grad(lambda v: fw.sum(fw.map(lambda e: e**3, v))))(x), 3 * x**2)


# Matrices.
a, b = floats(4, 4), floats(4, 2)


def test_matrices() -> None:
    many, right = floats(3, 2, 2), floats(3, 2, 1)
    inverse = np.linalg.inv(a)
    close(fw.function(fw.linalg.solve)(a, b), np.linalg.solve(a, b))
    close(fw.function(fw.linalg.solve)(a, b[:, 0]), np.linalg.solve(a, b[:, 0]))
    close(fw.function(fw.linalg.solve)(many, right), np.linalg.solve(many, right))
    close(fw.function(fw.linalg.inv)(many), np.linalg.inv(many))
    close(fw.function(fw.linalg.det)(a), np.linalg.det(a))
    signs, logs = fw.function(fw.linalg.slogdet)(many)
    close(signs * np.exp(logs), np.linalg.det(many))
    close(fw.function(fw.linalg.det)(np.array([[1.0, 2], [2, 4]])), 0)
    factors, order = fw.function(fw.linalg.lu_factor)(a)
    close((np.tril(factors, -1) + np.eye(4)) @ np.triu(factors), a[order])
    assert (np.abs(np.tril(factors, -1)) <= 1).all()  # Each pivot is the largest element of its column.
    close(fw.function(lambda m: fw.linalg.pinv(m))(b), np.linalg.pinv(b), 1e-7)
    # A softmax along any dimension, with its derivative.
    block = np.random.default_rng(8).normal(size=(2, 3, 4))
    for place in (0, 1, 2, -1, -2, -3):
        shares = np.exp(block) / np.exp(block).sum(place, keepdims=True)
        close(fw.function(lambda x, axis=place: fw.nn.softmax(x, axis=axis))(block), shares, 1e-12)
        close(fw.function(lambda x, axis=place: fw.nn.log_softmax(x, axis))(block), np.log(shares), 1e-12)
        slope = fw.function(fw.grad(lambda x, axis=place: fw.sum(fw.nn.softmax(x, axis) ** 2)))(block)
        close(slope, 2 * shares * (shares - (shares**2).sum(place, keepdims=True)), 1e-12)
    refusals: List[Tuple[Any, Type[Exception], str]] = [
        (3, ValueError, "axis 3 is out of bounds"), (1.5, TypeError, "as the axis of softmax")]  # fmt: skip
    for bad, error_type, words in refusals:
        try:
            fw.function(lambda x, axis=bad: fw.nn.softmax(x, axis))(block)
        except error_type as error:
            assert words in str(error), error
        else:
            raise AssertionError(words)
    close(fw.function(lambda m: fw.linalg.matrix_power(m, 5))(a), np.linalg.matrix_power(a, 5))
    close(fw.function(lambda m: fw.linalg.matrix_power(m, -2))(a), np.linalg.matrix_power(a, -2), 1e-7)
    close(
        fw.function(lambda m, n: fw.linalg.multi_dot([n[:, 0], m, m, n]))(a, b), np.linalg.multi_dot([b[:, 0], a, a, b])
    )
    for kind in (None, "fro", 1, -1, np.inf, -np.inf):
        close(fw.function(lambda m, kind=kind: fw.linalg.norm(m, kind))(a), np.linalg.norm(a, kind))
    for kind in (None, 0, 1, 2, 3, np.inf, -np.inf):
        close(fw.function(lambda m, kind=kind: fw.linalg.norm(m, kind, axis=1))(a), np.linalg.norm(a, kind, axis=1))
    positive = a @ a.T + np.eye(4)
    close(fw.function(fw.linalg.cholesky)(positive), np.linalg.cholesky(positive))
    close(fw.function(lambda m, n: fw.linalg.solve_triangular(m, n, lower=True))(np.tril(a), b),
          np.linalg.solve(np.tril(a), b))  # fmt: skip
    gradient = fw.function(fw.grad(lambda m, n: fw.sum(fw.linalg.solve(m, n)), (0, 1)))(a, b)
    close(gradient[1], np.repeat(inverse.sum(0)[:, None], 2, 1))
    close(gradient[0], -np.outer(inverse.sum(0), np.linalg.solve(a, b).sum(1)))
    close(fw.function(fw.grad(fw.linalg.det))(a), np.linalg.det(a) * inverse.T)
    close(fw.function(fw.grad(lambda m: fw.linalg.slogdet(m)[1]))(a), inverse.T)
    close(
        fw.function(fw.hessian(lambda m: fw.linalg.slogdet(m)[1]))(a), -np.einsum("jk,li->ijkl", inverse, inverse), 1e-7
    )
    for refused in (
        lambda m: fw.linalg.solve(m[:2], m),
        lambda m: fw.linalg.norm(m, "nuc"),
        lambda m: fw.linalg.det(m[0]),
    ):
        try:
            fw.function(refused)(a)
            raise AssertionError("expected a ValueError")
        except ValueError:
            pass


def test_draws() -> None:
    # Draws.
    with fw.Store(seed=3):
        draws = fw.function(lambda: {
            "int": fw.random.randint((3000,), -3, 5), "order": fw.random.permutation(50),
            "kind": fw.random.categorical(np.log(f32([0.2, 0.3, 0.5])), shape=(6000,)),
            "kinds": fw.random.categorical(np.zeros((3, 4), np.float32), 0),
            "exponential": fw.random.exponential((6000,)), "gumbel": fw.random.gumbel((6000,)),
            "laplace": fw.random.laplace((6000,)), "sign": fw.random.rademacher((6000,)),
            "few": fw.random.choice(9, (2, 3), replace=False),
            "rows": fw.random.permutation(np.arange(8.0).reshape(4, 2)),
            "picked": fw.random.choice(f32([1, 5]), (6000,), p=f32([0.75, 0.25]))})()  # fmt: skip
    assert draws["int"].min() == -3 and draws["int"].max() == 4
    assert sorted(draws["order"]) == list(range(50)) and list(draws["order"]) != list(range(50))
    np.testing.assert_allclose(np.bincount(draws["kind"]) / 6000, [0.2, 0.3, 0.5], atol=0.03)
    assert draws["kinds"].shape == (4,) and draws["kinds"].max() < 3
    assert len(set(draws["few"].reshape(-1))) == 6
    assert sorted(draws["rows"][:, 0]) == [0, 2, 4, 6] and (draws["rows"][:, 1] == draws["rows"][:, 0] + 1).all()
    for name, mean, deviation in (("exponential", 1, 1), ("gumbel", 0.5772, 1.2825), ("laplace", 0, 2**0.5),
                                  ("sign", 0, 1),
                                  ("picked", 2, 3**0.5)):  # fmt: skip
        assert abs(draws[name].mean() - mean) < 0.08 and abs(draws[name].std() - deviation) < 0.1, name


run_tests([test_trees, test_trees_2, test_trees_3, test_arguments_that_derivatives,
           test_arguments_that_derivatives_2, test_static_arguments, test_number_beside_a_tensor,
           test_number_beside_a_tensor_2, test_sizes_that_vary, test_sizes_that_vary_2,
           test_names_of_functions, test_feeds, test_branches_by_number, test_matrices, test_draws])  # fmt: skip
