# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""X14: what the map of a result of `linalg.generic` skips keeps its value, whether
the body reads the result or not, and has the derivative of a copy."""

from typing import Callable, List, Tuple

import numpy as np

from configurations import configurations, expect_equal, run_tests

# Name, map of the input, map of the result, shapes, the elements that are written.
Write = Tuple[str, str, str, Tuple[int, ...], Tuple[int, ...], Callable[[np.ndarray], np.ndarray]]
WRITES: List[Write] = [
    ("offset", "(i) -> (i)", "(i) -> (i + 2)", (3,), (7,), lambda y: y[2:5]),
    ("strided", "(i) -> (i)", "(i) -> (i * 2)", (4,), (9,), lambda y: y[0:8:2]),
    ("both", "(i) -> (i)", "(i) -> (i * 3 + 1)", (3,), (11,), lambda y: y[1:10:3]),
    ("column", "(i) -> (i)", "(i) -> (i, 2)", (5,), (5, 4), lambda y: y[:, 2]),
    ("transposed", "(i, j) -> (i, j)", "(i, j) -> (j + 1, i * 2)", (2, 3), (5, 4), lambda y: y[1:4, 0:4:2].T),
    ("whole", "(i, j) -> (i, j)", "(i, j) -> (j, i)", (2, 3), (3, 2), lambda y: y.T),
    ("element", "() -> ()", "() -> (1, 0)", (), (3, 2), lambda y: y[1:2, 0].reshape(())),
    ("reversed", "(i) -> (i)", "(i) -> (3 - i)", (4,), (4,), lambda y: y[::-1]),
    ("reversed_part", "(i, j) -> (i, j)", "(i, j) -> (j, 7 - i * 3)", (2, 3), (3, 9), lambda y: y[:, 7:3:-3].T),
    ("repeated", "(i, j) -> (i, j)", "(i, j) -> (i + 1)", (3, 2), (5,), lambda y: y[1:4]),
]


def has_gradient(name: str, reads: bool) -> bool:
    """Not where an element is written several times, nor where it is read against its order."""
    return name != "repeated" and not (reads and name.startswith("reversed"))


def program(write: Write, reads: bool, dynamic: bool) -> str:
    name, source, target, shape, whole, _ = write
    x = "tensor<" + "".join("?x" if dynamic else f"{n}x" for n in shape) + "f32>"
    o = "tensor<" + "".join("?x" if dynamic else f"{n}x" for n in whole) + "f32>"
    follows = target.split("->")[1]
    types = ", ".join('"parallel"' if loop in follows else '"reduction"' for loop in "ij"[:len(shape)])
    value = "%s" if reads else "%a"
    add = "    %s = arith.addf %a, %b : f32\n" if reads else ""
    body = f"""  %y = linalg.generic
      {{indexing_maps = [affine_map<{source}>, affine_map<{target}>], iterator_types = [{types}]}}
      ins(%x : {x}) outs(%old : {o}) {{
  ^bb0(%a: f32, %b: f32):
{add}    linalg.yield {value} : f32
  }} -> {o}
"""
    constant = "x".join(str(n) for n in whole)
    return f"""
train.variable @v : tensor<{constant}xf32>
func.func @fed(%x: {x}, %old: {o}) -> {o} {{
{body}  return %y : {o}
}}
""" + ("" if not has_gradient(name, reads) else f"""
func.func @gradient(%x: {x}, %old: {o}, %w: {o}) -> ({x}, {o}) {{
{body}  %p = arith.mulf %y, %w : {o}
  %gx, %go = train.gradient %p wrt %x, %old unconnected zeros : ({o}, {x}, {o}) -> ({x}, {o})
  return %gx, %go : {x}, {o}
}}
""") + ("" if dynamic else f"""
func.func @constant(%x: {x}) -> {o} {{
  %old = arith.constant dense<5.0> : {o}
{body}  return %y : {o}
}}
func.func @update(%x: {x}) {{
  %old = train.read @v : {o}
{body}  train.assign @v, %y : {o}
  return
}}
""")


def check(write: Write, reads: bool, dynamic: bool) -> None:
    name, _, _, shape, whole, view = write
    rng = np.random.default_rng(3)

    def draw(of: Tuple[int, ...]) -> np.ndarray:
        return rng.integers(-9, 9, of).astype(np.float32)

    def write_to(old: np.ndarray, x: np.ndarray) -> np.ndarray:
        new: np.ndarray = old.copy()
        part = view(new)
        # A view of one element is none of memory.
        if name == "repeated":
            part[...] = part + x.sum(1) if reads else x[:, -1]
        elif name == "element":
            new[1, 0] = new[1, 0] + x if reads else x
        else:
            part[...] = part + x if reads else x
        return new

    for configuration, model in configurations(program(write, reads, dynamic)):
        what = f"{configuration} {name} {'reads' if reads else ''} {'dynamic' if dynamic else ''}"
        model.initialize()
        x, old, w = draw(shape), draw(whole), draw(whole)
        expect_equal(what, model.run("fed", x, old), write_to(old, x))
        if has_gradient(name, reads):
            gx, go = model.run("gradient", x, old, w)
            kept = w.copy()
            if not reads:
                view(kept)[...] = 0
                if name == "element":
                    kept[1, 0] = 0
            expect_equal(f"{what} gradient", go, kept)
            expect_equal(f"{what} gradient", gx, view(w))
        if dynamic:
            continue
        expect_equal(f"{what} constant", model.run("constant", x), write_to(np.full(whole, 5, np.float32), x))
        model["v"] = old
        model.run("update", x)
        expect_equal(f"{what} update", model["v"], write_to(old, x))


def test_static() -> None:
    for write in WRITES:
        for reads in (False, True):
            check(write, reads, dynamic=False)


def test_dynamic() -> None:
    for write in WRITES:
        # The number of iterations decides which elements are written.
        if write[0] != "repeated" and not write[0].startswith("reversed"):
            check(write, False, dynamic=True)


run_tests([test_static, test_dynamic])
