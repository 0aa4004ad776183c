# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""A5, A10, S3: programs whose reads, writes, checks and branches admit no order in
which every write is in place. They compile, with copies where the program needs them."""

from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

import flywheel
from configurations import Failure, configurations, expect_close, expect_equal, run_tests

Array = NDArray[Any]
State = Dict[str, Array]
Rng = np.random.Generator


@dataclass
class Case:
    """A module with an entry @f, what a call does to the variables, and its results;
    an index that is out of range is None."""

    text: str
    call: Callable[..., Sequence[Array]]
    feeds: Callable[[Rng], List[Array]]


class OutOfRange(Exception):
    """The call fails."""


def rows(x: Array, indices: Array) -> Array:
    if np.any((indices < 0) | (indices >= len(x))):
        raise OutOfRange
    return np.asarray(x[indices])


def draw(*shape: int, kind: Any = np.float64) -> Callable[[Rng], Array]:
    return lambda rng: np.asarray(rng.uniform(-1, 1, shape)).astype(kind)


def draw_flag(rng: Rng) -> Array:
    return np.asarray(rng.integers(2) == 1)


def draw_indices(count: int, size: int) -> Callable[[Rng], Array]:
    """One call of three has an index that is out of range."""
    return lambda rng: rng.integers(0, size + int(rng.integers(3) == 0), count).astype(np.int32)


def feeds(*drawers: Callable[[Rng], Array]) -> Callable[[Rng], List[Array]]:
    return lambda rng: [drawer(rng) for drawer in drawers]


def minimized_and_restored(s: State, x: Array) -> Sequence[Array]:
    r = s["v"]
    n = r - x
    s["v"] = r
    return [n]


def swapped_with_updated(s: State) -> Sequence[Array]:
    b = s["b"] - np.float32(0.1) * 2 * s["b"]
    s["a"], s["b"] = b, s["a"]
    return []


def unconnected(s: State, x: Array, c: Array) -> Sequence[Array]:
    result = s["v"] if c else x
    if c:
        s["w"] = s["w"] - 0.01
    return [np.asarray(result)]


def two_steps_and_back(s: State) -> Sequence[Array]:
    s["v"] = s["v"] - 0.01 * s["v"]
    return []


def trial(s: State, c: Array, x: Array) -> Sequence[Array]:
    return [s["w"] + x if c else s["w"]]


def checked_branch(s: State, x: Array, c: Array, i: Array) -> Sequence[Array]:
    g = rows(x, i)
    s["v"] = s["v"] + g
    return [g if c else s["v"]]


def checked_update(s: State, x: Array, p: Array, k: Array) -> Sequence[Array]:
    r = rows(x, k) if p else s["v"]
    s["v"] = np.tanh(np.tanh(np.tanh(x)))
    return [np.asarray(r)]


def gradient_in_branch(s: State, c: Array) -> Sequence[Array]:
    if c:
        s["w"] = s["w"] - np.exp(s["w"])
    return []


def rotation(s: State, n: Array) -> Sequence[Array]:
    for _ in range(int(n)):
        s["a"], s["b"], s["c"] = s["b"], s["c"], s["a"]
    return [s["a"]]


def transposed(s: State, x: Array) -> Sequence[Array]:
    old = s["a"]
    s["a"], s["b"] = old.T @ s["b"], old
    return [s["a"] @ x]


def check_in_loop(s: State, t: Array, i: Array) -> Sequence[Array]:
    v = s["v"]
    for index in i:
        if not 0 <= index < len(t):
            raise OutOfRange
        v = v + t[index] * v
    s["v"] = v
    return [v]


def part_swap(s: State, x: Array) -> Sequence[Array]:
    a, b = s["a"].copy(), s["b"].copy()
    s["a"] = np.concatenate([b[2:], a[:2]])
    s["b"] = np.concatenate([a[2:], b[:2]]) + x
    return [a]


def rolled_over(s: State, x: Array, c: Array, i: Array) -> Sequence[Array]:
    old = s["b"].copy()
    s["a"] = s["a"] * 0.81
    if c:
        s["a"] = old
    else:
        s["c"] = s["c"] + rows(x, i)
    s["b"] = old * 0.9
    return [old]


def default_or_weights(s: State, x: Array, q: Array) -> Sequence[Array]:
    s["a"] = s["c"] if q else x
    s["c"] = s["c"] - 0.25 * s["c"]
    return []


def weights_or_feed(s: State, x: Array, q: Array) -> Sequence[Array]:
    s["a"] = x if q else s["c"]
    s["c"] = s["c"] - 0.25
    return []


def looped_or_other(s: State, x: Array, q: Array) -> Sequence[Array]:
    b, c = s["b"], s["c"]
    s["a"] = b if q else x + x
    s["b"] = c
    s["c"] = c - 0.25 * c
    return [s["a"]]


def passed_on(s: State, x: Array, n: Array) -> Sequence[Array]:
    old, h = s["c"].copy(), x
    for _ in range(int(n)):
        s["a"] = s["a"] + h
        h = old
    s["c"] = old * 0.9
    return [h + x]


def switched(s: State, x: Array, i: Array) -> Sequence[Array]:
    chosen = s["b"] if i == 0 else x
    s["a"], s["b"] = chosen, s["a"]
    return [chosen]


def slice_of_old(s: State, x: Array, c: Array) -> Sequence[Array]:
    part = s["v"][1:3] if c else x
    s["v"] = s["v"] - 0.1 * s["v"]
    return [s["v"][:2] * part]


def old_if_negative(s: State, x: Array) -> Sequence[Array]:
    old = s["v"]
    s["v"] = old - 0.1 * x
    chosen = old if s["v"][0] < 0 else np.full(4, x.sum())
    return [np.exp(chosen)]


def part_by_new(s: State, x: Array) -> Sequence[Array]:
    old = s["v"]
    s["v"] = old - 0.1 * x
    first = int(np.clip(s["v"][0], 0, 2))
    return [np.exp(old[first : first + 2])]


CASES: Dict[str, Case] = {
    "the old value where the new one is negative": Case(
        """
