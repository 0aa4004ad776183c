# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From an exported graph of PyTorch to the ops of a trace."""

import operator
import re
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import torch

from .. import _ops
from .._core import dtypes as _dtypes
from .._core.tensor import format_shape
from .._flywheel import Value
from .._frontends.interpreters import GraphInterpreter, Handlers
from .._frontends.layouts import Laid
from .._frontends.missing_ops import Frame, MissingOp, UnsupportedOpError, refuse
from .._ops.emission import Size, index_op, size
from . import _complex
from ._arguments import Arguments, Handler
from ._complex import Complex

_DTYPES: Dict[Any, str] = {
    torch.float32: "float32", torch.float64: "float64", torch.float16: "float16", torch.bfloat16: "bfloat16",
    torch.int8: "int8", torch.int16: "int16", torch.int32: "int32", torch.int64: "int64", torch.uint8: "uint8",
    torch.bool: "bool"}  # fmt: skip

HANDLERS: Handlers[Handler] = Handlers()


def op(*names: str, without: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers the translation of ops: a function of the call and of arguments, as `Handler` says. A name is one of
    aten, or has the library in front of "::".

    `without` lists arguments that change neither a value nor a derivative. Each other argument is a parameter of the
    function, or read with `Call.argument`, or the op is refused where it is not its default.
    """

    parts = [name.rpartition("::") for name in names]
    return HANDLERS.register([f"{library or 'aten'}.{own}" for library, _, own in parts],
                             lambda function: Handler(function, without.split()))  # fmt: skip


def as_dtype(dtype: Any) -> _dtypes.DType:
    """The dtype of a dtype of PyTorch. Raises UnsupportedOpError for one that is not imported."""
    if dtype not in _DTYPES:
        raise UnsupportedOpError(f"tensors of {dtype} are not imported")
    return _dtypes.as_dtype(_DTYPES[dtype])


class Call:
    """One op of the graph: what its translation may ask."""

    def __init__(self, node: Any, argument_values: Sequence[Any], arguments: Arguments, known_sizes: "Sizes"):
        self.node = node
        self._argument_values = argument_values
        self._arguments = arguments
        self._known_sizes = known_sizes

    def argument(self, name: str) -> Any:
        """An argument by its name in the op's schema; None where this overload of the op has none of it."""
        return self._arguments.read(name)

    @property
    def result(self) -> Any:
        """The tensor without elements that PyTorch says the result is like."""
        return self.node.meta.get("val")

    @property
    def dtype(self) -> _dtypes.DType:
        """The dtype of the result, of complex numbers that of their parts."""
        found = self.result
        dtype = (found[0] if isinstance(found, (tuple, list)) else found).dtype
        return as_dtype(_complex.PARTS.get(dtype, dtype))

    @property
    def operand_dtype(self) -> _dtypes.DType:
        """The dtype of the operands of a comparison and such, by PyTorch's promotion."""
        given = [value.node.hint if isinstance(value, torch.SymInt) else value for value in self._argument_values]
        kinds = [value for value in given if isinstance(value, (torch.Tensor, bool, int, float))]
        first: Any = kinds[0]
        if len(kinds) == 1:
            return as_dtype(first.dtype)
        return as_dtype(torch.result_type(first, kinds[1]))

    def meta(self, place: int) -> Any:
        """As `result`, of an argument."""
        return self._argument_values[place]

    def wants(self, place: int) -> bool:
        """Returns true if this one of several results is used."""
        return any(user.target is operator.getitem and user.args[1] == place and user.users for user in self.node.users)

    def known_size(self, axis: int) -> Optional[Size]:
        """The size of a dimension of the result; None for one of the call that no value is known for."""
        return self._known_sizes.find(self.result.shape[axis])

    def unsupported(self, what: str) -> UnsupportedOpError:
        """The error for a form of the op that is not imported."""
        missing = MissingOp(f"{self.node.target} {what}", location_of(self.node))
        return refuse("PyTorch", [missing])


def _frame_of(node: Any) -> Optional[Frame]:
    """File, line and function of the model's source, rather than of torch's."""
    trace = node.meta.get("stack_trace") or ""
    frames = [(file, int(line), name) for file, line, name in re.findall(r'File "(.+?)", line (\d+), in (\S+)', trace)]
    own = [frame for frame in frames if "/torch/" not in frame[0] and not frame[0].startswith("torch/")]
    return own[-1] if own else frames[-1] if frames else None


def location_of(node: Any) -> str:
    """Returns the location of an op for messages."""
    frame = _frame_of(node)
    stack = [path for path, _ in (node.meta.get("nn_module_stack") or {}).values() if isinstance(path, str)]
    path = stack[-1].removeprefix("L['self'].") if stack else ""
    module = f" (module '{path}')" if path and not path.startswith("_") else ""
    return f"{frame[0]}:{frame[1]}{module}" if frame else f"at an unknown line{module}"


def find_missing(graph: Any) -> List[MissingOp]:
    """The ops of a graph that have no translation."""
    return [
        MissingOp(f"{node.target} of complex numbers" if _is_complex(node) else str(node.target), location_of(node))
        for node in graph.nodes
        if node.op == "call_function" and not _is_known(node)
    ]


def _is_complex(node: Any) -> bool:
    """Returns true for an op of complex numbers: taking one of several results, and ops on sizes, are none."""
    is_any = node.target is operator.getitem or node.target in _SIZE_OPS or str(node.target) in _ANY_NUMBERS
    return not is_any and _complex.is_complex(node)


def _is_known(node: Any) -> bool:
    if _is_complex(node):
        return _complex.is_known(node)
    return (node.target is operator.getitem or node.target in _SIZE_OPS or str(node.target) in HANDLERS
            or _is_check(node) or _is_size_check(node))  # fmt: skip


def _is_size_check(node: Any) -> bool:
    """Returns true for a condition of a size that elements decide, and for the error about it."""
    if str(node.target) in _SIZE_CHECK_OPS:
        condition = node.args[0]
        return not isinstance(condition, torch.fx.Node) or _has_unbacked(condition)
    return node.target in _SIZE_CHECKS and _has_unbacked(node)


def _has_unbacked(node: Any) -> bool:
    value = node.meta.get("val")
    if not isinstance(value, (torch.SymInt, torch.SymBool)):
        return False
    return any(str(symbol).startswith("u") for symbol in value.node.expr.free_symbols)


def _is_check(node: Any) -> bool:
    """Returns true for an error about a matrix that a solver did not solve: here its results are NaN or infinite."""
    return str(node.target) == "with_effects" and str(node.args[1]) == "aten._linalg_check_errors.default"


#
# Sizes
#

_SIZE_OPS: Dict[Any, str] = {
    operator.add: "addi", operator.sub: "subi", operator.mul: "muli", operator.floordiv: "divsi",
    torch.sym_max: "maxsi", torch.sym_min: "minsi"}  # fmt: skip
# Checks of sizes that elements of a tensor decide: the op that makes such a size is refused.
_SIZE_CHECKS = (operator.ge, operator.gt, operator.le, operator.lt, operator.eq, operator.ne)
_SIZE_CHECK_OPS = frozenset(("aten._assert_scalar.default", "aten.sym_constrain_range_for_size.default",
                             "aten.sym_constrain_range.default"))  # fmt: skip
# Ops that read no elements.
_ANY_NUMBERS = frozenset(("aten.sym_size.int", "aten._assert_tensor_metadata.default"))


class Sizes:
    """Sizes that only the call knows: one value for each symbol."""

    def __init__(self) -> None:
        self._known: Dict[str, Value] = {}

    def of(self, x: Laid, axis: int, meta: Any) -> Size:
        found = size(x.data, x.place(axis))
        return self.share(found, meta)

    def find(self, meta: Any) -> Optional[Size]:
        """The size that this is, where it is known."""
        return meta if isinstance(meta, int) else self._known.get(str(meta.node.expr))

    def share(self, found: Size, meta: Any) -> Size:
        """The first value with this symbol: reshapes see that sizes are the same."""
        if isinstance(found, int) or not isinstance(meta, torch.SymInt):
            return found
        return self._known.setdefault(str(meta.node.expr), found)


#
# Running a graph
#


class Interpreter(GraphInterpreter[Any, Any]):
    """Emits the ops of an exported graph into the current trace."""

    framework = "PyTorch"

    def __init__(self, graph: Any, placeholders: Mapping[str, Any]):
        super().__init__()
        self._graph = graph
        self._env: Dict[Any, Any] = {}
        self._placeholders = placeholders
        self.sizes = Sizes()

    def run(self) -> List[Any]:
        """The values of the graph's outputs. Raises UnsupportedOpError with all that is missing."""
        return self.run_all(self._run_nodes)

    def _run_nodes(self) -> List[Any]:
        outputs: List[Any] = []
        for node in self._graph.nodes:
            if node.op == "placeholder":
                self._env[node] = self._placeholders.get(node.name)
            elif node.op == "call_function":
                self._env[node] = self.run_node(node)
            elif node.op == "output":
                outputs = [self._value(output) for output in node.args[0]]
        return outputs

    def find_frame(self, node: Any) -> Optional[Frame]:
        return _frame_of(node)

    def stand_in(self, node: Any) -> Any:
        return _stand_in(node.meta.get("val"))

    def _value(self, argument: Any) -> Any:
        if isinstance(argument, torch.fx.Node):
            return self._env[argument]
        if isinstance(argument, (list, tuple)):
            return [self._value(item) for item in argument]
        return argument

    def translate(self, node: Any) -> Any:
        if _is_check(node):
            return [None] * 2
        if _is_size_check(node):
            return None
        args = [self._value(argument) for argument in node.args]
        kwargs = {name: self._value(argument) for name, argument in node.kwargs.items()}
        if node.target is operator.getitem:
            found = args[0][args[1]]
            # A token that orders checks is not a value: there are no checks here.
            is_order = _is_check(node.args[0])
            if found is None and node.users and not is_order and isinstance(node.meta.get("val"), torch.Tensor):
                whole = node.args[0]
                missing = MissingOp(f"{whole.target} with its result {args[1]}", location_of(whole))
                raise refuse("PyTorch", [missing])
            return found
        if node.target in _SIZE_OPS:
            return self.sizes.share(index_op(_SIZE_OPS[node.target], args[0], args[1]), node.meta.get("val"))
        metas = [_meta_of(argument) for argument in node.args]
        if str(node.target) == "aten.sym_size.int":
            whole = args[0].real if isinstance(args[0], Complex) else args[0]
            return self.sizes.of(whole, args[1], node.meta["val"])
        arguments = Arguments(node.target._schema, args, kwargs)
        handler, call = HANDLERS.get(str(node.target)), Call(node, metas, arguments, self.sizes)
        if _is_complex(node):
            results, arguments, without = _complex.translate(call, handler, arguments)
        else:
            assert handler is not None
            results, without = handler.translate(call, arguments), handler.without
        for name, value in arguments.find_dropped(without):
            raise call.unsupported(f"with {name}={_shown(value)}")
        _check_results(call, results)
        return results


def _stand_in(meta: Any) -> Any:
    if meta is None:
        return None
    if isinstance(meta, (list, tuple)):
        return [_stand_in(part) for part in meta]
    dtype = as_dtype(_complex.PARTS.get(meta.dtype, meta.dtype))
    zeros = Laid(_ops.zeros([int(dim_size) for dim_size in meta.shape], dtype))
    return Complex(zeros, zeros) if meta.is_complex() else zeros


@op("sym_size.int")
def _sym_size(call: Call, x: Laid, axis: int) -> Size:
    return size(x.data, x.place(axis))


def _check_results(call: Call, results: Any) -> None:
    """Raises UnsupportedOpError where a translation made another type than PyTorch says."""
    listed = isinstance(call.result, (list, tuple))
    for meta, found in zip(call.result, results) if listed else [(call.result, results)]:
        if isinstance(found, Complex):
            part = torch.empty_like(meta, dtype=_complex.PARTS[meta.dtype])
            _check_result(call, part, found.real)
            _check_result(call, part, found.imaginary)
        elif isinstance(found, Laid) and isinstance(meta, torch.Tensor):
            _check_result(call, meta, found)


def _check_result(call: Call, meta: Any, found: Laid) -> None:
    fits = len(meta.shape) == found.ndim and all(
        not isinstance(a, int) or b is None or a == b for a, b in zip(meta.shape, found.shape))  # fmt: skip
    if meta.is_complex():
        raise call.unsupported("with a complex result, which would be real")
    if as_dtype(meta.dtype) != found.dtype or not fits:
        raise call.unsupported(
            f"with a result of {_dtypes.name_of(as_dtype(meta.dtype))}{format_shape(meta.shape)}, which would be "
            f"{_dtypes.name_of(found.dtype)}{format_shape(found.shape)}"
        )


def _shown(value: Any) -> str:
    return "a tensor" if isinstance(value, (Laid, Complex)) else repr(value)


def _meta_of(argument: Any) -> Any:
    return argument.meta.get("val") if isinstance(argument, torch.fx.Node) else argument


Result = Union[Laid, Tuple[Any, ...]]
