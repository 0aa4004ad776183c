# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a graph of ONNX to the ops of a trace."""

from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import onnx

from .._core import dtypes as _dtypes
from .._flywheel import Value
from .._frontends.interpreters import GraphInterpreter, Handlers
from .._frontends.layouts import Laid
from .._frontends.missing_ops import Frame, MissingOp, UnsupportedOpError, refuse
from .._ops.emission import Size, normalize_axis
from ..variables import Variable
from ._attributes import Attributes, find_schema, name_of
from ._file import Dim, describe_error
from ._known import FOLDS, MOST_KNOWN, Known
from ._sizes import Sizes
from ._small import Small
from ._tensors import as_dtype, to_array

Result = Union[Laid, Known]
Operand = Union[Laid, Known, None]


class Handler(NamedTuple):
    """The translation of an op."""

    function: Callable[..., Any]
    # Attributes that change neither a value nor a derivative. It reads each other one, or the node is refused.
    without: Tuple[str, ...]
    # Operands that it has to know while it translates: Known, or None.
    known: Tuple[int, ...]
    # Operands that it takes as they are; the others are Laid, or None.
    raw: Tuple[int, ...]
    # For numbers of 2 to 8 bits: "" if the op is not imported for them, "takes" if the function tells them apart,
    # "keeps" if the result has the elements of the first operand.
    small: str


HANDLERS: Handlers[Handler] = Handlers()

# Attributes of earlier versions that are operands now: the second operand and those after it.
_MOVED: Dict[str, Tuple[str, ...]] = {
    "Clip": ("min", "max"), "Dropout": ("ratio",), "Pad": ("pads", "value"), "Slice": ("starts", "ends", "axes"),
    "Split": ("split",), "Squeeze": ("axes",), "TopK": ("k",), "Unsqueeze": ("axes",)}  # fmt: skip


