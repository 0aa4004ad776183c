# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of StableHLO of complex numbers, and Fourier transforms."""

import re
from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np

from .. import _ops
from .._core.tensor import Tensor, as_tensor
from .._numerics import complex_pairs as _complex_pairs
from .._numerics.spectra import LONGEST_PRODUCT, hermitian, largest_product, resized, transform
from .._ops.emission import size
from ._export import STOP_GRADIENT
from ._graph import HANDLERS, Call, complex_op, is_complex, name_of
from ._indexing import combiner
from ._values import AnyKnown, Complex, Known, of_array, of_sizes, of_tensor


def _handler(call: Call) -> Callable[..., Any]:
    """Returns the translation of the op of real numbers."""
    return HANDLERS[name_of(call.operation)]


def _known(x: Any) -> Known:
    return of_tensor(x) if isinstance(x, Tensor) else x


def _of(pair: _complex_pairs.Pair) -> Complex:
    return Complex(of_tensor(pair[0]), of_tensor(pair[1]))


#
# Ops that are those of the real parts and of the imaginary ones
#


@complex_op(
    "add", "subtract", "negate", "reshape", "broadcast_in_dim", "transpose", "reverse", "concatenate", "slice", "pad",
    "dynamic_slice", "dynamic_update_slice", "gather", "select", "dynamic_broadcast_in_dim", "dynamic_reshape",
    "real_dynamic_slice", "dynamic_pad", "custom_call.Sharding", STOP_GRADIENT)  # fmt: skip
def _by_parts(call: Call, *operands: AnyKnown) -> Any:
    handler = _handler(call)
    real, imaginary = (handler(call, *[_part(x, place) for x in operands]) for place in (0, 1))
    if isinstance(real, (list, tuple)):
        return [Complex(_known(a), _known(b)) for a, b in zip(real, imaginary)]
    return Complex(_known(real), _known(imaginary))


def _part(x: AnyKnown, place: int) -> Known:
    """Returns the real (0) or imaginary (1) part; indices and conditions are those of both."""
    return (x.imaginary if place else x.real) if isinstance(x, Complex) else x


@complex_op("reduce", "reduce_window")
def _reduce(call: Call, *operands: AnyKnown) -> Any:
    kind = combiner(call.block()) if len(operands) == 2 else None
    is_window = call.operation.name == "stablehlo.reduce_window"
    if kind == "multiply" and not is_window and None not in operands[0].shape:
        return _multiplied(call, operands[0], operands[1])
    if kind != "add":
        raise call.unsupported(f"of complex numbers with {repr(kind) if kind else 'a function of its own'}")
    return _by_parts(call, *operands)


def _multiplied(call: Call, x: AnyKnown, initial: AnyKnown) -> Complex:
    """Multiplies the elements along dimensions, the first half of them by the second one."""
    assert isinstance(x, Complex) and isinstance(initial, Complex)
    pair, axes = x.pair, call.ints("dimensions")
    if any(x.shape[axis] == 0 for axis in axes):
        start = [_ops.emission.stretch(part, list(call.static_shape)) for part in initial.pair]
        return _of((start[0], start[1]))
    for axis in sorted(axes, reverse=True):
        total = x.shape[axis] or 0
        while total > 1:
            half = total // 2
            first, second, last = ([_ops.getitem(part, (*[slice(None)] * axis, slice(*bounds))) for part in pair]
                                   for bounds in ((0, half), (half, 2 * half), (2 * half, total)))  # fmt: skip
            pair = _complex_pairs.product((first[0], first[1]), (second[0], second[1]))
            if total % 2:
                pair = _ops.concatenate([pair[0], last[0]], axis), _ops.concatenate([pair[1], last[1]], axis)
            total = half + total % 2
        pair = _ops.squeeze(pair[0], axis), _ops.squeeze(pair[1], axis)
    if initial.real.uniform == 1 and initial.imaginary.uniform == 0:
        return _of(pair)
    start = [_ops.emission.stretch(part, list(call.static_shape)) for part in initial.pair]
    return _of(_complex_pairs.product(pair, (start[0], start[1])))


