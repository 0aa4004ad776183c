# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""G16: the gradient of a scan over tensors of open sizes, in whose body branches and loops update rows, is that of the
same steps in Python with sizes that are known. Random bodies, nested up to three deep, and some by hand whose sizes
must be checked in the body."""

import random
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

import flywheel as fw

State = Tuple[Any, Any]
Plan = List[Tuple[str, int]]
Ways = Tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]

KINDS = ["scaled", "row", "set", "add", "gathered", "joined", "captured", "part"]


def make_plan(rng: random.Random, kinds: List[str], least: int, most: int) -> Plan:
    return [(rng.choice(kinds), rng.randrange(10**6)) for _ in range(rng.randrange(least, most))]


def step(ways: Ways, plan: Plan, level: int, x: Any, w: Any, row: Any, state: State) -> State:
    """Returns the state after the body's changes to a table and a vector, as `plan` lists them."""
    _, inner, cond = ways
    a, t = state
    for kind, seed in plan:
        rng = random.Random(seed)
        i = rng.randrange(3)
        if kind == "scaled":
            a = a * 0.5 + fw.sin(t)
        elif kind == "row":
            t = t + fw.sin(row if rng.random() < 0.5 else a[i]) * 0.3
        elif kind == "gathered":
            t = t * fw.cos(a[i]) + row
        elif kind == "set":
            a = a.at[i].set(fw.sin(a[i]) * t)
        elif kind == "add":
            a = a.at[i].add(row * a[(i + 1) % 3])
        elif kind == "captured":
            t = t * fw.tanh(w) + 0.2 * x[0] * row
        elif kind == "joined":
            t = t + fw.concatenate([a[i][1:], row[:1]], 0) * 0.4
        elif kind == "part":
            a = a.at[i, 1:].set(a[i][1:] * t[:2])
        elif kind == "if" and level < 3:
            yes, no = make_plan(rng, [*KINDS, "loop"], 1, 3), make_plan(rng, KINDS, 0, 3)
            sides = [lambda a=a, t=t, own=own: step(ways, own, level + 1, x, w, row, (a, t)) for own in (yes, no)]
            a, t = cond(fw.sum(t) > 0.3, *sides)
        elif kind == "loop" and level < 2:
            own = make_plan(rng, [*KINDS, "if"], 1, 3)
            a, t = inner(0, 3, lambda _, s, own=own: step(ways, own, level + 1, x, w, row, s), (a, t))
    return a, t


def loss(ways: Ways, plan: Plan, a: Any, t: Any, x: Any, w: Any) -> Any:
    a, t = ways[0](lambda s, row: (step(ways, plan, 0, x, w, row, s), fw.sum(s[1])), (a, t), x)
    return fw.sum(a * a) * 0.5 + fw.sum(t * t)


def python_scan(body: Callable[..., Any], state: Any, x: Any) -> Any:
    for i in range(x.shape[0]):
        state, _ = body(state, x[i])
    return state


def python_loop(first: int, end: int, body: Callable[..., Any], state: Any) -> Any:
    for i in range(first, end):
        state = body(i, state)
    return state


def python_cond(condition: Any, yes: Callable[[], State], no: Callable[[], State]) -> State:
    (a, t), (b, s) = yes(), no()
    return fw.where(condition, a, b), fw.where(condition, t, s)


TRACED: Ways = (lambda body, state, x: fw.scan(body, state, x)[0], fw.fori_loop, fw.cond)
PYTHON: Ways = (python_scan, python_loop, python_cond)


def check_random(seed: int) -> None:
    rng = random.Random(seed)
    plan = make_plan(rng, [*KINDS, "if", "loop", "if", "loop"], 1, 5)
    numbers = np.random.default_rng(seed)
    args = [numbers.normal(size=size) for size in ((5, 3), (3,), (4, 3), (3,))]
    found = []
    for ways, dims in ((TRACED, ("n", "k")), (PYTHON, (5, 4))):
        specs = [fw.spec(*dims_, dtype="float64") for dims_ in ((dims[0], 3), (3,), (dims[1], 3), (3,))]

        def run(*given: Any, ways: Ways = ways) -> Any:
            return fw.value_and_grad(lambda *own: loss(ways, plan, *own), tuple(range(4)))(*given)

        value, gradients = fw.function(run, signature=specs)(*args)
        found.append([np.asarray(value), *map(np.asarray, gradients)])
    for place, (a, b) in enumerate(zip(*found)):
        np.testing.assert_allclose(a, b, 1e-7, 1e-9, err_msg=f"seed {seed}, {plan}, {place}")


# Bodies whose rows have an open size that must be that of the table's rows.
BODIES: Dict[str, Callable[..., Any]] = {
    "set": lambda c, x, t: fw.cond(x[0] > 0.3, lambda: c.at[0].set(fw.sin(x) * c[1]), lambda: c),
    "both": lambda c, x, t: fw.cond(x[0] > 0.3, lambda: c.at[0].set(fw.sin(x) * c[1]), lambda: c.at[1].add(x)),
    "twice": lambda c, x, t: fw.cond(x[0] > 0.3, lambda: c, lambda: c.at[0].set(x).at[1].set(x)),
    "captured": lambda c, x, t: fw.cond(
        x[0] > 0.3, lambda: c + t.at[0].add(fw.sin(x) * c[1]), lambda: c * fw.sum(t.at[1].set(x))
    ),
    "nested": lambda c, x, t: fw.cond(
        x[0] > 0.3,
        lambda: fw.cond(x[1] > 0.2, lambda: c.at[0].set(fw.sin(x) * c[1]), lambda: c.at[1].add(x)),
        lambda: c,
    ),
}


def check_sizes_in_body(name: str, body: Callable[..., Any]) -> None:
    def value(xs: Any, t: Any) -> Any:
        def iteration(c: Any, x: Any) -> Any:
            c = body(c, x, t)
            return c, fw.sum(c * c)

        c, ys = fw.scan(iteration, t, xs)
        return fw.sum(fw.sin(c)) + fw.sum(ys)

    def both(xs: Any, t: Any) -> Any:
        return value(xs, t), fw.grad(value, (0, 1))(xs, t)

    for widths in (("m", "m"), (None, None)):
        specs = [fw.spec(None, width, dtype="float64") for width in widths]
        numbers = np.random.default_rng(0)
        args = [numbers.uniform(size=(5, 3)), numbers.uniform(size=(4, 3))]
        compiled = fw.function(both, signature=specs)
        for which, gradient in enumerate(compiled(*args)[1]):
            for place in np.ndindex(gradient.shape):
                ends = []
                for sign in (1e-6, -1e-6):
                    moved = [arg.copy() for arg in args]
                    moved[which][place] += sign
                    ends.append(float(compiled(*moved)[0]))
                expected = (ends[0] - ends[1]) / 2e-6
                np.testing.assert_allclose(gradient[place], expected, 1e-5, 1e-6, err_msg=f"{name}, {which}, {place}")
    try:
        compiled(np.zeros((2, 3)), np.zeros((2, 5)))
    except fw.InvalidArgumentError as error:
        assert "3" in str(error) and "5" in str(error), error
    else:
        raise AssertionError(f"{name}: rows of 3 in a table with rows of 5")


for name, body in BODIES.items():
    check_sizes_in_body(name, body)
# Bodies that once failed, and some more.
for seed in (2016, 3, 7, 11, 12):
    check_random(seed)
