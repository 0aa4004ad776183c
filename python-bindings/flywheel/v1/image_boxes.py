# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.image`: boxes [y1, x1, y2, x2] of images, and which of them to keep."""

from typing import Any, List, Optional, Tuple

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._errors.messages import about
from .conversion import as_tensor, dtype_of, make
from .host_calls import host_call

_f32 = _dtypes.float32


def crop_and_resize(
    image: Any,
    boxes: Any,
    box_ind: Any = None,
    crop_size: Any = None,
    method: str = "bilinear",
    extrapolation_value: float = 0,
    name: Optional[str] = None,
    box_indices: Any = None,
) -> Any:
    """[boxes, height, width, channels]: boxes of images, as shares of them from 0 to 1, resized to `crop_size`. Places
    outside of the image have `extrapolation_value`."""
    high, wide = (int(n) for n in crop_size)
    if method not in ("bilinear", "nearest"):
        raise ValueError(f"method must be bilinear or nearest, found {method}")

    def emit(x: Any, b: Any, i: Any) -> Any:
        x = _ops.cast(x, _f32)
        found = [
            _places(_ops.cast(_ops.dim(x, axis), _f32), b[:, axis - 1], b[:, axis + 1], count)
            for axis, count in ((1, high), (2, wide))
        ]
        (y, in_y), (z, in_z) = found
        inside = _ops.logical_and(_ops.expand_dims(in_y, 2), _ops.expand_dims(in_z, 1))

        def at(rows: Any, columns: Any) -> Any:
            """[boxes, height, width, channels]: the elements of each box's image."""
            n, m = _ops.dim(x, 1), _ops.dim(x, 2)
            first = _ops.reshape(_ops.cast(i, _dtypes.int64), [-1, 1, 1])
            last = [_ops.cast(k, _dtypes.int64) - 1 for k in (n, m)]
            rows, columns = (_ops.clip(_ops.cast(p, _dtypes.int64), 0, k) for p, k in zip((rows, columns), last))
            row = _ops.add(_ops.multiply(first, _ops.cast(n, _dtypes.int64)), _ops.expand_dims(rows, 2))
            flat = _ops.add(_ops.multiply(row, _ops.cast(m, _dtypes.int64)), _ops.expand_dims(columns, 1))
            return _ops.take(_ops.reshape(x, [-1, x._dims[3]]), flat, 0)

        if method == "nearest":
            half = [_ops.floor(_ops.add(p, 0.5)) for p in (y, z)]
            value = at(*half)
        else:
            low = [_ops.floor(p) for p in (y, z)]
            share = [_ops.subtract(p, q) for p, q in zip((y, z), low)]
            up = [_ops.ceil(p) for p in (y, z)]
            fy, fx = _ops.reshape(share[0], [-1, high, 1, 1]), _ops.reshape(share[1], [-1, 1, wide, 1])
            top = _mixed(at(low[0], low[1]), at(low[0], up[1]), fx)
            bottom = _mixed(at(up[0], low[1]), at(up[0], up[1]), fx)
            value = _mixed(top, bottom, fy)
        return _ops.where(_ops.expand_dims(inside, 3), value, float(extrapolation_value))

    index = box_indices if box_ind is None else box_ind
    return make("CropAndResize", emit, as_tensor(image), as_tensor(boxes), as_tensor(index), name=name)


def _mixed(a: Any, b: Any, share: Any) -> Any:
    return _ops.add(a, _ops.multiply(_ops.subtract(b, a), share))


def _places(size: Any, first: Any, last: Any, count: int) -> Tuple[Any, Any]:
    """[boxes, count]: the places in a dimension, and which of them are inside."""
    first, last = (_ops.expand_dims(b, 1) for b in (first, last))
    end = _ops.subtract(size, 1.0)
    if count > 1:
        step = _ops.divide(_ops.multiply(_ops.subtract(last, first), end), float(count - 1))
        found = _ops.add(_ops.multiply(first, end), _ops.multiply(step, np.arange(count, dtype=np.float32)))
    else:
        found = _ops.multiply(_ops.multiply(_ops.add(first, last), end), 0.5)
    return found, _ops.logical_and(_ops.greater_equal(found, 0.0), _ops.less_equal(found, end))