train.variable @v : tensor<4xf64> = #train.random_uniform<minval = -1.0, maxval = 1.0>
func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %old = train.read @v : tensor<4xf64>
  %loss = arith.mulf %old, %x : tensor<4xf64>
  train.minimize %loss : tensor<4xf64> with #train.sgd<lr = 0.1>
  %new = train.read @v : tensor<4xf64>
  %first = tensor.extract %new[%c0] : tensor<4xf64>
  %c = arith.cmpf olt, %first, %zero : f64
  %chosen = scf.if %c -> tensor<4xf64> {
    scf.yield %old : tensor<4xf64>
  } else {
    %sum = nn.reduce sum %x axes [0] keepdims : tensor<4xf64> -> tensor<1xf64>
    %sums = nn.broadcast %sum dims [0] : (tensor<1xf64>) -> tensor<4xf64>
    scf.yield %sums : tensor<4xf64>
  }
  %r = math.exp %chosen : tensor<4xf64>
  return %r : tensor<4xf64>
}
""",
        old_if_negative,
        feeds(draw(4)),
    ),
    "a part of the old value that the new one chooses": Case(
        """
train.variable @v : tensor<4xf64> = #train.random_uniform<minval = -1.0, maxval = 3.0>
func.func @f(%x: tensor<4xf64>) -> tensor<2xf64> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %low = arith.constant 0.0 : f64
  %high = arith.constant 2.0 : f64
  %old = train.read @v : tensor<4xf64>
  %loss = arith.mulf %old, %x : tensor<4xf64>
  train.minimize %loss : tensor<4xf64> with #train.sgd<lr = 0.1>
  %new = train.read @v : tensor<4xf64>
  %first = tensor.extract %new[%c0] : tensor<4xf64>
  %natural = arith.maximumf %first, %low : f64
  %bounded = arith.minimumf %natural, %high : f64
  %i = arith.fptosi %bounded : f64 to i64
  %index = arith.index_cast %i : i64 to index
  %k = arith.remui %index, %c3 : index
  %part = tensor.extract_slice %old[%k] [2] [1] : tensor<4xf64> to tensor<2xf64>
  %r = math.exp %part : tensor<2xf64>
  return %r : tensor<2xf64>
}
""",
        part_by_new,
        feeds(draw(4)),
    ),
    "a switch between variables": Case(
        """
