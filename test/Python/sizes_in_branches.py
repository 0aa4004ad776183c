# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""X15: an op in a branch that is not taken, or in a loop without iterations, requires nothing of a call's sizes."""

from typing import Any, Callable, Dict, Tuple

import numpy as np

import flywheel as fw

Value = Any


def ones(n: int, value: float = 1.0) -> Any:
    return np.full(n, value, np.float32)


def same(x: Value, y: Value) -> Any:
    return x.shape[0] == y.shape[0]


def count_while(test: Callable[[Value, Value], Any]) -> Callable[[Value, Value], Any]:
    """Adds the sum of products once, if `test` holds."""

    def run(x: Value, y: Value) -> Any:
        state = (0, np.float32(0))
        return fw.while_loop(lambda s: fw.logical_and(s[0] < 1, test(x, y)),
                             lambda s: (s[0] + 1, s[1] + fw.sum(x * y)), state)[1]  # fmt: skip

    return run


def until(x: Value, y: Value) -> Any:
    """As long as an element of the state, which the body changes, says so."""
    return fw.while_loop(lambda s: s > 0, lambda s: s - fw.sum(x + y), fw.sum(x) * (fw.cast(same(x, y), "float32")))


def twice(x: Value, y: Value) -> Any:
    return fw.while_loop(
        lambda s: s[0] < 2,
        lambda s: (s[0] + 1, s[1] + fw.cond(same(x, y), lambda: fw.sum(x * y), lambda: fw.sum(x))),
        (0, np.float32(0)),
    )[1]


def steps(x: Value, y: Value) -> Any:
    return fw.scan(lambda c, r: (fw.cond(same(x, y), lambda: c + fw.dot(x, y), lambda: c + r), c), np.float32(0), x)[0]


def nested(x: Value, y: Value) -> Any:
    def inner() -> Any:
        return fw.cond(same(x, y), lambda: fw.sum(x * y), lambda: fw.sum(x))

    return fw.cond(fw.sum(x) > 0.0, inner, lambda: fw.sum(y))


def switched(x: Value, y: Value) -> Any:
    branches = [lambda: fw.sum(x), lambda: fw.sum(x * y), lambda: fw.sum(x[:2] * y[:2])]
    return fw.switch(fw.cast(same(x, y), "int32"), branches)


# The results where the sizes agree, and where they do not.
Expected = Callable[[Any, Any], Any]
product: Expected = lambda x, y: np.sum(x * y)  # noqa: E731
first: Expected = lambda x, y: np.sum(x)  # noqa: E731
zero: Expected = lambda x, y: 0.0  # noqa: E731
CASES: Dict[str, Tuple[Callable[[Value, Value], Any], Expected, Expected]] = {
    "sum": (lambda x, y: fw.cond(same(x, y), lambda: fw.sum(x * y), lambda: fw.sum(x)), product, first),
    "negated": (
        lambda x, y: fw.cond(x.shape[0] != y.shape[0], lambda: fw.sum(x), lambda: fw.sum(x * y)), product, first,
    ),
    "results": (lambda x, y: fw.cond(same(x, y), lambda: x + y, lambda: x), lambda x, y: x + y, lambda x, y: x),
    "dot": (lambda x, y: fw.cond(same(x, y), lambda: fw.dot(x, y), lambda: fw.sum(x)), product, first),
    "where": (
        lambda x, y: fw.cond(same(x, y), lambda: fw.sum(fw.where(x > y, x, y)), lambda: fw.sum(x)),
        lambda x, y: np.sum(np.maximum(x, y)), first,
    ),
    "stack": (
        lambda x, y: fw.cond(same(x, y), lambda: fw.sum(fw.stack([x, y]) ** 2), lambda: fw.sum(x)),
        lambda x, y: np.sum(x * x + y * y), first,
    ),
    "nested": (nested, product, first),
    "switch": (switched, product, first),
    "also outside": (
        lambda x, y: fw.cond(same(x, y), lambda: fw.sum(x * y), lambda: fw.sum(x)) + fw.sum(y),
        lambda x, y: np.sum(x * y) + np.sum(y), lambda x, y: np.sum(x) + np.sum(y),
    ),
    "gradient": (
        fw.grad(lambda x, y: fw.cond(same(x, y), lambda: fw.sum(x * x * y), lambda: fw.sum(x * x))),
        lambda x, y: 2 * x * y, lambda x, y: 2 * x,
    ),
    "gradient of a branch": (
        lambda x, y: fw.cond(same(x, y), lambda: fw.grad(lambda x: fw.sum(x * x * y))(x), lambda: x),
        lambda x, y: 2 * x * y, lambda x, y: x,
    ),
    "jvp": (
        lambda x, y: fw.jvp(lambda x: fw.cond(same(x, y), lambda: fw.sum(x * y), lambda: fw.sum(x)), (x,), (x,))[1],
        product, first,
    ),
    "scan": (steps, lambda x, y: len(x) * np.sum(x * y), first),
    "while": (count_while(same), product, zero),
    "while by value": (count_while(lambda x, y: fw.sum(x) == fw.sum(y) - len_of(x)), product, zero),
    "while on state": (until, lambda x, y: np.sum(x) - np.sum(x + y), zero),
    "branch in while": (twice, lambda x, y: 2 * np.sum(x * y), lambda x, y: 2 * np.sum(x)),
    "for": (
        lambda x, y: fw.fori_loop(0, fw.cast(same(x, y), "int32"), lambda i, c: c + fw.sum(x * y), np.float32(0)),
        product, zero,
    ),
}  # fmt: skip


