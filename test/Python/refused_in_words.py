# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""T9: errors in the words of who wrote the program: function, argument, what was expected and what was found."""

from typing import Any, Callable, List, Tuple

import numpy as np

import flywheel as fw

x, matrix = np.ones((4, 3), np.float32), np.eye(3, dtype=np.float32)
w = fw.Variable(matrix, name="w")
norm, dropout = fw.nn.BatchNorm(3), fw.nn.Dropout(0.5)
attention = fw.nn.MultiHeadAttention(4, 2, causal=True)

# Wrong arguments are none that mypy takes.
api: Any = fw

CASES: List[Tuple[Callable[[Any], Any], type, str]] = [
    # Formats.
    (lambda x: api.print("{0.foo}", x), ValueError, "in the field {0.foo} of the format"),
    (lambda x: api.print("{0[a]}", x), ValueError, "in the field {0[a]} of the format"),
    (lambda x: api.print("{:q}", x.sum()), ValueError, "found 'q'"),
    (lambda x: api.print("{!z}", x), ValueError, "expected !r, !s or !a"),
    # Ranks and dtypes.
    (lambda x: api.eye(2**31), ValueError, "eye: expected less than 2^31 rows"),
    (lambda x: api.tri(2**31), ValueError, "tri: expected less than 2^31 rows"),
    (lambda x: api.Size(None), TypeError, "expected a size, found None"),
    (lambda x: api.nn.conv2d(x, np.ones((3, 3, 3, 4), np.float32)), fw.CompileError,
     "'nn.conv2d' of x (4, 3), w (3, 3, 3, 4): expected an image of rank 4, found"),
    (lambda x: api.nn.conv2d(np.ones((1, 6, 6, 3), np.float32), x), fw.CompileError, "expected a filter of rank 4"),
    (lambda x: api.random.normal((2,), dtype="int32"), TypeError, "RandomNormal draws floating-point numbers"),
    (lambda x: api.random.normal((2,), dtype=bool), TypeError, "found bool"),
    (lambda x: api.random.truncated_normal((2,), dtype="int8"), TypeError, "found int8"),
    # Numbers.
    (lambda x: api.sum(x, axis=True), TypeError, "expected an integer as axis, found bool"),
    (lambda x: api.top_k(x, True), TypeError, "expected an integer as k, found bool"),
    (lambda x: api.reshape(x, (2.5, 2)), TypeError, "expected an integer as a size of the shape, found float"),
    (lambda x: api.reshape(x, "ab"), TypeError, "found str"),
    (lambda x: api.full_like(x, "2"), TypeError, "expected numbers to make float32 of, found '2'"),
    (lambda x: api.constant(1, shape=["a"]), TypeError, "as an element of shape, found str"),
    (lambda x: api.eye(2, [3]), TypeError, "eye: expected an integer or a Tensor or None as columns, found [3]"),
    (lambda x: api.tri("a"), TypeError, "tri: expected an integer or a Tensor as rows, found 'a'"),
    (lambda x: api.arange([1]), TypeError, "arange: expected a number or a Tensor as start, found [1]"),
    (lambda x: api.linspace(None, 1), TypeError, "linspace: expected a number or a Tensor as start, found None"),
    (lambda x: api.quantile(x, "a"), TypeError, "a number from 0 to 1, or a list of them, as q, found 'a'"),
    (lambda x: api.percentile(x, 101), ValueError, "expected numbers from 0 to 100 as q, found 101"),
    (lambda x: api.switch(0, [1, 2]), TypeError, "expected functions as branches, found int"),
    (lambda x: api.array_split(x, 1.5), TypeError, "as sections, the places to split at, found float"),
    (lambda x: api.linalg.solve(matrix, 1.0), ValueError, "expected a vector or matrices as b, found a scalar"),
    (lambda x: api.nn.group_norm(x, 1.5), TypeError, "as groups, found"),
    (lambda x: api.constant([[1, 2], [3]]), ValueError, "expected lists of equal lengths"),
    (lambda x: api.sum([x, x[:1]]), ValueError, "expected parts of one shape in a list, found (4, 3), (1, 3)"),
    (lambda x: api.grad(lambda a: (a.sum(), a))(x), TypeError, "a gradient is of a scalar, found a tuple: return the"),
    (lambda x: api.grad(lambda a: a.sum() > 0)(x), TypeError, "a gradient is of a floating-point scalar, found bool"),
    # Effects in a vmap.
    (lambda x: api.vmap(lambda r: api.fori_loop(0, 2, lambda i, s: dropout(s, training=True), r))(x), ValueError,
     "a loop or a branch in the function of a vmap must not draw random numbers, as"),
    (lambda x: api.vmap(lambda r: api.cond(r[0] > 0, lambda: api.random.uniform((3,)), lambda: r))(x), ValueError,
     "a loop or a branch in the function of a vmap must not draw random numbers, as"),
    (lambda x: api.vmap(lambda r: w.assign_add(api.outer(r, r)).sum())(x), ValueError, "must not assign variable 'w'"),
    (lambda x: api.vmap(lambda r: norm(r[None], training=True))(x), ValueError, "'BatchNorm/mean', as optimizers and"),
]  # fmt: skip


