# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of one op or a few, with what they must compute, in one module.

Compiling one costs much more than running it. So a run has a part of the functions in each configuration, unless it
takes all cases (selection.py).
"""

from typing import Any, Callable, Dict, Hashable, List, NamedTuple, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

from configurations import (
    ALL,
    ONLY_GPU,
    Model,
    configurations,
    expect_close,
    expect_equal,
    is_available,
    make,
    share_out,
)
from selection import cover, takes_all

Array = NDArray[Any]
DTYPES = {"f32": np.float32, "f64": np.float64}


def tensor(shape: Sequence[Any], element: str) -> str:
    return f"tensor<{''.join(f'{dim_size}x' for dim_size in shape)}{element}>"


def function(name: str, args: Sequence[str], result: str, body: str) -> str:
    head = ", ".join(f"%a{i}: {kind}" for i, kind in enumerate(args))
    return f"func.func @{name}({head}) -> {result} {{\n  {body}\n  return %y : {result}\n}}\n"


class Function(NamedTuple):
    """A function, with the values of the parameters that it was made of, and the inputs and results of its calls."""

    name: str
    text: str
    key: Tuple[Hashable, ...]
    calls: List[Tuple[str, List[Array], Any, float]]


class Cases:
    """Functions of one module, with their inputs and expected results.

    `name`, which is needed for functions that have a `key`, keeps two groups of functions from taking alike."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.functions: List[Function] = []

    def add(self, what: str, args: Sequence[str], result: str, body: str,
            key: Tuple[Hashable, ...] = ()) -> Callable[..., None]:
        """Adds a function. `key` has the values of the parameters of which the test makes its functions, for each
        function as many."""
        name = f"f{len(self.functions)}"
        added = Function(name, function(name, args, result, body), key, [])
        self.functions.append(added)

        def expect(inputs: List[Array], expected: Any, scale: float = 1.0) -> None:
            added.calls.append((f"{what} {[a.shape for a in inputs]}", inputs, expected, scale))
        return expect

    def share_out(self, names: Sequence[str]) -> Dict[str, List[Function]]:
        """Returns the functions that each configuration has. All are in the first configuration, which is the optimized
        one where there is one, and each is in another one too. Some functions that have keys are left out: each
        pair of values of a key occurs in the first configuration, and each value occurs in each of the others."""
        first = "optimized" if "optimized" in names else names[0]
        others = [name for name in names if name != first]
        plain = [added for added in self.functions if not added.key]
        shared = {name: [plain[number] for number in taken] for name, taken in share_out(len(plain), names).items()}
        keyed = [added for added in self.functions if added.key]
        if keyed:
            shared[first] += cover(f"{self.name} in {first}", keyed, lambda added: added.key)
            rows = [(added, name) for added in keyed for name in others]
            for added, name in cover(f"{self.name} elsewhere", rows, lambda row: (*row[0].key, row[1])):
                shared[name].append(added)
        return shared

    def check(self, names: Sequence[str] = ALL) -> None:
        if takes_all() or ONLY_GPU:
            for configuration, model in configurations("".join(added.text for added in self.functions), names):
                self.compare(configuration, model, self.functions)
            return
        for configuration, functions in self.share_out([name for name in names if is_available(name)]).items():
            if functions:
                self.compare(configuration, make("".join(added.text for added in functions), configuration), functions)

    def compare(self, configuration: str, model: Model, functions: Sequence[Function]) -> None:
        model.initialize()
        for added in functions:
            for what, inputs, expected, scale in added.calls:
                found = model.run(added.name, *inputs)
                if np.asarray(expected).dtype.kind in "ib":
                    expect_equal(f"{configuration} {what}", found, expected)
                    continue
                tolerance = {"float16": 1e-3, "float32": 1e-5, "float64": 1e-9}[str(found.dtype)] * scale
                expect_close(f"{configuration} {what}", found, expected, tolerance)