train.variable @a : tensor<4xf64> = #train.random_uniform
train.variable @b : tensor<4xf64> = #train.random_uniform
func.func @f(%x: tensor<4xf64>, %i: tensor<i64>) -> tensor<4xf64> {
  %i64 = tensor.extract %i[] : tensor<i64>
  %case = arith.index_cast %i64 : i64 to index
  %a = train.read @a : tensor<4xf64>
  %b = train.read @b : tensor<4xf64>
  %r = scf.index_switch %case -> tensor<4xf64>
  case 0 {
    scf.yield %b : tensor<4xf64>
  }
  default {
    scf.yield %x : tensor<4xf64>
  }
  train.assign @a, %r : tensor<4xf64>
  train.assign @b, %a : tensor<4xf64>
  return %r : tensor<4xf64>
}
""",
        switched,
        feeds(draw(4), lambda rng: np.asarray(rng.integers(2))),
    ),
    "a part of the old value from a branch": Case(
        """
train.variable @v : tensor<4xf64> = #train.random_uniform
func.func @f(%x: tensor<2xf64>, %c: tensor<i1>) -> tensor<2xf64> {
  %b = tensor.extract %c[] : tensor<i1>
  %old = train.read @v : tensor<4xf64>
  %s = scf.if %b -> tensor<2xf64> {
    %part = tensor.extract_slice %old[1] [2] [1] : tensor<4xf64> to tensor<2xf64>
    scf.yield %part : tensor<2xf64>
  } else {
    scf.yield %x : tensor<2xf64>
  }
  %l = nn.l2_loss %old : tensor<4xf64> -> tensor<f64>
  train.minimize %l : tensor<f64> with #train.sgd<lr = 0.1>
  %new = train.read @v : tensor<4xf64>
  %first = tensor.extract_slice %new[0] [2] [1] : tensor<4xf64> to tensor<2xf64>
  %r = arith.mulf %first, %s : tensor<2xf64>
  return %r : tensor<2xf64>
}
""",
        slice_of_old,
        feeds(draw(2), draw_flag),
    ),
    "minimized and restored": Case(
        """
train.variable @v : tensor<4xf64> = #train.zeros
func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
  %r = train.read @v : tensor<4xf64>
  %n = train.assign_sub @v, %x : tensor<4xf64>
  %m = train.read @v : tensor<4xf64>
  %l = arith.mulf %m, %r : tensor<4xf64>
  train.minimize %l : tensor<4xf64> with #train.sgd<lr = 0.1>
  train.assign @v, %r : tensor<4xf64>
  return %n : tensor<4xf64>
}
""",
        minimized_and_restored,
        feeds(draw(4)),
    ),
    "swapped with an updated variable": Case(
        """
train.variable @a : tensor<3xf32> = #train.zeros
train.variable @b : tensor<3xf32> = #train.ones
func.func @f() {
  %b = train.read @b : tensor<3xf32>
  %q = arith.mulf %b, %b : tensor<3xf32>
  train.minimize %q : tensor<3xf32> with #train.sgd<lr = 0.1>
  %x = train.read @a : tensor<3xf32>
  %y = train.read @b : tensor<3xf32>
  train.assign @a, %y : tensor<3xf32>
  train.assign @b, %x : tensor<3xf32>
  return
}
""",
        swapped_with_updated,
        feeds(),
    ),
    "an unconnected result of a branch": Case(
        """
