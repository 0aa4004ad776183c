# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images of another size."""

from typing import Any, List, NamedTuple, Optional, Tuple

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._core.annotations import Array
from .._core.tensor import Tensor, as_tensor
from .._frontends.layouts import Laid
from .._numerics.interpolation import interpolation_weights, repeat_or_take, weigh
from .._ops.emission import normalize_axis
from ._graph import Call, op
from ._known import Known, check_made


class _Axis(NamedTuple):
    """The resizing of one dimension: from `total` elements to `new` ones."""

    total: int
    new: int
    scale: float
    # The part that tf_crop_and_resize takes, in shares of the whole.
    start: float
    end: float


def _is_early(call: Call) -> bool:
    """Returns true for the rules of versions before 11: coordinates asymmetric, clipped, and windows not smoothed."""
    return call.op == "Upsample" or call.opset < 11


def _transformation(call: Call) -> str:
    return "asymmetric" if _is_early(call) else str(call.attribute("coordinate_transformation_mode"))


def _rounding(call: Call) -> str:
    return "floor" if _is_early(call) else str(call.attribute("nearest_mode"))


@op("Resize", "Upsample", known=(1, 2, 3))
def _resize(
    call: Call, x: Laid, region: Optional[Known] = None, scales: Optional[Known] = None, wanted: Optional[Known] = None
) -> Laid:
    if _is_early(call):
        region, scales = None, region
    mode = call.word("mode", "nearest", "linear", "cubic")
    for name in ("antialias", "cubic_coeff_a", "exclude_outside", "extrapolation_value", "nearest_mode"):
        # A mode reads what it uses: the others change nothing in it.
        call.attribute(name)
    if scales is not None and not scales.is_static:
        raise call.unsupported("to sizes that the call chooses")
    if mode != "nearest" and not _dtypes.is_floating(x.dtype):
        raise call.unsupported(f"with mode '{mode}' of integers")
    places = [normalize_axis(axis, x.ndim) for axis in call.attribute("axes", list(range(x.ndim)))]
    given = scales if scales is not None and scales.array.size else wanted
    if given is None or len(given.array) != len(places):
        raise ValueError(f"expected {len(places)} scales or sizes")
    parts = _parts(call, region, len(places))
    policy = call.attribute("keep_aspect_ratio_policy")
    numbers = _numbers(call, x, places, given)
    if policy != "stretch" and None in numbers:
        raise call.unsupported(f"with keep_aspect_ratio_policy '{policy}', to sizes that the call chooses")
    shared = None if given is scales or policy == "stretch" else _shared_scale(call, policy, x, places, numbers)
    data = x.data
    for axis, one, (start, end) in zip(places, numbers, parts):
        place = x.place(axis)
        if one is None:
            continue
        total = data._dims[place]
        if total is None:
            whole = given is scales and one.is_integer()
            if not whole or one != 1 and (mode != "nearest" or not _repeats(call)) or (start, end) != (0, 1):
                raise call.unsupported("of a size that the call chooses")
            data = _ops.repeat(data, int(one), place) if one != 1 else data
            continue
        if shared is not None:
            resized = _Axis(total, int(shared * total + 0.5), shared, start, end)
        elif given is scales:
            # As onnxruntime has it, in float32.
            length = float(np.float32(total) * np.float32(one))
            how = _transformation(call)
            is_ambiguous = how == "align_corners" or how == "pytorch_half_pixel" and int(length) == 1
            if is_ambiguous and not length.is_integer() and mode != "nearest":
                raise call.unsupported(f"with {how} and scales that make {length} elements, for which ONNX's reference "
                                       "and ONNX Runtime have other places: give sizes")  # fmt: skip
            resized = _Axis(total, int(length), one, start, end)
        else:
            resized = _Axis(total, int(one), one / total, start, end)
        data = _resize_axis(call, mode, data, place, resized)
    return x.like(data)


def _numbers(call: Call, x: Laid, places: List[int], given: Known) -> List[Any]:
    """Scales or sizes; None where a size that the call chooses stays what it is."""
    if given.is_static:
        return [float(one) for one in given.array.tolist()]
    found: List[Any] = []
    for axis, one in zip(places, given.sizes()):
        if not isinstance(one, int) and call.dim_size(0, x, axis) is not one:
            raise call.unsupported("to sizes that the call chooses")
        found.append(float(one) if isinstance(one, int) else None)
    return found


def _parts(call: Call, region: Optional[Known], count: int) -> List[Tuple[float, float]]:
    """Returns the part of each dimension that is taken."""
    if _transformation(call) != "tf_crop_and_resize":
        return [(0.0, 1.0)] * count
    if region is None or region.array.size != 2 * count:
        raise ValueError(f"expected a region of {2 * count} numbers")
    bounds = [float(one) for one in region.array.reshape(-1).tolist()]
    return list(zip(bounds[:count], bounds[count:]))


