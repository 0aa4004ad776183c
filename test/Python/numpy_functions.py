# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Functions of NumPy other than those of `operations.py` (X7, X16): statistics, order, joins, bits, indices,
updates."""

import math
import warnings
from typing import Any, Dict

import numpy as np

import flywheel as fw
from beside_numpy import Case, check, floats, i32, ints, rng, u8

a, b, c, t = floats(3, 4), floats(3, 4), floats(4), floats(2, 3, 4)
i, p = ints(3, 4), rng.random((3, 4)) < 0.5
holes = a.copy()
holes[1, 2] = holes[0, 0] = np.nan
odd = np.array([[-np.inf, np.inf, 0, -0.0, np.nan, 2]], np.float32)
pair = [odd, odd.T]

# Sums of small integers are as wide as NumPy's would be, at least 32 bits.
check({
    "sum_bytes": (fw.sum, np.sum, [u8([200, 200, 7])]),
    "sum_shorts": (lambda x: x.sum(), np.sum, [np.array([30000, 30000], np.int16)]),
    "prod_bytes": (fw.prod, np.prod, [u8([200, 200])]),
    "sum_dtype": (lambda x: fw.sum(x, dtype="float32"), lambda x: np.sum(x, dtype=np.float32), [i]),
    "argmax_keepdims": (lambda x: x.argmax(1, keepdims=True), lambda x: x.argmax(1, keepdims=True), [a]),
    "argmin_keepdims": (lambda x: fw.argmin(x, keepdims=True), lambda x: np.argmin(x, keepdims=True), [a]),
    "ptp": (lambda x: fw.ptp(x, 1), lambda x: np.ptp(x, 1), [a]),
    "count": (lambda x: fw.count_nonzero(x, 0), lambda x: np.count_nonzero(x, 0), [i]),
    "average": (lambda x, w: fw.average(x, 1, w), lambda x, w: np.average(x, 1, w), [a, np.abs(c)]),
    "average_all": (lambda x, w: fw.average(x, weights=w), lambda x, w: np.average(x, weights=w), [a, b * b]),
    "nansum": (lambda x: fw.nansum(x, 0), lambda x: np.nansum(x, 0), [holes]),
    "nanprod": (lambda x: fw.nanprod(x, 1), lambda x: np.nanprod(x, 1), [holes]),
    "nanmean": (lambda x: fw.nanmean(x, 1), lambda x: np.nanmean(x, 1), [holes]),
    "nanstd": (lambda x: fw.nanstd(x, 1), lambda x: np.nanstd(x, 1), [holes]),
    "nanmax": (lambda x: fw.nanmax(x, 0), lambda x: np.nanmax(x, 0), [holes]),
    "nanmin": (fw.nanmin, np.nanmin, [holes]),
    "cov": (fw.cov, np.cov, [a]),
    "cov_columns": (lambda x: fw.cov(x, rowvar=False), lambda x: np.cov(x, rowvar=False), [a]),
    "corrcoef": (fw.corrcoef, np.corrcoef, [a]),
    "median": (lambda x: fw.median(x, 1), lambda x: np.median(x, 1), [a]),
    "median_odd": (lambda x: fw.median(x, 0, keepdims=True), lambda x: np.median(x, 0, keepdims=True), [a]),
    "median_nan": (lambda x: fw.median(x, 1), lambda x: np.median(x, 1), [holes]),
    "quantile": (lambda x: fw.quantile(x, [0.1, 0.5, 1], (0, 2)), lambda x: np.quantile(x, [0.1, 0.5, 1], (0, 2)),
                 [t]),
    "percentile": (lambda x: fw.percentile(x, 30, 1, method="nearest"),
                   lambda x: np.percentile(x, 30, 1, method="nearest"), [a]),
    "bincount": (lambda x: fw.bincount(x, length=5), lambda x: np.bincount(x, minlength=5), [i32([0, 3, 3, 1])]),
    "histogram": (lambda x: fw.histogram(x, 5)[0], lambda x: np.histogram(x, 5)[0], [a]),
    "histogram_edges": (lambda x: fw.histogram(x, np.array([-1, 0, 0.5]))[0],
                        lambda x: np.histogram(x, [-1, 0, 0.5])[0], [a]),
    "diff": (lambda x: fw.diff(x, 2), lambda x: np.diff(x, 2), [a]),
    "diff_bool": (lambda x: fw.diff(x, axis=0), lambda x: np.diff(x, axis=0), [p]),
    "trapezoid": (lambda x, y: fw.trapezoid(x, y), lambda x, y: np.sum((x[:, 1:] + x[:, :-1]) / 2 * np.diff(y), 1),
                  [a, c]),
    "interp": (lambda x: fw.interp(x, [0.0, 1.0, 3.0], [1.0, -1.0, 5.0]), lambda x: np.interp(x, [0, 1, 3], [1, -1, 5]),
               [np.linspace(-1, 4, 11).astype(np.float32)]),
    "polyval": (lambda x: fw.polyval([1.0, -2.0, 3.0], x), lambda x: np.polyval([1, -2, 3], x), [a]),
    **{f"convolve_{mode}": (lambda x, y, mode=mode: fw.convolve(x, y, mode),
                            lambda x, y, mode=mode: np.convolve(x, y, mode), [floats(5), floats(2)])
       for mode in ("full", "same", "valid")},
})  # fmt: skip

# Arguments where 1 - erf has no digit left; the gamma function on both sides of its poles.
where = np.array([-30.5, -3.5, -2.0001, -0.5, -1e-3, 0.25, 0.5, 1, 1.5, 2, 3.5, 40, 1e6, np.inf], np.float32)
check({
    "erfc": (fw.erfc, np.vectorize(math.erfc, otypes=[np.float32]), [where / 4]),
    "lgamma": (fw.lgamma, np.vectorize(math.lgamma, otypes=[np.float32]), [where]),
    "lgamma_far": (fw.lgamma, lambda x: x * 0 + np.inf, [np.array([-1e16, -5e305, -1.7e308, 3e305])]),
    "lgamma_poles": (fw.lgamma, lambda x: x * 0 + np.float32(np.inf), [i32([0, -1, -7]).astype(np.float32)]),
    "norm_int": (fw.norm, lambda x: np.float32(np.hypot(*x.astype(np.float64))), [i32([50000, 50000])]),
})  # fmt: skip
np.testing.assert_allclose(fw.function(fw.erfc)(np.float32(4)), math.erfc(4), 1e-5)
np.testing.assert_allclose(fw.function(fw.grad(lambda x: fw.sum(fw.lgamma(x))))(np.array([1, 2, -0.5, 10], np.float32)),
                           [-0.57721566, 0.42278434, 0.03648998, 2.25175259], 1e-5, 1e-6)  # fmt: skip

# Bounds that are fed count from the end; shifts go around, also by more than there is.
check({f"slice_{n}_{m}_{step}": (lambda x, n, m, step=step: fw.sum(fw.cumsum(x[n:m:step], 0)),
                                 lambda x, n, m, step=step: np.cumsum(x[n:m:step]).sum(), [c, np.int32(n), np.int32(m)])
       for n, m in ((-3, -1), (-9, 3), (1, -9), (-1, -3), (3, 0)) for step in (1, 2, -1)})  # fmt: skip
for shift in (4, -4, 1, -1, 6, 0):
    rolled = fw.function(lambda x, y, shift=shift: fw.sum(fw.roll(x, shift, 0) * x, 0) + y, dynamic=True)
    for n in (3, 5, 1, 0):
        line = np.arange(n, dtype=np.float32)
        assert float(rolled(line, np.float32(0))) == float(np.sum(np.roll(line, shift) * line)), (shift, n)
cut = fw.function(lambda x, k: [fw.sum(fw.cumsum(part, 0)) for part in (
    x[:k], x[k:], x[: fw.dim(x, 0) - 4], x[k::-1])], dynamic=True)  # fmt: skip
for n, k in ((3, -1), (5, -7), (6, 2), (2, -2)):
    line = np.arange(n, dtype=np.float32)
    for mine, numpys in zip(cut(line, np.int32(k)), (line[:k], line[k:], line[: n - 4], line[k::-1])):
        assert float(mine) == float(np.cumsum(numpys).sum()), (n, k)

# Order.
same = ints(4, 6, low=0, high=3)
order: Dict[str, Case] = {
    "sort": (lambda x: fw.sort(x, 0), lambda x: np.sort(x, 0), [same]),
    "sort_nan": (fw.sort, np.sort, [holes]),
    "sort_flat": (lambda x: fw.sort(x, None), lambda x: np.sort(x, None), [a]),
    "sort_down": (lambda x: fw.sort(x, descending=True), lambda x: -np.sort(-x), [a]),
    "argsort": (lambda x: x.argsort(1), lambda x: np.argsort(x, 1, kind="stable"), [same]),
    "top_k": (lambda x: fw.top_k(x, 2)[0], lambda x: -np.sort(-x)[:, :2], [a]),
    "top_k_places": (lambda x: fw.top_k(x, 2, 0)[1], lambda x: np.argsort(-x, 0, kind="stable")[:2], [same]),
    "digitize": (lambda x: fw.digitize(x, [-1.0, 0.0, 1.0]), lambda x: np.digitize(x, [-1, 0, 1]), [a]),
    "digitize_right": (lambda x: fw.digitize(x, [0, 1, 2], right=True), lambda x: np.digitize(x, [0, 1, 2], True),
                       [same]),
}  # fmt: skip
for side in ("left", "right"):
    order[f"search_{side}"] = (lambda x, v, side=side: fw.searchsorted(x, v, side),
                               lambda x, v, side=side: np.searchsorted(x, v, side),
                               [i32([0, 2, 2, 5]), i32([-1, 0, 2, 3, 9])])  # fmt: skip
check(order)

# Side by side.
check({
    "hstack": (lambda x, y: fw.hstack([x, y]), lambda x, y: np.hstack([x, y]), [a, b]),
    "hstack_vectors": (lambda x: fw.hstack([x, 1.0]), lambda x: np.hstack([x, np.float32(1)]), [c]),
    "vstack": (lambda x, y: fw.vstack([x, y]), lambda x, y: np.vstack([x, y]), [a, c]),
    "dstack": (lambda x, y: fw.dstack([x, y]), lambda x, y: np.dstack([x, y]), [a, b]),
    "column_stack": (lambda x, y: fw.column_stack([x[:, 0], y]), lambda x, y: np.column_stack([x[:, 0], y]), [a, b]),
    "block": (lambda x, y: fw.block([[x, y], [y, x]]), lambda x, y: np.block([[x, y], [y, x]]), [a, b]),
    "append": (lambda x, y: fw.append(x, y), np.append, [a, b]),
    "concatenate_flat": (lambda x: fw.concatenate([x, x], None), lambda x: np.concatenate([x, x], None), [a]),
    "atleast_3d": (fw.atleast_3d, np.atleast_3d, [c]),
    "meshgrid": (lambda x, y: fw.meshgrid(x, y[0])[0], lambda x, y: np.meshgrid(x, y[0])[0], [c, a]),
    "meshgrid_ij": (lambda x: fw.meshgrid(x, x[:2], indexing="ij")[1],
                    lambda x: np.meshgrid(x, x[:2], indexing="ij")[1], [c]),
    "array_split": (lambda x: fw.array_split(x, 3)[0], lambda x: np.array_split(x, 3)[0], [c]),
    "hsplit": (lambda x: fw.hsplit(x, 2)[1], lambda x: np.hsplit(x, 2)[1], [a]),
    "kron": (fw.kron, np.kron, [a, c]),
    "rot90": (lambda x: fw.rot90(x, 3), lambda x: np.rot90(x, 3), [a]),
    "flip_axes": (lambda x: fw.flip(x, (0, 2)), lambda x: np.flip(x, (0, 2)), [t]),
    "moveaxes": (lambda x: fw.moveaxis(x, (0, 1), (2, 0)), lambda x: np.moveaxis(x, (0, 1), (2, 0)), [t]),
    "roll_flat": (lambda x: fw.roll(x, 5), lambda x: np.roll(x, 5), [a]),
    "roll_axes": (lambda x: fw.roll(x, (1, -1), (0, 1)), lambda x: np.roll(x, (1, -1), (0, 1)), [a]),
    "repeat_each": (lambda x: fw.repeat(x, [0, 2, 1], 0), lambda x: np.repeat(x, [0, 2, 1], 0), [a]),
    "diagonal": (lambda x: fw.diagonal(x, 1, 1, 2), lambda x: np.diagonal(x, 1, 1, 2), [t]),
    "diag_below": (lambda x: fw.diag(x, -2), lambda x: np.diag(x, -2), [c]),
    "diag_above": (lambda x: fw.diag(x, 2), lambda x: np.diag(x, 2), [a]),
    "trace": (lambda x: fw.trace(x, -1), lambda x: np.trace(x, -1), [a]),
    "eye": (lambda x: fw.eye(3, 4, k=1) * x, lambda x: np.eye(3, 4, 1, dtype=np.float32) * x, [a]),
    **{f"pad_{mode}": (lambda x, mode=mode: fw.pad(x, ((1, 2), (3, 0)), mode),
                       lambda x, mode=mode: np.pad(x, ((1, 2), (3, 0)), mode), [a])
       for mode in ("edge", "reflect", "symmetric", "wrap")},
    "pad_all": (lambda x: fw.pad(x, 1, constant_values=2.0), lambda x: np.pad(x, 1, constant_values=2), [a]),
    "pad_bool": (lambda x: fw.pad(x, 1), lambda x: np.pad(x, 1), [p]),
    "pad_bytes": (lambda x: fw.pad(x, (0, 1), 200), lambda x: np.pad(x, (0, 1), constant_values=200), [u8([1, 255])]),
})  # fmt: skip

# Element by element.
check({
    "bits": (lambda x, y: (x & y) ^ (x | 6) ^ ~y, lambda x, y: (x & y) ^ (x | 6) ^ ~y, [i, ints(3, 4)]),
    "shifts": (lambda x: (x << 3) + (x >> 1), lambda x: (x << 3) + (x >> 1), [i]),
    "shift_far": (lambda x: (x >> 40) + (x << 32), lambda x: np.where(x < 0, -1, 0).astype(np.int32), [i]),
    "shift_bytes": (lambda x: (x >> 7) + (x << 1), lambda x: (x >> 7) + (x << 1), [u8([255, 129, 2])]),
    "divmod": (lambda x: divmod(x, 4)[0] * 10 + divmod(x, 4)[1], lambda x: divmod(x, 4)[0] * 10 + divmod(x, 4)[1], [i]),
    "fmod": (lambda x: fw.fmod(x, 0.7), lambda x: np.fmod(x, np.float32(0.7)), [a]),
    "hypot": (fw.hypot, np.hypot, pair),
    "logaddexp": (fw.logaddexp, np.logaddexp, pair),
    "fmax": (fw.fmax, np.fmax, pair),
    "fmin": (fw.fmin, np.fmin, pair),
    "heaviside": (fw.heaviside, np.heaviside, pair),
    "copysign": (fw.copysign, np.copysign, [a, b]),
    "signbit": (fw.signbit, np.signbit, [odd]),
    "sinc": (fw.sinc, np.sinc, [np.append(c, np.float32(0))]),
    "deg2rad": (fw.deg2rad, np.deg2rad, [a]),
    "select": (lambda x: fw.select([x > 1, x > 0], [x, -x], 7.0), lambda x: np.select([x > 1, x > 0], [x, -x], 7), [a]),
    "isclose": (fw.isclose, np.isclose, pair),
    "nan_to_num": (fw.nan_to_num, np.nan_to_num, [odd]),
    "cross": (lambda x, y: fw.cross(x[:, :3], y[:, 1:]), lambda x, y: np.cross(x[:, :3], y[:, 1:]), [a, b]),
    "inner": (fw.inner, np.inner, [a, b]),
    "vdot": (fw.vdot, np.vdot, [a, b]),
    "methods": (lambda x: x.clip(-1, 1).round(1).cumsum(1).swapaxes(0, 1).flatten().repeat(2).std() + x.mT.T.var(),
                lambda x: x.clip(-1, 1).round(1).cumsum(1).swapaxes(0, 1).flatten().repeat(2).std() + x.var(), [a]),
    "method_dot": (lambda x: x.dot(x[0]).ravel().take([0, -1]), lambda x: x.dot(x[0]).ravel().take([0, -1]), [a]),
})  # fmt: skip

# Indices: beside `operations.py`, negative ones of tensors, booleans, and where NumPy has the dimensions of arrays.
s, back = floats(3, 4, 5), i32([0, -1, 2])
mask, cube = rng.random((3, 4)) < 0.5, rng.random((3, 4, 5)) < 0.5
lines = np.array([True, False, True])
check({
    "tensor": (lambda x, k: x[k], lambda x, k: x[k], [s, back]),
    "tensors": (lambda x, k: x[k, :, k], lambda x, k: x[k, :, k], [s, back]),
    "tensor_and_int": (lambda x, k: x[k, :, 1], lambda x, k: x[k, :, 1], [s, back]),
    "int_and_tensor": (lambda x, k: x[-1, :, k], lambda x, k: x[-1, :, k], [s, back]),
    "int_and_array": (lambda x: x[0, ..., [1, -2]], lambda x: x[0, ..., [1, -2]], [s]),
    "tensor_of_bools": (lambda x, k: x[k], lambda x, k: x[k], [cube, back]),
    "scalar": (lambda x, k: x[k], lambda x, k: x[k], [s, np.int64(-3)]),
    "list_of_tensors": (lambda x, k: x[[k[0], k[1]]], lambda x, k: x[[k[0], k[1]]], [s, back]),
    "mask": (lambda x: x[mask], lambda x: x[mask], [s]),
    "mask_all": (lambda x: x[cube], lambda x: x[cube], [s]),
    "mask_lines": (lambda x: x[lines, 1], lambda x: x[lines, 1], [s]),
    "mask_list": (lambda x: x[[True, False, True]], lambda x: x[[True, False, True]], [s]),
    "mask_and_new": (lambda x: x[None, mask], lambda x: x[None, mask], [s]),
    "mask_behind": (lambda x: x[..., mask[0], 1], lambda x: x[..., mask[0], 1], [s]),
    "mask_and_tensor": (lambda x, k: x[lines, k[:2]], lambda x, k: x[lines, k[:2]], [s, back]),
})  # fmt: skip


def updated(kind: str, key: Any) -> Any:
    """NumPy's array with the same elements changed."""

    def update(x: Any, *more: Any) -> Any:
        place, result = key(*more) if callable(key) else key, x.copy()
        if kind == "add":
            np.add.at(result, place, 2)
        elif kind == "set":
            result[place] = -1
        else:
            result[place] = np.maximum(result[place], 0)
        return result

    return update


