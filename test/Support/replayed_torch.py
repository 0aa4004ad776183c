# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands in for PyTorch, from files that record_torch.py wrote: the parts of `torch` that the importer uses.

`install` makes it the package that `import torch` finds. Its `torch.export.export` returns the program that PyTorch's
exported for a `RecordedModule` in its mode, as the file has it: the graph with a schema for each op, the signature, and
for each node what the result is like. There are no ops: an attribute of `torch` that is not here raises AttributeError,
and what the importer asks besides is added here and, where PyTorch has to say it, to the recorder.
"""

import math
import operator
import re
from types import SimpleNamespace
from typing import Any, Dict, Iterator, List, Optional, Tuple

import numpy as np

from recordings import filled
from stand_in_modules import make_module


class dtype:  # noqa: N801  # As in PyTorch.
    def __init__(self, name: str):
        self.name = name
        self.is_floating_point = "float" in name
        self.is_complex = name.startswith("complex")
        self.is_signed = name not in ("bool", "uint8")

    def __repr__(self) -> str:
        return f"torch.{self.name}"


DTYPES = {name: dtype(name) for name in (
    "float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool", "complex64",
    "complex128")}  # fmt: skip


class Expression(str):
    """The expression of a size; its symbols are s0 and so on, and u0 and so on where elements decide."""

    @property
    def free_symbols(self) -> List[str]:
        return re.findall(r"\b[A-Za-z_]\w*", self)


class SymInt:
    def __init__(self, text: str, hint: Optional[int]):
        self.node = SimpleNamespace(expr=Expression(text), hint=hint)

    def __int__(self) -> int:
        return int(self.node.hint)

    def __repr__(self) -> str:
        return str(self.node.expr)


class SymBool(SymInt):
    pass


class Tensor:
    """A tensor: with elements, `array`, or as what a result is like, without."""

    def __init__(self, kind: dtype, shape: Tuple[Any, ...], array: Any = None, requires_grad: bool = False):
        self.dtype, self.shape, self.array, self.requires_grad = kind, shape, array, requires_grad
        self._backward_hooks: Any = None

    @staticmethod
    def of(array: Any, requires_grad: bool = False) -> "Tensor":
        return Tensor(DTYPES[array.dtype.name], array.shape, array, requires_grad)

    def is_complex(self) -> bool:
        return self.dtype.is_complex

    def is_floating_point(self) -> bool:
        return self.dtype.is_floating_point

    def _same(self) -> "Tensor":
        return self

    detach = cpu = contiguous = resolve_conj = _same

    def numpy(self) -> Any:
        return self.array

    def __array__(self, kind: Any = None, copy: Any = None) -> Any:
        return np.array(self.array, kind)

    def register_hook(self, hook: Any) -> None:
        raise NotImplementedError


class Module:
    """A module; its parts are its attributes, which have no names here."""

    def __init__(self) -> None:
        self.training = True
        self._backward_hooks: Dict[Any, Any] = {}
        self._backward_pre_hooks: Dict[Any, Any] = {}
        self._parameters: Dict[str, Tensor] = {}
        self._buffers: Dict[str, Tensor] = {}

    def modules(self) -> Iterator["Module"]:
        yield self
        yield from (one for one in vars(self).values() if isinstance(one, Module))

    def _owners(self) -> Iterator["Module"]:
        return (one for one in self.modules() if not isinstance(one, Conv2d))

    def named_modules(self) -> Iterator[Tuple[str, "Module"]]:
        return ((f"{place}" if place else "", one) for place, one in enumerate(self.modules()))

    def named_parameters(self, remove_duplicate: bool = True) -> List[Tuple[str, Tensor]]:
        return [one for part in self._owners() for one in part._parameters.items()]

    def named_buffers(self, remove_duplicate: bool = True) -> List[Tuple[str, Tensor]]:
        return [one for part in self._owners() for one in part._buffers.items()]

    def parameters(self) -> List[Tensor]:
        return [one for _, one in self.named_parameters()]

    def buffers(self) -> List[Tensor]:
        return [one for _, one in self.named_buffers()]

    def state_dict(self) -> Dict[str, Tensor]:
        return dict([*self.named_parameters(), *self.named_buffers()])

    def train(self, mode: bool = True) -> None:
        for one in self.modules():
            one.training = mode

    def forward(self, *arguments: Any) -> Any:
        raise AssertionError("a recorded module is exported, not run")


class RecordedModule(Module):
    """A module of a file of record_torch.py: its parameters, and its exported program in each mode. `images` are
    parts that the importer tells from others by their class."""

    def __init__(self, recorded: Dict[str, Any]):
        super().__init__()
        self.programs = recorded["programs"]
        self.schemas = recorded["schemas"]
        for place, one in enumerate(recorded["parameters"]):
            array = filled(one, place)
            group = self._parameters if one["trainable"] is not None else self._buffers
            group[one["name"]] = Tensor.of(array, bool(one["trainable"]))
        self._images = [Conv2d(self._parameters[name]) for name in recorded["filters"]]

    def modules(self) -> Iterator[Module]:
        yield self
        yield from self._images


class Conv2d(Module):
    """A convolution, whose weight is one of the parameters that the module around it names."""

    def __init__(self, weight: Tensor):
        super().__init__()
        self.weight = weight
        self._parameters = {"weight": weight}


class ConvTranspose2d(Conv2d):
    pass


#
# Graphs
#


class Node:
    def __init__(self, op: str, name: str, target: Any, value: Any):
        self.op, self.name, self.target = op, name, target
        self.meta = {"val": value}
        self.args: Tuple[Any, ...] = ()
        self.kwargs: Dict[str, Any] = {}
        self.users: Dict[Node, None] = {}

    @property
    def all_input_nodes(self) -> List["Node"]:
        return list(dict.fromkeys(_nodes_in([self.args, list(self.kwargs.values())])))

    def __repr__(self) -> str:
        return self.name


def _nodes_in(tree: Any) -> Iterator[Node]:
    if isinstance(tree, Node):
        yield tree
    elif isinstance(tree, (list, tuple)):
        for one in tree:
            yield from _nodes_in(one)


class Argument:
    """An argument of an op's schema."""

    def __init__(self, recorded: List[Any]):
        self.name, self.kwarg_only, self._has_default, default = recorded
        self.default_value = _value(default, {})
        self.alias_info = None

    def has_default_value(self) -> bool:
        return bool(self._has_default)


