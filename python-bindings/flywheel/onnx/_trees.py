# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ensembles of decision trees of ai.onnx.ml, for inference: all rows descend in all trees at once."""

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._core.annotations import Array
from .._core.tensor import Tensor, as_tensor
from .._frontends.layouts import Laid
from .._ops.emission import sizes
from .._ops.shapes import reshape_to
from ._graph import Call, op
from ._learning import DOMAIN, chosen, floats, labels_of, transformed

_MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")
_COMPARISONS: Dict[str, Any] = {
    "BRANCH_LEQ": _ops.less_equal, "BRANCH_LT": _ops.less, "BRANCH_GTE": _ops.greater_equal,
    "BRANCH_GT": _ops.greater, "BRANCH_EQ": _ops.equal, "BRANCH_NEQ": _ops.not_equal}  # fmt: skip
# Deeper trees have as many steps.
_MOST_LEVELS = 1024


class _Forest(NamedTuple):
    """Nodes of all trees, one after another; both children of a leaf are the leaf."""

    roots: Array
    features: Array
    splits: Array
    modes: List[str]
    # The children if the comparison holds, and if it does not.
    children: Tuple[Array, Array]
    # True if a missing feature goes to the first child.
    follows_missing: Array


def _levels(forest: _Forest) -> int:
    """Returns the length of the longest way from a root to a leaf. Raises ValueError where nodes form a circle."""
    level, count = forest.roots, 0
    first, second = forest.children
    while True:
        level = np.unique(level[first[level] != level])
        if not level.size:
            return count
        count += 1
        if count > _MOST_LEVELS:
            raise ValueError(f"a way through the nodes is longer than {_MOST_LEVELS}, or a circle")
        level = np.concatenate([first[level], second[level]])


def _leaves(forest: _Forest, x: Tensor) -> Tensor:
    """Returns the nodes [n, trees] at which rows [n, features] end."""
    width = x._dims[1]
    if width is not None and forest.features.size and not 0 <= forest.features.min() <= forest.features.max() < width:
        raise ValueError(f"feature {forest.features.max()} of {width}")
    rows = _ops.add(as_tensor(forest.roots[None, :]), _ops.cast(_ops.multiply(_first_column(x), 0), _dtypes.int64))
    kinds = sorted(set(forest.modes))
    split, feature = as_tensor(forest.splits.astype(x.dtype)), as_tensor(forest.features)
    children = [as_tensor(one) for one in forest.children]
    for _ in range(_levels(forest)):
        value, bound = _ops.take_along_axis(x, _ops.take(feature, rows), 1), _ops.take(split, rows)
        holds: Optional[Tensor] = None
        for kind in kinds:
            own = _COMPARISONS[kind](value, bound)
            of_kind = np.array([mode == kind for mode in forest.modes])
            holds = own if holds is None else _ops.where(_ops.take(as_tensor(of_kind), rows), own, holds)
        assert holds is not None
        if forest.follows_missing.any():
            is_missing = _ops.logical_and(_ops.isnan(value), _ops.take(as_tensor(forest.follows_missing), rows))
            holds = _ops.logical_or(holds, is_missing)
        rows = _ops.where(holds, _ops.take(children[0], rows), _ops.take(children[1], rows))
    return rows


def _first_column(x: Tensor) -> Tensor:
    """Returns zeros [n, 1], integers, whatever the numbers are."""
    return _ops.zeros_like(_ops.getitem(x, (slice(None), slice(0, 1))), _dtypes.int64)


def _aggregated(call: Call, nodes: Tensor, table: Array, has: Array, how: str) -> Tensor:
    """Returns the sum or other aggregate over trees of the weights [nodes, targets] of leaves: [n, targets]."""
    found = _ops.take(as_tensor(table), nodes, 0)
    if how in ("SUM", "AVERAGE"):
        total = _ops.sum(found, 1)
        return total if how == "SUM" else _ops.divide(total, float(nodes._dims[1] or 1))
    if how not in ("MIN", "MAX"):
        raise call.unsupported(f"with aggregate_function {how}")
    if not has.all():
        raise call.unsupported(f"with aggregate_function {how} and leaves without a weight of each target")
    return (_ops.min if how == "MIN" else _ops.max)(found, 1)


def _scores(
    call: Call, x: Tensor, forest: _Forest, leaves: Sequence[Tuple[int, int, float]], count: int, how: str
) -> Tensor:
    """Returns the scores [n, count]: `leaves` lists the node, the target and the weight of each leaf's weights."""
    table = np.zeros((len(forest.features), count), np.float64)
    has = np.zeros(table.shape, bool)
    for node, target, weight in leaves:
        if not 0 <= target < count:
            raise ValueError(f"target {target} of {count}")
        table[node, target] += weight
        has[node, target] = True
    is_leaf = forest.children[0] == np.arange(len(forest.features))
    return _aggregated(call, _leaves(forest, x), table.astype(x.dtype), has[is_leaf], how)


