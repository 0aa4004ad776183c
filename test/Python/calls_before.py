# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""X33: a call gives what it gives as the first one of its function, a result or an error, whichever calls came before.
A program for all sizes is not for 1, which is broadcast and squeezed, and has no last word where it refuses a call."""

import itertools
from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy as np

import flywheel as fw
import selection
from configurations import run_tests

Shapes = Tuple[Tuple[int, ...], ...]

# Functions of one and of two arguments, whose leading sizes differ between calls.
ONE: Dict[str, Callable[..., Any]] = {
    "squeeze": fw.squeeze,
    "squeeze 0": lambda x: fw.squeeze(x, 0),
    "reshape 6": lambda x: fw.reshape(x, (6, -1)),
    "reshape 2": lambda x: fw.reshape(x, (-1, 4)),
    "flat": lambda x: x.reshape(-1) * 2.0,
    "of its size": lambda x: x / x.shape[0],
    "stacked": lambda x: fw.concatenate([x, x * 2.0], 0),
    "rows": lambda x: x[0] + x[-1],
    "third": lambda x: x[2],
    "to three": lambda x: x * np.ones((3, 2), np.float32),
    "to one": lambda x: x + np.ones((1, 2), np.float32),
    "softmax": lambda x: fw.nn.softmax(x),
    "branch": lambda x: x * 2.0 if x.shape[0] == 1 else x,
    "split": lambda x: fw.split(x, 2, axis=0)[0],
    "where": lambda x: fw.where(x > 0, x, np.zeros((3, 1), np.float32)),
}
TWO: Dict[str, Callable[..., Any]] = {
    "mul": lambda a, b: a * b,
    "maximum": fw.maximum,
    "equal": lambda a, b: fw.cast(a < b, "float32"),
    "where": lambda a, b: fw.where(a > b, a, b),
    "concat 0": lambda a, b: fw.concatenate([a, b], 0),
    "concat 1": lambda a, b: fw.concatenate([a, b], 1),
    "stack": lambda a, b: fw.stack([a, b]),
    "matmul": lambda a, b: a @ fw.transpose(b),
    "batched": lambda a, b: fw.matmul(a[:, :, None], b[:, None, :]),
    "gradient": lambda a, b: fw.grad(lambda a, b: fw.sum(a * b))(a, b),
    "loss": lambda a, b: fw.mean(fw.square(a - b)),
    "reshape": lambda a, b: fw.reshape(a, (b.shape[0], -1)),
    "dot": lambda a, b: fw.tensordot(a, b, axes=([0], [0])),
    "broadcast": lambda a, b: fw.broadcast_to(a, b.shape) + b,
}
SIZES = (1, 2, 3, 6)
PAIRS: Dict[int, List[Shapes]] = {
    1: [((n, 2),) for n in SIZES],
    2: [((n, 2), (m, 2)) for n, m in [(1, 1), (4, 4), (6, 6), (6, 1), (1, 3), (6, 3), (2, 4)]],
}


def arrays(shapes: Shapes) -> List[Any]:
    return [np.linspace(-1, 2 + i, int(np.prod(shape)), dtype=np.float32).reshape(shape)
            for i, shape in enumerate(shapes)]  # fmt: skip


def outcome(function: Any, shapes: Shapes) -> Tuple[str, Any]:
    """The result of a call, or the kind and the text of its error without places in the source."""
    try:
        found = function(*arrays(shapes))
    except Exception as error:
        return type(error).__name__, str(error).split("\n", 1)[0]
    return "result", found if isinstance(found, tuple) else np.asarray(found)


def check(name: str, body: Callable[..., Any], orders: Sequence[Sequence[Shapes]]) -> None:
    first = {shapes: outcome(fw.function(body), shapes) for shapes in {s for order in orders for s in order}}
    for order in orders:
        function = fw.function(body)
        for place, shapes in enumerate(order):
            kind, found = outcome(function, shapes)
            expected_kind, expected = first[shapes]
            message = f"{name}: {shapes} after {order[:place]}: {kind} {found}, alone {expected_kind} {expected}"
            assert kind == expected_kind, message
            if kind == "result":
                assert np.shape(found) == np.shape(expected), message
                np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6, err_msg=message)
            else:
                assert found == expected, message


def orders_of(pairs: List[Shapes]) -> List[Tuple[Shapes, ...]]:
    """Orders of three calls, the last of which is also repeated: the second call makes a program for all sizes."""
    found = [(*order, order[-1], order[0]) for order in itertools.permutations(pairs, 3)]
    return [*found, tuple(pairs) + tuple(reversed(pairs))]


def test_sweep() -> None:
    for count, bodies in ((1, ONE), (2, TWO)):
        orders = orders_of(PAIRS[count])
        chosen = [*selection.choose(f"calls of {count}", orders, 6 / len(orders)), orders[-1]]
        for name, body in bodies.items():
            check(name, body, chosen)


def test_the_reported() -> None:
    check("mul", lambda a, b: a * b, [[((4, 2), (4, 2)), ((6, 2), (1, 2))], [((6, 2), (1, 2)), ((4, 2), (4, 2))]])
    check("squeeze", fw.squeeze, [[((3, 2),), ((4, 2),), ((1, 2),)], [((1, 2),), ((3, 2),), ((4, 2),), ((1, 2),)]])


def test_steps() -> None:
    """A step that is refused has changed nothing before it is called for its sizes, and one without results runs
    once."""
    w = fw.Variable(np.zeros(2, np.float32), name="w")

    @fw.function
    def step(a: Any, b: Any) -> None:
        w.assign_add(fw.sum(a * b, 0))

    total = np.zeros(2, np.float32)
    for n, m in [(4, 4), (5, 5), (6, 6), (6, 1), (6, 1), (1, 6), (5, 5), (1, 1), (7, 7)]:
        a, b = arrays(((n, 2), (m, 2)))
        step(a, b)
        total += (a * b).sum(0)
        np.testing.assert_allclose(w.numpy(), total, rtol=1e-5)
    before = w.numpy()
    for n, m in [(4, 3), (4, 3), (3, 4)]:
        kind, text = outcome(step, ((n, 2), (m, 2)))
        assert kind == "ValueError" and "could not be broadcast" in text, (kind, text)
        np.testing.assert_array_equal(w.numpy(), before)


def test_data() -> None:
    """An error of the data is the same before and after, and later calls are right."""
    table = np.arange(4, dtype=np.float32)
    look = fw.function(lambda i: fw.nn.gather(table, i, 0))
    for n in (2, 3, 5):
        look(np.zeros(n, np.int32))
    for n in (3, 4, 4):
        kind, _ = outcome_of(look, np.full(n, 9, np.int32))
        assert kind == "InvalidArgumentError", kind
        np.testing.assert_array_equal(look(np.full(n, 3, np.int32)), np.full(n, 3.0))


def outcome_of(function: Any, *given: Any) -> Tuple[str, Any]:
    try:
        return "result", function(*given)
    except Exception as error:
        return type(error).__name__, str(error)


def test_number_of_programs() -> None:
    """One program for all sizes but 1."""
    traces: List[Any] = []

    @fw.function
    def double(x: Any) -> Any:
        traces.append(x.shape)
        return x * 2.0

    for n in (5, 4, 3, 2, 7, 0, 6):
        double(np.ones((n, 2), np.float32))
    assert len(traces) == 2, traces
    for n in (1, 5, 1, 3):
        double(np.ones((n, 2), np.float32))
    assert len(traces) == 3, traces


if __name__ == "__main__":
    run_tests([test_the_reported, test_sweep, test_steps, test_data, test_number_of_programs])
