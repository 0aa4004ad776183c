# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fourier transforms, as `numpy.fft` has them, with derivatives. A tensor has no complex numbers: those are pairs of a
real and an imaginary part, `Complex`.

Sizes of dimensions that are transformed are static, and have no prime factor above 2048: a transform is products with
matrices of sines and cosines, of long sequences in several steps. Functions compute in float64 for float64, and in
float32 for all else.
"""

import math
import operator
from typing import Any, List, NamedTuple, Optional, Sequence, SupportsIndex, Tuple, Union

import numpy as np

from . import _ops
from ._core import dtypes as _dtypes
from ._core.argument_checks import integer, number
from ._core.tensor import Tensor, TensorLike, as_tensor, format_shape
from ._errors.messages import wrong
from ._numerics import complex_pairs as pairs
from ._numerics.spectra import LONGEST_PRODUCT, hermitian, largest_product, resized, transform
from ._ops.emission import normalize_axis

__all__ = [
    "Complex", "fft", "fft2", "fftfreq", "fftn", "fftshift", "ifft", "ifft2", "ifftn", "ifftshift", "irfft", "irfft2",
    "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn"]  # fmt: skip


class Complex(NamedTuple):
    """Complex numbers: two tensors of one shape. `real, imag = fft(x)` takes them apart, and arithmetic (`+ - * /`,
    `abs`, unary minus) is that of complex numbers, with tensors and numbers as real ones. A function that returns them
    returns two arrays, of which `numpy()` makes one."""

    real: Any
    imag: Any

    def __add__(self, other: Any) -> "Complex":
        a, b = _both(self, other)
        return Complex(_ops.add(a.real, b.real), _ops.add(a.imag, b.imag))

    def __radd__(self, other: Any) -> "Complex":
        return self.__add__(other)

    def __sub__(self, other: Any) -> "Complex":
        a, b = _both(self, other)
        return Complex(_ops.subtract(a.real, b.real), _ops.subtract(a.imag, b.imag))

    def __rsub__(self, other: Any) -> "Complex":
        return (-self).__add__(other)

    def __mul__(self, other: Any) -> "Complex":
        if not _is_complex(other):
            return Complex(_ops.multiply(self.real, other), _ops.multiply(self.imag, other))
        return Complex(*pairs.product(*map(tuple, _both(self, other))))

    def __rmul__(self, other: Any) -> "Complex":
        return self.__mul__(other)

    def __truediv__(self, other: Any) -> "Complex":
        if not _is_complex(other):
            return Complex(_ops.divide(self.real, other), _ops.divide(self.imag, other))
        return Complex(*pairs.quotient(*map(tuple, _both(self, other))))

    def __rtruediv__(self, other: Any) -> "Complex":
        return Complex(*pairs.quotient(*map(tuple, _both(_as_complex(other), self))))

    def __neg__(self) -> "Complex":
        return Complex(_ops.negative(self.real), _ops.negative(self.imag))

    def __abs__(self) -> Tensor:
        """The absolute values, whose derivative at 0 is 0."""
        return pairs.absolute((as_tensor(self.real), as_tensor(self.imag)))

    def __getitem__(self, key: Any) -> Any:
        raise TypeError("expected an index of z.real or z.imag, found one of a pair of them: write "
                        "real, imag = z, and flywheel.fft.Complex(real[...], imag[...])")  # fmt: skip

    def angle(self) -> Tensor:
        """The angles, from -pi to pi, whose derivative at 0 is 0."""
        return pairs.angle((as_tensor(self.real), as_tensor(self.imag)))

    def conj(self) -> "Complex":
        """The conjugates."""
        return Complex(self.real, _ops.negative(self.imag))

    def numpy(self) -> "np.ndarray[Any, Any]":
        """An array of complex numbers, of the arrays that a function has returned."""
        if isinstance(self.real, Tensor) or isinstance(self.imag, Tensor):
            raise TypeError("numpy() is of arrays, found tensors of a function that is traced: call it on what the "
                            "function returns")  # fmt: skip
        real, imag = np.asarray(self.real), np.asarray(self.imag)
        made = np.empty(np.broadcast_shapes(real.shape, imag.shape), np.result_type(real, imag, np.complex64))
        made.real, made.imag = real, imag
        return made


Numbers = Union[TensorLike, Complex, Tuple[TensorLike, TensorLike]]
Parts = Tuple[Tensor, Optional[Tensor]]
Lengths = Optional[Sequence[int]]
Axes = Union[int, Sequence[int], None]


def _is_complex(value: Any) -> bool:
    """Returns true for a pair, and for complex numbers of Python and NumPy."""
    if isinstance(value, (Complex, complex)):
        return True
    return isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind == "c"


def _as_complex(value: Any) -> Complex:
    """Returns complex numbers of tensors. Those of NumPy, and a tuple of two, are pairs; others are real."""
    if isinstance(value, Complex) or (isinstance(value, tuple) and len(value) == 2):
        real, imag = value
        return Complex(_floating(real), _floating(imag))
    if isinstance(value, tuple):
        raise wrong(TypeError, "a tensor, or a pair of a real and an imaginary part,", f"a tuple of {len(value)}")
    if isinstance(value, complex):
        return Complex(as_tensor(value.real), as_tensor(value.imag))
    if _is_complex(value):
        array = np.asarray(value)
        return Complex(as_tensor(np.ascontiguousarray(array.real)), as_tensor(np.ascontiguousarray(array.imag)))
    real = _floating(value)
    return Complex(real, _ops.zeros_like(real))


def _both(a: Complex, b: Any) -> Tuple[Complex, Complex]:
    return _as_complex(a), _as_complex(b)


def _floating(x: Any) -> Tensor:
    given: Tensor = as_tensor(x)
    wide = _dtypes.float64 if given.dtype == _dtypes.float64 else _dtypes.float32
    return _ops.cast(given, wide) if given.dtype != wide else given


#
# Arguments
#


def _parts(x: Any) -> Parts:
    """Returns the parts of what is transformed, of one shape and dtype; of real numbers one."""
    if not isinstance(x, tuple) and not _is_complex(x):
        return _floating(x), None
    real, imag = _as_complex(x)
    real, imag = _ops.broadcast_arrays(real, imag)
    dtype = _dtypes.promote_types(real.dtype, imag.dtype)
    return _ops.cast(real, dtype), _ops.cast(imag, dtype)


def _real(x: Any) -> Tensor:
    if isinstance(x, tuple) or _is_complex(x):
        raise wrong(TypeError, "real numbers", "complex ones", "x", hint=": fft and fftn take them")
    return _floating(x)


def _several(x: Tensor, s: Any, axes: Any, least: int = 0) -> Tuple[List[Optional[int]], List[int]]:
    """Returns the lengths that are given for the dimensions to transform, and these."""
    lengths: List[Optional[int]] = []
    if s is not None:
        lengths = [None if n is None or n == -1 else integer("s", n) for n in _listed("s", s)]
    if axes is None:
        count = x.ndim if s is None else len(lengths)
        if count > x.ndim:
            raise wrong(ValueError, f"up to {x.ndim} lengths, one for each dimension,", f"{count}", "s")
        found = list(range(x.ndim - count, x.ndim))
    else:
        found = [normalize_axis(integer("axes", axis), x.ndim) for axis in _listed("axes", axes)]
    if s is not None and len(lengths) != len(found):
        raise wrong(ValueError, f"a length for each of {len(found)} axes", f"{len(lengths)}", "s")
    if len(found) < least:
        raise wrong(ValueError, "one axis or more", "none", "axes")
    return lengths or [None] * len(found), found


def _listed(name: str, value: Any) -> List[Any]:
    if isinstance(value, SupportsIndex):
        return [operator.index(value)]
    if not isinstance(value, (list, tuple, np.ndarray)):
        raise wrong(TypeError, "a tuple of integers", type(value).__name__, name)
    return list(value)


def _static(x: Tensor, axis: int) -> int:
    """Returns the size of a dimension. Raises ValueError for one that only the call knows."""
    found = x._dims[axis]
    if found is None:
        raise ValueError(f"expected dimensions of static sizes to transform, found dimension {axis} of "
                         f"{format_shape(x._dims)}: give its length, as in n=1024, or flywheel.function a signature "
                         "with the size")  # fmt: skip
    return found


def _check_length(n: int) -> int:
    if n < 1:
        raise wrong(ValueError, "a length of at least 1", f"{n}", "n")
    if largest_product(n) > LONGEST_PRODUCT:
        raise wrong(ValueError, f"a length without a prime factor above {LONGEST_PRODUCT}", f"{n}", "n",
                    hint=f": with n={_smooth(n)} zeros follow")  # fmt: skip
    return n


def _smooth(n: int) -> int:
    """Returns the next power of 2."""
    return 1 << (n - 1).bit_length()


def _fitted(x: Tensor, axis: int, n: Optional[int]) -> Tensor:
    """Returns the first n elements of a dimension, with zeros after them if there are fewer."""
    if n is None:
        _check_length(_static(x, axis))
        return x
    _check_length(n)
    if x._dims[axis] is None:
        padded = _ops.pad(x, [(0, n if place == axis else 0) for place in range(x.ndim)])
        return _ops.take(padded, np.arange(n, dtype=np.int32), axis)
    return resized(x, axis, n)


def _scale(count: int, norm: Optional[str], is_inverse: bool) -> float:
    if norm not in (None, "backward", "ortho", "forward"):
        raise wrong(ValueError, "'backward', 'ortho', 'forward' or None", repr(norm), "norm")
    if norm == "ortho":
        return 1 / math.sqrt(count)
    return 1 / count if is_inverse == (norm != "forward") else 1.0


def _scaled(x: Tensor, scale: float) -> Tensor:
    return x if scale == 1.0 else _ops.multiply(x, scale)


def _complex(
    x: Parts, lengths: Sequence[Optional[int]], axes: Sequence[int], norm: Optional[str], is_inverse: bool
) -> Complex:
    """Transforms numbers along dimensions."""
    real, imag = x
    scale = _scale(1, norm, is_inverse)
    for axis, n in reversed(list(zip(axes, lengths))):
        real, imag = _fitted(real, axis, n), None if imag is None else _fitted(imag, axis, n)
        scale *= _scale(_static(real, axis), norm, is_inverse)
        real, imag = transform(real, imag, axis, 1.0 if is_inverse else -1.0)
    return Complex(_scaled(real, scale), _scaled(_ops.zeros_like(real) if imag is None else imag, scale))


def _of_real(x: Tensor, lengths: Sequence[Optional[int]], axes: Sequence[int], norm: Optional[str]) -> Complex:
    """Transforms real numbers along dimensions; the upper half of the frequencies of the last one is left out."""
    x = _fitted(x, axes[-1], lengths[-1])
    count = _static(x, axes[-1])
    scale = _scale(count, norm, is_inverse=False)
    real, imag = transform(x, None, axes[-1], -1.0, count // 2 + 1)
    return _complex((_scaled(real, scale), _scaled(imag, scale)), lengths[:-1], axes[:-1], norm, is_inverse=False)


def _to_real(x: Parts, lengths: Sequence[Optional[int]], axes: Sequence[int], norm: Optional[str]) -> Tensor:
    real, imag = _complex(x, lengths[:-1], axes[:-1], norm, is_inverse=True)
    axis, n = axes[-1], lengths[-1]
    n = _check_length(2 * (_static(real, axis) - 1) if n is None else n)
    real, imag = (resized(part, axis, n // 2 + 1) if part._dims[axis] is not None else _fitted(part, axis, n // 2 + 1)
                  for part in (real, imag))  # fmt: skip
    return _scaled(hermitian(real, imag, axis, n), _scale(n, norm, is_inverse=True))


def _one(x: Tensor, n: Optional[int], axis: int) -> Tuple[List[Optional[int]], List[int]]:
    """Returns the length and the dimension of a transform of one dimension."""
    return [None if n is None else integer("n", n)], [normalize_axis(integer("axis", axis), x.ndim)]


#
# Transforms
#


def fft(x: Numbers, n: Optional[int] = None, axis: int = -1, norm: Optional[str] = None) -> Complex:
    """The Fourier transform of one dimension, sum_j x[j] exp(-2 pi i j k / N), of real or complex numbers.

    `n` is the length N, to which x is cut or filled up with zeros. `norm` is "backward" (the inverse has the factor
    1 / N), "ortho" (both have 1 / sqrt(N)) or "forward". Raises ValueError for a length that only the call knows, that
    is 0, or that has a prime factor above 2048.
    """
    parts = _parts(x)
    return _complex(parts, *_one(parts[0], n, axis), norm, is_inverse=False)


def ifft(x: Numbers, n: Optional[int] = None, axis: int = -1, norm: Optional[str] = None) -> Complex:
    """The inverse of `fft`."""
    parts = _parts(x)
    return _complex(parts, *_one(parts[0], n, axis), norm, is_inverse=True)


def rfft(x: TensorLike, n: Optional[int] = None, axis: int = -1, norm: Optional[str] = None) -> Complex:
    """The frequencies 0 to N // 2 of `fft` of real numbers: the others are their conjugates."""
    real = _real(x)
    return _of_real(real, *_one(real, n, axis), norm)


