# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules that show the names that they list, and propose the nearest one for a name that they do not have."""

import importlib
import sys
import types
from typing import Any, Callable, Dict, Iterable, List, Set

from .contracts import explain_all
from .hints import attribute_error, nearest

__all__ = ["show", "when_set"]

# Called when a name of a module that is shown gets another value.
when_set: List[Callable[[], None]] = []

# Submodules to search for functions of a name that the package itself does not have.
_GROUPS = ("nn", "linalg", "fft", "random", "optimizers", "schedules", "initializers", "constraints", "clauses", "data")
# Losses whose `reduction` is of the means over the last dimension.
_OF_ELEMENTS = ("flywheel.nn.{0}, whose reduction 'sum' and 'none' are of the means over the last dimension; those of "
                "all elements are of {1}, as in flywheel.sum(...)")  # fmt: skip
# Names of other frameworks, and the names here.
_ELSEWHERE: Dict[str, str] = {
    "tensor": "flywheel.constant in a traced function, NumPy's arrays outside",
    "jit": "flywheel.function", "compile_function": "flywheel.function", "optim": "flywheel.optimizers",
    "optax": "flywheel.optimizers", "no_grad": "flywheel.stop_gradient; a function that takes no gradient has none",
    "detach": "flywheel.stop_gradient", "manual_seed": "flywheel.set_seed", "from_numpy": "flywheel.constant",
    "cat": "flywheel.concatenate", "concat": "flywheel.concatenate", "tree_map": "flywheel.map_leaves",
    "lax": "flywheel itself: cond, scan, map, fori_loop, while_loop, switch", "numpy": "flywheel itself",
    "ndarray": "flywheel.Tensor", "asnumpy": "the result of a call, which is an array",
    "ShapeDtypeStruct": "flywheel.spec", "Parameter": "flywheel.Variable", "GradientTape": "flywheel.grad",
    "placeholder": "an argument of a traced function", "reduce_sum": "flywheel.sum",
    "reduce_mean": "flywheel.mean", "reduce_max": "flywheel.max", "reduce_min": "flywheel.min",
    "unsqueeze": "flywheel.expand_dims", "permute": "flywheel.transpose", "clamp": "flywheel.clip",
    "global_variables_initializer": "nothing: variables get their initial values when they are needed",
    "DataLoader": "flywheel.data.Batches", "Dataset": "flywheel.data.Batches", "Adam": "flywheel.optimizers.Adam",
    "nn.Linear": "flywheel.nn.Dense", "Linear": "flywheel.nn.Dense", "nn.Module": "flywheel.Module",
    "nn.BatchNorm2d": "flywheel.nn.BatchNorm", "nn.BatchNorm1d": "flywheel.nn.BatchNorm",
    "nn.cross_entropy": "flywheel.nn.sparse_softmax_cross_entropy(logits, labels)",
    "nn.CrossEntropyLoss": "flywheel.nn.sparse_softmax_cross_entropy(logits, labels)",
    "nn.MSELoss": "flywheel.nn.mean_squared_error",
    "nn.mse_loss": _OF_ELEMENTS.format("mean_squared_error", "(a - b)**2"),
    "nn.l1_loss": _OF_ELEMENTS.format("mean_absolute_error", "flywheel.abs(a - b)"),
    "nn.huber_loss": _OF_ELEMENTS.format("huber", "flywheel.nn.huber(a[..., None], b[..., None], reduction='none')"),

    "nn.functional": "flywheel.nn itself", "nn.swish": "flywheel.nn.silu", "nn.tanh": "flywheel.tanh",
    "nn.BatchNormalization": "flywheel.nn.BatchNorm", "nn.LayerNormalization": "flywheel.nn.LayerNorm",
    "nn.GroupNormalization": "flywheel.nn.GroupNorm", "nn.RMSNormalization": "flywheel.nn.RMSNorm",
    "nn.Embed": "flywheel.nn.Embedding", "nn.Conv": "flywheel.nn.Conv1D, Conv2D or Conv3D",
    "nn.RNN": "flywheel.nn.LSTM or GRU; flywheel.scan for a cell of your own", "nn.LSTMCell": "flywheel.nn.LSTM",
    "nn.GRUCell": "flywheel.nn.GRU", "nn.ReLU": "flywheel.nn.relu", "nn.GELU": "flywheel.nn.gelu",
    "nn.Tanh": "flywheel.tanh", "nn.Flatten": "flywheel.reshape(x, (x.shape[0], -1))",
    "nn.Parameter": "flywheel.Variable",
    "nn.Param": "flywheel.Variable", "nn.ModuleList": "a list of modules", "nn.ModuleDict": "a dict of modules",
    "nn.List": "a list of modules", "nn.MaxPool2D": "flywheel.nn.max_pool2d", "nn.MaxPool2d": "flywheel.nn.max_pool2d",
    "nn.AvgPool2d": "flywheel.nn.avg_pool2d", "nn.normalize": "x / flywheel.norm(x, axis, keepdims=True)",
    "nn.l2_normalize": "x / flywheel.norm(x, axis, keepdims=True)", "nn.log_sigmoid": "-flywheel.nn.softplus(-x)",
    "nn.logsigmoid": "-flywheel.nn.softplus(-x)", "nn.BCEWithLogitsLoss": "flywheel.nn.sigmoid_cross_entropy",
    "nn.binary_cross_entropy_with_logits": "flywheel.nn.sigmoid_cross_entropy",
    "rand": "flywheel.random.uniform(shape)", "randn": "flywheel.random.normal(shape)", "bmm": "a @ b", "mm": "a @ b",
    "nn.scaled_dot_product_attention": "flywheel.nn.attention",
    "random.PRNGKey": "no keys: flywheel.set_seed seeds all streams", "random.key": "no keys: flywheel.set_seed",
    "random.split": "no keys: flywheel.set_seed seeds all streams", "random.seed": "flywheel.set_seed",
    "random.rand": "flywheel.random.uniform(shape)", "random.randn": "flywheel.random.normal(shape)",
    "schedules.CosineDecay": "flywheel.schedules.CosineRate", "schedules.cosine_decay": "flywheel.schedules.CosineRate",
    "schedules.ExponentialDecay": "flywheel.schedules.ExponentialRate",
    "schedules.PiecewiseConstantDecay": "flywheel.schedules.PiecewiseRate",
    "schedules.PolynomialDecay": "flywheel.schedules.PolynomialRate",
    "schedules.StepLR": "flywheel.schedules.ExponentialRate(..., staircase=True)",
    "initializers.Uniform": "flywheel.initializers.RandomUniform",
    "initializers.Normal": "flywheel.initializers.RandomNormal",
    "linalg.cond": "flywheel.linalg.norm(a) times that of the inverse; flywheel.cond is a branch",
}  # fmt: skip


