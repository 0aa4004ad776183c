# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`watch` computes numbers of variables, activations and gradients in each n-th step."""

from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _ops, control, transforms
from ._core import dtypes as _dtypes
from ._core import trace as _trace
from ._core.tensor import Tensor, as_tensor
from ._errors.messages import about, wrong
from .dashboard import Dashboard, Record, TensorNumbers, Watched
from .host import callback
from .variables import Variable

__all__ = ["watch"]

# The size that an open dimension is taken to have when elements are sampled.
_USUAL_SIZE = 32
# An element is saturated if it is this near to an end of its range, relative to the larger end.
_MARGIN = 0.01
Limits = Tuple[Optional[float], Optional[float]]
# The functions that watch losses of graphs, by the class of these.
_OF_GRAPHS: Dict[type, Callable[..., Any]] = {}


class Target(NamedTuple):
    """A tensor that is watched: its name, "variable" or "activation", and the ends of its range."""

    name: str
    kind: str
    value: Tensor
    limits: Optional[Limits]


def watch(
    loss: Any, activations: Optional[Mapping[str, Any]] = None, *, to: Dashboard,
    variables: Optional[Sequence[Any]] = None, limits: Optional[Mapping[str, Limits]] = None,
) -> Any:  # fmt: skip
    """Adds numbers of variables, activations and their gradients to a dashboard in each `to.every`-th step.

        board = fw.Dashboard(every=100)

        @fw.function
        def step(x, labels):
            hidden = fw.nn.relu(x @ w + b)
            loss = fw.nn.sparse_softmax_cross_entropy(hidden @ v, labels)
            fw.watch(loss, {"hidden": hidden}, to=board)
            sgd.minimize(loss)
            return loss

        board.save("watch.html")

    `activations` are tensors by name that the loss is computed from, and `variables`, by default the trainable ones
    that it depends on, are watched too. The dashboard has the norm, the share of zeros, the share of saturated
    elements and a histogram of each value and of its gradient, and the shares of each unit, the last dimension, of
    activations of two dimensions or more. An element is saturated if it is near an end of the range of the function
    that gives it, `tanh`, `sigmoid`, `hard_sigmoid`, `softsign` or `relu6`; `limits` gives the ends (low, high) of
    others by name, None for a side without one.

    Steps in between cost the count of a variable. Call it before the loss is minimized: then gradients are computed
    once more in a step that is watched, and in no other one are they kept for it. Steps that are watched call Python,
    as `callback` does.

    For a loss of `flywheel.v1`, the result is an op to run with each step; else it is None. Raises ValueError if the
    dashboard watches another function, or this one twice, for names that are given twice, and for limits that are no
    range; TypeError for values that are not floating-point tensors.
    """
    if not isinstance(to, Dashboard):
        raise wrong(TypeError, "a flywheel.Dashboard", repr(to), "to", function="watch")
    of_graph = next((of for kind, of in _OF_GRAPHS.items() if isinstance(loss, kind)), None)
    if of_graph is not None:
        return of_graph(loss, dict(activations or {}), to, variables, checked_limits(limits))
    own = checked_limits(limits)
    root = as_tensor(loss)
    trace = _trace.current()
    targets = [Target(v.name, "variable", as_tensor(v), own.pop(v.name, None))
               for v in _variables(trace, root, variables)]  # fmt: skip
    for name, x in (activations or {}).items():
        found = as_tensor(x)
        targets.append(Target(name, "activation", found, own.pop(name, trace.ranges.get(found.value))))
    if own:
        raise about("watch", ValueError(f"expected limits of what is watched, found {', '.join(own)}"))
    if trace.definition is not None:
        to._claim(trace.definition)
    emit_watch(root, targets, to)
    return None


def register(kind: type, of_graph: Callable[..., Any]) -> None:
    """Has `watch` call a function for losses of a class, which no trace has."""
    _OF_GRAPHS[kind] = of_graph


def checked_limits(limits: Optional[Mapping[str, Limits]]) -> Dict[str, Limits]:
    """Returns the limits of tensors that have one. Raises ValueError for a pair that is not a range."""
    found: Dict[str, Limits] = {}
    for name, pair in (limits or {}).items():
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise about("watch", ValueError(f"expected (low, high) as limits of '{name}', found {pair!r}"))
        low, high = pair
        if low is not None and high is not None and not low < high:
            raise about("watch", ValueError(f"expected a low limit below the high one of '{name}', found {pair!r}"))
        found[name] = (low, high)
    return found