def irfft(x: Numbers, n: Optional[int] = None, axis: int = -1, norm: Optional[str] = None) -> Tensor:
    """The inverse of `rfft`, N = `n` real numbers: by default 2 (M - 1) of M frequencies, so an odd N is given. The
    imaginary parts of frequency 0, and of the middle one of an even N, are not read."""
    parts = _parts(x)
    return _to_real(parts, *_one(parts[0], n, axis), norm)


def fftn(x: Numbers, s: Lengths = None, axes: Axes = None, norm: Optional[str] = None) -> Complex:
    """`fft` of several dimensions, by default of all, or of the last ones if `s` has their lengths."""
    parts = _parts(x)
    return _complex(parts, *_several(parts[0], s, axes), norm, is_inverse=False)


def ifftn(x: Numbers, s: Lengths = None, axes: Axes = None, norm: Optional[str] = None) -> Complex:
    """The inverse of `fftn`."""
    parts = _parts(x)
    return _complex(parts, *_several(parts[0], s, axes), norm, is_inverse=True)


def rfftn(x: TensorLike, s: Lengths = None, axes: Axes = None, norm: Optional[str] = None) -> Complex:
    """`fftn` of real numbers, with the frequencies 0 to N // 2 of the last of the dimensions."""
    real = _real(x)
    return _of_real(real, *_several(real, s, axes, least=1), norm)


