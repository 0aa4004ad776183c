# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""T9: each public function, class and method has a signature with the names of its parameters, which editors and `help`
show, but for those listed here, with the reason. Those of the compiled module have it in their documentation."""

import importlib
import inspect
from typing import Any, Dict, Iterator, Tuple

import flywheel as fw

MODULES = ["flywheel", "flywheel.nn", "flywheel.linalg", "flywheel.fft", "flywheel.random", "flywheel.optimizers",
           "flywheel.schedules", "flywheel.initializers", "flywheel.constraints", "flywheel.clauses", "flywheel.data",
           "flywheel.train", "flywheel.pictures"]  # fmt: skip
OF_FUNCTION, TENSORS, OPERANDS = "the arguments of the traced function", "a number of tensors", "what a function takes"

# Functions that take any arguments, and why.
LISTED: Dict[str, str] = {
    **{f"flywheel.Function.{name}": OF_FUNCTION for name in ("trace", "mlir", "stage", "picture", "cost", "profile",
                                                             "export", "__call__")},
    "flywheel.Entry.__call__": OF_FUNCTION,
    **{f"flywheel.{name}": TENSORS for name in ("breakpoint", "broadcast_arrays", "einsum", "map_leaves", "meshgrid",
                                                "print")},
    **{f"flywheel.{name}": OPERANDS for name in ("callback", "cond", "switch", "vjp")},
    **{f"flywheel.{name}.reshape": "the sizes of a shape" for name in ("Tensor", "Variable", "Size")},
    **{f"flywheel.{name}.transpose": "the numbers of dimensions" for name in ("Tensor", "Variable", "Size")},
    "flywheel.spec": "the sizes of a shape", "flywheel.nn.Sequential": "any number of layers",
    "flywheel.nn.Sequential.__call__": "a mode that layers have", "flywheel.train.LambdaCallback": "events by name",
}  # fmt: skip


def members() -> Iterator[Tuple[str, Any]]:
    """Yields the public functions and classes, and the methods of classes, by their names."""
    for module in MODULES:
        found: Any = importlib.import_module(module)
        for name in found.__all__:
            value = getattr(found, name)
            if not callable(value) or not getattr(value, "__module__", "").startswith("flywheel"):
                continue
            if inspect.isclass(value) and issubclass(value, BaseException):
                continue
            yield f"{module}.{name}", value
            for method in dir(value) if inspect.isclass(value) else ():
                own = inspect.getattr_static(value, method)
                if (not method.startswith("_") or method == "__call__") and inspect.isroutine(own):
                    yield f"{module}.{name}.{method}", getattr(value, method)


starred, unknown = {}, []
for name, value in members():
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        text = value.__doc__ or ""
        if not inspect.isclass(value) and not text.startswith(f"{name.rpartition('.')[2]}("):
            unknown.append(name)
        continue
    if any(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in parameters):
        starred[name] = inspect.signature(value)
assert not unknown, unknown
wrong = {name: found for name, found in starred.items() if name not in LISTED}
assert not wrong, "\n".join(f"{name}{found}" for name, found in wrong.items())
assert not set(LISTED) - set(starred), set(LISTED) - set(starred)


class Own(fw.Module):
    def __init__(self, width: int) -> None:
        self.width = width


class Without(Own):
    pass


class Fresh(fw.Module):
    def __new__(cls, depth: int) -> Any:
        return super().__new__(cls)


shown: Dict[Any, str] = {
    fw.nn.Conv1D: "inputs outputs window strides padding dilations groups bias initializer dtype",
    fw.nn.LSTM: "inputs units dtype", fw.optimizers.SGD: "lr", Own: "width", Without: "width", Fresh: "depth",
    fw.function: "function name signature dynamic", fw.CheckpointManager: "max_to_keep keep_checkpoint_every_n_hours",
}  # fmt: skip
for value, names in shown.items():
    found = list(inspect.signature(value).parameters)
    assert found[: len(names.split())] == names.split(), (value, found)
assert str(inspect.signature(fw.nn.LSTM(2, 3))).startswith("(x: ")