class Op:
    def __init__(self, name: str, schema: List[Any]):
        self._name = name
        self._schema = SimpleNamespace(arguments=[Argument(one) for one in schema])

    def __str__(self) -> str:
        return self._name


def _value(recorded: Any, nodes: Dict[str, Node]) -> Any:
    """Returns an argument of a node."""
    if isinstance(recorded, list):
        return [_value(one, nodes) for one in recorded]
    if not isinstance(recorded, dict):
        return recorded
    kind = next(iter(recorded))
    if kind == "node":
        return nodes[recorded["node"]]
    if kind == "dtype":
        return DTYPES[recorded["dtype"]]
    if kind == "size":
        return SymInt(recorded["size"], recorded["hint"])
    if kind == "condition":
        return SymBool(recorded["condition"], None)
    if kind == "tensor":
        return Tensor(DTYPES[recorded["tensor"]], tuple(_value(one, nodes) for one in recorded["shape"]))
    if kind == "float":
        return float(recorded["float"])
    return STRIDED if recorded == {"other": "torch.strided"} else recorded["other"]


def _result(recorded: Any) -> Any:
    """Returns what a result is like. `float32[2, 3]` is a tensor of sizes that are known."""
    if isinstance(recorded, list):
        return [_result(one) for one in recorded]
    if isinstance(recorded, str):
        name, _, shape = recorded[:-1].partition("[")
        return Tensor(DTYPES[name], tuple(int(one) for one in shape.split(",") if one))
    return _value(recorded, {})


STRIDED = object()
_TARGETS = {f"operator.{name}": getattr(operator, name)
            for name in ("getitem", "add", "sub", "mul", "floordiv", "ge", "gt", "le", "lt", "eq", "ne")}  # fmt: skip


def _graph_of(recorded: List[Any], schemas: Dict[str, Any]) -> Any:
    nodes: Dict[str, Node] = {}
    for one in recorded:
        kind = "call_function" if "call" in one else "output" if "args" in one else "placeholder"
        target = one.get("call")
        if target is not None:
            target = _TARGETS[target] if target in _TARGETS else Op(target, schemas.get(target, []))
        node = nodes[one["name"]] = Node(kind, one["name"], target, _result(one.get("value")))
        node.args = tuple(_value(one.get("args", []), nodes))
        node.kwargs = {name: _value(value, nodes) for name, value in one.get("kwargs", {}).items()}
        for used in node.all_input_nodes:
            used.users[node] = None
    return SimpleNamespace(nodes=list(nodes.values()))