train.variable @v : tensor<4xf64> = #train.zeros
train.variable @w : tensor<4xf64> = #train.zeros
func.func @f(%x: tensor<4xf64>, %c: tensor<i1>) -> tensor<4xf64> {
  %b = tensor.extract %c[] : tensor<i1>
  %q:2 = scf.if %b -> (tensor<4xf64>, tensor<4xf64>) {
    %v = train.read @v : tensor<4xf64>
    %w = train.read @w : tensor<4xf64>
    scf.yield %v, %w : tensor<4xf64>, tensor<4xf64>
  } else {
    scf.yield %x, %x : tensor<4xf64>, tensor<4xf64>
  }
  train.minimize %q#1 : tensor<4xf64> with #train.sgd
  return %q#0 : tensor<4xf64>
}
""",
        unconnected,
        feeds(draw(4), draw_flag),
    ),
    "two steps, one rolled back": Case(
        """
train.variable @v : tensor<5xf64> = #train.ones
func.func private @step() {
  %v = train.read @v : tensor<5xf64>
  %l = nn.l2_loss %v : tensor<5xf64> -> tensor<f64>
  train.minimize %l : tensor<f64> with #train.sgd
  return
}
func.func @f() {
  call @step() : () -> ()
  %save = train.read @v : tensor<5xf64>
  call @step() : () -> ()
  train.assign @v, %save : tensor<5xf64>
  return
}
""",
        two_steps_and_back,
        feeds(),
    ),
    "a trial step in a branch, rolled back": Case(
        """
train.variable @w : tensor<4xf64> = #train.ones
func.func @f(%c: tensor<i1>, %x: tensor<4xf64>) -> tensor<4xf64> {
  %g = tensor.extract %c[] : tensor<i1>
  %old = train.read @w : tensor<4xf64>
  scf.if %g {
    train.assign_add @w, %x : tensor<4xf64>
  }
  %mid = train.read @w : tensor<4xf64>
  train.assign @w, %old : tensor<4xf64>
  return %mid : tensor<4xf64>
}
""",
        trial,
        feeds(draw_flag, draw(4)),
    ),
    "a new value yielded by a branch that checks": Case(
        """
train.variable @v : tensor<3xf64> = #train.ones
func.func @f(%x: tensor<3xf64>, %c: tensor<i1>, %i: tensor<3xi32>) -> tensor<3xf64> {
  %b = tensor.extract %c[] : tensor<i1>
  %g = nn.gather %x, %i axis 0 : (tensor<3xf64>, tensor<3xi32>) -> tensor<3xf64>
  %new = train.assign_add @v, %g : tensor<3xf64>
  %y = scf.if %b -> tensor<3xf64> {
    %h = nn.gather %x, %i axis 0 : (tensor<3xf64>, tensor<3xi32>) -> tensor<3xf64>
    scf.yield %h : tensor<3xf64>
  } else {
    scf.yield %new : tensor<3xf64>
  }
  return %y : tensor<3xf64>
}
""",
        checked_branch,
        feeds(draw(3), draw_flag, draw_indices(3, 3)),
    ),
    "a checked update in a branch, then a loop's result": Case(
        """
train.variable @v : tensor<6xf64> = #train.ones
func.func @f(%x: tensor<6xf64>, %p: tensor<i1>, %k: tensor<6xi32>) -> tensor<6xf64> {
  %a = arith.constant 0 : index
  %b = arith.constant 3 : index
  %c = arith.constant 1 : index
  %t = tensor.extract %p[] : tensor<i1>
  scf.if %t {
    %g = nn.gather %x, %k axis 0 : (tensor<6xf64>, tensor<6xi32>) -> tensor<6xf64>
    train.assign @v, %g : tensor<6xf64>
  }
  %r = train.read @v : tensor<6xf64>
  %y = scf.for %i = %a to %b step %c iter_args(%z = %x) -> tensor<6xf64> {
    %q = math.tanh %z : tensor<6xf64>
    scf.yield %q : tensor<6xf64>
  }
  train.assign @v, %y : tensor<6xf64>
  return %r : tensor<6xf64>
}
""",
        checked_update,
        feeds(draw(6), draw_flag, draw_indices(6, 6)),
    ),
    "a gradient in a branch of what was read outside": Case(
        """