places: Dict[str, Any] = {
    "int": 1, "slices": (slice(1, None), slice(None, None, -2)), "dots": (..., -1), "new": (None, 2), "array": [0, -1],
    "array_behind": (..., [0, 3]), "arrays": ([0, 1], [1, 2]), "apart": ([0, 1], slice(1, 3), [1, 2]), "mask": mask,
    "all": slice(None)}  # fmt: skip
updates: Dict[str, Case] = {
    f"{kind}_{name}": (
        lambda x, kind=kind, key=key: getattr(x.at[key], kind)({"add": 2, "set": -1, "max": 0}[kind]),
        updated(kind, key), [s])
    for name, key in places.items() for kind in ("set", "add", "max")}  # fmt: skip
updates.update({
    "add_twice": (lambda x, k: x.at[k].add(2), updated("add", lambda k: k), [s, i32([0, 0, -1])]),
    "add_tensors": (lambda x, k: x.at[k, 1, k].add(2), updated("add", lambda k: (k, 1, k)), [s, i32([0, 0, -1])]),
    "set_tensor": (lambda x, k: x.at[:, k].set(-1), updated("set", lambda k: (slice(None), k)), [s, i32([3, -2])]),
    "set_where": (lambda x: x.at[x > 0].set(-1), lambda x: np.where(x > 0, np.float32(-1), x), [s]),
    "set_rows": (lambda x: x.at[:, 0].set(x[:, 1]), lambda x: np.concatenate([x[:, 1:2], x[:, 1:]], 1), [s]),
    "set_bools": (lambda x: x.at[[0, 2]].set(True), lambda x: np.stack([x[0] | True, x[1], x[2] | True]), [cube]),
    "add_bytes": (lambda x: x.at[1:].add(3), lambda x: x + u8([0, 3, 3]), [u8([1, 254, 255])]),
    "subtract": (lambda x: x.at[0].subtract(x[1]), lambda x: np.stack([x[0] - x[1], x[1], x[2]]), [s]),
    "apply": (lambda x: x.at[0].apply(fw.exp), lambda x: np.stack([np.exp(x[0]), x[1], x[2]]), [s]),
})  # fmt: skip
check(updates)