def _overlaps(boxes: Any) -> Any:
    """[n, n]: areas in common over areas together."""
    low, high = np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])
    area = (high - low).prod(1)
    sides = np.minimum(high[:, None], high) - np.maximum(low[:, None], low)
    common = np.maximum(sides, 0).prod(2)
    both = area[:, None] + area - common
    return np.where(common > 0, common / np.where(both > 0, both, 1), 0)


def _kept(
    overlaps: Any, scores: Any, most: int, limit: float, least: float, sigma: float
) -> Tuple[List[int], List[Any]]:
    """The boxes that are kept, best first, and their scores: one that overlaps a better one by more than the limit is
    left out; with a `sigma` above 0 others lose of their score (Bodla et al., 2017)."""
    left = scores.astype(np.float64).copy()
    found: List[int] = []
    values: List[Any] = []
    is_open = scores > least
    while is_open.any() and len(found) < most:
        best = int(np.argmax(np.where(is_open, left, -np.inf)))
        is_open[best] = False
        if left[best] <= least:
            continue
        found.append(best)
        values.append(left[best])
        own = overlaps[best]
        if sigma > 0:
            left = np.where(is_open, left * np.exp(-0.5 * own**2 / sigma), left)
        is_open &= own <= limit
    return found, values


def _suppressed(
    kind: str,
    boxes: Any,
    scores: Any,
    most: Any,
    limit: Any,
    least: Any,
    name: Any,
    sigma: float = 0.0,
    given: bool = False,
    pads: bool = False,
) -> List[Any]:
    """The indices, scores and number of the boxes that are kept."""
    tensors = [as_tensor(boxes), as_tensor(scores), as_tensor(most)]

    def call(_: Any, b: Any, s: Any, n: Any) -> Any:
        rows, values = _kept(b if given else _overlaps(b), s, int(n), float(limit), float(least), sigma)
        count = np.array(len(rows), np.int32)
        width = int(n) if pads else len(rows)
        filled = np.zeros(width, np.int32)
        filled[: len(rows)] = rows
        shown = np.zeros(width, s.dtype)
        shown[: len(rows)] = values
        return filled, shown, count

    types = [(_dtypes.int32, (None,)), (tensors[1].dtype, (None,)), (_dtypes.int32, ())]
    return [op.outputs[0] for op in host_call(kind, call, tensors, types, name)]


def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: float = 0.5,
    score_threshold: float = -np.inf,
    name: Optional[str] = None,
) -> Any:
    """The indices of the boxes with the best scores, without those that overlap a better one by more than a share."""
    return _suppressed("NonMaxSuppression", boxes, scores, max_output_size, iou_threshold, score_threshold, name)[0]


def non_max_suppression_with_scores(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: float = 0.5,
    score_threshold: float = -np.inf,
    soft_nms_sigma: float = 0.0,
    name: Optional[str] = None,
) -> Any:
    """As `non_max_suppression`, and the scores, which with a sigma fall by overlaps (Bodla et al., 2017)."""
    return tuple(
        _suppressed(
            "NonMaxSuppression",
            boxes,
            scores,
            max_output_size,
            iou_threshold,
            score_threshold,
            name,
            float(soft_nms_sigma),
        )[:2]
    )


def non_max_suppression_padded(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: float = 0.5,
    score_threshold: float = -np.inf,
    pad_to_max_output_size: bool = False,
    name: Optional[str] = None,
) -> Any:
    """As `non_max_suppression`, with zeros behind, and the number of those before them."""
    found = _suppressed(
        "NonMaxSuppression",
        boxes,
        scores,
        max_output_size,
        iou_threshold,
        score_threshold,
        name,
        pads=pad_to_max_output_size,
    )
    return found[0], found[2]


def non_max_suppression_overlaps(
    overlaps: Any,
    scores: Any,
    max_output_size: Any,
    overlap_threshold: float = 0.5,
    score_threshold: float = -np.inf,
    name: Optional[str] = None,
) -> Any:
    """As `non_max_suppression`, of overlaps that are given, [n, n]."""
    return _suppressed(
        "NonMaxSuppression", overlaps, scores, max_output_size, overlap_threshold, score_threshold, name, given=True
    )[0]


