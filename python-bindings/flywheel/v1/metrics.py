# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.metrics`: numbers over many batches.

Each is a pair: the value so far, and an op that takes a batch in and gives the value after it. The sums are in
variables of LOCAL_VARIABLES and METRIC_VARIABLES, which `local_variables_initializer` sets to 0. In a run of both, the
value is that at the start of the run.
"""

from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._errors.messages import about
from .conversion import as_tensor, make
from .elementwise import TABLE
from .graph import GraphKeys, get_default_graph
from .operation import Tensor
from .ops import cast, identity
from .scopes import variable_scope
from .variables import Variable

_f32 = _dtypes.float32
_EPSILON = 1e-7


def _variable(shape: Any, name: str, dtype: Any = _f32) -> Variable:
    graph = get_default_graph()
    found = Variable.__new__(Variable)
    full = graph.unique_name(name)
    found._create(graph, full, None, np.zeros(shape, dtype), False,
                  [GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES], dtype, None)  # fmt: skip
    return found


def _safe_div(a: Any, b: Any) -> Any:
    """a / b, and 0 where b is not positive."""

    def emit(x: Any, y: Any) -> Any:
        is_positive = _ops.greater(y, 0.0)
        return _ops.where(is_positive, _ops.divide(x, _ops.where(is_positive, y, _ops.ones_like(y))),
                          _ops.zeros_like(x))  # fmt: skip

    return make("safe_div", emit, as_tensor(a), as_tensor(b))


def weighted_as_they_are(x: Any, weights: Any) -> Tuple[Tensor, Tensor]:
    """Returns the elements times their weights, and the weights of all elements. Weights are a scalar, or have a size
    of 1 or that of the values in each dimension. Raises ValueError for others, of known shapes; a run fails for those
    of shapes that it chooses."""
    values = cast(x, _f32)
    if weights is None:
        return values, TABLE["ones_like"](values)
    w = cast(as_tensor(weights), _f32)
    sizes, own = values.static_shape, w.static_shape
    if sizes is not None and own and (len(own) != len(sizes) or any(
            n != 1 and None not in (m, n) and m != n for m, n in zip(sizes, own))):  # fmt: skip
        raise ValueError(f"weights can not be broadcast to values: expected a scalar, or sizes of 1 or of "
                         f"{values.shape}, found {w.shape}")  # fmt: skip

    def emit(v: Any, u: Any) -> Any:
        if u.ndim not in (0, v.ndim):
            raise ValueError("weights can not be broadcast to values: expected a scalar, or "
                             f"{v.ndim} dimensions, found {u.ndim}")  # fmt: skip
        return _ops.multiply(u, _ops.ones_like(v))

    all_weights = make("weights", emit, values, w)
    return TABLE["multiply"](values, all_weights), all_weights


def _weighted(x: Any, weights: Any) -> Tuple[Tensor, Tensor]:
    """As `weighted_as_they_are`, of weights with one more dimension at the end, of size 1, or with one less."""
    if weights is None:
        return weighted_as_they_are(x, None)
    w, sizes = as_tensor(weights), as_tensor(x).static_shape
    own = w.static_shape
    if sizes is not None and own is not None:
        rank = len(sizes)
        if len(own) == rank + 1 and own[-1] in (1, None):
            w = make("squeeze", lambda u: _ops.squeeze(u, -1), w)
        elif 0 < len(own) == rank - 1:
            w = make("expand_dims", lambda u: _ops.expand_dims(u, -1), w)
    return weighted_as_they_are(x, w)


def _register(value: Tensor, update: Tensor, metrics: Any, updates: Any) -> Tuple[Tensor, Tensor]:
    graph = get_default_graph()
    for collections, x in ((metrics, value), (updates, update)):
        if collections:
            graph.add_to_collections(collections, x)
    return value, update


def _named(value: Any, name: str) -> Tensor:
    return identity(value, name=name)


def mean(
    values: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
    name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:  # fmt: skip
    """The mean of all elements, by their weights. 0 before the first batch."""
    with variable_scope(name, default_name="mean"):
        total, count = _variable((), "total"), _variable((), "count")
        x, w = _weighted(as_tensor(values), weights)
        value = _named(_safe_div(total, count), "value")
        new_total = total.assign_add(TABLE["reduce_sum"](x))
        new_count = count.assign_add(TABLE["reduce_sum"](w))
        update = _named(_safe_div(new_total, new_count), "update_op")
        return _register(value, update, metrics_collections, updates_collections)


def _same_rank(labels: Any, predictions: Any) -> Tuple[Tensor, Tensor]:
    """Labels and predictions of one shape, where one of them has a last dimension of 1."""
    y, p = as_tensor(labels), as_tensor(predictions)

    def squeeze(x: Any) -> Any:
        return make("squeeze", lambda z: _ops.squeeze(z, -1), x)

    if y.static_shape is not None and p.static_shape is not None:
        if len(p.shape) - len(y.shape) == 1 and p.static_shape[-1] == 1:
            p = squeeze(p)
        elif len(y.shape) - len(p.shape) == 1 and y.static_shape[-1] == 1:
            y = squeeze(y)
        pairs = zip(y.static_shape or (), p.static_shape or ())
        if len(y.shape) != len(p.shape) or any(a != b and None not in (a, b) for a, b in pairs):
            raise ValueError(f"Shapes {y.shape} and {p.shape} of labels and predictions are incompatible")
    return y, p


def accuracy(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:  # fmt: skip
    """The share of predictions that are equal to their labels."""
    y, p = _same_rank(labels, predictions)
    y = y if y.dtype == p.dtype else cast(y, p.dtype)
    hits = TABLE["equal"](p, y)
    return mean(hits, weights, metrics_collections, updates_collections, name or "accuracy")


def _errors(kind: str, function: Callable[[Any], Any]) -> Callable[..., Tuple[Tensor, Tensor]]:
    def metric(
        labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
        updates_collections: Any = None, name: Optional[str] = None,
    ) -> Tuple[Tensor, Tensor]:  # fmt: skip
        y, p = _same_rank(labels, predictions)
        error = function(TABLE["subtract"](p, cast(y, p.dtype)))
        return mean(error, weights, metrics_collections, updates_collections, name or kind)

    metric.__name__ = metric.__qualname__ = kind
    metric.__doc__ = f"The {kind.replace('_', ' ')}."
    return metric


mean_squared_error = _errors("mean_squared_error", TABLE["square"])
mean_absolute_error = _errors("mean_absolute_error", TABLE["abs"])


def root_mean_squared_error(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:  # fmt: skip
    """The root of the mean squared error."""
    value, update = mean_squared_error(labels, predictions, weights, None, None, name or "root_mean_squared_error")
    return _register(TABLE["sqrt"](value), TABLE["sqrt"](update), metrics_collections, updates_collections)


_COUNTS: Dict[str, Callable[[Any, Any], Any]] = {
    "true_positives": lambda y, p: TABLE["logical_and"](y, p),
    "false_positives": lambda y, p: TABLE["logical_and"](TABLE["logical_not"](y), p),
    "false_negatives": lambda y, p: TABLE["logical_and"](y, TABLE["logical_not"](p)),
    "true_negatives": lambda y, p: TABLE["logical_and"](TABLE["logical_not"](y), TABLE["logical_not"](p)),
}


def _count(kind: str, y: Tensor, p: Tensor, weights: Any) -> Tuple[Any, Any]:
    """Returns the number of labels and predictions, which are booleans, of this kind so far, and after a batch."""
    total = _variable((), "count")
    hits, _ = _weighted(_COUNTS[kind](y, p), weights)
    return total.value(), total.assign_add(TABLE["reduce_sum"](hits))


def _booleans(labels: Any, predictions: Any) -> Tuple[Tensor, Tensor]:
    y, p = _same_rank(labels, predictions)
    return cast(y, _dtypes.bool_), cast(p, _dtypes.bool_)


def _counting(kind: str) -> Callable[..., Tuple[Tensor, Tensor]]:
    def metric(
        labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
        updates_collections: Any = None, name: Optional[str] = None,
    ) -> Tuple[Tensor, Tensor]:  # fmt: skip
        with variable_scope(name, default_name=kind):
            value, update = _count(kind, *_booleans(labels, predictions), weights)
            return _register(_named(value, "value"), _named(update, "update_op"), metrics_collections,
                             updates_collections)  # fmt: skip

    metric.__name__ = metric.__qualname__ = kind
    metric.__doc__ = f"The sum of the weights of {kind.replace('_', ' ')}."
    return metric


true_positives, false_positives = _counting("true_positives"), _counting("false_positives")
false_negatives, true_negatives = _counting("false_negatives"), _counting("true_negatives")


def _share(kind: str, other: str) -> Callable[..., Tuple[Tensor, Tensor]]:
    def metric(
        labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
        updates_collections: Any = None, name: Optional[str] = None,
    ) -> Tuple[Tensor, Tensor]:  # fmt: skip
        with variable_scope(name, default_name=kind):
            y, p = _booleans(labels, predictions)
            with variable_scope("true_positives"):
                hits, new_hits = _count("true_positives", y, p, weights)
            with variable_scope(other):
                misses, new_misses = _count(other, y, p, weights)
            value = _named(_safe_div(hits, TABLE["add"](hits, misses)), "value")
            update = _named(_safe_div(new_hits, TABLE["add"](new_hits, new_misses)), "update_op")
            return _register(value, update, metrics_collections, updates_collections)

    metric.__name__ = metric.__qualname__ = kind
    metric.__doc__ = f"True positives over true positives and {other.replace('_', ' ')}; 0 where there are none."
    return metric


precision, recall = _share("precision", "false_positives"), _share("recall", "false_negatives")


def auc(
    labels: Any, predictions: Any, weights: Any = None, num_thresholds: int = 200, metrics_collections: Any = None,
    updates_collections: Any = None, curve: str = "ROC", name: Optional[str] = None,
    summation_method: str = "trapezoidal",
) -> Tuple[Tensor, Tensor]:  # fmt: skip
    """The area under the curve ROC or PR, from predictions in [0, 1] that are above each of `num_thresholds` numbers:
    trapezoids ("trapezoidal"), or rectangles of the smaller or larger side ("minoring", "majoring")."""
    if curve not in ("ROC", "PR"):
        raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
    if summation_method not in ("trapezoidal", "minoring", "majoring"):
        raise ValueError(f"Invalid summation_method: {summation_method}")
    if num_thresholds < 2:
        raise ValueError(f"expected 2 thresholds or more, found {num_thresholds}")
    inner = [(i + 1) / (num_thresholds - 1) for i in range(num_thresholds - 2)]
    thresholds = np.array([-_EPSILON, *inner, 1 + _EPSILON], np.float32)
    with variable_scope(name, default_name="auc"):
        y, p = _same_rank(labels, predictions)
        _, w = _weighted(p, weights)

        def count(kind: str) -> Callable[..., Any]:
            def emit(t: Any, x: Any, u: Any) -> Any:
                t, x, u = (_ops.reshape(z, [1, -1]) for z in (t, x, u))
                above = _ops.greater(_ops.cast(x, _f32), thresholds.reshape(-1, 1))
                is_true = _ops.cast(t, _dtypes.bool_)
                is_true = is_true if kind[0] == "t" else _ops.logical_not(is_true)
                above = above if kind[1] == "p" else _ops.logical_not(above)
                hits = _ops.cast(_ops.logical_and(is_true, above), _f32)
                return _ops.sum(_ops.multiply(hits, u), 1)

            return emit

        # In the keys, the label is true (t) or false (f), and the prediction is above (p) or below (n) the threshold.
        names = {"tp": "true_positives", "tn": "false_negatives", "fp": "false_positives", "fn": "true_negatives"}
        olds: Dict[str, Any] = {}
        news: Dict[str, Any] = {}
        for kind, own in names.items():
            total = _variable((num_thresholds,), own)
            batch = make(own, count(kind), y, p, w, types=[(_f32, (num_thresholds,))])
            olds[kind], news[kind] = total.value(), total.assign_add(batch)

        def area(tp: Any, tn: Any, fp: Any, fn: Any) -> Any:
            e = 1e-6
            rate = (tp + e) / (tp + tn + e)
            if curve == "ROC":
                a, b = fp / (fp + fn + e), rate
            else:
                a, b = rate, (tp + e) / (tp + fp + e)
            left, right = b[: num_thresholds - 1], b[1:]
            if summation_method == "trapezoidal":
                height = (left + right) / 2.0
            else:
                height = (_ops.minimum if summation_method == "minoring" else _ops.maximum)(left, right)
            return _ops.sum((a[: num_thresholds - 1] - a[1:]) * height)

        def made(of: Dict[str, Any], own: str) -> Tensor:
            found: Tensor = make("auc", area, *[of[k] for k in names], name=own)
            return found

        return _register(made(olds, "value"), made(news, "update_op"), metrics_collections, updates_collections)


def _flat(x: Any, dtype: Any) -> Tensor:
    """Returns the elements of a tensor of more than one dimension in one; others as they are."""

    def emit(a: Any) -> Any:
        return _ops.cast(_ops.reshape(a, [-1]) if a.ndim > 1 else a, dtype)

    found: Tensor = make("flatten", emit, as_tensor(x))
    return found


def _classes(labels: Any, predictions: Any, num_classes: int, weights: Any) -> Tuple[Any, Any]:
    """Returns the confusion matrix so far, and after a batch: [classes, classes]."""
    from .scatters import confusion_matrix

    total = _variable((num_classes, num_classes), "total_confusion_matrix", _dtypes.float64)
    counts = confusion_matrix(_flat(labels, _dtypes.int64), _flat(predictions, _dtypes.int64), num_classes,
                              _dtypes.float64, weights=None if weights is None else _flat(weights, _f32))  # fmt: skip
    return total.value(), total.assign_add(counts)


def _per_class(kind: str, function: Callable[[Any], Any]) -> Callable[..., Tuple[Tensor, Tensor]]:
    def metric(
        labels: Any, predictions: Any, num_classes: int, weights: Any = None, metrics_collections: Any = None,
        updates_collections: Any = None, name: Optional[str] = None,
    ) -> Tuple[Tensor, Tensor]:  # fmt: skip
        with variable_scope(name, default_name=kind):
            old, new = _classes(labels, predictions, num_classes, weights)
            value = _named(make(kind, function, old), "value")
            update = _named(new, "update_op")
            return _register(value, update, metrics_collections, updates_collections)

    metric.__name__ = metric.__qualname__ = kind
    return metric


def _iou(counts: Any) -> Any:
    matrix: Any = _ops.cast(counts, _f32)
    rows, columns = _ops.sum(matrix, 1), _ops.sum(matrix, 0)
    hits = _ops.sum(_ops.multiply(matrix, np.eye(matrix._dims[0], dtype=np.float32)), 1)
    union = _ops.subtract(_ops.add(rows, columns), hits)
    is_there = _ops.greater(union, 0.0)
    count = _ops.sum(_ops.cast(is_there, _f32))
    shares = _ops.divide(hits, _ops.where(is_there, union, _ops.ones_like(union)))
    return _ops.where(_ops.greater(count, 0.0), _ops.divide(_ops.sum(shares), _ops.maximum(count, 1.0)), 0.0)


mean_iou = _per_class("mean_iou", _iou)
mean_iou.__doc__ = "The mean over classes of hits over labels and predictions together; the update is all counts."


def mean_per_class_accuracy(
    labels: Any, predictions: Any, num_classes: int, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:  # fmt: skip
    """The mean over classes of the share that is right; the update has the shares."""
    from .scatters import unsorted_segment_sum

    with variable_scope(name, default_name="mean_accuracy"):
        total, count = _variable((num_classes,), "total"), _variable((num_classes,), "count")
        y, p = _flat(labels, _dtypes.int64), _flat(predictions, _dtypes.int64)
        hits, w = weighted_as_they_are(TABLE["equal"](y, p), None if weights is None else _flat(weights, _f32))
        places = cast(y, _dtypes.int32)
        new_count = count.assign_add(unsorted_segment_sum(w, places, num_classes))
        new_total = total.assign_add(unsorted_segment_sum(hits, places, num_classes))
        value = _named(TABLE["reduce_mean"](_safe_div(total, count)), "mean_accuracy")
        update = _named(_safe_div(new_total, new_count), "update_op")
        return _register(value, update, metrics_collections, updates_collections)


def mean_tensor(
    values: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
    name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:  # fmt: skip
    """The mean of each element over batches, by their weights. 0 before the first batch."""
    x = as_tensor(values)
    if x.static_shape is None or None in x.static_shape:
        raise about("mean_tensor", ValueError(f"takes values of a known shape, found {x.shape}"), " ")
    with variable_scope(name, default_name="mean"):
        total, count = _variable(x.static_shape, "total_tensor"), _variable(x.static_shape, "count_tensor")
        y, w = _weighted(x, weights)
        value = _named(_safe_div(total, count), "value")
        update = _named(_safe_div(total.assign_add(y), count.assign_add(w)), "update_op")
        return _register(value, update, metrics_collections, updates_collections)


def mean_relative_error(
    labels: Any, predictions: Any, normalizer: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:  # fmt: skip
    """The mean of |labels - predictions| / normalizer."""
    y, p = _same_rank(labels, predictions)
    error = TABLE["abs"](TABLE["subtract"](y, p))
    relative = TABLE["div_no_nan"](error, as_tensor(normalizer, error.dtype))
    return mean(relative, weights, metrics_collections, updates_collections, name or "mean_relative_error")


def percentage_below(
    values: Any, threshold: float, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:  # fmt: skip
    """The share of values below a threshold."""
    return mean(cast(TABLE["less"](values, threshold), _f32), weights, metrics_collections, updates_collections,
                name or "percentage_below_threshold")  # fmt: skip


def __getattr__(name: str) -> Any:
    from .namespaces import missing

    raise missing(f"metrics.{name}")