def _data(x: Laid) -> Tensor:
    data = floats(x.plain())
    return data if data.ndim == 2 else reshape_to(data, [1, *sizes(data)])


#
# Up to version 4 of the ops: nodes by tree and number
#


def _read(call: Call, name: str) -> Any:
    """Returns numbers that are floats, or a tensor of wider ones."""
    wide = call.attribute(f"{name}_as_tensor")
    return call.attribute(name, []) if wide is None else wide.reshape(-1)


def _old_forest(call: Call) -> Tuple[_Forest, Dict[Tuple[int, int], int]]:
    call.has("nodes_hitrates")
    call.has("nodes_hitrates_as_tensor")
    trees, numbers = call.attribute("nodes_treeids", []), call.attribute("nodes_nodeids", [])
    places = {key: place for place, key in enumerate(zip(trees, numbers))}
    modes, count = call.attribute("nodes_modes", []), len(trees)
    parts = [numbers, modes, *(call.attribute(f"nodes_{name}", []) for name in
                               ("truenodeids", "falsenodeids", "featureids"))]  # fmt: skip
    splits, missing = _read(call, "nodes_values"), call.attribute("nodes_missing_value_tracks_true", [])
    if not count or len(places) != count or any(len(part) != count for part in [*parts, splits]):
        raise ValueError("expected the attributes of nodes for each node, with a number of its own in its tree")
    is_leaf = np.array([mode == "LEAF" for mode in modes])
    children = []
    for listed in parts[2:4]:
        try:
            children.append(np.array([place if leaf else places[tree, child] for place, (leaf, tree, child) in
                                      enumerate(zip(is_leaf, trees, listed))], np.int64))  # fmt: skip
        except KeyError as error:
            raise ValueError(f"there is no node {error.args[0][1]} in tree {error.args[0][0]}") from None
    pointed = {int(child) for one in children for place, child in enumerate(one) if not is_leaf[place]}
    roots = [place for place in range(count) if place not in pointed]
    if len(roots) != len(set(trees)):
        raise ValueError(f"expected one root for each of {len(set(trees))} trees, found {len(roots)}")
    features = np.where(is_leaf, 0, np.asarray(parts[4], np.int64))
    follows = np.asarray(missing, bool) if len(missing) else np.zeros(count, bool)
    known = _known_modes(call, [_MODES[0] if leaf else mode for leaf, mode in zip(is_leaf, modes)])
    return _Forest(np.array(roots), features, np.asarray(splits, np.float64), known, (children[0], children[1]),
                   follows), places  # fmt: skip


def _known_modes(call: Call, modes: List[str]) -> List[str]:
    for mode in modes:
        if mode not in _MODES:
            raise call.unsupported(f"with the mode {mode}")
    return modes


def _old_leaves(
    call: Call, kind: str, ids: str, places: Dict[Tuple[int, int], int]
) -> List[Tuple[int, int, float]]:  # fmt: skip
    trees, nodes = call.attribute(f"{kind}_treeids", []), call.attribute(f"{kind}_nodeids", [])
    targets, weights = call.attribute(ids, []), _read(call, f"{kind}_weights")
    if not len(trees) == len(nodes) == len(targets) == len(weights):
        raise ValueError(f"expected a tree, a node, a target and a weight for each of {len(weights)} weights")
    try:
        return [(places[tree, node], target, float(weight)) for tree, node, target, weight in
                zip(trees, nodes, targets, weights)]  # fmt: skip
    except KeyError as error:
        raise ValueError(f"there is no node {error.args[0][1]} in tree {error.args[0][0]}") from None


def _with_base(call: Call, scores: Tensor, count: int) -> Tensor:
    base = np.asarray(_read(call, "base_values"), scores.dtype)
    if base.size not in (0, 1, count):
        raise ValueError(f"expected base_values of {count} targets, found {base.size}")
    if base.size == 1 != count:
        raise call.unsupported(f"with one base value for {count} targets")
    return _ops.add(scores, as_tensor(base)) if base.size else scores


@op(f"{DOMAIN}.TreeEnsembleRegressor")
def _tree_regressor(call: Call, x: Laid) -> Laid:
    forest, places = _old_forest(call)
    count, how = call.attribute("n_targets", 1), call.attribute("aggregate_function")
    leaves = _old_leaves(call, "target", "target_ids", places)
    scores = _with_base(call, _scores(call, _data(x), forest, leaves, count, how), count)
    return Laid(_ops.cast(transformed(call, scores), _dtypes.float32))