def irfftn(x: Numbers, s: Lengths = None, axes: Axes = None, norm: Optional[str] = None) -> Tensor:
    """The inverse of `rfftn`; the last length of `s` is that of the result, as in `irfft`."""
    parts = _parts(x)
    return _to_real(parts, *_several(parts[0], s, axes, least=1), norm)


def fft2(x: Numbers, s: Lengths = None, axes: Axes = (-2, -1), norm: Optional[str] = None) -> Complex:
    """`fftn` of two dimensions."""
    return fftn(x, s, axes, norm)


def ifft2(x: Numbers, s: Lengths = None, axes: Axes = (-2, -1), norm: Optional[str] = None) -> Complex:
    """The inverse of `fft2`."""
    return ifftn(x, s, axes, norm)


def rfft2(x: TensorLike, s: Lengths = None, axes: Axes = (-2, -1), norm: Optional[str] = None) -> Complex:
    """`rfftn` of two dimensions."""
    return rfftn(x, s, axes, norm)


def irfft2(x: Numbers, s: Lengths = None, axes: Axes = (-2, -1), norm: Optional[str] = None) -> Tensor:
    """The inverse of `rfft2`."""
    return irfftn(x, s, axes, norm)


#
# Frequencies
#


def fftfreq(n: int, d: float = 1.0, dtype: Any = _dtypes.float32) -> "np.ndarray[Any, Any]":
    """The frequencies of `fft` of n numbers that are `d` apart, in cycles: an array, 0 first, then those above 0, then
    those below."""
    return np.fft.fftfreq(_count(n), number("d", d)).astype(_dtypes.as_dtype(dtype))


