# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex numbers of a graph of PyTorch, as pairs of real tensors."""

import functools
from typing import Any, Callable, List, Optional, Tuple, Union

import torch

from .. import _ops
from .._core.tensor import Tensor
from .._frontends.interpreters import Handlers
from .._frontends.layouts import Laid
from .._numerics import complex_pairs as _complex_pairs
from .._ops.emission import stretch
from ._arguments import Arguments, Handler

# The dtypes of the parts of complex numbers.
PARTS = {torch.complex64: torch.float32, torch.complex128: torch.float64}
# Arguments of ops that choose elements: both parts have the same ones.
_CHOOSING = frozenset(("index", "indices", "mask", "condition"))

HANDLERS: Handlers[Handler] = Handlers()


class Complex:
    """Numbers with a real and an imaginary part, of one shape."""

    __slots__ = ("real", "imaginary")

    def __init__(self, real: Laid, imaginary: Laid):
        self.real = real
        self.imaginary = imaginary

    @classmethod
    def of_pairs(cls, x: Tensor) -> "Complex":
        """The numbers of pairs [..., 2]."""
        return cls(*(Laid(_ops.getitem(x, (..., part))) for part in (0, 1)))

    @property
    def ndim(self) -> int:
        return self.real.ndim

    @property
    def shape(self) -> Tuple[Optional[int], ...]:
        return self.real.shape

    def tensors(self) -> Tuple[Tensor, Tensor]:
        return self.real.plain(), self.imaginary.plain()

    def pairs(self) -> Tensor:
        """The numbers as [..., 2]."""
        return _ops.stack(list(self.tensors()), self.ndim)


Number = Union[Complex, Laid, complex, float, int]