def _shared_scale(call: Call, policy: str, x: Laid, places: List[int], numbers: List[float]) -> float:
    """Returns the scale of all dimensions if the image is to keep its proportions."""
    if policy not in ("not_larger", "not_smaller"):
        raise ValueError(f"expected the keep_aspect_ratio_policy stretch, not_larger or not_smaller, found '{policy}'")
    ratios: List[float] = []
    for axis, one in zip(places, numbers):
        total = x.shape[axis]
        if total is None:
            raise call.unsupported("of a size that the call chooses")
        ratios.append(one / total)
    return min(ratios) if policy == "not_larger" else max(ratios)


def _repeats(call: Call) -> bool:
    """Returns true if a whole scale repeats each element, whatever the size."""
    how = _transformation(call)
    rounding = _rounding(call)
    return (how, rounding) in (("asymmetric", "floor"), ("half_pixel", "round_prefer_floor"),
                               ("half_pixel", "round_prefer_ceil"))  # fmt: skip


def _resize_axis(call: Call, mode: str, data: Tensor, place: int, axis: _Axis) -> Tensor:
    if axis.new < 1 or not axis.total or not axis.scale > 0:
        raise ValueError(f"cannot resize a dimension of {axis.total} to {axis.new} with the scale {axis.scale}")
    check_made(call, axis.new, 1 if mode == "nearest" else axis.total)
    at = _coordinates(call, axis)
    outside = (at < 0) | (at > axis.total - 1)
    if _transformation(call) != "tf_crop_and_resize":
        outside = np.zeros(axis.new, bool)
    if mode == "nearest":
        found = _nearest(call, axis, at)
        if axis.new == axis.total and np.array_equal(found, np.arange(axis.total)) and not outside.any():
            return data
        moved = repeat_or_take(data, found, place, axis.total)
    else:
        weights = _weights(call, mode, axis, at)
        if axis.new == axis.total and np.array_equal(weights, np.eye(axis.total)) and not outside.any():
            return data
        moved = weigh(data, weights, place)
    if not outside.any():
        return moved
    shape = [axis.new if i == place else 1 for i in range(data.ndim)]
    value = as_tensor(call.attribute("extrapolation_value"), data.dtype)
    return _ops.where(as_tensor(outside.reshape(shape)), value, moved)


def _coordinates(call: Call, axis: _Axis) -> Array:
    """Returns the coordinate of each element in the old dimension."""
    place = np.arange(axis.new, dtype=np.float64)
    how = _transformation(call)
    last = axis.total - 1
    if how == "asymmetric":
        return place / axis.scale
    if how == "half_pixel" or how == "pytorch_half_pixel" and axis.new > 1:
        return (place + 0.5) / axis.scale - 0.5
    if how == "pytorch_half_pixel":
        return np.zeros(axis.new)
    if how == "align_corners":
        return place * last / (axis.new - 1) if axis.new > 1 else np.zeros(axis.new)
    if how == "half_pixel_symmetric":
        adjusted = axis.new / (axis.scale * axis.total)
        return axis.total / 2 * (1 - adjusted) + (place + 0.5) / axis.scale - 0.5
    if how == "tf_crop_and_resize":
        if axis.new == 1:
            return np.array([0.5 * (axis.start + axis.end) * last])
        return axis.start * last + place * (axis.end - axis.start) * last / (axis.new - 1)
    raise call.unsupported(f"with coordinate_transformation_mode '{how}'")


#
# The nearest element
#


def _nearest(call: Call, axis: _Axis, at: Array) -> Array:
    """Returns the index of the old element for each new one."""
    rounding = _rounding(call)
    if rounding == "floor":
        found = np.floor(at)
    elif rounding == "ceil":
        found = np.ceil(at)
    elif rounding == "round_prefer_ceil":
        found = np.floor(at + 0.5)
    elif rounding == "round_prefer_floor":
        found = np.ceil(at - 0.5)
    else:
        raise call.unsupported(f"with nearest_mode '{rounding}'")
    return np.clip(found, 0, axis.total - 1).astype(np.int32)


#
# Between elements
#


def _weights(call: Call, mode: str, axis: _Axis, at: Array) -> Array:
    """Returns the shares of `total` elements in each of `new`."""
    return interpolation_weights(
        at, axis.total, cubic=float(call.attribute("cubic_coeff_a")) if mode == "cubic" else None,
        squeeze=min(axis.scale, 1.0) if call.flag("antialias") else 1.0,
        excludes_outside=call.flag("exclude_outside"))  # fmt: skip