@complex_op("scatter")
def _scatter(call: Call, *operands: AnyKnown) -> Any:
    kind = combiner(call.block())
    if kind not in ("add", "set", "subtract"):
        raise call.unsupported(f"of complex numbers with {repr(kind) if kind else 'a function of its own'}")
    return _by_parts(call, *operands)


@complex_op("get_dimension_size")
def _dimension_size(call: Call, x: Complex) -> Known:
    return of_sizes([size(x.real.tensor, call.integer("dimension"))], call.dtype, ())


@complex_op("convert")
def _convert(call: Call, x: AnyKnown) -> Any:
    handler = _handler(call)
    if not isinstance(x, Complex):
        zeros = np.broadcast_to(np.zeros((), call.dtype), [one or 1 for one in x.shape])
        whole = _known(handler(call, x))
        is_static = None not in x.shape
        return Complex(whole, of_array(zeros) if is_static else of_tensor(_ops.zeros_like(whole.tensor)))
    if not is_complex(call.operation.results[0]):
        return _known(handler(call, x.real))
    return _by_parts(call, x)


@complex_op("constant")
def _constant(call: Call) -> Complex:
    """Reads the elements from the text of the op: the bindings have no attribute of complex numbers."""
    call.ignore("value")
    text = call.operation.get_asm(large_elements_limit=1 << 62)
    text = text[text.index("dense<") + len("dense<") :]
    shape, width = tuple(call.static_shape), call.dtype.itemsize
    if text.startswith('"0x'):
        raw = bytes.fromhex(text[3 : text.index('"', 3)])
        elements = np.frombuffer(raw, f"<f{width}").astype(call.dtype)
    else:
        text = text[: text.index(">")]
        words = re.findall(r"0x[0-9A-Fa-f]+|[-+.0-9eE]+", text)
        elements = np.array([_number(word, width) for word in words], call.dtype)
    pairs = elements.reshape(-1, 2)
    full = [np.broadcast_to(pairs[0, part], shape) if len(pairs) == 1 else pairs[:, part].reshape(shape)
            for part in (0, 1)]  # fmt: skip
    return Complex(of_array(full[0]), of_array(full[1]))


def _number(word: str, width: int) -> Any:
    """Returns a number of the text of a constant: infinities and NaN are written as their bits."""
    if word.startswith("0x"):
        return np.array(int(word, 16), f"<u{width}").view(f"<f{width}")[()]
    return float(word)


#
# Products
#


@complex_op("multiply", "dot_general", "convolution")
def _bilinear(call: Call, a: AnyKnown, b: AnyKnown) -> Complex:
    handler = _handler(call)
    left, right = ([x.real, x.imaginary] if isinstance(x, Complex) else [x] for x in (a, b))

    def product(i: int, j: int) -> Optional[Tensor]:
        """Returns a product of parts; None where one of them is a constant of zeros, as in 2 x."""
        if left[i].uniform == 0 or right[j].uniform == 0:
            return None
        return _known(handler(call, left[i], right[j])).tensor

    def joined(function: Callable[[Tensor, Tensor], Tensor], x: Optional[Tensor], y: Optional[Tensor]) -> Known:
        if x is None and y is None:
            return of_array(np.broadcast_to(np.zeros((), call.dtype), call.static_shape))
        if x is None:
            assert y is not None
            return of_tensor(_ops.negative(y) if function is _ops.subtract else y)
        return of_tensor(x if y is None else function(x, y))

    pairs = [(i, j) for i in range(len(left)) for j in range(len(right))]
    found: Dict[Tuple[int, int], Optional[Tensor]] = {pair: product(*pair) for pair in pairs}
    return Complex(joined(_ops.subtract, found.get((0, 0)), found.get((1, 1))),
                   joined(_ops.add, found.get((0, 1)), found.get((1, 0))))  # fmt: skip


#
# Element by element
#


def _inverse_root(x: _complex_pairs.Pair) -> _complex_pairs.Pair:
    return _complex_pairs.quotient((_ops.ones_like(x[0]), None), _complex_pairs.sqrt(x))


def _log1p(x: _complex_pairs.Pair) -> _complex_pairs.Pair:
    """Returns log(1 + x): the real part is log1p(a (2 + a) + b^2) / 2, which is exact near 0."""
    squares = _ops.add(_ops.multiply(x[0], _ops.add(x[0], 2.0)), _ops.multiply(x[1], x[1]))
    return _ops.multiply(0.5, _ops.log1p(squares)), _ops.arctan2(x[1], _ops.add(x[0], 1.0))