def rfftfreq(n: int, d: float = 1.0, dtype: Any = _dtypes.float32) -> "np.ndarray[Any, Any]":
    """The frequencies of `rfft` of n numbers that are `d` apart, in cycles: an array."""
    return np.fft.rfftfreq(_count(n), number("d", d)).astype(_dtypes.as_dtype(dtype))


def _count(n: int) -> int:
    found = integer("n", n)
    if found < 1:
        raise wrong(ValueError, "at least 1", f"{found}", "n")
    return found


def fftshift(x: Numbers, axes: Axes = None) -> Any:
    """Moves frequency 0 to the middle of dimensions, by default of all."""
    return _shifted(x, axes, is_inverse=False)


def ifftshift(x: Numbers, axes: Axes = None) -> Any:
    """The inverse of `fftshift`."""
    return _shifted(x, axes, is_inverse=True)


def _shifted(x: Any, axes: Axes, is_inverse: bool) -> Any:
    if isinstance(x, tuple) or _is_complex(x):
        return Complex(*(_shifted(part, axes, is_inverse) for part in _as_complex(x)))
    found: Tensor = as_tensor(x)
    _, places = _several(found, None, axes)
    for axis in places:
        count = _static(found, axis)
        found = _ops.roll(found, -(count // 2) if is_inverse else count // 2, axis)
    return found
