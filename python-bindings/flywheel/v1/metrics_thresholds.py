# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.metrics`: counts and shares of predictions above thresholds, and of the best of a ranking."""

from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .conversion import as_tensor, make
from .elementwise import TABLE
from .metrics import (
    _EPSILON,
    _named,
    _register,
    _safe_div,
    _same_rank,
    _variable,
    _weighted,
    mean,
    weighted_as_they_are,
)
from .operation import Tensor
from .ops import cast
from .scopes import variable_scope

_f32 = _dtypes.float32
_KINDS = ("true_positives", "false_negatives", "true_negatives", "false_positives")


def _counts(labels: Any, predictions: Any, thresholds: Any, weights: Any, kinds: Any) -> Tuple[Any, Any]:
    """Returns the sums of weights of each kind above and below each threshold so far, and after a batch."""
    levels = np.asarray(thresholds, np.float32).reshape(-1, 1)
    y, p = _same_rank(labels, predictions)
    _, w = _weighted(p, weights)
    olds: Dict[str, Any] = {}
    news: Dict[str, Any] = {}
    for kind in kinds:

        def emit(t: Any, x: Any, u: Any, kind: str = kind) -> Any:
            t, x, u = (_ops.reshape(z, [1, -1]) for z in (t, x, u))
            above = _ops.greater(_ops.cast(x, _f32), levels)
            is_true = _ops.cast(t, _dtypes.bool_)
            is_right = kind.startswith("true")
            if kind.endswith("negatives"):
                above = _ops.logical_not(above)
            if is_right == kind.endswith("negatives"):
                is_true = _ops.logical_not(is_true)
            return _ops.sum(_ops.multiply(_ops.cast(_ops.logical_and(is_true, above), _f32), u), 1)

        total = _variable((len(levels),), kind)
        batch = make(kind, emit, y, p, w, types=[(_f32, (len(levels),))])
        olds[kind], news[kind] = total.value(), total.assign_add(batch)
    return olds, news


def _finish(of: Callable[[Dict[str, Any]], Any], counts: Any, metrics: Any, updates: Any) -> Tuple[Tensor, Tensor]:
    return _register(_named(of(counts[0]), "value"), _named(of(counts[1]), "update_op"), metrics, updates)


def _counting(kind: str) -> Callable[..., Tuple[Tensor, Tensor]]:
    def metric(
        labels: Any, predictions: Any, thresholds: Any, weights: Any = None, metrics_collections: Any = None,
        updates_collections: Any = None, name: Optional[str] = None,
    ) -> Tuple[Tensor, Tensor]:  # fmt: skip
        with variable_scope(name, default_name=kind):
            counts = _counts(labels, predictions, thresholds, weights, [kind])
            return _finish(lambda c: c[kind], counts, metrics_collections, updates_collections)

    metric.__name__ = metric.__qualname__ = f"{kind}_at_thresholds"
    metric.__doc__ = f"The sums of the weights of {kind.replace('_', ' ')}, for each threshold."
    return metric


true_positives_at_thresholds, false_positives_at_thresholds = _counting("true_positives"), _counting("false_positives")
false_negatives_at_thresholds, true_negatives_at_thresholds = _counting("false_negatives"), _counting("true_negatives")


def _share(kind: str, other: str) -> Callable[..., Tuple[Tensor, Tensor]]:
    def metric(
        labels: Any, predictions: Any, thresholds: Any, weights: Any = None, metrics_collections: Any = None,
        updates_collections: Any = None, name: Optional[str] = None,
    ) -> Tuple[Tensor, Tensor]:  # fmt: skip
        with variable_scope(name, default_name=f"{kind}_at_thresholds"):
            counts = _counts(labels, predictions, thresholds, weights, ["true_positives", other])

            def share(c: Dict[str, Any]) -> Any:
                hits, misses = c["true_positives"], c[other]
                return TABLE["divide"](hits, TABLE["add"](TABLE["add"](hits, misses), _EPSILON))

            return _finish(share, counts, metrics_collections, updates_collections)

    metric.__name__ = metric.__qualname__ = f"{kind}_at_thresholds"
    metric.__doc__ = f"True positives over true positives and {other.replace('_', ' ')}, for each threshold."
    return metric


precision_at_thresholds = _share("precision", "false_positives")
recall_at_thresholds = _share("recall", "false_negatives")


def _levels(count: int) -> List[float]:
    inner = [(i + 1) / (count - 1) for i in range(count - 2)]
    return [-_EPSILON, *inner, 1 + _EPSILON]


def _rate(c: Dict[str, Any], right: str, wrong: str) -> Any:
    return TABLE["divide"](c[right], TABLE["add"](TABLE["add"](c[right], c[wrong]), _EPSILON))