class ExportedProgram:
    def __init__(self, recorded: Dict[str, Any], schemas: Dict[str, Any]):
        self.graph = _graph_of(recorded["nodes"], schemas)
        self.graph_module = SimpleNamespace(modules=lambda: [])
        self.constants = {name: Tensor.of(np.array(one["values"], one["dtype"]).reshape(one["shape"]))
                          for name, one in recorded["constants"].items()}  # fmt: skip
        self.state_dict: Dict[str, Tensor] = {}
        self.graph_signature = SimpleNamespace(
            input_specs=[_spec(*one) for one in recorded["inputs"]],
            output_specs=[_spec(*one) for one in recorded["outputs"]])  # fmt: skip
        self.range_constraints = {name: SimpleNamespace(upper=upper) for name, upper in recorded["bounds"].items()}
        self.call_spec = SimpleNamespace(out_spec=recorded["form"])

    def run_decompositions(self, table: Any) -> "ExportedProgram":
        return self


def _spec(kind: str, name: str, target: Optional[str]) -> Any:
    return SimpleNamespace(kind=SimpleNamespace(name=kind), arg=SimpleNamespace(name=name), target=target)


def _unflatten(leaves: List[Any], form: Any) -> Any:
    """A form is the place of a leaf, or a list of forms."""
    return tuple(_unflatten(leaves, one) for one in form) if isinstance(form, list) else leaves[form]


def _export(module: Any, example: Tuple[Any, ...], dynamic_shapes: Any = None) -> ExportedProgram:
    recorded = next(one for one in module.modules() if isinstance(one, RecordedModule))
    return ExportedProgram(recorded.programs["step" if module.training else "call"], recorded.schemas)


class Dim:
    """A size that a call chooses."""

    def __init__(self, name: str, *, min: Optional[int] = None, max: Any = math.inf):  # noqa: A002
        self.__name__, self.min, self.max = name, 0 if min is None else min, max


def result_type(first: Any, second: Any) -> dtype:
    """The dtype that two operands are promoted to: a tensor decides over a tensor without dimensions, and this one over
    a number, unless theirs is of a higher kind."""
    found: Tuple[int, int, Any] = (-1, -1, None)
    for one in (first, second):
        name = one.dtype.name if isinstance(one, Tensor) else type(one).__name__
        name = {"float": "float32", "int": "int64"}.get(name, name) if not isinstance(one, Tensor) else name
        kind = 0 if name == "bool" else 1 if "int" in name else 2 if "float" in name else 3
        rank = 0 if not isinstance(one, Tensor) else 2 if one.shape else 1
        if found[2] is None or (kind > found[0] if rank <= found[1] else kind >= found[0]):
            promoted = name
            if found[2] is not None and rank == found[1] and kind == found[0]:
                promoted = np.promote_types(name, found[2]).name
            found = (kind, rank, promoted)
        elif rank == found[1] and kind == found[0]:
            found = (kind, rank, np.promote_types(name, found[2]).name)
    return DTYPES[found[2]]


class _Library:
    def __init__(self, *names: str):
        pass

    def define(self, schema: str) -> None:
        """Defines nothing: a graph with functions that have a derivative of their own is not recorded."""

    def impl(self, *what: Any) -> None:
        """As `define`."""


class _Function:
    @classmethod
    def apply(cls, *arguments: Any) -> Any:
        raise NotImplementedError


def install() -> None:
    """Makes `import torch` find what is here."""
    make_module("torch", **DTYPES, Tensor=Tensor, SymInt=SymInt, SymBool=SymBool, result_type=result_type,
            strided=STRIDED,
            as_tensor=lambda value: value if isinstance(value, Tensor) else Tensor.of(np.asarray(value)),
            from_numpy=Tensor.of, sym_max=object(), sym_min=object(),
            empty_like=lambda like, dtype: Tensor(dtype, like.shape))  # fmt: skip
    make_module("torch.nn", Module=Module, Conv2d=Conv2d, ConvTranspose2d=ConvTranspose2d)
    make_module("torch.nn.utils")
    make_module("torch.nn.utils.rnn", PackedSequence=type("PackedSequence", (), {}))
    make_module("torch.fx", Node=Node, Graph=lambda: SimpleNamespace(nodes=[]), GraphModule=type("GraphModule", (), {}))
    make_module("torch.utils")
    make_module("torch.utils._pytree", tree_unflatten=_unflatten)
    make_module("torch.export", export=_export, Dim=Dim, default_decompositions=dict)
    make_module("torch.library", Library=_Library, register_fake=lambda *what, **named: None)
    make_module("torch.autograd", Function=_Function)