# A tensor of rank 0 names one place.
number = np.int32(-1)
PLACES: Any = {"row": lambda k: k, "column": lambda k: (slice(1, 3), k), "element": lambda k: (k, 0),
               "places": lambda k: (k, [0, 2]), "both": lambda k: (k, k)}  # fmt: skip
for name, place in PLACES.items():
    for kind, combine in (("multiply", np.multiply), ("divide", np.divide), ("max", np.maximum), ("min", np.minimum),
                          ("power", np.power)):  # fmt: skip
        own = np.asarray(fw.function(lambda x, k: getattr(x.at[place(k)], kind)(0.5))(np.abs(s), number))
        expected = np.abs(s)
        expected[place(-1)] = combine(expected[place(-1)], np.float32(0.5))
        np.testing.assert_allclose(own, expected, rtol=1e-6, err_msg=f"{name} {kind}")


def refuses(error: Any, text: str, function: Any, *args: Any) -> None:
    try:
        fw.function(function)(*args)
    except error as found:
        assert text in str(found), found
        return
    raise AssertionError(f"expected an error with '{text}'")


refuses(IndexError, "a boolean index has a result of no static shape", lambda x: x[x > 0], s)
refuses(IndexError, "a boolean index of shape (4,) is of dimensions of (3,)", lambda x: x[mask[0]], s)
refuses(fw.InvalidArgumentError, "out of range", lambda x, k: x[k], s, np.int32(-4))
refuses(fw.InvalidArgumentError, "out of range", lambda x, k: x.at[k, k].set(0), s, np.int32(3))
refuses(ValueError, "name each place once", lambda x: x.at[[0, 0]].multiply(2.0), s)
refuses(ValueError, "name each place once", lambda x, k: x.at[k].multiply(2.0), s, np.array([0, 1], np.int32))
refuses(fw.InvalidArgumentError, "out of range", lambda x, k: x.at[k].max(0), s, np.int32(4))
refuses(ValueError, "values of shape (2,) do not broadcast to (4, 5)", lambda x: x.at[0].set([1.0, 2.0]), s)
refuses(TypeError, "x.at[key].set(value)", lambda x: x.__setitem__(0, 1.0), s)
refuses(TypeError, "found dict", lambda x: fw.as_tensor({"a": x}), s)