def sensitivity_at_specificity(
    labels: Any, predictions: Any, specificity: float, weights: Any = None, num_thresholds: int = 200,
    metrics_collections: Any = None, updates_collections: Any = None, name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:  # fmt: skip
    """The share of what is true that is found, at the threshold whose specificity is nearest to this one."""
    if not 0 <= specificity <= 1:
        raise ValueError("`specificity` must be in the range [0, 1].")
    with variable_scope(name, default_name="sensitivity_at_specificity"):
        counts = _counts(labels, predictions, _levels(num_thresholds), weights, _KINDS)

        def at(c: Dict[str, Any]) -> Any:
            own = _rate(c, "true_negatives", "false_positives")
            found = _rate(c, "true_positives", "false_negatives")
            return make("at", lambda x, y: _ops.take(y, _ops.argmin(_ops.abs(_ops.subtract(x, specificity)), 0), 0),
                        own, found)  # fmt: skip

        return _finish(at, counts, metrics_collections, updates_collections)


def specificity_at_sensitivity(
    labels: Any, predictions: Any, sensitivity: float, weights: Any = None, num_thresholds: int = 200,
    metrics_collections: Any = None, updates_collections: Any = None, name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:  # fmt: skip
    """The share of what is false that is left out, at the largest threshold whose sensitivity is nearest to this
    one."""
    if not 0 <= sensitivity <= 1:
        raise ValueError("`sensitivity` must be in the range [0, 1].")
    with variable_scope(name, default_name="specificity_at_sensitivity"):
        counts = _counts(labels, predictions, _levels(num_thresholds), weights, _KINDS)

        def at(c: Dict[str, Any]) -> Any:
            own = _rate(c, "true_positives", "false_negatives")
            found = _rate(c, "true_negatives", "false_positives")

            def emit(x: Any, y: Any) -> Any:
                distance = _ops.abs(_ops.subtract(x, sensitivity))
                nearest = _ops.equal(distance, _ops.min(distance))
                place = _ops.max(_ops.where(nearest, np.arange(num_thresholds, dtype=np.int64), np.int64(0)))
                return _ops.take(y, place, 0)

            return make("at", emit, own, found)

        return _finish(at, counts, metrics_collections, updates_collections)


def mean_cosine_distance(
    labels: Any, predictions: Any, dim: int, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:  # fmt: skip
    """1 minus the mean of the sums of products along a dimension, of vectors of norm 1."""
    y, p = _same_rank(labels, predictions)
    products = TABLE["reduce_sum"](TABLE["multiply"](p, y), dim, True)
    value, update = mean(products, weights, None, None, name or "mean_cosine_distance")
    return _register(TABLE["subtract"](1.0, value), TABLE["subtract"](1.0, update), metrics_collections,
                     updates_collections)  # fmt: skip


def _rows(labels: Any, places: Any) -> Tensor:
    """Labels [batch, n], also of one label an example, [batch], whose ranking has one more dimension."""
    y = as_tensor(labels)
    found: Tensor = make("rows", lambda x, i: _ops.expand_dims(x, -1) if x.ndim == i.ndim - 1 else x, y, places)
    return found


def _ranked(labels: Any, places: Any) -> Any:
    """[batch, k]: 1 where a class of a ranking is one of the labels [batch, n] of its example, which may be -1."""

    def emit(y: Any, i: Any) -> Any:
        same = _ops.equal(_ops.expand_dims(_ops.cast(i, _dtypes.int64), -1),
                          _ops.expand_dims(_ops.cast(y, _dtypes.int64), -2))  # fmt: skip
        return _ops.cast(_ops.any(same, -1), _f32)

    return make("ranked", emit, labels, places)


def _once(classes: Any) -> Any:
    """[batch, n]: 1 for the first of the equal classes of an example, 0 for the others, so that a sum counts a set."""

    def emit(x: Any) -> Any:
        n = _ops.arange(_ops.dim(x, x.ndim - 1), dtype=_dtypes.int64)
        is_before = _ops.less(_ops.expand_dims(n, 0), _ops.expand_dims(n, 1))
        same = _ops.equal(_ops.expand_dims(x, -1), _ops.expand_dims(x, -2))
        return _ops.cast(_ops.logical_not(_ops.any(_ops.logical_and(same, is_before), -1)), _f32)

    return make("once", emit, classes)


def _top(predictions: Any, k: int) -> Any:
    from .ordering import top_k

    return top_k(as_tensor(predictions), k)[1]


def _set(classes: Any, class_id: Any) -> Any:
    """[batch, n]: 1 for each class of an example once; with `class_id` for that one only."""
    once = _once(classes)
    if class_id is None:
        return once
    return TABLE["multiply"](once, make("only", lambda i: _ops.cast(_ops.equal(i, class_id), _f32), classes))


def _of_ranking(kind: str) -> Callable[..., Tuple[Tensor, Tensor]]:
    def made(
        labels: Any, places: Any, k: int, class_id: Any, weights: Any, metrics: Any, updates: Any, name: Any
    ) -> Tuple[Tensor, Tensor]:
        with variable_scope(name, default_name=f"{kind}_at_{k}"):
            y = _rows(labels, places)
            ranking = _set(places, class_id)
            good = TABLE["reduce_sum"](TABLE["multiply"](_ranked(y, places), ranking), -1)
            whole = ranking if kind == "precision" else _set(y, class_id)
            rest = TABLE["subtract"](TABLE["reduce_sum"](whole, -1), good)
            sums = []
            for word, x in ((f"true_positive_at_{k}", good), (f"false_at_{k}", rest)):
                total = _variable((), word, _dtypes.float64)
                weighted = cast(weighted_as_they_are(x, weights)[0], _dtypes.float64)
                sums.append((total.value(), total.assign_add(TABLE["reduce_sum"](weighted))))
            value, update = (TABLE["divide"](a, TABLE["add"](a, b)) for a, b in zip(*sums))
            return _register(_named(value, "value"), _named(update, "update_op"), metrics, updates)

    return made


_precision, _recall = _of_ranking("precision"), _of_ranking("recall")


def precision_at_k(
    labels: Any, predictions: Any, k: int, class_id: Any = None, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:  # fmt: skip
    """The share of the k largest predictions that are labels of their example, [batch, n] classes; with `class_id`
    only those of that class. NaN where there are none."""
    return _precision(labels, _top(predictions, k), k, class_id, weights, metrics_collections, updates_collections,
                      name)  # fmt: skip


def precision_at_top_k(
    labels: Any, predictions_idx: Any, k: Any = None, class_id: Any = None, weights: Any = None,
    metrics_collections: Any = None, updates_collections: Any = None, name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:  # fmt: skip
    """As `precision_at_k`, of the classes that are best, [batch, k]; one that an example repeats counts once."""
    i = as_tensor(predictions_idx)
    return _precision(labels, i, k or i.shape[-1].value, class_id, weights, metrics_collections, updates_collections,
                      name)  # fmt: skip


def recall_at_k(
    labels: Any, predictions: Any, k: int, class_id: Any = None, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:  # fmt: skip
    """The share of the labels, [batch] or [batch, n] classes, that are among the k largest predictions of their
    example; with `class_id` only those of that class. A label that an example repeats counts once, and -1 as one that
    is missed. NaN where there are no labels."""
    return _recall(labels, _top(predictions, k), k, class_id, weights, metrics_collections, updates_collections, name)


def recall_at_top_k(
    labels: Any, predictions_idx: Any, k: Any = None, class_id: Any = None, weights: Any = None,
    metrics_collections: Any = None, updates_collections: Any = None, name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:  # fmt: skip
    """As `recall_at_k`, of the classes that are best."""
    i = as_tensor(predictions_idx)
    return _recall(labels, i, k or i.shape[-1].value, class_id, weights, metrics_collections, updates_collections, name)


def average_precision_at_k(
    labels: Any, predictions: Any, k: int, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:  # fmt: skip
    """The mean over examples of the mean precision at the ranks up to k that have a label, of as many as k or the
    number of labels allow, where a label that is repeated counts each time. A label that is not one of the
    classes of the predictions counts as none, and an example of no labels has NaN."""
    places = _top(predictions, k)
    y = _rows(labels, places)

    def emit(y: Any, h: Any, p: Any) -> Any:
        at = _ops.divide(_ops.cumsum(h, h.ndim - 1), np.arange(1, k + 1, dtype=np.float32))
        total = _ops.sum(_ops.multiply(at, h), -1)
        classes = _ops.zeros([], _dtypes.int64) + _ops.dim(p, p.ndim - 1)
        is_class = _ops.logical_and(_ops.greater_equal(y, 0), _ops.less(_ops.cast(y, _dtypes.int64), classes))
        return _ops.divide(total, _ops.minimum(_ops.sum(_ops.cast(is_class, _f32), -1), float(k)))

    found = make("average_precision", emit, y, _ranked(y, places), as_tensor(predictions))
    with variable_scope(name, default_name=f"average_precision_at_{k}"):
        weighted, w = weighted_as_they_are(found, weights)
        sums = []
        for word, x in (("total", weighted), ("count", w)):
            total = _variable((), word, _dtypes.float64)
            sums.append((total.value(), total.assign_add(cast(TABLE["reduce_sum"](x), _dtypes.float64))))
        value, update = (_safe_div(a, b) for a, b in zip(*sums))
        return _register(_named(value, "value"), _named(update, "update_op"), metrics_collections, updates_collections)


NAMES = [
    "average_precision_at_k", "false_negatives_at_thresholds", "false_positives_at_thresholds", "mean_cosine_distance",
    "precision_at_k", "precision_at_thresholds", "precision_at_top_k", "recall_at_k", "recall_at_thresholds",
    "recall_at_top_k", "sensitivity_at_specificity", "specificity_at_sensitivity", "true_negatives_at_thresholds",
    "true_positives_at_thresholds",
]  # fmt: skip
