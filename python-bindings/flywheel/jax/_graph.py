# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a module of StableHLO to the ops of a trace."""

import re
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple, Union

import numpy as np
from jaxlib.mlir import ir

from .. import _ops
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor
from .._core.trace import Shape
from .._frontends.interpreters import GraphInterpreter, Handlers
from .._frontends.missing_ops import Frame, MissingOp, UnsupportedOpError, refuse
from ._export import Custom, Exported
from ._values import AnyKnown, Complex, Known, of_array, of_tensor

Result = Union[AnyKnown, Tensor]
Handler = Callable[..., Union[Result, Sequence[Result], None]]
HANDLERS: Handlers[Handler] = Handlers()
# Translations of ops of which an operand or a result is complex. Ops that only hold or hand over values are those of
# CARRYING: their translation is one for all kinds of values.
COMPLEX_HANDLERS: Handlers[Handler] = Handlers()
CARRYING = {"func.call", "stablehlo.case", "stablehlo.composite", "stablehlo.if", "stablehlo.while",
            "stablehlo.optimization_barrier"}  # fmt: skip

_ELEMENTS = {
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i1": "bool", "i8": "int8",
    "i16": "int16", "i32": "int32", "i64": "int64", "ui8": "uint8", "ui16": "uint16", "ui32": "uint32",
    "ui64": "uint64"}  # fmt: skip
# The types of the parts of complex numbers.
_PARTS = {"complex<f32>": "f32", "complex<f64>": "f64"}


def op(*names: str) -> Callable[[Handler], Handler]:
    """Registers the translation of ops: a function of the call and its operands. Names are
    StableHLO's; others have their dialect, composites and custom calls what is called."""
    return _register(HANDLERS, names)


def complex_op(*names: str) -> Callable[[Handler], Handler]:
    """Registers the translation of ops of complex numbers, as `op` does of others."""
    return _register(COMPLEX_HANDLERS, names)


def _register(table: Handlers[Handler], names: Sequence[str]) -> Callable[[Handler], Handler]:
    return table.register([name if "." in name else f"stablehlo.{name}" for name in names], lambda handler: handler)


def is_complex(value: Any) -> bool:
    """Returns true if a value is of complex numbers."""
    return str(ir.ShapedType(value.type).element_type) in _PARTS


def has_complex(operation: Any) -> bool:
    """Returns true if a translation of `COMPLEX_HANDLERS` is for this op."""
    return operation.name not in CARRYING and _of_complex(operation)


def handler_of(operation: Any) -> Optional[Handler]:
    """Returns the translation of an op; None if it has none."""
    table = COMPLEX_HANDLERS if has_complex(operation) else HANDLERS
    name = name_of(operation)
    if operation.name == "stablehlo.composite" and (name not in HANDLERS or _of_complex(operation)):
        return HANDLERS[operation.name]
    return table.get(name)


def _of_complex(operation: Any) -> bool:
    return any(map(is_complex, [*operation.operands, *operation.results]))


def type_of(value: Any) -> Tuple[_dtypes.DType, Shape]:
    """The dtype and shape of a value; of complex numbers, the dtype of the parts."""
    kind = ir.RankedTensorType(value.type)
    element = _PARTS.get(str(kind.element_type), str(kind.element_type))
    shape = tuple(None if kind.is_dynamic_dim(i) else kind.get_dim_size(i) for i in range(kind.rank))
    return _dtypes.as_dtype(_ELEMENTS[element]), shape


def name_of(operation: Any) -> str:
    """Returns the name under which a translation of the op is registered."""
    if operation.name == "stablehlo.composite":
        return str(ir.StringAttr(operation.attributes["name"]).value)
    if operation.name == "stablehlo.custom_call":
        target = str(ir.StringAttr(operation.attributes["call_target_name"]).value)
        return target if "." in target else f"custom_call.{target}"
    return str(operation.name)


def _shown(operation: Any) -> str:
    """Returns the name of an op for messages."""
    name = name_of(operation)
    is_call = operation.name == "stablehlo.custom_call"
    return f"stablehlo.custom_call @{name.removeprefix('custom_call.')}" if is_call else name


