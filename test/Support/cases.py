# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of one op or a few, with what they must compute, in one module."""

from typing import Any, Callable, List, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

from configurations import ALL, configurations, expect_close, expect_equal

Array = NDArray[Any]
DTYPES = {"f32": np.float32, "f64": np.float64}


def tensor(shape: Sequence[Any], element: str) -> str:
    return f"tensor<{''.join(f'{dim_size}x' for dim_size in shape)}{element}>"


def function(name: str, args: Sequence[str], result: str, body: str) -> str:
    head = ", ".join(f"%a{i}: {kind}" for i, kind in enumerate(args))
    return f"func.func @{name}({head}) -> {result} {{\n  {body}\n  return %y : {result}\n}}\n"


class Cases:
    """Functions of one module, with their inputs and expected results."""

    def __init__(self) -> None:
        self.text = ""
        self.cases: List[Tuple[str, str, List[Array], Any, float]] = []

    def add(self, what: str, args: Sequence[str], result: str, body: str) -> Callable[..., None]:
        name = f"f{self.text.count('func.func')}"
        self.text += function(name, args, result, body)

        def expect(inputs: List[Array], expected: Any, scale: float = 1.0) -> None:
            self.cases.append((f"{what} {[a.shape for a in inputs]}", name, inputs, expected, scale))
        return expect

    def check(self, names: Sequence[str] = ALL) -> None:
        for configuration, model in configurations(self.text, names):
            model.initialize()
            for what, name, inputs, expected, scale in self.cases:
                found = model.run(name, *inputs)
                if np.asarray(expected).dtype.kind in "ib":
                    expect_equal(f"{configuration} {what}", found, expected)
                    continue
                tolerance = {"float16": 1e-3, "float32": 1e-5, "float64": 1e-9}[str(found.dtype)] * scale
                expect_close(f"{configuration} {what}", found, expected, tolerance)