# No elements have no largest one, as in NumPy, whether the size is known or the call brings it.
none = np.zeros((0, 3), np.float32)
for least in (fw.max, fw.min, lambda x: x.max(0)):
    refuses(ValueError, "of no elements: expected sizes of 1 or more along its axes, found (0, 3)", least, none)
assert fw.function(lambda x: fw.max(x, 1))(none).shape == (0,)
try:
    fw.function(fw.max, signature=[fw.spec("n", 3)])(none)
except fw.InvalidArgumentError as error:
    assert "max of no elements: the size of dimension 0: found 0, expected at least 1" in str(error), error
else:
    raise AssertionError("expected an error")
assert not fw.function(fw.any)(none) and fw.function(fw.all)(none)

# A size of 1 is not repeated where dimensions are summed, but by einsum.
for name, ours, left, right, text in (
    ("inner", fw.inner, (4, 3), (5, 1), "dimension 1 of shape (4, 3) is 3, dimension 1 of shape (5, 1) is 1"),
    ("tensordot", fw.tensordot, (2, 3, 4), (1, 4, 5), "dimension 1 of shape (2, 3, 4) is 3, dimension 0 of shape (1,"),
    ("dot", fw.dot, (2, 3), (2, 1, 5), "dimension 1 of shape (2, 3) is 3, dimension 1 of shape (2, 1, 5) is 1"),
    ("vecdot", fw.vecdot, (2, 3), (2, 1), "shapes (2, 3) and (2, 1) have vectors of 3 and of 1 along axis -1"),
    ("matmul", fw.matmul, (3,), (1,), "3 columns and 1 rows"),
):
    for dtype in (np.float32, np.int32):
        one, other = np.ones(left, dtype), np.ones(right, dtype)
        refuses(ValueError, text if name == "matmul" else f"{name}: {text}", ours, one, other)
        count = fw.Variable(0.0)

        def counts(x: Any, y: Any, ours: Any = ours, count: Any = count) -> Any:
            count.assign(1.0)
            return ours(x, y)

        sizes = [[f"{letter}{axis}" for axis in range(len(shape))] for letter, shape in (("a", left), ("b", right))]
        for given in (sizes, [left, sizes[1]], [sizes[0], right]):
            call = fw.function(counts, signature=[fw.spec(*n, dtype=dtype.__name__) for n in given])
            try:
                call(one, other)
            except fw.InvalidArgumentError as error:
                # Sizes of two feeds that must be equal are compared before any other.
                assert name in str(error) or "feeds disagree on the dimension size" in str(error), error
            else:
                raise AssertionError(f"{name} of sizes {left} and {right} that a call brings")
            assert count.numpy() == 0.0, name