_FRAME = re.compile(r'"([^"]*)"\("([^"]+)":(\d+)')


def frame_of(operation: Any) -> Optional[Frame]:
    """File, line and function of the user's source."""
    found = _FRAME.search(str(operation.location))
    return (found[2], int(found[3]), found[1]) if found else None


def location_of(frame: Optional[Frame]) -> str:
    """Returns the location of an op for messages."""
    return f"{frame[0]}:{frame[1]}" if frame else "at an unknown line"


# Attributes that change neither a value nor a derivative here: hints, what a call is named by, and what shapes say too.
_WITHOUT = frozenset(
    ("api_version", "backend_config", "call_target_name", "callee", "called_computations", "composite_attributes",
     "decomposition", "error_message", "feature_group_count", "has_side_effect", "indices_are_sorted", "is_stable",
     "name", "no_inline", "operand_layouts", "precision_config", "result_layouts", "unique_indices",
     "version"))  # fmt: skip


class Call:
    """One op of the module: what its translation may ask. It reads each attribute of the op, or the op is refused."""

    def __init__(self, operation: Any, interpreter: "Interpreter", env: "Env"):
        self.operation = operation
        self.interpreter = interpreter
        self.env = env
        self._read: Set[str] = set()

    @property
    def dtype(self) -> _dtypes.DType:
        return type_of(self.operation.results[0])[0]

    @property
    def shape(self) -> Shape:
        return type_of(self.operation.results[0])[1]

    @property
    def static_shape(self) -> List[int]:
        """The shape of the result, where the op has none that is dynamic."""
        if None in self.shape:
            raise self.unsupported("of a size that the call chooses")
        return [size for size in self.shape if size is not None]

    def has(self, name: str) -> bool:
        self._read.add(name)
        return name in self.operation.attributes

    def attribute(self, name: str) -> Any:
        self._read.add(name)
        return self.operation.attributes[name]

    def ignore(self, name: str) -> None:
        """Notes that an attribute is read in another way, or says nothing of an op of this kind."""
        self._read.add(name)

    def find_dropped(self) -> List[Tuple[str, str]]:
        """The attributes that nothing read, with their values. Names with a dot are of other tools, such as
        shardings."""
        return [(name, str(self.operation.attributes[name])) for name in _names_of(self.operation)
                if name not in self._read and name not in _WITHOUT and "." not in name]  # fmt: skip

    def ints(self, name: str, default: Optional[Sequence[int]] = None) -> List[int]:
        """An attribute that is a list of integers."""
        if not self.has(name) and default is not None:
            return list(default)
        attribute = self.attribute(name)
        if isinstance(attribute, ir.DenseI64ArrayAttr):
            return [int(number) for number in ir.DenseI64ArrayAttr(attribute)]
        return [int(number) for number in np.array(ir.DenseIntElementsAttr(attribute)).reshape(-1)]

    def pairs(self, name: str, rank: int) -> List[Tuple[int, int]]:
        """An attribute of two integers for each dimension, by default zeros."""
        numbers = self.ints(name, [0] * 2 * rank)
        return [(numbers[2 * i], numbers[2 * i + 1]) for i in range(rank)]

    def integer(self, name: str, default: Optional[int] = None) -> int:
        if not self.has(name) and default is not None:
            return default
        return int(ir.IntegerAttr(self.attribute(name)).value)

    def word(self, name: str) -> str:
        """An attribute that is a word: `#stablehlo<comparison_direction LT>` is LT."""
        found = re.search(r"(\w+)>?$", str(self.attribute(name)))
        return found[1] if found else ""

    def block(self, region: int = 0) -> Any:
        return self.operation.regions[region].blocks[0]

    def unsupported(self, what: str) -> UnsupportedOpError:
        """The error for a form of the op that is not imported."""
        return refuse("JAX", [MissingOp(f"{_shown(self.operation)} {what}", location_of(self.interpreter.frame))])


def _names_of(operation: Any) -> List[str]:
    # Earlier versions of the bindings give pairs in place of names.
    return [one if isinstance(one, str) else str(one.name) for one in operation.attributes]