def test_words() -> None:
    for place, (function, kind, words) in enumerate(CASES):
        try:
            fw.function(lambda x, f=function: (f(x), x)[1]).trace(x)
        except Exception as error:
            assert type(error) is kind and words in str(error), (place, words, type(error), str(error))
        else:
            raise AssertionError(words)


def test_ragged_feeds() -> None:
    """A list is a tree of arguments."""

    @fw.function(signature=[fw.spec(2, 2)])
    def same(x: Any) -> Any:
        return x

    try:
        same([[1, 2], [3]])
    except TypeError as error:
        assert "found 3 arguments (each element of a list is one: np.array(x) makes an array" in str(error), error
    else:
        raise AssertionError


def test_cache_of_an_open_batch() -> None:
    """The batch of a cache is a number: one that the call chooses is compared with it by the step."""
    cache = attention.make_cache(2, 8)

    @fw.function(dynamic=True)
    def extend(x: Any) -> Any:
        return attention(x, cache=cache)

    parts = np.random.default_rng(0).normal(size=(2, 4, 4)).astype(np.float32)
    found = np.concatenate([extend(parts[:, :3]), extend(parts[:, 3:])], 1)
    np.testing.assert_allclose(found, fw.function(lambda x: attention(x))(parts), 1e-5, 1e-5)
    try:
        extend(parts[:1, :1])
    except fw.InvalidArgumentError as error:
        assert "the batch" in str(error) or "dimension size 2" in str(error), error
    else:
        raise AssertionError("a batch of 1 for a cache of 2")


def test_own_errors() -> None:
    """An error of a user's function passes as it is, in a file and where there is none (`python -c`, notebooks)."""
    text = """
import numpy as np, flywheel as fw
def missing(x): return {}["key"]
for call in (lambda x: fw.cond(True, missing, missing, x), lambda x: fw.vmap(missing)(x),
             lambda x: fw.while_loop(missing, missing, x), lambda x: fw.grad(missing)(x)):
    try:
        fw.function(call)(np.ones(2, np.float32))
    except KeyError as error:
        assert error.args == ("key",), error
    else:
        raise AssertionError("no error")
"""
    for name in ("<string>", "<stdin>", "<ipython-input-1>", "<doctest a>", "a.py"):
        exec(compile(text, name, "exec"), {"__name__": "__main__"})


def test_dropout_of_inference() -> None:
    """Dropout that is known not to train draws nothing, and so a vmap may have it."""
    found = fw.function(lambda x: fw.vmap(lambda row: fw.nn.dropout(row, 0.5, training=False))(x))(x)
    np.testing.assert_array_equal(found, x)


if __name__ == "__main__":
    test_words()
    test_dropout_of_inference()
    test_own_errors()
    test_ragged_feeds()
    test_cache_of_an_open_batch()
