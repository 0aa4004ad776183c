# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fourier transforms of `tf.signal` and `tf.spectral`: products with matrices of sines and cosines, of long sequences
in several steps. The size of a dimension that is transformed is one that the program is compiled for."""

from typing import Any, Callable, List, Optional, Sequence, TypeVar

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._errors.messages import about
from .._numerics import spectra as _spectra
from .complex_tensors import ComplexTensor, as_complex
from .conversion import as_tensor, constant, make
from .operation import Tensor
from .ops import pad
from .signal import _known, frame, hann_window, overlap_and_add


def _expect_known(kind: str, sizes: Sequence[Any]) -> None:
    """Raises ValueError for a size that is not known: the program for the sizes of a run is tried then."""
    if any(n is None for n in sizes):
        raise about(kind, ValueError("the sizes of the dimensions that are transformed must be known in the program: "
                                     "it is compiled for those of each run"))  # fmt: skip


def _lengths(fft_length: Any, count: int) -> Optional[List[int]]:
    if fft_length is None:
        return None
    value = fft_length
    if hasattr(value, "op"):
        value = as_tensor(value).op.fields.literal
        if value is None:
            raise NotImplementedError("flywheel.v1.signal: fft_length is a number that the program knows")
    found = [int(n) for n in np.asarray(value).reshape(-1)]
    if len(found) != count or min(found) < 1:
        raise ValueError(f"expected {count} numbers of at least 1 as fft_length, found {found}")
    return found


def _complex(kind: str, axes: int, is_inverse: bool) -> Callable[..., ComplexTensor]:
    def op(input: Any, name: Optional[str] = None) -> ComplexTensor:
        x = as_complex(input)
        _expect_rank(kind, x, axes)

        def emit(real: Any, imaginary: Any) -> Any:
            found: Any = (real, imaginary)
            _expect_known(kind, real._dims[real.ndim - axes :])
            for axis in range(real.ndim - axes, real.ndim):
                found = _spectra.transform(found[0], found[1], axis, 1.0 if is_inverse else -1.0)
                if is_inverse:
                    count = float(max(found[0]._dims[axis], 1))
                    found = tuple(_ops.divide(part, count) for part in found)
            return found

        types = [(part.dtype, part.static_shape) for part in x.parts]
        return ComplexTensor(*make(kind.upper(), emit, *x.parts, name=name, types=types))

    words = "inverse " if is_inverse else ""
    return _named(op, kind, f"The {words}Fourier transform of the last {axes} dimensions of complex numbers.")


Op = TypeVar("Op", bound=Callable[..., Any])


def _named(op: Op, kind: str, text: str) -> Op:
    op.__name__ = op.__qualname__ = kind
    op.__doc__ = text
    return op


def _expect_rank(kind: str, x: Any, axes: int) -> None:
    if x.static_shape is not None and len(x.static_shape) < axes:
        raise ValueError(f"{kind}: expected at least {axes} dimensions, found shape {x.shape}")


def _of_real(kind: str, axes: int) -> Callable[..., ComplexTensor]:
    def op(input_tensor: Any, fft_length: Any = None, name: Optional[str] = None) -> ComplexTensor:
        x = as_tensor(input_tensor)
        if x.dtype.name not in ("float32", "float64"):
            raise TypeError(f"{kind} takes float32 or float64, found {x.dtype.name}: cast it")
        _expect_rank(kind, x, axes)
        lengths = _lengths(fft_length, axes)

        def emit(y: Any) -> Any:
            first = y.ndim - axes
            _expect_known(kind, y._dims[first:])
            for k, n in enumerate(lengths or ()):
                y = _spectra.resized(y, first + k, n)
            last = y.ndim - 1
            found = _spectra.transform(y, None, last, -1.0, (y._dims[last] or 0) // 2 + 1)
            for axis in range(first, last):
                found = _spectra.transform(found[0], found[1], axis, -1.0)
            return found

        shape = x.static_shape
        if shape is not None:
            own = shape[len(shape) - axes :] if lengths is None else lengths
            shape = (*shape[: len(shape) - axes], *own[:-1], None if own[-1] is None else own[-1] // 2 + 1)
        made = make(kind.upper(), emit, x, name=name, types=[(x.dtype, shape)] * 2)
        return ComplexTensor(*made)

    return _named(op, kind, f"The Fourier transform of the last {axes} dimensions of real numbers: the frequencies up "
                  "to the middle one of the last. With `fft_length` they are cut, or filled up, to that length.")


def _to_real(kind: str, axes: int) -> Callable[..., Tensor]:
    def op(input_tensor: Any, fft_length: Any = None, name: Optional[str] = None) -> Tensor:
        x = as_complex(input_tensor)
        _expect_rank(kind, x, axes)
        lengths = _lengths(fft_length, axes)

        def emit(real: Any, imaginary: Any) -> Any:
            first, last = real.ndim - axes, real.ndim - 1
            _expect_known(kind, real._dims[first:])
            own: Any = lengths or [*real._dims[first:last], max(2 * (real._dims[last] - 1), 0)]
            found: Any = (real, imaginary)
            for axis, n in zip(range(first, last), own):
                found = tuple(_spectra.resized(part, axis, n) for part in found)
                found = _spectra.transform(found[0], found[1], axis, 1.0)
            found = tuple(_spectra.resized(part, last, own[-1] // 2 + 1) for part in found)
            return _ops.divide(_spectra.hermitian(found[0], found[1], last, own[-1]), float(max(np.prod(own), 1)))

        shape = x.static_shape
        if shape is not None:
            last = None if shape[-1] is None else max(2 * (shape[-1] - 1), 0)
            own: Any = lengths or [*shape[len(shape) - axes : -1], last]
            shape = (*shape[: len(shape) - axes], *own)
        found: Tensor = make(kind.upper(), emit, *x.parts, name=name, types=[(x.parts[0].dtype, shape)])
        return found

    return _named(op, kind, f"The inverse of `{kind[1:]}`, for the length `fft_length`, by default an even one.")


fft, fft2d, fft3d = (_complex(f"fft{name}", n, False) for n, name in ((1, ""), (2, "2d"), (3, "3d")))
ifft, ifft2d, ifft3d = (_complex(f"ifft{name}", n, True) for n, name in ((1, ""), (2, "2d"), (3, "3d")))
rfft, rfft2d, rfft3d = (_of_real(f"rfft{name}", n) for n, name in ((1, ""), (2, "2d"), (3, "3d")))
irfft, irfft2d, irfft3d = (_to_real(f"irfft{name}", n) for n, name in ((1, ""), (2, "2d"), (3, "3d")))


def _power_of_two(n: int) -> int:
    return 1 << max(n - 1, 0).bit_length()


def stft(
    signals: Any, frame_length: Any, frame_step: Any, fft_length: Any = None, window_fn: Any = hann_window,
    pad_end: bool = False, name: Optional[str] = None,
) -> ComplexTensor:  # fmt: skip
    """The transforms [..., frames, frequencies] of windows of real signals [..., samples]: see `frame`. The length of a
    transform is by default the least power of 2 that holds a window."""
    x, length = as_tensor(signals), _known(frame_length, "frame_length")
    frames = frame(x, length, frame_step, pad_end)
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=x.dtype)
    count = _power_of_two(length) if fft_length is None else _known(fft_length, "fft_length")
    return rfft(frames, [count], name)


def inverse_stft(
    stfts: Any, frame_length: Any, frame_step: Any, fft_length: Any = None, window_fn: Any = hann_window,
    name: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """The signals that windows of transforms add up to; `window_fn` is `inverse_stft_window_fn` of that of `stft` for
    signals that are to be the same."""
    x, length = as_complex(stfts), _known(frame_length, "frame_length")
    count = _power_of_two(length) if fft_length is None else _known(fft_length, "fft_length")
    frames = irfft(x, [count])
    if count >= length:
        frames = frames[..., :length]
    else:
        frames = pad(frames, [[0, 0]] * (len(frames.static_shape or ()) - 1) + [[0, length - count]])
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    return overlap_and_add(frames, frame_step, name)


def inverse_stft_window_fn(
    frame_step: Any, forward_window_fn: Any = hann_window, name: Optional[str] = None
) -> Callable[..., Tensor]:
    """A window for `inverse_stft`, with which it undoes a `stft` of that window and step."""
    step = _known(frame_step, "frame_step")

    def window(frame_length: Any, dtype: Any = _dtypes.float32) -> Tensor:
        length = _known(frame_length, "frame_length")
        forward = forward_window_fn(length, dtype=dtype)
        own = np.asarray(forward.op.fields.literal, np.float64)
        overlaps = -(-length // step)
        squares = np.zeros(overlaps * step)
        squares[:length] = own**2
        total = np.tile(squares.reshape(overlaps, step).sum(0), overlaps)[:length]
        with np.errstate(divide="ignore", invalid="ignore"):
            return constant((own / total).astype(forward.dtype.as_numpy_dtype))

    return window


__all__ = ["fft", "fft2d", "fft3d", "ifft", "ifft2d", "ifft3d"]

# Names of `tf.spectral`, and those that `tf.signal` and `tf.contrib.signal` have beside them.
SPECTRAL = {name: globals()[name] for name in (
    *__all__, "irfft", "irfft2d", "irfft3d", "rfft", "rfft2d", "rfft3d")}  # fmt: skip
SIGNAL = {**SPECTRAL, "inverse_stft": inverse_stft, "inverse_stft_window_fn": inverse_stft_window_fn, "stft": stft}