def op(*names: str, without: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers the translation of ops of which an operand or a result is complex, as `_graph.op` does of others."""

    return HANDLERS.register([f"aten.{name}" for name in names], lambda function: Handler(function, without.split()))


def is_complex(node: Any) -> bool:
    """Returns true if an operand or a result of an op is complex."""
    found = [node.meta.get("val"), *(one.meta.get("val") for one in node.all_input_nodes)]
    flat = [part for one in found for part in (one if isinstance(one, (list, tuple)) else [one])]
    numbers = any(isinstance(one, complex) for one in [*node.args, *node.kwargs.values()])
    return numbers or any(isinstance(one, torch.Tensor) and one.is_complex() for one in flat)


def is_known(node: Any) -> bool:
    """Returns true if an op of complex numbers has a translation."""
    name = str(node.target)
    return name in HANDLERS or name in _BY_PARTS or name in _BILINEAR


def translate(call: Any, real_handler: Any, arguments: Arguments) -> Tuple[Any, Arguments, Tuple[str, ...]]:
    """Returns the results of an op of complex numbers, the arguments that were read, and those that need not be."""
    name = str(call.node.target)
    if name in HANDLERS:
        return HANDLERS[name].translate(call, arguments), arguments, HANDLERS[name].without
    if name in _BILINEAR:
        return _bilinear(call, real_handler, arguments), arguments, real_handler.without
    parts = [arguments.mapped(functools.partial(_part_of, part)) for part in (0, 1)]
    results = [real_handler.translate(call, part) for part in parts]
    return _joined(results[0], results[1]), arguments, real_handler.without


def _part_of(part: int, name: str, value: Any) -> Any:
    """Returns the real (0) or imaginary (1) part of an argument; a real one has zeros."""
    if isinstance(value, Complex):
        return value.imaginary if part else value.real
    if isinstance(value, (list, tuple)) and any(isinstance(one, Complex) for one in value):
        return [_part_of(part, name, one) for one in value]
    if name in _CHOOSING:
        return value
    if isinstance(value, Laid) and part:
        return value.like(_ops.zeros_like(value.data))
    if name in ("value", "fill_value", "self", "other") and isinstance(value, (int, float, complex)):
        return complex(value).imag if part else complex(value).real
    return value


def _joined(real: Any, imaginary: Any) -> Any:
    if isinstance(real, (list, tuple)):
        return [_joined(*pair) for pair in zip(real, imaginary)]
    return Complex(real, imaginary)


def _as_parts(x: Any) -> List[Any]:
    """Returns the parts of a factor, one for a real one."""
    if isinstance(x, Complex):
        return [x.real, x.imaginary]
    return [x.real, x.imag] if isinstance(x, complex) else [x]


def _bilinear(call: Any, handler: Handler, arguments: Arguments) -> Complex:
    """The product of two factors, of which the real ops make those of their parts."""
    first, second = list(arguments.names())[:2]
    left, right = (_as_parts(arguments.read(name)) for name in (first, second))

    def product(a: int, b: int) -> Any:
        chosen = {first: left[a], second: right[b]}
        found: Laid = handler.translate(call, arguments.mapped(lambda key, value: chosen.get(key, value)))
        return found

    def combined(function: Callable[[Tensor, Tensor], Tensor], a: Laid, b: Laid) -> Laid:
        return Laid(function(a.plain(), b.plain()))

    real = product(0, 0)
    if len(left) == len(right) == 1:
        return Complex(real, real.like(_ops.zeros_like(real.data)))
    if len(left) == 1:
        return Complex(real, product(0, 1))
    if len(right) == 1:
        return Complex(real, product(1, 0))
    return Complex(combined(_ops.subtract, real, product(1, 1)), combined(_ops.add, product(0, 1), product(1, 0)))


# Ops that are those of the real parts and of the imaginary ones.
_BY_PARTS = frozenset(f"aten.{name}" for name in (
    "add.Tensor add.Scalar sub.Tensor sub.Scalar rsub.Tensor rsub.Scalar neg.default alias.default clone.default "
    "contiguous.default lift_fresh_copy.default positive.default detach.default detach_.default "
    "view.default _unsafe_view.default reshape.default view_copy.default view_as.default reshape_as.default "
    "flatten.using_ints unflatten.int permute.default permute_copy.default transpose.int t.default numpy_T.default "
    "movedim.int unsqueeze.default squeeze.dim squeeze.dims squeeze.default expand.default broadcast_to.default "
    "expand_as.default repeat.default cat.default concat.default stack.default split.Tensor "
    "split_with_sizes.default split.sizes chunk.default unbind.int unbind_copy.int slice.Tensor narrow.default "
    "narrow_copy.default select.int flip.default roll.default constant_pad_nd.default tril.default triu.default "
    "diagonal.default diagonal_scatter.default slice_scatter.default select_scatter.default copy.default "
    "full.default zeros.default ones.default new_zeros.default new_ones.default new_full.default "
    "full_like.default zeros_like.default ones_like.default fill.Scalar sum.dim_IntList sum.default mean.dim "
    "mean.default cumsum.default index.Tensor index_select.default gather.default where.self where.ScalarSelf "
    "where.ScalarOther masked_fill.Scalar masked_fill.Tensor").split())  # fmt: skip

# Products.
_BILINEAR = frozenset(f"aten.{name}" for name in (
    "mul.Tensor mul.Scalar mm.default bmm.default matmul.default mv.default dot.default").split())  # fmt: skip


def _broadcast(x: Number, like: Complex) -> Tuple[Tensor, Optional[Tensor]]:
    """Returns the parts of an operand, the second one unless it is 0."""
    if isinstance(x, Complex):
        return x.tensors()
    if isinstance(x, Laid):
        return _ops.cast(x.plain(), like.real.dtype), None
    number, dtype = complex(x), like.real.dtype
    return tuple(_ops.full([], part, dtype) for part in (number.real, number.imag))  # type: ignore[return-value]


def _of(parts: _complex_pairs.Pair) -> Complex:
    return Complex(Laid(parts[0]), Laid(parts[1]))


@op("div.Tensor", "div.Scalar")
def _div(call: Any, a: Number, b: Number) -> Complex:
    like = a if isinstance(a, Complex) else b
    if not isinstance(like, Complex):
        raise call.unsupported("of real numbers, with a complex result")
    return _of(_complex_pairs.quotient(_broadcast(a, like), _broadcast(b, like)))


@op("reciprocal.default")
def _reciprocal(call: Any, x: Complex) -> Complex:
    return _of(_complex_pairs.quotient((_ops.ones_like(x.real.plain()), None), x.tensors()))


@op("_conj.default", "conj.default", "_conj_physical.default", "conj_physical.default")
def _conjugate(call: Any, x: Complex) -> Complex:
    return Complex(x.real, x.imaginary.like(_ops.negative(x.imaginary.data)))


@op("resolve_conj.default", "resolve_neg.default")
def _resolve(call: Any, x: Complex) -> Complex:
    return x


@op("real.default", "imag.default")
def _part(call: Any, x: Complex) -> Laid:
    return x.real if "real" in str(call.node.target) else x.imaginary


@op("view_as_real.default", "view_as_real_copy.default")
def _view_as_real(call: Any, x: Complex) -> Laid:
    return Laid(x.pairs())


@op("view_as_complex.default", "view_as_complex_copy.default")
def _view_as_complex(call: Any, x: Laid) -> Complex:
    return Complex.of_pairs(x.plain())


@op("complex.default")
def _complex(call: Any, real: Laid, imaginary: Laid) -> Complex:
    parts = [real.plain(), imaginary.plain()]
    shape = _ops.emission.broadcast_sizes(parts)
    return Complex(*(Laid(stretch(part, shape)) for part in parts))


@op("polar.default")
def _polar(call: Any, size: Laid, angle: Laid) -> Complex:
    length, turn = size.plain(), angle.plain()
    return Complex(*(Laid(_ops.multiply(length, function(turn))) for function in (_ops.cos, _ops.sin)))


@op("_to_copy.default", "to.dtype", without="copy")
def _to_copy(call: Any, x: Union[Complex, Laid]) -> Union[Complex, Laid]:
    if isinstance(x, Laid):
        real = x.like(_ops.cast(x.data, call.dtype))
        return Complex(real, x.like(_ops.zeros_like(real.data)))
    real, imaginary = (part.like(_ops.cast(part.data, call.dtype)) for part in (x.real, x.imaginary))
    return Complex(real, imaginary) if call.result.is_complex() else real


@op("abs.default")
def _abs(call: Any, x: Complex) -> Laid:
    return Laid(_complex_pairs.absolute(x.tensors()))


@op("angle.default")
def _angle(call: Any, x: Complex) -> Laid:
    return Laid(_complex_pairs.angle(x.tensors()))


# Functions of one number.
_UNARY = {
    "exp": _complex_pairs.exp, "expm1": _complex_pairs.expm1, "log": _complex_pairs.log, "sqrt": _complex_pairs.sqrt,
    "sin": _complex_pairs.sin, "cos": _complex_pairs.cos, "tan": _complex_pairs.tan, "sinh": _complex_pairs.sinh,
    "cosh": _complex_pairs.cosh, "tanh": _complex_pairs.tanh, "sgn": _complex_pairs.direction}  # fmt: skip


@op(*(f"{name}.default" for name in _UNARY))
def _unary(call: Any, x: Complex) -> Complex:
    return _of(_UNARY[str(call.node.target).split(".")[1]](x.tensors()))


@op("rsqrt.default")
def _inverse_root(call: Any, x: Complex) -> Complex:
    return _of(_complex_pairs.quotient((_ops.ones_like(x.real.plain()), None), _complex_pairs.sqrt(x.tensors())))


@op("sigmoid.default")
def _sigmoid(call: Any, x: Complex) -> Complex:
    real, imaginary = _complex_pairs.exp(tuple(_ops.negative(part) for part in x.tensors()))  # type: ignore[arg-type]
    one = _ops.ones_like(real)
    return _of(_complex_pairs.quotient((one, None), (_ops.add(real, one), imaginary)))


@op("pow.Tensor_Scalar", "square.default")
def _power(call: Any, x: Number, exponent: Any = 2) -> Complex:
    if isinstance(x, Complex) and exponent == int(exponent.real) and 0 < exponent.real <= 64:
        return _of(_complex_pairs.whole_power(x.tensors(), int(exponent.real)))
    return _raised(call, x, exponent)


@op("pow.Tensor_Tensor", "pow.Scalar")
def _general_power(call: Any, a: Number, b: Number) -> Complex:
    return _raised(call, a, b)


def _raised(call: Any, a: Number, b: Number) -> Complex:
    like = a if isinstance(a, Complex) else b
    if not isinstance(like, Complex):
        raise call.unsupported("of real numbers, with a complex result")
    parts = [_broadcast(x, like) for x in (a, b)]
    full = [(real, _ops.zeros_like(real) if imaginary is None else imaginary) for real, imaginary in parts]
    shape = _ops.emission.broadcast_sizes([real for real, _ in full])
    wide = [(stretch(real, shape), stretch(imaginary, shape)) for real, imaginary in full]
    return _of(_complex_pairs.power(wide[0], wide[1]))


@op("eq.Tensor", "eq.Scalar", "ne.Tensor", "ne.Scalar")
def _equal(call: Any, a: Complex, b: Number) -> Laid:
    parts = _broadcast(b, a)
    second = _ops.zeros_like(parts[0]) if parts[1] is None else parts[1]
    both = _ops.logical_and(_ops.equal(a.real.plain(), parts[0]), _ops.equal(a.imaginary.plain(), second))
    return Laid(both if ".eq." in str(call.node.target) else _ops.logical_not(both))