refuses(ValueError, "as many dimensions of both, found [1] and [0, 1]",
        lambda x, y: fw.tensordot(x, y, ([1], [0, 1])), a, a)  # fmt: skip
refuses(ValueError, "have no 3 dimensions", lambda x, y: fw.tensordot(x, y, 3), a, a)
check({
    "einsum_repeats": (lambda x, y: fw.einsum("ij,jk->ik", x, y), lambda x, y: np.einsum("ij,jk->ik", x, y),
                       [a, b[:1]]),
    **{f"vecdot_{axis}": (lambda x, y, axis=axis: fw.vecdot(x, y, axis=axis),
                          lambda x, y, axis=axis: (np.moveaxis(x, axis, -1) * np.moveaxis(y, axis, -1)).sum(-1), [x, y])
       for axis, x, y in ((0, a, a[:, :1]), (-1, t, c), (1, t, t[:1]), (0, floats(3, 2, 4), c[:3]), (-2, t, a))},
    "inner": (fw.inner, np.inner, [t, a]),
    "dot_of_ranks": (fw.dot, np.dot, [a, floats(2, 4, 3)]),
})  # fmt: skip

# Arrays of no more elements than `ddof`.
with np.errstate(all="ignore"), warnings.catch_warnings():
    warnings.simplefilter("ignore")
    rows = np.array([[1, 2, 4], [1, np.nan, 4], [np.nan, np.nan, 4]], np.float32)
    check({f"{name}_{size}_{ddof}": (lambda x, ddof=ddof, name=name: getattr(fw, name)(x, ddof=ddof),
                                     lambda x, ddof=ddof, name=name: getattr(np, name)(x, ddof=ddof), [x])
           for name in ("var", "std", "nanvar", "nanstd") for ddof in (1, 2, 3, 5)
           for size, x in ((1, c[:1]), (3, a[:, 0]))})  # fmt: skip
    check({f"nanvar_rows_{ddof}": (lambda x, ddof=ddof: fw.nanvar(x, 1, ddof=ddof),
                                   lambda x, ddof=ddof: np.nanvar(x, 1, ddof=ddof), [rows]) for ddof in (1, 2)})
    fewer = fw.function(lambda x: fw.var(x, ddof=5), signature=[fw.spec("n")])
    assert np.isinf(fewer(a[:, 0])) and np.isnan(fewer(c[:1] * 0)), "sizes that a call brings"