class Env:
    """The values of a block, and of those around it. Unless it is `exact`, their shapes are not those of the
    module."""

    def __init__(self, outer: Optional["Env"] = None, exact: bool = True):
        self._values: Dict[Any, AnyKnown] = {}
        self._outer = outer
        self.exact: bool = exact and (outer is None or outer.exact)

    def __getitem__(self, value: Any) -> AnyKnown:
        env: Optional[Env] = self
        while env is not None:
            if value in env._values:
                return env._values[value]
            env = env._outer
        raise KeyError(str(value))

    def __setitem__(self, value: Any, known: AnyKnown) -> None:
        self._values[value] = known


class Interpreter(GraphInterpreter[Tuple[Any, Env], List[AnyKnown]]):
    """Emits the ops of an exported function into the current trace. A node is an op with the values around it."""

    framework = "JAX"

    def __init__(self, exported: Exported):
        super().__init__()
        self._exported = exported

    @property
    def customs(self) -> List[Custom]:
        return self._exported.customs

    @property
    def functions(self) -> Dict[str, Any]:
        return self._exported.functions

    def run(self, arguments: Sequence[AnyKnown]) -> List[AnyKnown]:
        """The values of main's results. Raises UnsupportedOpError with all that is missing."""
        with self._exported.context:
            return self.run_all(lambda: self.call("main", arguments))

    def call(self, name: str, arguments: Sequence[AnyKnown], exact: bool = True) -> List[AnyKnown]:
        """Runs a function of the module, here."""
        return self.run_block(self.functions[name].regions[0].blocks[0], arguments, None, exact)

    def decompose(self, call: "Call", arguments: Sequence[AnyKnown]) -> List[AnyKnown]:
        """Runs what a composite stands for."""
        name = ir.FlatSymbolRefAttr(call.operation.attributes["decomposition"]).value
        return self.call(str(name), arguments, call.env.exact)

    def run_block(
        self, block: Any, arguments: Sequence[AnyKnown], outer: Optional[Env], exact: bool = True
    ) -> List[AnyKnown]:
        """Runs a block and returns the operands of its terminator. If not `exact`, its ops are run on tensors of other
        shapes than its values have."""
        return self.run_values(block, arguments, outer, list(block.operations)[-1].operation.operands, exact)

    def run_values(
        self, block: Any, arguments: Sequence[AnyKnown], outer: Optional[Env], values: Sequence[Any], exact: bool = True
    ) -> List[AnyKnown]:
        """Runs a block and returns these values of it; see `run_block`."""
        env = Env(outer, exact)
        for argument, known in zip(block.arguments, arguments):
            env[argument] = known
        for view in list(block.operations)[:-1]:
            operation = view.operation
            results = self.run_node((operation, env))
            for value, known in zip(operation.results, results):
                env[value] = known
        return [env[value] for value in values]

    def find_frame(self, node: Tuple[Any, Env]) -> Optional[Frame]:
        # An op in JAX's own functions has the line of their call.
        return frame_of(node[0])

    def stand_in(self, node: Tuple[Any, Env]) -> List[AnyKnown]:
        return [_stand_in(value) for value in node[0].results]

    def translate(self, node: Tuple[Any, Env]) -> List[AnyKnown]:
        operation, env = node
        call = Call(operation, self, env)
        handler = handler_of(operation)
        if handler is None:
            raise call.unsupported("of complex numbers" if has_complex(operation) else "")
        found = handler(call, *[env[operand] for operand in operation.operands])
        for name, value in call.find_dropped():
            raise call.unsupported(f"with the attribute '{name}' = {value}")
        listed = [] if found is None else [found] if isinstance(found, (Known, Complex, Tensor)) else list(found)
        results = [of_tensor(x) if isinstance(x, Tensor) else x for x in listed]
        if env.exact:
            for value, known in zip(operation.results, results):
                dtype, shape = type_of(value)
                fits = len(shape) == len(known.shape) and all(
                    a is None or b is None or a == b for a, b in zip(shape, known.shape)
                )
                if known.dtype != dtype or not fits or isinstance(known, Complex) != is_complex(value):
                    raise AssertionError(
                        f"{_shown(operation)}: expected {dtype}{shape}, made {known.dtype}{known.shape}"
                    )
        return results


