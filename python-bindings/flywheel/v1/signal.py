# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.signal`: frames, windows and cosine transforms of real signals. `spectra` has Fourier transforms."""

import math
from typing import Any, Callable, Optional

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .conversion import as_tensor, constant, dtype_of, make
from .elementwise import TABLE
from .operation import Tensor
from .ops import cast, gather, pad, range_, reshape, shape, transpose
from .scatters import unsorted_segment_sum


def _known(value: Any, what: str) -> int:
    """Returns an integer that is known before a run. Raises ValueError for others."""
    if hasattr(value, "op"):
        literal = as_tensor(value).op.fields.literal
        if literal is None:
            raise NotImplementedError(f"flywheel.v1.signal: {what} is a number that the program knows")
        value = literal
    array = np.asarray(value)
    if array.ndim or array.dtype.kind not in "iu":
        raise ValueError(f"expected an integer as {what}, found {value!r}")
    return int(array)


def _size_of(x: Tensor, axis: int) -> Any:
    """Returns a size: a number, or a tensor that the compiler knows as a size."""
    known = x.static_shape[axis] if x.static_shape is not None else None
    return shape(x)[axis] if known is None else known


def frame(
    signal: Any, frame_length: Any, frame_step: Any, pad_end: bool = False, pad_value: Any = 0, axis: int = -1,
    name: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """Windows of `frame_length` elements along an axis, each `frame_step` behind the one before: [..., frames,
    frame_length, ...]. With `pad_end` each step has a window, which `pad_value` fills up."""
    x = as_tensor(signal)
    length, step = _known(frame_length, "frame_length"), _known(frame_step, "frame_step")
    if length < 0 or step < 1:
        raise ValueError(f"frame: expected a frame_length of at least 0 and a frame_step of at least 1, found {length} "
                         f"and {step}")  # fmt: skip
    if x.static_shape is None or not x.static_shape:
        raise ValueError(f"frame: expected a signal of a known rank of at least 1, found shape {x.shape}")
    rank = len(x.static_shape)
    if not -rank <= axis < rank:
        raise ValueError(f"frame: axis {axis} is not one of {rank} dimensions")
    place = axis % rank
    count = _size_of(x, place)
    if pad_end:
        frames: Any = -(-count // step) if isinstance(count, int) else (count + (step - 1)) // step
        more: Any = _at_least_0(length + step * (frames - 1) - count)
        widths = [[0, more if one == place else 0] for one in range(rank)]
        x = pad(x, widths, constant_values=pad_value)
    else:
        frames = _at_least_0((count - length) // step + 1)
    first = reshape(range_(frames), [-1, 1]) if hasattr(frames, "op") else np.arange(frames, dtype=np.int32)[:, None]
    found: Tensor = gather(x, first * step + np.arange(length, dtype=np.int32), axis=place, name=name)
    return found


def _at_least_0(n: Any) -> Any:
    return max(n, 0) if isinstance(n, int) else TABLE["maximum"](n, 0)


def overlap_and_add(signal: Any, frame_step: Any, name: Optional[str] = None) -> Tensor:
    """Frames [..., frames, frame_length] at steps, added where they overlap."""
    x, step = as_tensor(signal), _known(frame_step, "frame_step")
    if x.static_shape is None or len(x.static_shape) < 2:
        raise ValueError(f"overlap_and_add: expected a signal of at least 2 dimensions, found shape {x.shape}")
    if step < 1:
        raise ValueError(f"overlap_and_add: expected a frame_step of at least 1, found {step}")
    rank = len(x.static_shape)
    frames, length = _size_of(x, rank - 2), _size_of(x, rank - 1)
    total = length + step * (frames - 1)
    if isinstance(frames, int) and isinstance(length, int):
        places: Any = np.arange(frames, dtype=np.int32)[:, None] * step + np.arange(length, dtype=np.int32)
        places = constant(places, _dtypes.int32)
    else:
        places = reshape(range_(frames), [-1, 1]) * step + range_(length)
    moved = transpose(x, [rank - 2, rank - 1, *range(rank - 2)])
    found: Tensor = transpose(unsorted_segment_sum(moved, places, total), [*range(1, rank - 1), 0], name=name)
    return found


def _window(kind: str, first: float, second: float) -> Callable[..., Tensor]:
    def op(
        window_length: Any, periodic: Any = True, dtype: Any = _dtypes.float32, name: Optional[str] = None
    ) -> Tensor:
        wanted = dtype_of(dtype)
        if not _dtypes.is_floating(wanted):
            raise ValueError(f"dtype must be a floating point type. Found {_dtypes.name_of(wanted)}")
        length = _known(window_length, "window_length")
        if length < 0:
            raise ValueError(f"{kind}: expected a window_length of at least 0, found {length}")
        # As in TensorFlow, a window of an odd length is symmetric.
        period = length + (1 if periodic and length % 2 == 0 else 0) - 1
        angles = 2 * math.pi * np.arange(length) / max(period, 1)
        made = np.ones(length) if length == 1 else first - second * np.cos(angles)
        return constant(made.astype(wanted), wanted, name=name or kind)

    op.__name__ = op.__qualname__ = kind
    op.__doc__ = f"{first} - {second} cos(2 pi n / N) for each of `window_length` elements."
    return op


hann_window = _window("hann_window", 0.5, 0.5)
hamming_window = _window("hamming_window", 0.54, 0.46)


def _cosines(type: int, n: int, is_ortho: bool) -> Any:
    """Returns the matrix [n, n] of a transform: row k is of the result k."""
    k, j = np.arange(n)[:, None], np.arange(n)
    if type == 1:
        made = 2 * np.cos(math.pi * k * j / (n - 1))
        made[:, 0] /= 2
        made[:, -1] /= 2
        return made
    if type == 2:
        made = 2 * np.cos(math.pi * k * (2 * j + 1) / (2 * n))
        if is_ortho:
            made *= math.sqrt(1 / (2 * n))
            made[0] *= math.sqrt(0.5)
        return made
    if type == 3:
        made = 2 * np.cos(math.pi * (2 * k + 1) * j / (2 * n))
        made[:, 0] /= 2
        if is_ortho:
            made *= math.sqrt(1 / (2 * n))
            made[:, 0] *= math.sqrt(2)
        return made
    made = 2 * np.cos(math.pi * (2 * k + 1) * (2 * j + 1) / (4 * n))
    return made * math.sqrt(1 / (2 * n)) if is_ortho else made


def dct(
    input: Any, type: int = 2, n: Optional[int] = None, axis: int = -1, norm: Optional[str] = None,
    name: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """The discrete cosine transform of the last dimension, of types 1 to 4; `norm="ortho"` makes it orthogonal. With
    `n` the signal is cut, or filled with zeros, to that length."""
    x = as_tensor(input)
    if type not in (1, 2, 3, 4):
        raise ValueError("Only Types I, II, III and IV (I)DCT are supported.")
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")
    if type == 1 and norm == "ortho":
        raise ValueError("Normalization is not supported for the Type-I DCT.")
    if not x.dtype.is_floating:
        raise TypeError(f"dct takes floating-point tensors, found {x.dtype.name}: cast it")
    count = x.static_shape[-1] if x.static_shape else None
    if count is None:
        raise ValueError(f"dct: the size of the last dimension must be known, found shape {x.shape}")
    if n is not None and n < 1:
        raise ValueError("n should be a positive integer or None")
    length = count if n is None else int(n)
    if type == 1 and length < 2:
        raise ValueError("Type-I DCT requires at least 2 elements")
    matrix = _cosines(type, length, norm == "ortho")[:, : min(count, length)].T

    def emit(y: Any) -> Any:
        wide = y.dtype if y.dtype == _dtypes.float64 else _dtypes.float32
        cut = y[..., :length] if length < count else y
        return _ops.cast(_ops.tensordot(_ops.cast(cut, wide), matrix.astype(wide), 1), y.dtype)

    found: Tensor = make("DCT", emit, x, name=name)
    return found


def idct(
    input: Any, type: int = 2, n: Optional[int] = None, axis: int = -1, norm: Optional[str] = None,
    name: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """The inverse of `dct`, without its factor unless `norm="ortho"`: 2 N, or 2 (N - 1) of type 1."""
    if type not in (1, 2, 3, 4):
        raise ValueError("Only Types I, II, III and IV (I)DCT are supported.")
    return dct(input, {1: 1, 2: 3, 3: 2, 4: 4}[type], n, axis, norm, name)


def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20, num_spectrogram_bins: int = 129, sample_rate: Any = 8000, lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0, dtype: Any = _dtypes.float32, name: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """[num_spectrogram_bins, num_mel_bins]: the shares of frequencies in triangles on the mel scale of HTK, 1127 ln(1 +
    f / 700)."""
    rate, wanted = float(sample_rate), dtype_of(dtype)
    if num_mel_bins <= 0 or num_spectrogram_bins <= 0 or rate <= 0:
        raise ValueError("num_mel_bins, num_spectrogram_bins and sample_rate must be positive. Got: "
                         f"{num_mel_bins}, {num_spectrogram_bins}, {sample_rate}")  # fmt: skip
    if not 0 <= lower_edge_hertz < upper_edge_hertz or upper_edge_hertz > rate / 2:
        raise ValueError("expected 0 <= lower_edge_hertz < upper_edge_hertz <= sample_rate / 2, found "
                         f"{lower_edge_hertz}, {upper_edge_hertz} and {sample_rate}")  # fmt: skip
    if not _dtypes.is_floating(wanted):
        raise ValueError(f"dtype must be a floating point type. Found {_dtypes.name_of(wanted)}")

    def mel(hertz: Any) -> Any:
        return 1127.0 * np.log1p(np.asarray(hertz, np.float64) / 700.0)

    bins = mel(np.linspace(0.0, rate / 2, num_spectrogram_bins)[1:])[:, None]
    edges = np.linspace(mel(lower_edge_hertz), mel(upper_edge_hertz), num_mel_bins + 2)
    low, centre, high = edges[:-2], edges[1:-1], edges[2:]
    rising, falling = (bins - low) / (centre - low), (high - bins) / (high - centre)
    # The lowest frequency has no share.
    made = np.pad(np.maximum(0.0, np.minimum(rising, falling)), [[1, 0], [0, 0]])
    return constant(made.astype(wanted), wanted, name=name or "linear_to_mel_weight_matrix")


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: Optional[str] = None) -> Tensor:
    """The cepstral coefficients of spectrograms [..., frames, bins] of logarithms on the mel scale."""
    x = as_tensor(log_mel_spectrograms)
    count = x.static_shape[-1] if x.static_shape else None
    if not count:
        raise ValueError(f"num_mel_bins must be known and positive, found shape {x.shape}")
    found: Tensor = TABLE["multiply"](dct(x), cast(constant(1 / math.sqrt(2 * count)), x.dtype), name=name)
    return found


__all__ = [
    "dct", "frame", "hamming_window", "hann_window", "idct", "linear_to_mel_weight_matrix",
    "mfccs_from_log_mel_spectrograms", "overlap_and_add",
]  # fmt: skip

NAMES = {name: globals()[name] for name in __all__}
