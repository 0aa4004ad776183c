# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""G19: a parameter of a derivative is a value of its own, whatever else has its value.

Every transform, of arguments that are one value in every way, in every control flow: what is expected are the partial
derivatives of polynomials, written out."""

import subprocess
from typing import Any, Callable, Dict, Tuple

import numpy as np

import flywheel as fw

X = np.array([1.0, 2.0, -0.5])
W = fw.Variable(X, name="parameters_w")
ROW = fw.Variable(np.stack([X, X]), name="parameters_rows")

Pair = Tuple[Any, Any]
Expected = Dict[str, Any]


def f(a: Any, b: Any) -> Any:
    return fw.sum(a * a * b)


# The derivatives of f at a = b = x by a and by b; those of a^2 b for each element.
FA, FB = 2 * X * X, X * X
ONE, ZERO = np.ones(3), np.zeros(3)


def first_order(p: Any, q: Any) -> Expected:
    """Derivatives of a function of two arguments."""
    value, pull = fw.vjp(f, p, q)
    _, pull_rows = fw.vjp(lambda a, b: a * a * b, p, q)
    both = fw.value_and_grad(f, argnums=(0, 1))(p, q)
    one = fw.ones_like(p)
    zero = fw.zeros_like(p)
    tree = fw.grad(lambda t: f(t["a"], t["b"][0]))({"a": p, "b": [q]})
    kept, aux = fw.grad(lambda a, b: (f(a, b), {"seen": a * b}), has_aux=True)(p, q)
    pulled = pull(1.0)
    rows = pull_rows(one)
    return {
        "grad": (fw.grad(f)(p, q), FA),
        "grad 1": (fw.grad(f, argnums=1)(p, q), FB),
        "grad -1": (fw.grad(f, argnums=-1)(p, q), FB),
        "value": (both[0], np.sum(X**3)),
        "both 0": (both[1][0], FA),
        "both 1": (both[1][1], FB),
        "tree a": (tree["a"], FA),
        "tree b": (tree["b"][0], FB),
        "with aux": (kept, FA),
        "aux": (aux["seen"], X * X),
        "vjp value": (value, np.sum(X**3)),
        "vjp 0": (pulled[0], FA),
        "vjp 1": (pulled[1], FB),
        "vjp rows 0": (rows[0], FA),
        "vjp rows 1": (rows[1], FB),
        "jvp 1 0": (fw.jvp(f, (p, q), (one, zero))[1], np.sum(FA)),
        "jvp 0 1": (fw.jvp(f, (p, q), (zero, one))[1], np.sum(FB)),
        "jvp x 1": (fw.jvp(f, (p, q), (q, one))[1], np.sum(FA * X + FB)),
        "jacobian": (fw.jacobian(lambda a, b: a * a * b, mode="reverse")(p, q), np.diag(FA)),
        "jacobian 1": (fw.jacobian(lambda a, b: a * a * b, argnums=1, mode="forward")(p, q), np.diag(FB)),
        "jacobian chunk": (fw.jacobian(lambda a, b: a * a * b, argnums=1, chunk=2)(p, q), np.diag(FB)),
        "unused": (fw.grad(lambda a, b: fw.sum(b * b))(p, q), ZERO),
        "itself": (fw.grad(lambda a, b: fw.sum(a))(p, q), ONE),
    }


def captured(p: Any, q: Any) -> Expected:
    """Values that a function uses besides its arguments are constant: q, and z, which is computed from both."""
    z = p + q
    _, pull = fw.vjp(lambda a: a * a * z * q, p)
    return {
        "captured": (fw.grad(lambda a: fw.sum(a * z))(p), 2 * X),
        "captured itself": (fw.grad(lambda a: fw.sum(a * p * q))(p), X * X),
        "beside": (fw.grad(lambda a: fw.sum(a * a) + fw.sum(p * p))(q), 2 * X),
        "captured vjp": (pull(fw.ones_like(p))[0], 4 * X**3),
        "captured jvp": (fw.jvp(lambda a: fw.sum(a * z), (p,), (q,))[1], np.sum(2 * X * X)),
        "captured jacobian": (fw.jacobian(lambda a: a * z * q)(p), np.diag(2 * X * X)),
        "captured hessian": (fw.hessian(lambda a: fw.sum(a * a * z))(p), np.diag(4 * X)),
        "only captured": (fw.grad(lambda a: fw.sum(z))(p), ZERO),
    }


def nested(p: Any, q: Any) -> Expected:
    """Derivatives of derivatives, with one value at every level."""
    one = fw.ones_like(p)
    hessian = fw.hessian(f, argnums=(0, 1))(p, q)
    inner = fw.grad(lambda a: fw.sum(fw.grad(lambda b: fw.sum(a * b * b))(a)))(p)
    crossed = fw.grad(lambda a: fw.sum(a * fw.grad(f)(a, q)))(p)
    push = fw.jvp(lambda a: fw.vjp(f, a, q)[1](1.0)[1], (p,), (one,))[1]
    pulled = fw.vjp(lambda a: fw.jvp(f, (p, a), (one, fw.zeros_like(p)))[1], q)[1](1.0)[0]
    third = fw.grad(lambda a: fw.sum(fw.grad(lambda b: fw.sum(fw.grad(lambda c: fw.sum(a * b * c * c))(q)))(q)))(q)
    lazy = fw.grad(lambda a: fw.sum(fw.vjp(f, a, a)[1](1.0)[0]))(p)
    twice = fw.grad(lambda a: f(a, a))(p)
    return {
        "hessian 00": (hessian[0][0], np.diag(2 * X)),
        "hessian 01": (hessian[0][1], np.diag(2 * X)),
        "hessian 10": (hessian[1][0], np.diag(2 * X)),
        "hessian 11": (hessian[1][1], np.zeros((3, 3))),
        # d/da of 2 a b at b = a, of 2 a^2.
        "grad of grad": (inner, 4 * X),
        # a (2 a q).
        "grad of product": (crossed, 4 * X * X),
        "jvp of vjp": (push, 2 * X),
        "vjp of jvp": (pulled, 2 * X),
        # a b (2 c) by b: 2 a c, by a: 2 c.
        "three levels": (third, 2 * X),
        # By both: 2 a^2.
        "both positions": (lazy, 4 * X),
        "one argument twice": (twice, 3 * X * X),
    }


@fw.custom_vjp
def product(a: Any, b: Any) -> Any:
    return a * a * b


@product.defvjp
def _(a: Any, b: Any, dy: Any) -> Pair:
    # A derivative in a rule, whose own parameters are one value where the arguments are.
    return fw.grad(f)(a, b) * dy, fw.grad(f, argnums=1)(a, b) * dy


def by_rule(p: Any, q: Any) -> Expected:
    grads = fw.grad(lambda a, b: fw.sum(product(a, b)), argnums=(0, 1))(p, q)
    return {
        "rule 0": (grads[0], FA),
        "rule 1": (grads[1], FB),
        "rule jvp": (fw.jvp(product, (p, q), (fw.zeros_like(p), fw.ones_like(p)))[1], FB),
        "rule hessian": (fw.grad(lambda a: fw.sum(fw.grad(lambda b: fw.sum(product(b, a)))(a)))(p), 4 * X),
        "rule captured": (fw.grad(lambda a: fw.sum(product(a, a) * p))(q), 3 * X**3),
    }


def batched(p: Any, q: Any) -> Expected:
    rows, others = fw.stack([p, p]), fw.stack([q, q])
    each = fw.vmap(fw.grad(f, argnums=(0, 1)))(rows, rows)
    shared = fw.vmap(fw.grad(f), in_axes=(None, 0))(p, others)
    around = fw.grad(lambda a, b: fw.sum(fw.vmap(lambda c: f(c, b))(a)), argnums=(0, 1))(rows, q)
    scaled = fw.vmap(lambda k: fw.grad(lambda a: fw.sum(a * p * q) * k)(p))(fw.ones(2, p.dtype))
    hessians = fw.vmap(fw.hessian(f))(rows, rows)
    return {
        "vmap 0": (each[0], np.stack([FA, FA])),
        "vmap 1": (each[1], np.stack([FB, FB])),
        "vmap shared": (shared, np.stack([FA, FA])),
        "around vmap 0": (around[0], np.stack([FA, FA])),
        "around vmap 1": (around[1], 2 * FB),
        "vmap captured": (scaled, np.stack([X * X, X * X])),
        "vmap hessian": (hessians, np.stack([np.diag(2 * X)] * 2)),
    }


def by_value(p: Any, q: Any) -> Expected:
    """Derivatives by tensors: along every path from them, and from no other tensor of the same value."""
    a, b = fw.sin(p), fw.sin(q)
    one, other = fw.ones(3, p.dtype), fw.ones(3, p.dtype)
    s, c = np.sin(X), np.cos(X)
    stopped, kept = fw.sin(p), fw.sin(p)
    x = p * 1.0
    return {
        "by a": (fw.gradients(a * a * b, a), 2 * s * s),
        "by b": (fw.gradients(a * a * b, [b, a])[0], s * s),
        "constant": (fw.gradients(one * one * other, one), 2 * ONE),
        "other constant": (fw.jacobian_of(one * one * other, other), np.eye(3)),
        "along a": (fw.jvp_of(a * a * b, [a], [one]), 2 * s * s),
        "twice": (fw.gradients(x * x * x, [x, x])[1], 3 * X * X),
        "through both": (fw.gradients(f(x, x), x), 3 * X * X),
        "one is constant": (fw.gradients(stopped * kept, p, stop_gradients=[stopped]), s * c),
    }


# Three steps w - r c w down the gradient of c w^2 / 2 multiply by Q^3: derivatives by w and c at w = c = x.
RATE = 0.1
Q = 1 - RATE * X
BY_W, BY_C = Q**3, -3 * RATE * X * Q**2
BY_BOTH = -6 * RATE * Q**2 + 6 * RATE**2 * X * Q


def step(w: Any, c: Any) -> Any:
    return w - RATE * fw.grad(lambda q: fw.sum(q * q * c) / 2.0)(w)


DESCENTS: Dict[str, Callable[[Any, Any], Any]] = {
    "scan": lambda w, c: fw.scan(lambda s, _: (step(s, c), None), w, None, length=3)[0],
    "loop": lambda w, c: fw.fori_loop(0, 3, lambda i, s: step(s, c), w),
    "while": lambda w, c: fw.while_loop(
        lambda s: fw.logical_and(s[0] < 3, fw.sum(step(s[1], c)) < 100.0),
        lambda s: (s[0] + 1, step(s[1], c)), (0, w), max_iterations=4)[1],
    "branch": lambda w, c: fw.cond(fw.sum(w) > -100.0, lambda: step(step(step(w, c), c), c), lambda: w),
    "vmap": lambda w, c: fw.vmap(lambda s: step(step(step(s, c), c), c))(fw.stack([w, w]))[1],
    "branch of a loop": lambda w, c: fw.fori_loop(
        0, 3, lambda i, s: fw.cond(fw.sum(s) > -100.0, lambda: step(s, c), lambda: s), w),
}  # fmt: skip


def through(p: Any, q: Any) -> Expected:
    """Derivatives of loops and branches that differentiate."""
    found: Expected = {}
    for name, descend in DESCENTS.items():
        by_w, by_c = fw.grad(lambda w, c, run=descend: fw.sum(run(w, c)), argnums=(0, 1))(p, q)
        zero, one = fw.zeros_like(p), fw.ones_like(p)
        hessian = fw.hessian(lambda w, run=descend: fw.sum(run(w, w)))(p)
        found.update({
            f"{name} by w": (by_w, BY_W),
            f"{name} by c": (by_c, BY_C),
            f"{name} along c": (fw.jvp(descend, (p, q), (zero, one))[1], BY_C),
            f"{name} twice": (hessian, np.diag(BY_BOTH)),
        })
    return found


GROUPS = [first_order, captured, nested, by_rule, batched, by_value, through]


def two_variables(p: Any, q: Any) -> Pair:
    return W, W


# Pairs of arguments that are one value.
SAME: Dict[str, Callable[[Any, Any], Pair]] = {
    "one tensor": lambda p, q: (p, p),
    "two feeds of one array": lambda p, q: (p, q),
    "computed twice": lambda p, q: ((p + 1.0) - 1.0, (p + 1.0) - 1.0),
    "constants": lambda p, q: (fw.constant(X), fw.constant(X)),
    "reads of a variable": two_variables,
    "a variable and its value": lambda p, q: (W, W.read()),
    "rows": lambda p, q: (ROW[0], ROW[0]),
}


def in_scan(build: Callable[[Any, Any], Any], p: Any, q: Any) -> Any:
    _, found = fw.scan(lambda c, _: (c, build(c, q)), p, None, length=2)
    return fw.map_leaves(lambda x: x[1], found)


def in_while(build: Callable[[Any, Any], Any], p: Any, q: Any) -> Any:
    first = (0, fw.as_tensor(p), fw.map_leaves(fw.zeros_like, build(p, q)))
    return fw.while_loop(lambda s: s[0] < 2, lambda s: (s[0] + 1, s[1], build(s[1], s[1])), first)[2]


def in_branch(build: Callable[[Any, Any], Any], p: Any, q: Any) -> Any:
    return fw.cond(fw.sum(p) > -100.0, lambda: build(p, q), lambda: build(q, p))


def in_vmap(build: Callable[[Any, Any], Any], p: Any, q: Any) -> Any:
    found = fw.vmap(lambda a: build(a, a))(fw.stack([p, q]))
    return fw.map_leaves(lambda x: x[1], found)


def called(build: Callable[[Any, Any], Any], p: Any, q: Any) -> Any:
    return fw.function(lambda a, b: build(a, b))(p, q)


PLACES: Dict[str, Callable[..., Any]] = {
    "plain": lambda build, p, q: build(p, q),
    "scan": in_scan,
    "while": in_while,
    "branch": in_branch,
    "vmap": in_vmap,
    "called": called,
    "scan in branch": lambda build, p, q: in_branch(lambda a, b: in_scan(build, a, b), p, q),
    "branch in scan": lambda build, p, q: in_scan(lambda a, b: in_branch(build, a, b), p, q),
}


def check(same: str, place: str, group: Callable[[Any, Any], Expected]) -> int:
    wanted: Dict[str, Any] = {}

    def build(p: Any, q: Any) -> Dict[str, Any]:
        found = group(p, q)
        wanted.update({name: value for name, (_, value) in found.items()})
        return {name: result for name, (result, _) in found.items()}

    def program(x: Any, y: Any) -> Any:
        return PLACES[place](build, *SAME[same](x, y))

    function = fw.function(program)
    results = function(X, X)
    for name, value in results.items():
        np.testing.assert_allclose(np.asarray(value), wanted[name], 1e-12, 1e-12,
                                   err_msg=f"{name}: {same}, {place}")  # fmt: skip
    # Values that become one are, but no parameters.
    if same == "one tensor" and place in ("plain", "scan") and group is not by_value:
        merged = subprocess.run(["flywheel-opt", "-", "--cse", "--canonicalize", "--cse"], input=function.mlir(X, X),
                                capture_output=True, text=True, check=True).stdout  # fmt: skip
        session = fw.Session(fw.compile(merged))
        session.initialize()
        for name, value in zip(sorted(wanted), session.run("program", X, X)):
            np.testing.assert_allclose(value, wanted[name], 1e-12, 1e-12, err_msg=f"{name}: {place}, after CSE")
    return len(results)


count = 0
for same in SAME:
    # Every place with one, and every one in a place: other pairs differ in nothing that these do not have.
    for place in PLACES if same in ("one tensor", "reads of a variable") else ("plain", "scan"):
        for group in GROUPS if place == "plain" else GROUPS[:-1]:
            count += check(same, place, group)
print(f"{count} derivatives")