_COLORS = np.array(
    [
        [1, 1, 0, 1],
        [0, 0, 1, 1],
        [1, 0, 0, 1],
        [0, 1, 0, 1],
        [0.5, 0, 0.5, 1],
        [0.5, 0.5, 0, 1],
        [0.5, 0, 0, 1],
        [0, 0, 0.5, 1],
        [0, 1, 1, 1],
        [1, 0, 1, 1],
    ],
    np.float32,
)


def draw_bounding_boxes(images: Any, boxes: Any, name: Optional[str] = None, colors: Any = None) -> Any:
    """Images [batch, height, width, channels] with the sides of their boxes [batch, boxes, 4], shares of the image, in
    colours one after the other."""
    x, given = as_tensor(images), as_tensor(boxes)
    table = _COLORS if colors is None else np.asarray(colors, np.float32)

    def call(_: Any, pictures: Any, frames: Any) -> Any:
        found = np.array(pictures)
        high, wide, channels = found.shape[1:]
        for picture, own in zip(found, frames):
            for k, (y1, x1, y2, x2) in enumerate(own):
                top, bottom = (int(v * (high - 1)) for v in (y1, y2))
                left, right = (int(v * (wide - 1)) for v in (x1, x2))
                if top > bottom or left > right or bottom < 0 or right < 0 or top >= high or left >= wide:
                    continue
                # The default colours are bright in one channel too.
                is_grey = colors is None and channels == 1
                ink = np.ones(1, found.dtype) if is_grey else table[k % len(table)][:channels].astype(found.dtype)
                rows = slice(max(top, 0), min(bottom, high - 1) + 1)
                columns = slice(max(left, 0), min(right, wide - 1) + 1)
                for line in (top, bottom):
                    if 0 <= line < high:
                        picture[line, columns] = ink
                for line in (left, right):
                    if 0 <= line < wide:
                        picture[rows, line] = ink
        return found

    return host_call("DrawBoundingBoxes", call, [x, given], [(x.dtype, x.static_shape)], name)[0].outputs[0]


def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: Optional[str] = None,
) -> Any:
    """[batch, height, width, channels]: a window of each image, around or from its offset [y, x], which is a share of
    the image from -1 to 1 (centered) or from 0 to 1, or pixels. Places outside are 0; TensorFlow fills them with noise
    unless `uniform_noise` is false, as it is to be here."""
    if uniform_noise:
        raise about("flywheel.v1.image.extract_glimpse", NotImplementedError("uniform_noise; give uniform_noise=False"))
    high, wide = (int(n) for n in size)

    def emit(x: Any, at: Any) -> Any:
        x = _ops.cast(x, dtype_of(_f32))
        flat, inside = None, None
        for axis, count in ((0, high), (1, wide)):
            total = _ops.cast(_ops.dim(x, axis + 1), _f32)
            own = at[:, axis]
            if normalized:
                own = _ops.multiply(own, total)
            if centered:
                own = _ops.add(_ops.divide(own, 2.0), _ops.divide(_ops.subtract(total, float(count)), 2.0))
            first = _ops.expand_dims(_ops.cast(own, _dtypes.int64), 1)
            places = _ops.add(first, np.arange(count, dtype=np.int64))
            size_ = _ops.cast(_ops.dim(x, axis + 1), _dtypes.int64)
            fits = _ops.logical_and(_ops.greater_equal(places, 0), _ops.less(places, size_))
            places = _ops.clip(places, 0, _ops.subtract(size_, 1))
            form = [-1, count, 1] if axis == 0 else [-1, 1, count]
            places, fits = _ops.reshape(places, form), _ops.reshape(fits, form)
            if flat is None:
                images = _ops.reshape(_ops.arange(_ops.dim(x, 0), dtype=_dtypes.int64), [-1, 1, 1])
                flat, inside = _ops.add(_ops.multiply(images, size_), places), fits
            else:
                flat = _ops.add(_ops.multiply(flat, size_), places)
                inside = _ops.logical_and(inside, fits)
        found = _ops.take(_ops.reshape(x, [-1, x._dims[3]]), flat, 0)
        return _ops.where(_ops.expand_dims(inside, 3), found, 0.0)

    return make("ExtractGlimpse", emit, as_tensor(input), as_tensor(offsets), name=name)


__all__ = [
    "crop_and_resize",
    "draw_bounding_boxes",
    "extract_glimpse",
    "non_max_suppression",
    "non_max_suppression_overlaps",
    "non_max_suppression_padded",
    "non_max_suppression_with_scores",
]
