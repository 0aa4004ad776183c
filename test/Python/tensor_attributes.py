# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""X15: a tensor, a size and a variable show NumPy's attributes and what this package documents, and nothing of how a
trace keeps them: `shape` is the one place of sizes."""

from typing import Any, List, Set

import numpy as np

import flywheel as fw

# Attributes that NumPy's arrays do not have, and the documentation does.
TENSOR = {"at", "trace", "value"}
VARIABLE = {
    "assign", "assign_add", "assign_sub", "at", "collections", "constraint", "device", "initialized_value", "is_global",
    "is_initialized", "moving_average", "name", "namespace", "numpy", "read", "set", "trainable",
}  # fmt: skip


def public(x: Any) -> Set[str]:
    return {name for name in dir(x) if not name.startswith("_")}


seen: List[Any] = []


@fw.function(dynamic=True)
def look(x: Any) -> Any:
    for one in (x, x.shape[0], x.shape[0] / 2, x.shape[0] > 4):
        seen.append((type(one).__name__, public(one) - set(dir(np.ndarray)) - TENSOR))
    return x


look(np.ones((3, 2), np.float32))
assert seen == [(name, set()) for name in ("Tensor", "Size", "Number", "Condition")], seen
own = public(fw.Variable(np.ones(2, np.float32), name="v")) - set(dir(np.ndarray)) - VARIABLE
assert not own, own