def len_of(x: Value) -> Any:
    return fw.cast(x.shape[0], "float32")


wrong = []
for name, (function, if_equal, if_not) in CASES.items():
    for form in ("signature", "automatic"):
        if form == "signature":
            compiled = fw.function(function, signature=[fw.spec(None), fw.spec(None)], name="branching")
        else:
            compiled = fw.function(function, name="branching")
        # A loop's body is traced with static sizes, too, which must agree then.
        shapes = (
            [(4, 4), (4, 3), (4, 6), (3, 3)]
            if "while" in name or name in ("for", "switch")
            else [(4, 3), (4, 4), (2, 6), (6, 2)]
        )
        for n, m in shapes:
            x, y = ones(n), ones(m, 2.0)
            try:
                found = np.asarray(compiled(x, y))
            except (ValueError, RuntimeError) as error:
                wrong.append(f"{name}, {form}, {n} and {m}: {error}")
                continue
            expected = (if_equal if n == m else if_not)(x, y)
            if not np.allclose(found, expected):
                wrong.append(f"{name}, {form}, {n} and {m}: {found}, expected {expected}")
assert not wrong, "\n".join(wrong)

# A branch that is taken, and a loop that runs, do require it, and a step that fails changes nothing.
total = fw.Variable(np.float32(5), name="total")


@fw.function(signature=[fw.spec(None), fw.spec(None), fw.spec()])
def add(x: Value, y: Value, chosen: Value) -> Any:
    total.assign_add(fw.cond(chosen > 0.0, lambda: fw.sum(x * y), lambda: fw.sum(x)))
    return total


@fw.function(signature=[fw.spec(None), fw.spec(None), fw.spec()])
def repeat(x: Value, y: Value, times: Value) -> Any:
    total.assign_add(fw.while_loop(lambda s: s[0] < times, lambda s: (s[0] + 1.0, s[1] + fw.sum(x * y)),
                                   (np.float32(0), np.float32(0)))[1])  # fmt: skip
    return total


for step, unused in ((add, 4.0), (repeat, 0.0)):
    before = float(total.numpy())
    try:
        step(ones(4), ones(3), np.float32(1))
    except fw.InvalidArgumentError as error:
        assert "found 4 and 3" in str(error), error
    else:
        raise AssertionError("expected an error")
    assert float(total.numpy()) == before
    assert float(np.asarray(step(ones(4), ones(3), np.float32(0)))) == before + unused

# A bool of Python, and a range without numbers, trace one branch, and no body.
assert (
    float(
        np.asarray(fw.function(lambda x, y: fw.cond(False, lambda: fw.sum(x @ y), lambda: fw.sum(x)))(ones(4), ones(3)))
    )
    == 4.0
)
assert (
    float(np.asarray(fw.function(lambda x, y: fw.fori_loop(2, 2, lambda i, c: c + x @ y, fw.sum(x)))(ones(4), ones(3))))
    == 4.0
)