def _variables(trace: _trace.Trace, loss: Tensor, given: Optional[Sequence[Any]]) -> List[Variable]:
    if given is not None:
        for one in given:
            if not isinstance(one, Variable):
                raise about("watch", TypeError(f"expected variables, found {one!r}"))
        return list(given)
    known = [v for v in trace.variables.values()
             if v.trainable and v not in trace.frozen and _dtypes.is_floating(v.dtype)]  # fmt: skip
    depends = trace.graph.depends([loss.value], [as_tensor(v).value for v in known]) if known else []
    return [v for v, is_reached in zip(known, depends) if is_reached]


def emit_watch(loss: Tensor, targets: Sequence[Target], board: Dashboard) -> None:
    """Emits what `watch` adds to a step. Raises as it does."""
    trace = _trace.current()
    if loss._dims != ():
        raise about("watch", ValueError(f"expected a loss that is one number, found shape {loss.shape}"))
    names = [t.name for t in targets]
    for name in names:
        if names.count(name) > 1:
            raise about("watch", ValueError(f"expected names that differ, found '{name}' twice"))
    for target in targets:
        if not _dtypes.is_floating(target.value.dtype):
            raise about("watch", TypeError("expected floating-point tensors, found "
                                           f"{_dtypes.name_of(target.value.dtype)} as '{target.name}'"))  # fmt: skip
    if board in trace.watched_by:
        raise about("watch", ValueError("a dashboard watches once in a function: give both losses' tensors a dashboard "
                                        "each"))  # fmt: skip
    trace.watched_by.append(board)
    steps = board._steps
    now = steps.read()

    def look() -> List[Tensor]:
        gradients = transforms.gradients(loss, [t.value for t in targets]) if targets else []
        made: List[Numbers] = []
        rows: List[Row] = []
        num_units = 0
        for target, gradient in zip(targets, gradients):
            own = _numbers(target.value, target.kind, target.limits, board)
            units = slice(num_units, num_units := num_units + len(own.units))
            rows.append(Row(target.name, target.kind, len(made), None if gradient is None else len(made) + 1, units))
            made += [own] if gradient is None else [own, _numbers(gradient, "gradient", None, board)]

        def add(step: Any, loss: Any, numbers: Any, sizes: Any, counts: Any, units: Any) -> None:
            board._add(Record(int(step), float(loss), lambda: _tensors(rows, numbers, sizes, counts, units)))

        # Few arrays, because each costs a copy.
        callback(add, now, loss, _ops.stack([x for one in made for x in one.numbers] or [0.0]),
                 _ops.stack([one.size for one in made] or [0]), _ops.stack([one.counts for one in made] or [[0]]),
                 [x for one in made for x in one.units])  # fmt: skip
        return []

    control.cond(_ops.equal(_ops.remainder(now, board.every), 0), look, lambda: [])
    steps.assign(_ops.add(now, 1))


class Numbers(NamedTuple):
    """The numbers that are computed of a tensor."""

    # The norm relative to the largest element, the shares of zeros, of elements that are not finite, the least and the
    # largest finite one, their mean, and the share of saturated ones, which is below 0 without limits: float64.
    numbers: List[Tensor]
    size: Tensor
    counts: Tensor
    # The shares of zeros of each unit of an activation, and of saturated elements if it has limits.
    units: List[Tensor]


class Row(NamedTuple):
    """A target, and the places of its numbers, those of its gradient, and those of its units."""

    name: str
    kind: str
    value: int
    gradient: Optional[int]
    units: slice


def _numbers(x: Tensor, kind: str, limits: Optional[Limits], board: Dashboard) -> Numbers:
    """Emits the numbers of a tensor. Those of float16 and bfloat16 are computed in float32."""
    if x.dtype != _dtypes.float64:
        x = _ops.cast(x, _dtypes.float32)
    is_zero = _ops.cast(_ops.equal(x, 0.0), x.dtype)
    is_finite = _ops.isfinite(x)
    low = _ops.min(_with(np.inf, _ops.where(is_finite, x, np.inf)))
    high = _ops.max(_with(-np.inf, _ops.where(is_finite, x, -np.inf)))
    # Without a finite element, the least one is above the largest one.
    low, high = _ops.where(low > high, 0.0, low), _ops.where(low > high, 0.0, high)
    count = _ops.sum(_ops.cast(is_finite, x.dtype))
    total = _ops.sum(_ops.where(is_finite, x, 0.0))
    mean = total / _ops.maximum(count, 1.0)
    saturated = None if limits in (None, (None, None)) else _saturated(x, limits)
    # Squares of elements, and the norm, may be out of range; that relative to the largest element is not.
    largest = _ops.maximum(high, -low)
    norm = _ops.sqrt(_ops.sum(_ops.square(x / _ops.where(largest > 0.0, largest, 1.0))))
    parts = [norm, _share(is_zero), _share(_ops.cast(_ops.logical_not(is_finite), x.dtype)), low, high, mean,
             -1.0 if saturated is None else _share(saturated)]  # fmt: skip
    others = list(range(x.ndim - 1)) if kind == "activation" else []
    return Numbers([_ops.cast(part, _dtypes.float64) for part in parts],
                   _ops.prod(_ops.cast(_ops.shape(x), _dtypes.int64)), _counts(x, low, high, board),
                   [_share(one, others) for one in (is_zero, saturated) if others and one is not None])  # fmt: skip