train.variable @w : tensor<f64> = #train.ones
func.func @f(%c: tensor<i1>) {
  %b = tensor.extract %c[] : tensor<i1>
  %w0 = train.read @w : tensor<f64>
  %l = math.exp %w0 : tensor<f64>
  scf.if %b {
    %w = train.read @w : tensor<f64>
    %g = train.gradient %l wrt %w : (tensor<f64>, tensor<f64>) -> tensor<f64>
    train.assign_sub @w, %g : tensor<f64>
  }
  return
}
""",
        gradient_in_branch,
        feeds(draw_flag),
    ),
    "a rotation in a loop": Case(
        """
train.variable @a : tensor<5xf64> = #train.random_uniform
train.variable @b : tensor<5xf64> = #train.random_uniform
train.variable @c : tensor<5xf64> = #train.random_uniform
func.func @f(%n: tensor<i64>) -> tensor<5xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n64 = tensor.extract %n[] : tensor<i64>
  %count = arith.index_cast %n64 : i64 to index
  scf.for %i = %c0 to %count step %c1 {
    %a = train.read @a : tensor<5xf64>
    %b = train.read @b : tensor<5xf64>
    %c = train.read @c : tensor<5xf64>
    train.assign @a, %b : tensor<5xf64>
    train.assign @b, %c : tensor<5xf64>
    train.assign @c, %a : tensor<5xf64>
  }
  %r = train.read @a : tensor<5xf64>
  return %r : tensor<5xf64>
}
""",
        rotation,
        feeds(lambda rng: np.asarray(rng.integers(0, 5))),
    ),
    "a product with the transpose of what is replaced": Case(
        """
train.variable @a : tensor<4x4xf64> = #train.random_uniform
train.variable @b : tensor<4x4xf64> = #train.random_uniform
func.func @f(%x: tensor<4x3xf64>) -> tensor<4x3xf64> {
  %a = train.read @a : tensor<4x4xf64>
  %b = train.read @b : tensor<4x4xf64>
  %e = tensor.empty() : tensor<4x4xf64>
  %t = linalg.transpose ins(%a : tensor<4x4xf64>) outs(%e : tensor<4x4xf64>) permutation = [1, 0]
  %p = nn.matmul %t, %b : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  train.assign @a, %p : tensor<4x4xf64>
  train.assign @b, %a : tensor<4x4xf64>
  %y = nn.matmul %p, %x : (tensor<4x4xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
  return %y : tensor<4x3xf64>
}
""",
        transposed,
        feeds(draw(4, 3)),
    ),
    "a check inside a loop that reads what is written": Case(
        """
train.variable @v : tensor<3xf64> = #train.ones
func.func @f(%t: tensor<4x3xf64>, %i: tensor<5xi32>) -> tensor<3xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  scf.for %k = %c0 to %c5 step %c1 {
    %index = tensor.extract_slice %i[%k] [1] [1] : tensor<5xi32> to tensor<i32>
    %row = nn.gather %t, %index axis 0 : (tensor<4x3xf64>, tensor<i32>) -> tensor<3xf64>
    %v = train.read @v : tensor<3xf64>
    %p = arith.mulf %row, %v : tensor<3xf64>
    train.assign_add @v, %p : tensor<3xf64>
  }
  %r = train.read @v : tensor<3xf64>
  return %r : tensor<3xf64>
}
""",
        check_in_loop,
        feeds(draw(4, 3), draw_indices(5, 4)),
    ),
    "parts of two variables change places": Case(
        """