def op(
    *names: str, without: str = "", known: Sequence[int] = (), raw: Sequence[int] = (), small: str = ""
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers the translation of ops: a function of the call and its operands."""

    return HANDLERS.register(
        names, lambda function: Handler(function, tuple(without.split()), tuple(known), tuple(raw), small)
    )


def describe(node: Any) -> str:
    """A node, to be read."""
    return f"node '{node.name}'" if node.name else f"the node of '{next(iter(node.output), '')}'"


def version_of(node: Any, versions: Mapping[str, int]) -> int:
    """The version of the ops of a node's domain."""
    return versions.get("" if node.domain == "ai.onnx" else node.domain, 1)


def find_missing(graph: Any, versions: Mapping[str, int]) -> List[MissingOp]:
    """The ops of a graph, and of the graphs in it, that have no translation, and attributes that no version of an op
    has."""
    missing: List[MissingOp] = []
    for node in graph.node:
        name, version = name_of(node), version_of(node, versions)
        if name not in HANDLERS:
            missing.append(MissingOp(name, describe(node)))
            continue
        schema = find_schema(name, version)
        if schema is None:
            missing.append(MissingOp(f"{name} of version {version}", describe(node)))
            continue
        for attribute in node.attribute:
            if attribute.name not in schema.attributes:
                missing.append(MissingOp(f"{name} with the attribute '{attribute.name}'", describe(node)))
            elif attribute.type == onnx.AttributeProto.GRAPH:
                missing += find_missing(attribute.g, versions)
    return missing


class Call:
    """One node of the graph: what its translation may ask."""

    def __init__(self, node: Any, interpreter: "Interpreter"):
        self.node = node
        self.op = name_of(node)
        self.interpreter = interpreter
        self.opset = version_of(node, interpreter.versions)
        self.trains = interpreter.trains
        self.attributes = Attributes(node, self.opset)
        self.attribute, self.has, self.graph = self.attributes.read, self.attributes.has, self.attributes.graph

    def axis(self, x: Laid) -> int:
        """The attribute `axis`, counted from the start. Raises ValueError for an unknown dimension."""
        return normalize_axis(self.attribute("axis"), x.ndim)

    def flag(self, name: str) -> bool:
        """An attribute that is 0 or 1. Raises ValueError for another number."""
        found = self.attribute(name)
        if found not in (None, 0, 1):
            raise ValueError(f"expected 0 or 1 as {name}, found {found}")
        return bool(found)

    def word(self, name: str, *known: str) -> str:
        """An attribute that is one of these words, the first one for an op without it. Raises UnsupportedOpError for
        another one."""
        found = self.attribute(name, known[0])
        if found not in known:
            raise self.unsupported(f"with {name} '{found}'")
        return str(found)

    def dtype_attribute(self, name: str) -> _dtypes.DType:
        return as_dtype(self.attribute(name), f"the result of {describe(self.node)}")

    def has_input(self, place: int) -> bool:
        return len(self.node.input) > place and bool(self.node.input[place])

    def wants(self, place: int) -> bool:
        """Returns true if something may use this result."""
        return len(self.node.output) > place and bool(self.node.output[place])

    def uses_batch(self, is_file_training: bool) -> bool:
        """Returns true if the node works as in training, by the mode of the file or of the step."""
        return is_file_training if self.interpreter.keeps_modes else self.trains

    def variable(self, place: int) -> Optional[Variable]:
        """The variable that an operand is."""
        return self.interpreter.variable_of(self.node.input[place])

    def dim_size(self, place: int, x: Laid, axis: int) -> Size:
        """The size of a dimension of an operand: one value for each name of a size."""
        return self.interpreter.sizes.of(self.node.input[place], x, axis)

    def unsupported(self, what: str) -> UnsupportedOpError:
        """The error for a form of the op that is not imported."""
        return refuse("ONNX", [MissingOp(f"{self.op} {what}", describe(self.node))])


class Failed:
    """Stands in for a value that does not exist, since a node before is not imported."""


class Abandoned(Exception):
    """A graph of a branch or loop has nodes that are not imported, which are told."""


class Interpreter(GraphInterpreter[Any, Sequence[Any]]):
    """Emits the ops of a graph into the current trace.

    `values` has the inputs, `constants` what is known, `variables` variables by the names of their initializers.
    """

    framework = "ONNX"

    def __init__(
        self, name: str, versions: Mapping[str, int], values: Mapping[str, Laid], constants: Mapping[str, Known],
        variables: Mapping[str, Variable], orders: Mapping[int, Sequence[int]], dims: Mapping[str, Tuple[Dim, ...]],
        trains: bool, keeps_modes: bool,
    ):  # fmt: skip
        super().__init__()
        self.name = name
        self.versions = versions
        # True if this is a step of training; then, true if nodes have the modes of the file.
        self.trains = trains
        self.keeps_modes = keeps_modes
        self._env: Dict[str, Any] = dict(values)
        self._constants = constants
        self._variables = dict(variables)
        self._orders = orders
        self.sizes = Sizes(dims)
        self._count = 0
        # The number of elements that may still be computed while the graph is translated.
        self._left = MOST_KNOWN

    def run(self, graph: Any) -> List[Laid]:
        """The values of the graph's outputs. Raises UnsupportedOpError for all forms of ops that are not imported."""
        for name, value in list(self._env.items()):
            self.sizes.add(name, value)
        outputs = self.run_all(lambda: self.run_inner(graph))
        return [one if isinstance(one, Laid) else one.laid() for one in outputs]

    def run_inner(self, graph: Any) -> List[Any]:
        """The outputs of a graph that sees what is around it."""
        for tensor in graph.initializer:
            if tensor.name not in self._variables and tensor.name not in self._constants:
                self._env[tensor.name] = Known(to_array(tensor, f"initializer '{tensor.name}'"))
        for node in graph.node:
            self._count += 1
            results = self.run_node(node)
            for name, result in zip(node.output, results):
                if name:
                    self._env[name] = result
                    if isinstance(result, Laid):
                        self.sizes.add(name, result)
        return [self._value(output.name, "the graph's outputs") for output in graph.output]

    def run_body(self, graph: Any, inputs: Sequence[Result]) -> List[Result]:
        """The outputs of the graph of a branch or loop: what it makes is not seen around it. Raises Abandoned."""
        outside = self._env, self._variables
        # A value that is made inside may not be found outside, in another order either.
        self._env = {name: one.copy() if isinstance(one, Laid) else one for name, one in self._env.items()}
        self._variables = dict(self._variables)
        try:
            with self.sizes.inside():
                for info, one in zip(graph.input, inputs):
                    self._env[info.name] = one
                    self._variables.pop(info.name, None)
                outputs = self.run_inner(graph)
        finally:
            self._env, self._variables = outside
        if any(isinstance(one, Failed) for one in outputs):
            raise Abandoned
        for info, one in zip(graph.output, outputs):
            if isinstance(one, (Known, Small)) and one.element is not None:
                raise refuse("ONNX", [MissingOp(f"a branch or loop with a result of {one.element.name}", info.name)])
        return outputs

    def may_make(self, count: int) -> bool:
        """Counts this many more elements. Returns true if they may be computed now, rather than by the step."""
        self._left -= count
        return self._left >= 0

    def variable_of(self, name: str) -> Optional[Variable]:
        return self._variables.get(name)

    # Values

    def _value(self, name: str, where: str) -> Any:
        if name in self._env:
            return self._env[name]
        if name in self._variables:
            # Not kept: a node may have assigned it since.
            variable = self._variables[name]
            return Laid(variable.read(), self._orders.get(id(variable)))
        if name in self._constants:
            return self._constants[name]
        raise ValueError(f"{self.name}: nothing makes '{name}', which {where} needs")

    def find_frame(self, node: Any) -> Optional[Frame]:
        return self.name, self._count, node.name or node.op_type

    def stand_in(self, node: Any) -> Sequence[Any]:
        return [Failed()] * len(node.output)

    def translate(self, node: Any) -> Sequence[Any]:
        operands = [self._value(name, describe(node)) if name else None for name in node.input]
        if any(isinstance(operand, Failed) for operand in operands):
            return self.stand_in(node)
        if node.op_type == "Identity" and node.input and node.input[0] in self._variables:
            self._variables[node.output[0]] = self._variables[node.input[0]]
        try:
            results = _translate(Call(node, self), operands)
        except Abandoned:
            return self.stand_in(node)
        except UnsupportedOpError as error:
            raise UnsupportedOpError(
                str(error), error.missing or [MissingOp(f"{node.op_type}: {error}", describe(node))]
            ) from error
        except MemoryError:
            raise
        except Exception as error:
            # Whatever a translation stumbles over is in the file.
            if self._missing:
                return self.stand_in(node)
            text = f"{self.name}, {describe(node)} ({node.op_type}): {describe_error(error)}"
            raise ValueError(text) from error
        results = results if isinstance(results, (list, tuple)) else [results]
        self.sizes.follow(node, operands, results[0] if results else None)
        return results


def _translate(call: Call, operands: Sequence[Operand]) -> Any:
    handler = HANDLERS[call.op]
    results = _results(call, handler, operands)
    count = len(results) if isinstance(results, (list, tuple)) else 1
    for place in range(count, len(call.node.output)):
        if call.wants(place):
            raise call.unsupported(f"with '{call.node.output[place]}', its result {place},")
    for name, value in call.attributes.find_dropped(handler.without):
        raise call.unsupported(f"with the attribute '{name}' = {value!r}")
    return results


def _check_present(call: Call, operands: Sequence[Operand]) -> None:
    """Raises ValueError for an operand without a name that may not be left out."""
    inputs = find_schema(call.op, call.opset).inputs
    for place, one in enumerate(operands):
        formal = inputs[min(place, len(inputs) - 1)]
        if one is None and formal.option != onnx.defs.OpSchema.FormalParameterOption.Optional:
            raise ValueError(f"expected the operand '{formal.name}', found none")


def _results(call: Call, handler: Handler, operands: Sequence[Operand]) -> Any:
    _check_present(call, operands)
    operands = _with_moved(call, operands)
    given = [one for one in operands if one is not None]
    elements = {one.element for one in given if isinstance(one, (Known, Small)) and one.element is not None}
    if elements and not handler.small:
        raise call.unsupported(f"of {elements.pop().name}")
    if call.op in FOLDS and not elements and given and all(isinstance(one, Known) for one in given):
        found = FOLDS[call.op](call, *operands)
        if found is not None:
            return found
    arguments: List[Operand] = []
    for place, one in enumerate(operands):
        if place in handler.known:
            if isinstance(one, Laid):
                raise call.unsupported(f"with '{_input_name(call, place)}' that the step computes")
        elif isinstance(one, Known) and place not in handler.raw:
            one = one.laid()
        arguments.append(one)
    found = handler.function(call, *arguments)
    if elements and handler.small == "keeps":
        return Small(found.data, elements.pop(), found.order)
    return found


def _with_moved(call: Call, operands: Sequence[Operand]) -> Sequence[Operand]:
    """Returns the operands, with those that this version of the op has as attributes."""
    names = _MOVED.get(call.op, ())
    if not any(call.has(name) for name in names):
        return operands
    found: List[Operand] = list(operands[:1])
    for place, name in enumerate(names, 1):
        value = call.attribute(name)
        if value is None:
            found.append(operands[place] if place < len(operands) else None)
            continue
        like = operands[0].dtype if isinstance(value, float) and isinstance(operands[0], Laid) else None
        found.append(Known(np.asarray(value, np.int64 if like is None and not isinstance(value, float) else like)))
    return found


def _input_name(call: Call, place: int) -> str:
    inputs = find_schema(call.op, call.opset).inputs
    return str(inputs[min(place, len(inputs) - 1)].name)


def is_size(value: Any) -> bool:
    """Returns true for a size that only the call knows."""
    return isinstance(value, Value)
