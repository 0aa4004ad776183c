# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""An attribute or argument that tensors, modules, layers and optimizers of other frameworks have is an error that says
what does the same here (T9), and that exists."""

import re
from typing import Any, Callable, Dict, Mapping, Type

import numpy as np

import flywheel as fw
from flywheel._errors.module_names import _ELSEWHERE
from flywheel._errors.other_frameworks import MODULE, OPTIMIZER, TENSOR

untyped: Any = fw
x = np.ones((4, 3), np.float32)


def check(kind: Type[Exception], text: str, call: Callable[[], Any]) -> None:
    try:
        call()
    except kind as error:
        assert text in str(error), (text, str(error))
    else:
        raise AssertionError(text)


def traced(body: Callable[[Any], Any]) -> Callable[[], Any]:
    return lambda: fw.function(body)(x)


class Network(fw.Module):
    def __init__(self) -> None:
        self.dense = fw.nn.Dense(3, 2)

    def __call__(self, value: Any) -> Any:
        return self.dense(value)


model, adam = Network(), fw.optimizers.Adam()
reading: Any = model
made: Any = Network


def check_table(thing: Any, table: Mapping[str, str]) -> None:
    """All names of a table are refused with its text, and a method that a text begins with exists."""
    for name, text in table.items():
        check(AttributeError, f"'{type(thing).__name__}' object has no attribute '{name}'; instead: {text}",
              lambda: getattr(thing, name))  # fmt: skip
        method = re.match(r"(\w+)(\(.*\))?($|,)", text)
        if method and method[1] not in ("print", "x"):
            assert hasattr(thing, method[1]), (name, text)


def of_a_tensor(value: Any) -> Any:
    check_table(value, TENSOR)
    return value


fw.function(of_a_tensor)(x)
check_table(model, MODULE)
check_table(adam, OPTIMIZER)
assert not hasattr(model, "_private") and not hasattr(adam, "__array__")
check(AttributeError, "'Network' object has no attribute 'dnse'", lambda: reading.dnse)

# Public names that a text mentions exist.
for table in (TENSOR, MODULE, OPTIMIZER, _ELSEWHERE):
    for text in table.values():
        for path in re.findall(r"flywheel((?:\.[A-Za-z_]\w*)+)", text):
            found = untyped
            for part in path[1:].split("."):
                found = getattr(found, part)

# Arguments by keyword.
calls: Dict[str, Callable[[], Any]] = {
    "LayerNorm has no argument 'eps'; did you mean 'epsilon'?": lambda: untyped.nn.LayerNorm(48, eps=1e-5),
    "Conv2D has no argument 'kernel_size'; did you mean 'window'?": lambda: untyped.nn.Conv2D(3, 8, kernel_size=3),
    "Conv2D has no argument 'stride'; did you mean 'strides'?": lambda: untyped.nn.Conv2D(3, 8, 3, stride=2),
    "Dense has no argument 'activation', only inputs": lambda: untyped.nn.Dense(3, 2, activation="relu"),
    "Dense has no argument 'in_features'; did you mean 'inputs'?": lambda: untyped.nn.Dense(in_features=3),
    "MultiHeadAttention has no argument 'num_heads'; did you mean 'heads'?":
        lambda: untyped.nn.MultiHeadAttention(48, num_heads=4),
    "expected one of 'valid', 'same' or 2 pairs as padding": lambda: untyped.nn.Conv2D(3, 8, 3, padding=1),
    "sum has no argument 'dim'; did you mean 'axis'?": traced(lambda a: untyped.sum(a, dim=1)),
    "mean has no argument 'dim'; did you mean 'axis'?": traced(lambda a: a.mean(dim=1)),
    "sum has no argument 'keepdim'; did you mean 'keepdims'?": traced(lambda a: a.sum(axis=1, keepdim=True)),
    "stack has no argument 'dim'; did you mean 'axis'?": traced(lambda a: untyped.stack([a, a], dim=0)),
    "Adam takes no variables": lambda: untyped.optimizers.Adam(model.parameters()),
    "Adam takes no variables, found Network": lambda: untyped.optimizers.Adam(model, lr=0.1),
    "SGD takes no variables, found list": lambda: untyped.optimizers.SGD([1.0], lr=0.1),
    "normal(4, 3): expected the sizes in one tuple, (4, 3)": traced(lambda a: fw.random.normal(4, 3)),
}  # fmt: skip
for expected, call in calls.items():
    check(TypeError, expected, call)
# Calls that look like these are as they were.
for draw in (lambda a: fw.random.normal(4, 3.0), lambda a: fw.random.normal(4, 0), lambda a: fw.random.normal(4, 3, 2)):
    assert traced(draw)().shape == (4,)
assert float(fw.optimizers.SGD(np.float32(0.5)).lr.numpy()) == 0.5
# A class of a user says itself which arguments it has.
check(TypeError, "unexpected keyword argument 'eps'", lambda: made(eps=1))
# The nearest of two names that differ by case begins as the one that was asked for.
check(AttributeError, "did you mean 'Conv2D'?", lambda: untyped.nn.Conv2d)
check(AttributeError, "did you mean 'conv2d'?", lambda: untyped.nn.conv2D)


class Forward(fw.Module):
    def forward(self, value: Any) -> Any:
        return value


class Called(Forward):
    def __call__(self, value: Any) -> Any:
        return self.forward(value)


class Coder(fw.Module):
    def encode(self, value: Any) -> Any:
        return value


refusing: Any = Forward()
check(TypeError, "'__call__', found 'forward' alone", lambda: refusing(x))
assert Called()(1) == 1 and refusing.forward(2) == 2 and not callable(Coder())