train.variable @a : tensor<4xf64> = #train.random_uniform
train.variable @b : tensor<4xf64> = #train.random_uniform
func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
  %a = train.read @a : tensor<4xf64>
  %b = train.read @b : tensor<4xf64>
  %a0 = tensor.extract_slice %a[0] [2] [1] : tensor<4xf64> to tensor<2xf64>
  %a1 = tensor.extract_slice %a[2] [2] [1] : tensor<4xf64> to tensor<2xf64>
  %b0 = tensor.extract_slice %b[0] [2] [1] : tensor<4xf64> to tensor<2xf64>
  %b1 = tensor.extract_slice %b[2] [2] [1] : tensor<4xf64> to tensor<2xf64>
  %newa = tensor.concat dim(0) %b1, %a0 : (tensor<2xf64>, tensor<2xf64>) -> tensor<4xf64>
  %moved = tensor.concat dim(0) %a1, %b0 : (tensor<2xf64>, tensor<2xf64>) -> tensor<4xf64>
  %newb = arith.addf %moved, %x : tensor<4xf64>
  train.assign @a, %newa : tensor<4xf64>
  train.assign @b, %newb : tensor<4xf64>
  return %a : tensor<4xf64>
}
""",
        part_swap,
        feeds(draw(4)),
    ),
    # A version that is a feed, or the other variable, cannot be stored in.
    "default_or_weights": Case(
        """
train.variable @a : tensor<8xf64> = #train.zeros
train.variable @c : tensor<8xf64> = #train.ones
func.func @f(%x: tensor<8xf64>, %tq: tensor<i1>) {
  %q = tensor.extract %tq[] : tensor<i1>
  train.assign @a, %x : tensor<8xf64>
  scf.if %q {
    %c = train.read @c : tensor<8xf64>
    train.assign @a, %c : tensor<8xf64>
  }
  %c = train.read @c : tensor<8xf64>
  %l = nn.l2_loss %c : tensor<8xf64> -> tensor<f64>
  train.minimize %l : tensor<f64> with #train.sgd<lr = 0.25>
  return
}
""",
        default_or_weights,
        feeds(draw(8), draw_flag),
    ),
    "weights_or_feed": Case(
        """
train.variable @a : tensor<8xf64> = #train.zeros
train.variable @c : tensor<8xf64> = #train.ones
func.func @f(%x: tensor<8xf64>, %tq: tensor<i1>) {
  %q = tensor.extract %tq[] : tensor<i1>
  %c = train.read @c : tensor<8xf64>
  train.assign @a, %c : tensor<8xf64>
  scf.if %q {
    train.assign @a, %x : tensor<8xf64>
  }
  train.minimize %c : tensor<8xf64> with #train.sgd<lr = 0.25>
  return
}
""",
        weights_or_feed,
        feeds(draw(8), draw_flag),
    ),
    "looped_or_other": Case(
        """
train.variable @a : tensor<8xf64> = #train.zeros
train.variable @c : tensor<8xf64> = #train.ones
train.variable @b : tensor<8xf64> = dense<0.5> : tensor<8xf64>
func.func @f(%x: tensor<8xf64>, %tq: tensor<i1>) -> tensor<8xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %q = tensor.extract %tq[] : tensor<i1>
  %zero = arith.constant dense<0.0> : tensor<8xf64>
  train.assign @a, %zero : tensor<8xf64>
  scf.for %i = %c0 to %c2 step %c1 {
    train.assign_add @a, %x : tensor<8xf64>
  }
  scf.if %q {
    %b = train.read @b : tensor<8xf64>
    train.assign @a, %b : tensor<8xf64>
  }
  %c = train.read @c : tensor<8xf64>
  train.assign @b, %c : tensor<8xf64>
  %l = nn.l2_loss %c : tensor<8xf64> -> tensor<f64>
  train.minimize %l : tensor<f64> with #train.sgd<lr = 0.25> var_list [@c]
  %a = train.read @a : tensor<8xf64>
  return %a : tensor<8xf64>
}
""",
        looped_or_other,
        feeds(draw(8), draw_flag),
    ),
    # A loop carries the old value of a variable that is updated after it.
    "passed_on": Case(
        """