def _logistic(x: _complex_pairs.Pair) -> _complex_pairs.Pair:
    below = _complex_pairs.exp((_ops.negative(x[0]), _ops.negative(x[1])))
    return _complex_pairs.quotient((_ops.ones_like(x[0]), None), (_ops.add(below[0], 1.0), below[1]))


_UNARY = {
    "cosine": _complex_pairs.cos, "exponential": _complex_pairs.exp, "exponential_minus_one": _complex_pairs.expm1,
    "log": _complex_pairs.log, "log_plus_one": _log1p, "logistic": _logistic, "rsqrt": _inverse_root,
    "sign": _complex_pairs.direction, "sine": _complex_pairs.sin, "sqrt": _complex_pairs.sqrt,
    "tan": _complex_pairs.tan, "tanh": _complex_pairs.tanh}  # fmt: skip


@complex_op(*_UNARY)
def _unary(call: Call, x: Complex) -> Complex:
    return _of(_UNARY[call.operation.name.removeprefix("stablehlo.")](x.pair))


@complex_op("power")
def _power(call: Call, a: Complex, b: Complex) -> Complex:
    return _of(_complex_pairs.power(a.pair, b.pair))


@complex_op("divide")
def _divide(call: Call, a: Complex, b: Complex) -> Complex:
    below = (b.real.tensor, None) if b.imaginary.uniform == 0 else b.pair
    return _of(_complex_pairs.quotient(a.pair, below))


@complex_op("abs")
def _abs(call: Call, x: Complex) -> Tensor:
    return _complex_pairs.absolute(x.pair)


@complex_op("real")
def _real(call: Call, x: Complex) -> Known:
    return x.real


@complex_op("imag")
def _imaginary(call: Call, x: Complex) -> Known:
    return x.imaginary


@complex_op("complex")
def _complex(call: Call, real: Known, imaginary: Known) -> Complex:
    return Complex(real, imaginary)


@complex_op("compare")
def _compare(call: Call, a: Complex, b: Complex) -> Tensor:
    direction = call.word("comparison_direction")
    if call.has("compare_type"):
        call.ignore("compare_type")
    if direction not in ("EQ", "NE"):
        raise call.unsupported(f"{direction} of complex numbers")
    both = _ops.logical_and(*(_ops.equal(x, y) for x, y in zip(a.pair, b.pair)))
    return both if direction == "EQ" else _ops.logical_not(both)


#
# Fourier transforms
#


@complex_op("fft")
def _fft(call: Call, x: AnyKnown) -> Any:
    kind, lengths = call.word("fft_type"), call.ints("fft_length")
    shape = x.shape
    axes = list(range(len(shape) - len(lengths), len(shape)))
    for axis, length in zip(axes, lengths):
        if shape[axis] is None:
            raise call.unsupported("of a size that the call chooses")
        if largest_product(length) > LONGEST_PRODUCT:
            raise call.unsupported(f"of a length, {length}, with a prime factor above {LONGEST_PRODUCT}")
    if 0 in call.shape or 0 in shape:
        zeros = _ops.zeros(call.static_shape, call.dtype)
        return zeros if kind == "IRFFT" else _of((zeros, zeros))
    sign = -1.0 if kind in ("FFT", "RFFT") else 1.0
    real, imaginary = x.pair if isinstance(x, Complex) else (x.tensor, None)
    last = axes[-1]
    if kind == "RFFT":
        real, imaginary = transform(real, None, last, sign, lengths[-1] // 2 + 1)
    for axis in axes if kind in ("FFT", "IFFT") else axes[:-1]:
        real, imaginary = transform(real, imaginary, axis, sign)
    assert imaginary is not None
    scale = as_tensor(1.0 / float(np.prod(lengths)), real.dtype)
    if kind == "IRFFT":
        real, imaginary = (resized(part, last, lengths[-1] // 2 + 1) for part in (real, imaginary))
        return _ops.multiply(hermitian(real, imaginary, last, lengths[-1]), scale)
    return _of((real, imaginary) if kind != "IFFT" else (_ops.multiply(real, scale), _ops.multiply(imaginary, scale)))