class _Module(types.ModuleType):
    """A module that shows what it lists, and has no attributes for what it imports for itself. Its submodules are
    attributes that `dir` does not list."""

    _shown: Set[str] = set()

    def __dir__(self) -> List[str]:
        own = super().__getattribute__("__dict__")
        return sorted({*own["_shown"], *(name for name in own if name.startswith("__") and name.endswith("__"))})

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("_"):
            return super().__getattribute__(name)
        own = super().__getattribute__("__dict__")
        if name in own and name not in own["_hidden"]:
            return own[name]
        if name in own["_submodules"]:
            try:
                return importlib.import_module(f"{self.__name__}.{name}")
            except ImportError as error:
                raise AttributeError(f"'{self.__name__}.{name}' cannot be imported: {error}") from error
        raise self._missing(name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Shows a name that a user sets, also one that the module has for itself. Functions that were traced with
        another value of it are traced again."""
        own = super().__getattribute__("__dict__")
        if own.get(name, value) is not value:
            for forget in when_set:
                forget()
        if not name.startswith("_") and not _is_submodule(own["__name__"], name, value):
            own["_hidden"].discard(name)
            own["_shown"].add(name)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        super().__getattribute__("__dict__")["_shown"].discard(name)

    def _missing(self, name: str) -> AttributeError:
        own = self.__name__
        known = _ELSEWHERE.get(f"{own}.{name}".removeprefix("flywheel."), "")
        hint = f"; instead: {known}" if known else ""
        if not hint and own == "flywheel":
            for group in _GROUPS:
                if name in getattr(sys.modules.get(f"flywheel.{group}"), "__all__", ()):
                    hint = f"; did you mean 'flywheel.{group}.{name}'?"
                    break
        hint = hint or nearest(name, self._shown)
        return attribute_error(f"module '{own}' has no attribute '{name}'{hint}", name, hint)


def _is_submodule(module: str, name: str, value: Any) -> bool:
    return isinstance(value, types.ModuleType) and value.__name__ == f"{module}.{name}"


def show(module: str, submodules: Iterable[str] = ()) -> None:
    """Has a module that is loaded show what its `__all__` lists, and import each of `submodules` when it is used.
    Its functions and constructors say what they expect where an argument is of another type."""
    found = sys.modules[module]
    # A call of an object has code of a user in it.
    explain_all(found.__dict__, found.__dict__["__all__"], ["__init__"])
    shown = set(found.__dict__["__all__"])
    found.__dict__["_shown"] = shown
    found.__dict__["_hidden"] = {
        name for name, value in found.__dict__.items()
        if name not in shown and not name.startswith("_") and not _is_submodule(module, name, value)
    }  # fmt: skip
    found.__dict__["_submodules"] = frozenset(submodules)
    found.__class__ = _Module