def _with(value: float, x: Tensor) -> Tensor:
    """Returns the elements of `x`, and `value` if there may be none."""
    if all(isinstance(n, int) and n > 0 for n in x._dims):
        return x
    return _ops.concatenate([_ops.ravel(x), _ops.full([1], value, x.dtype)])


def _share(x: Tensor, axes: Optional[Sequence[int]] = None) -> Tensor:
    """Emits the mean of zeros and ones, 0 without any."""
    total = _ops.sum(x) if axes is None else _ops.sum(x, axes)
    sizes = [_ops.dim(x, place) for place in (range(x.ndim) if axes is None else axes)]
    count = _ops.cast(_ops.prod(_ops.stack(sizes)) if sizes else 1, x.dtype)
    return total / _ops.maximum(count, 1.0)


def _saturated(x: Tensor, limits: Any) -> Tensor:
    """Emits 1 for the elements near an end of their range."""
    low, high = limits
    margin = _MARGIN * max(abs(end) for end in (low, high) if end is not None)
    near = _ops.zeros_like(x)
    if low is not None:
        near = _ops.maximum(near, _ops.cast(x <= low + margin, x.dtype))
    if high is not None:
        near = _ops.maximum(near, _ops.cast(x >= high - margin, x.dtype))
    return near


def _counts(x: Tensor, low: Tensor, high: Tensor, board: Dashboard) -> Tensor:
    """Emits how many of the sampled elements are in each bin."""
    flat = _ops.ravel(x)
    stride = _stride(x._dims, board.samples)
    if stride > 1:
        flat = flat[::stride]
    # The range may be wider than any number, and half of it too small for one.
    unit = _ops.where(_ops.maximum(high, -low) < 1.0, 1.0, 0.5)
    width = high * unit - low * unit
    is_finite = _ops.isfinite(flat)
    share = _ops.where(is_finite, flat * unit - low * unit, 0.0) / _ops.where(width > 0, width, 1.0)
    place = share * float(board.bins)
    # Elements that are not finite are counted in a bin of their own, which is dropped.
    number = _ops.minimum(_ops.cast(_ops.clip(place, 0.0, float(board.bins)), _dtypes.int32), board.bins - 1)
    return _ops.bincount(_ops.where(is_finite, number, board.bins), length=board.bins + 1)[: board.bins]


def _stride(dims: Sequence[Optional[int]], samples: int) -> int:
    """Returns the distance of sampled elements: it has no factor with a dimension, so that all units are seen."""
    sizes = [_USUAL_SIZE if n is None else n for n in dims]
    stride = -(-int(np.prod(sizes, dtype=np.int64)) // samples)
    while stride > 1 and any(n is not None and n > 1 and np.gcd(stride, n) > 1 for n in dims):
        stride += 1
    return stride


def _tensors(rows: Sequence[Row], numbers: Any, sizes: Any, counts: Any, units: Any) -> Dict[str, Watched]:
    """Returns what a record has, by name."""

    def read(place: int, *units: Any) -> TensorNumbers:
        norm, zeros, nonfinite, low, high, mean, saturated = numbers[7 * place : 7 * place + 7].tolist()
        largest = max(high, -low)
        norm = norm * largest if largest > 0 else norm
        return TensorNumbers(norm, zeros, nonfinite, None if saturated < 0 else saturated, low, high, mean,
                             int(sizes[place]), counts[place], *units)  # fmt: skip

    return {row.name: Watched(row.kind, read(row.value, *units[row.units]),
                              None if row.gradient is None else read(row.gradient))
            for row in rows}  # fmt: skip