# NumPy's functions call methods, with `out=None`.
check({name: (getattr(np, name), getattr(np, name), [a]) for name in (
    "sum", "mean", "std", "var", "max", "min", "prod", "argmax", "argmin", "any", "all", "cumsum", "cumprod", "round",
)})  # fmt: skip
check({
    "np_clip": (lambda x: np.clip(x, -0.5, 0.5), lambda x: np.clip(x, -0.5, 0.5), [a]),
    "np_mean": (lambda x: np.mean(x, 1, dtype=np.float32), lambda x: np.mean(x, 1, dtype=np.float32), [i]),
    "np_var": (lambda x: np.var(x, 1, ddof=1, keepdims=True), lambda x: np.var(x, 1, ddof=1, keepdims=True), [a])})
# NumPy's defaults: `take` is of the vector of all elements, and eigenvalues are of one triangle.
half = a[:3, :3] + np.triu(np.full((3, 3), np.nan, np.float32), 1)
check({
    "np_take": (lambda x: np.take(x, [7, 2]), lambda x: np.take(x, [7, 2]), [a]),
    "np_take_axis": (lambda x: np.take(x, [2, 0], axis=1), lambda x: np.take(x, [2, 0], axis=1), [a]),
    "np_eigvalsh": (lambda x: np.linalg.eigvalsh(x), lambda x: np.linalg.eigvalsh(x), [half]),
    "np_eigvalsh_upper": (lambda x: np.linalg.eigvalsh(x, "U"), lambda x: np.linalg.eigvalsh(x, "U"), [half.T]),
    "np_eigh": (lambda x: np.linalg.eigh(x)[0], lambda x: np.linalg.eigh(x)[0], [half]),
    "np_eigh_upper": (lambda x: np.linalg.eigh(x, UPLO="U")[0], lambda x: np.linalg.eigh(x, UPLO="U")[0], [half.T]),
    "np_svd": (lambda x: np.linalg.svd(x)[1], lambda x: np.linalg.svd(x)[1], [a[:, :3]]),
    "np_svd_reduced": (lambda x: np.linalg.svd(x, full_matrices=False)[1], lambda x: np.linalg.svd(x)[1], [a]),
    "np_svdvals": (lambda x: np.linalg.svd(x, compute_uv=False), lambda x: np.linalg.svd(x)[1], [a])})