@op(f"{DOMAIN}.TreeEnsembleClassifier")
def _tree_classifier(call: Call, x: Laid) -> List[Laid]:
    labels = labels_of(call, "classlabels_int64s")
    forest, places = _old_forest(call)
    leaves = _old_leaves(call, "class", "class_ids", places)
    if labels.size == 2 and len({target for _, target, _ in leaves}) == 1:
        return _of_two_classes(call, x, forest, leaves, labels)
    scores = _with_base(call, _scores(call, _data(x), forest, leaves, labels.size, "SUM"), labels.size)
    return [Laid(chosen(scores, labels)), Laid(_ops.cast(transformed(call, scores), _dtypes.float32))]


def _of_two_classes(
    call: Call, x: Laid, forest: _Forest, leaves: Sequence[Tuple[int, int, float]], labels: Array
) -> List[Laid]:
    """Computes both scores of two classes from weights of one of them, as ONNX Runtime does: they are those of the
    second class, and of a probability if none is negative."""
    if leaves[0][1] != 0 or len(_read(call, "base_values")) > 1:
        # ONNX Runtime then returns 0 as the score of the class without weights.
        raise call.unsupported("with two classes and weights of the second one only, or base values of both")
    own = [(node, 0, weight) for node, _, weight in leaves]
    score = _with_base(call, _scores(call, _data(x), forest, own, 1, "SUM"), 1)
    is_probability = all(weight >= 0 for _, _, weight in own)
    how = call.attribute("post_transform")
    if how == "NONE":
        other = _ops.subtract(1.0, score) if is_probability else _ops.negative(score)
        both = _ops.concatenate([other, score], 1)
    elif how == "LOGISTIC":
        both = _ops.sigmoid(_ops.concatenate([_ops.negative(score), score], 1))
    else:
        raise call.unsupported(f"with weights of one class and post_transform {how}")
    is_second = _ops.greater(reshape_to(score, [sizes(score)[0]]), 0.5 if is_probability else 0.0)
    label = _ops.where(is_second, as_tensor(labels[1]), as_tensor(labels[0]))
    return [Laid(label), Laid(_ops.cast(both, _dtypes.float32))]


#
# From version 5 on
#


@op(f"{DOMAIN}.TreeEnsemble")
def _tree_ensemble(call: Call, x: Laid) -> Laid:
    call.has("nodes_hitrates")
    features = np.asarray(call.attribute("nodes_featureids"), np.int64)
    kinds = call.attribute("nodes_modes").reshape(-1).tolist()
    if call.attribute("membership_values") is not None or any(kind >= len(_MODES) for kind in kinds):
        raise call.unsupported("with sets of values")
    targets, weights = call.attribute("leaf_targetids"), call.attribute("leaf_weights").reshape(-1)
    count, more = len(features), len(targets)
    children = []
    for way in ("true", "false"):
        inner, leaf = call.attribute(f"nodes_{way}nodeids"), call.attribute(f"nodes_{way}leafs")
        if not len(inner) == len(leaf) == count:
            raise ValueError(f"expected nodes_{way}nodeids and nodes_{way}leafs of {count} nodes")
        # Leaves come after the nodes.
        own = [child + count if is_leaf else child for child, is_leaf in zip(inner, leaf)]
        if any(not 0 <= child < count + more for child in own):
            raise ValueError(f"a child of {count} nodes and {more} leaves is none of them")
        children.append(np.array([*own, *range(count, count + more)], np.int64))
    missing = call.attribute("nodes_missing_value_tracks_true", None) or [0] * count
    forest = _Forest(
        np.asarray(call.attribute("tree_roots"), np.int64), np.concatenate([features, np.zeros(more, np.int64)]),
        np.concatenate([call.attribute("nodes_splits").reshape(-1), np.zeros(more)]),
        [_MODES[kind] for kind in [*kinds, *[0] * more]], (children[0], children[1]),
        np.array([*missing, *[0] * more], bool))  # fmt: skip
    how = {0: "AVERAGE", 1: "SUM", 2: "MIN", 3: "MAX"}.get(call.attribute("aggregate_function"), "")
    leaves = [(count + place, target, float(weight)) for place, (target, weight) in enumerate(zip(targets, weights))]
    scores = _scores(call, _data(x), forest, leaves, call.attribute("n_targets", 1), how)
    return Laid(transformed(call, scores))
