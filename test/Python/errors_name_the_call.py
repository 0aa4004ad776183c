# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""T9: an error of a public function names the function that was called, and the argument that is wrong, in words of
Python: no op of MLIR, no text of Python about code of the package, and no address."""

from typing import Any, Callable, List, Tuple, Type

import numpy as np

import flywheel as fw
from configurations import run_tests
from flywheel._errors import messages

any_fw: Any = fw
X = np.ones((2, 3), np.float32)
N = np.arange(3, dtype=np.int32)


def scalar() -> Any:
    return fw.sum(fw.constant(X))


class Layer(fw.Module):
    def __init__(self, size: int) -> None:
        self.size = size


CASES: List[Tuple[Callable[[], Any], Type[Exception], str]] = [
    # Arguments of other types.
    (lambda: any_fw.sum(None), TypeError, "sum: expected a tensor, an array or a number as x, found NoneType"),
    (lambda: any_fw.nn.Dropout(1.5), ValueError, "Dropout: expected a rate within [0, 1), found 1.5"),
    (lambda: any_fw.add(X, None), TypeError, "add: expected a tensor, an array or a number as b, found NoneType"),
    (lambda: any_fw.sum(X, axis=1.0), TypeError, "sum: expected an integer, a list of them or None as axis, found 1.0"),
    (lambda: fw.sum(X, axis=5), ValueError, "sum: axis 5 is out of bounds"),
    (lambda: any_fw.optimizers.SGD(lr="a"), TypeError, "SGD: expected a number as lr, found str"),
    (lambda: fw.stack([np.ones(2), np.ones(3)]), ValueError, "stack: tensors to concatenate"),
    (lambda: any_fw.nn.Conv1D(3, 4), TypeError, "Conv1D() missing 1 required positional argument: 'window'"),
    (lambda: Layer(), TypeError, "missing 1 required positional argument: 'size'"),  # type: ignore[call-arg]
    (lambda: any_fw.fori_loop(0, 3, iter([1]), 0), TypeError, "body_fn"),
    # Values that no result is for.
    (lambda: fw.arange(0, 5, 0), ValueError, "arange takes a step other than 0"),
    (lambda: fw.reshape(X, (5, -1)), ValueError, "cannot reshape a tensor of shape (2, 3) into shape (5, -1)"),
    (lambda: fw.reshape(X, (-1, -1)), ValueError, "into shape (-1, -1): one of the sizes may be -1"),
    (lambda: fw.reshape(X, (-2, -3)), ValueError, "into shape (-2, -3): a size is -1"),
    (lambda: fw.exp(1 << 63), ValueError, "exp: expected numbers of 64 bits, found x=9223372036854775808"),
    (lambda: fw.constant(N) ** -1, ValueError, "integers to a negative power"),
    (lambda: fw.power(fw.constant(N), np.array([1, -1, 2])), ValueError, "integers to a negative power"),
    (lambda: 2 ** fw.constant(np.float32(-1)), Exception, ""),
    # Values that the op would refuse in words of MLIR.
    (lambda: fw.nn.dropout(X, 2), ValueError,
     "dropout: expected a number of at least 0 and less than 1 as rate, found 2"),
    (lambda: fw.nn.dropout(X, float("nan")), ValueError, "as rate, found nan"),
    (lambda: fw.random.randint((2,), 0.0, 0.5), ValueError,
     "randint: expected an integer for draws of int32 as maxval, found 0.5"),
    (lambda: fw.random.uniform((2,), -0.5, 2, dtype="int64"), ValueError,
     "uniform: expected an integer for draws of int64 as minval, found -0.5"),
    (lambda: any_fw.nn.one_hot(2, None), TypeError,
     "one_hot: expected an integer or a scalar tensor as depth, found None"),
    (lambda: fw.full([0, 1], (2, 3)), ValueError,
     "full: expected a value that broadcasts to the shape (0, 1) as value, found the shape (2,)"),
    (lambda: fw.full_like(np.ones((1, 4, 4, 2), np.float32), X), ValueError,
     "full_like: expected a value that broadcasts to the shape (1, 4, 4, 2) as value, found the shape (2, 3)"),
    (lambda: fw.jvp_of(0.5, [fw.constant(X)], [0.0]), ValueError,
     "jvp_of: expected a tangent of the shape (2, 3) of its x as tangents, found the shape ()"),
    # Functions of other parameters.
    (lambda: any_fw.while_loop(lambda a: a < 3, lambda a, b: a + 1, 0), ValueError,
     "while_loop calls body_fn with other arguments than it has"),
    (lambda: any_fw.while_loop(lambda a, b: a < 3, lambda a: a + 1, 0), ValueError, "while_loop calls cond_fn"),
    (lambda: any_fw.fori_loop(0, 3, lambda a: a, 0), ValueError, "fori_loop calls body_fn"),
    (lambda: any_fw.scan(lambda a: a, 0.0, X), ValueError, "scan calls body_fn"),
    (lambda: any_fw.cond(scalar() > 1, lambda: 1.0, lambda a: a), ValueError, "cond calls false_fn"),
    (lambda: any_fw.switch(fw.constant(1), [lambda: 1.0, lambda a: a]), ValueError, "switch calls branches"),
    # Ops that do not take an operand.
    (lambda: any_fw.bitwise_xor("a", 1), fw.CompileError, "bitwise_xor: expected integers, found a tensor of strings"),
    (lambda: fw.constant("a") ^ 1, fw.CompileError, "expected integers, found a tensor of strings"),
    (lambda: fw.nn.pow(fw.constant(N), 2), fw.CompileError, "pow: expected a tensor of floating-point numbers, found a "
     "tensor of int32"),
]  # fmt: skip


def test_texts() -> None:
    for function, kind, words in CASES:
        if not words:
            fw.function(function)()
            continue
        try:
            fw.function(function)()
        except Exception as error:
            assert isinstance(error, kind) and words in str(error), (words, type(error), str(error))
            assert " at 0x" not in str(error) and "<locals>" not in str(error).split("\n")[0], error
        else:
            raise AssertionError(f"expected {words}")


def test_once() -> None:
    """A name is said once, by the call that the user has written, and code of the user raises what it likes."""

    def texts(function: Callable[[], Any]) -> str:
        try:
            fw.function(function)()
        except Exception as error:
            return str(error)
        raise AssertionError("expected an error")

    def own() -> Any:
        raise ValueError("expected a rate, found none")

    assert texts(lambda: fw.cond(scalar() > 1, own, own)) == "expected a rate, found none"
    inner = texts(lambda: fw.cond(scalar() > 1, lambda: any_fw.sum(None), lambda: 1.0))
    assert inner == "sum: expected a tensor, an array or a number as x, found NoneType", inner
    method = texts(lambda: fw.cond(scalar() > 1, lambda: fw.constant(X).reshape(7), lambda: 1.0))
    assert method.startswith("cannot reshape a tensor of shape (2, 3) into shape (7)"), method


def test_fields() -> None:
    """An error has fields, of which its text is made: function, argument, what was expected and what was found."""

    def fields(function: Callable[[], Any]) -> Any:
        try:
            fw.function(function)()
        except Exception as error:
            problem = messages.fields_of(error)
            assert problem is not None and str(error) == problem.sentence(), error
            return problem
        raise AssertionError("expected an error")

    one = fields(lambda: any_fw.sum(None))
    assert (one.caller, one.argument) == ("sum", "x"), one
    assert (one.expected, one.found) == ("a tensor, an array or a number", "NoneType"), one
    one = fields(lambda: any_fw.optimizers.SGD(lr="a"))
    assert (one.caller, one.expected, one.found, one.argument) == ("SGD", "a number", "str", "lr"), one
    one = fields(lambda: fw.arange(0, 5, 0))
    assert (one.function, one.caller, one.text) == ("arange", "arange", "takes a step other than 0"), one
    one = fields(lambda: any_fw.nn.argmax(X, axis="a"))
    assert one.sentence() == "nn.argmax: expected an integer as axis, found 'a'", one
    one = fields(lambda: fw.nn.dense(X, X))
    assert (one.function, one.caller) == ("nn.dense", "dense") and one.place.endswith(": error: "), one
    assert one.text == ("'nn.dense' of x (2, 3), w (2, 3): expected equal sizes of dimension 1 of x and dimension 0 "
                        "of w, found 3 and 2"), one
    one = fields(lambda: any_fw.bitwise_xor("a", 1))
    assert (one.caller, one.expected, one.found) == ("bitwise_xor", "integers", "a tensor of strings"), one


def test_counts() -> None:
    """Python's errors of arguments name the class that was called, and count the arguments that it was given."""
    calls: List[Tuple[Callable[[], Any], str]] = [
        (lambda: any_fw.nn.Conv1D(), "Conv1D() missing 3 required positional arguments: 'inputs', 'outputs', and 'w"),
        (lambda: any_fw.nn.Conv1D(3), "Conv1D() missing 2 required positional arguments: 'outputs' and 'window'"),
        (lambda: any_fw.nn.Conv1D(3, 4), "Conv1D() missing 1 required positional argument: 'window'"),
        (lambda: any_fw.nn.Dropout(0.1, 2, 3), "Dropout() takes "),
    ]  # fmt: skip
    for call, words in calls:
        try:
            call()
        except TypeError as error:
            assert str(error).startswith(words), (words, error)
        else:
            raise AssertionError(words)


def test_powers_that_a_step_computes() -> None:
    """A power that only a call knows is 0 where it is negative, unless the base is 1 or -1."""
    power = fw.function(lambda a, b: a**b)
    np.testing.assert_array_equal(power(np.array([2, 1, -1, 3], np.int32), np.array([-1, -2, -3, 2], np.int32)),
                                  [0, 1, -1, 9])  # fmt: skip
    np.testing.assert_allclose(fw.function(lambda a: a**-2)(np.float32(2)), 0.25)
    np.testing.assert_allclose(fw.function(lambda a: a**-1.0)(np.int32(2)), 0.5)


if __name__ == "__main__":
    run_tests([test_texts, test_once, test_fields, test_counts, test_powers_that_a_step_computes])