def _stand_in(value: Any) -> AnyKnown:
    dtype, shape = type_of(value)
    zeros = of_tensor(_ops.zeros([size or 1 for size in shape], dtype))
    return Complex(zeros, zeros) if is_complex(value) else zeros


def _strange(operation: Any) -> Optional[str]:
    """Returns a type of elements that an op has, but that no tensor has."""
    kinds = {str(ir.ShapedType(x.type).element_type) for x in [*operation.operands, *operation.results]}
    return min(kinds - set(_ELEMENTS) - set(_PARTS), default=None)


def find_missing(exported: Exported) -> List[MissingOp]:
    """The ops that main needs and that have no translation."""
    missing: List[MissingOp] = []
    seen = set()

    def visit(operation: Any, name: str, frame: Optional[Frame]) -> None:
        function = str(ir.FlatSymbolRefAttr(operation.attributes[name]).value)
        if function not in seen:
            seen.add(function)
            visit_block(exported.functions[function].regions[0].blocks[0], frame)

    def visit_block(block: Any, outer: Optional[Frame]) -> None:
        for view in block.operations:
            operation = view.operation
            if operation.name in ("func.return", "stablehlo.return"):
                continue
            name, frame = name_of(operation), frame_of(operation) or outer
            if operation.name == "func.call":
                visit(operation, "callee", frame)
            elif operation.name == "stablehlo.composite" and handler_of(operation) is HANDLERS[operation.name]:
                visit(operation, "decomposition", frame)
            elif handler_of(operation) is None:
                what = " of complex numbers" if name in HANDLERS else ""
                missing.append(MissingOp(f"{_shown(operation)}{what}", location_of(frame)))
            elif _strange(operation) is not None:
                missing.append(MissingOp(f"{_shown(operation)} of {_strange(operation)}", location_of(frame)))
            elif operation.name in ("stablehlo.while", "stablehlo.case", "stablehlo.if"):
                for region in operation.regions:
                    visit_block(region.blocks[0], frame)

    with exported.context:
        visit_block(exported.functions["main"].regions[0].blocks[0], None)
    for custom in exported.customs:
        missing += find_missing(custom.forward) + find_missing(custom.backward)
    return missing


@op("constant")
def _constant(call: Call) -> Known:
    attribute = call.attribute("value")
    return of_array(elements_of(attribute, call.dtype, call.static_shape))


def elements_of(attribute: Any, dtype: _dtypes.DType, shape: Sequence[int]) -> Any:
    """The elements of a constant; of a splat, one that is repeated without a copy."""
    dense = attribute.maybe_downcast()
    if dtype == _dtypes.bfloat16:
        return _bfloat16_elements(dense, dtype, shape)
    if dense.is_splat:
        one = np.array(dense).reshape(-1)[:1].astype(dtype)
        return np.broadcast_to(one.reshape(()), tuple(shape))
    return np.array(dense).astype(dtype).reshape(tuple(shape))


def _bfloat16_elements(dense: Any, dtype: _dtypes.DType, shape: Sequence[int]) -> Any:
    """Reads the elements from the text of the attribute: the bindings give NumPy no bfloat16."""
    if dense.is_splat:
        one = np.array(ir.FloatAttr(dense.get_splat_value()).value).astype(dtype)
        return np.broadcast_to(one, tuple(shape))
    text = str(dense)
    text = text[len("dense<") : text.rindex(">", 0, text.rindex(":"))]
    if text.startswith('"0x'):
        bits = np.frombuffer(bytes.fromhex(text.strip('"')[2:]), "<u2")
        return bits.view(dtype).reshape(tuple(shape))
    numbers = re.findall(r"0x[0-9A-Fa-f]+|[-+.0-9eE]+", text)
    found = [np.array(int(number, 16), np.uint16).view(dtype) if number.startswith("0x") else dtype.type(float(number))
             for number in numbers]  # fmt: skip
    return np.array(found, dtype).reshape(tuple(shape))