refuses(TypeError, "expected full_matrices=False", lambda x: np.linalg.svd(x)[0], a)
odd_word: Any = "M"
refuses(ValueError, "expected 'L' or 'U' as UPLO, found 'M'", lambda x: np.linalg.eigvalsh(x, odd_word), a[:3, :3])
refuses(TypeError, "expected out=None, found ndarray", lambda x: np.sum(x, out=np.zeros(())), a)

# Arguments and results that are not numbers.
dense = fw.nn.dense
refuses(TypeError, "'nn.dense' takes a tensor, an array or a number as x, found None", lambda x: dense(x, a.T), None)
refuses(TypeError, "'nn.dense' takes a tensor, an array or a number as w, found None", lambda x: dense(x, None), a)
refuses(TypeError, "'nn.dense' takes numbers as x, found 'a'", lambda x: dense(x, a.T), "a")
refuses(TypeError, "an array of numbers or of strings as 'x', found one of objects: NoneType",
        lambda x: dense(x, a.T), np.array([None] * 3))  # fmt: skip
refuses(TypeError, "returns 'hi' as 'b': expected a tensor", lambda x: {"a": x, "b": "hi"}, a)
refuses(ValueError, "expected sizes of 0 or more in a spec, found -3", lambda x: fw.spec(2, -3), a)
refuses(TypeError, "as a dimension of a spec, found 2.5", lambda x: fw.spec(2.5), a)  # type: ignore[arg-type]

# Derivatives of what orders and moves elements.
picked = fw.function(fw.grad(
    lambda x: fw.sum(fw.sort(x, 1) * fw.arange(4.0)) + x.at[0].set(0.0)[:, 1].sum() + fw.median(x)))  # fmt: skip
rank = np.argsort(np.argsort(a, 1), 1).astype(np.float32)
middle = np.argsort(a.reshape(-1))[5:7]
wanted = rank.reshape(-1).copy()
wanted[middle] += 0.5
np.testing.assert_allclose(picked(a), wanted.reshape(3, 4) + np.outer([0, 1, 1], [0, 1, 0, 0]), rtol=1e-6)