train.variable @a : tensor<8xf64> = #train.zeros
train.variable @c : tensor<8xf64> = dense<0.75> : tensor<8xf64>
func.func @f(%x: tensor<8xf64>, %trips: tensor<i64>) -> tensor<8xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n64 = tensor.extract %trips[] : tensor<i64>
  %n = arith.index_cast %n64 : i64 to index
  %old = train.read @c : tensor<8xf64>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> (tensor<8xf64>) {
    train.assign_add @a, %h : tensor<8xf64>
    scf.yield %old : tensor<8xf64>
  }
  %y = arith.addf %r, %x : tensor<8xf64>
  %l = nn.l2_loss %old : tensor<8xf64> -> tensor<f64>
  train.minimize %l : tensor<f64> with #train.sgd<lr = 0.1> var_list [@c]
  return %y : tensor<8xf64>
}
""",
        passed_on,
        feeds(draw(8), lambda rng: np.asarray(rng.integers(0, 4))),
    ),
    # The old value goes to a variable that a check keeps from being written.
    "rolled_over": Case(
        """
train.variable @a : tensor<4xf64> = dense<0.5> : tensor<4xf64>
train.variable @b : tensor<4xf64> = dense<-0.75> : tensor<4xf64>
train.variable @c : tensor<4xf64> = #train.zeros {trainable = false}
func.func @f(%x: tensor<4xf64>, %flag: tensor<i1>, %i: tensor<4xi32>) -> tensor<4xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %condition = tensor.extract %flag[] : tensor<i1>
  %old = train.read @b : tensor<4xf64>
  scf.for %k = %c0 to %c2 step %c1 {
    %a = train.read @a : tensor<4xf64>
    %l = nn.l2_loss %a : tensor<4xf64> -> tensor<f64>
    train.minimize %l : tensor<f64> with #train.sgd<lr = 0.1> var_list [@a]
  }
  scf.if %condition {
    train.assign @a, %old : tensor<4xf64>
  } else {
    %g = nn.gather %x, %i axis 0 : (tensor<4xf64>, tensor<4xi32>) -> tensor<4xf64>
    train.assign_add @c, %g : tensor<4xf64>
  }
  %l = nn.l2_loss %old : tensor<4xf64> -> tensor<f64>
  train.minimize %l : tensor<f64> with #train.sgd<lr = 0.1> var_list [@b]
  return %old : tensor<4xf64>
}
""",
        rolled_over,
        feeds(draw(4), draw_flag, draw_indices(4, 4)),
    ),
}


def check_case(name: str, case: Case) -> None:
    names = [line.split()[1][1:] for line in case.text.splitlines() if line.startswith("train.variable")]
    for configuration, model in configurations(case.text):
        model.initialize()
        state = {variable: np.array(model[variable]) for variable in names}
        rng = np.random.default_rng(7)
        for call in range(6):
            values = case.feeds(rng)
            what = f"{configuration}, {name}, call {call}"
            before = dict(state)
            try:
                expected = case.call(state, *values)
            except OutOfRange:
                state = before
                failed = False
                try:
                    model.run("f", *values)
                except (flywheel.InvalidArgumentError, Failure) as error:
                    failed = True
                    assert "out of range" in str(error), f"{what}: {error}"
                assert failed, f"{what}: expected an error"
                for variable in names:
                    expect_equal(f"{what}, {variable} after an error", model[variable], state[variable])
                continue
            found = model.run("f", *values)
            results: Tuple[Array, ...] = found if isinstance(found, tuple) else (() if found is None else (found,))
            assert len(results) == len(expected), f"{what}: {len(results)} results"
            for result, wanted in zip(results, expected):
                expect_close(f"{what}, result", result, wanted, 1e-6)
            for variable in names:
                expect_close(f"{what}, {variable}", model[variable], state[variable], 1e-6)


def test(name: str) -> Callable[[], None]:
    """Numbers of six calls; a call that fails changes nothing."""

    def run() -> None:
        check_case(name, CASES[name])

    return run


run_tests([test(name) for name in CASES])
