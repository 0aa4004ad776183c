# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The losses and metrics of the outputs of a model, as `compile` is given them."""

from typing import Any, List, Tuple

from .. import backend as K
from .. import losses, metrics
from .topology import to_list


def metrics_of(given: Any, name: str) -> List[Any]:
    """The metrics of an output: of all outputs, or of a dict by their names."""
    return to_list((given or {}).get(name, [])) if isinstance(given, dict) else to_list(given or [])


def targets_by_output(given: Any, names: List[str]) -> List[Any]:
    """Returns the tensors that are the targets of outputs; None for one that calls are fed."""
    if given is None:
        return [None] * len(names)
    if isinstance(given, dict):
        for key in given:
            if key not in names:
                raise ValueError(f'Unknown entry in `target_tensors` dictionary: "{key}". Only expected the following '
                                 f"keys: {names}")  # fmt: skip
        return [given.get(name) for name in names]
    if isinstance(given, (list, tuple)) or K.is_tensor(given) and len(names) == 1:
        listed = to_list(given)
        if len(listed) != len(names):
            raise ValueError("When passing a list as `target_tensors`, it should have one entry per model outputs. The "
                             f"model has {len(names)} outputs, but you passed target_tensors={given}")  # fmt: skip
        return listed
    raise TypeError(f"Expected `target_tensors` to be a list or dict, but got: {given!r}")


def by_output(given: Any, names: List[str], what: str) -> List[Any]:
    if isinstance(given, dict):
        for key in given:
            if key not in names:
                raise ValueError(f'Unknown entry in {what} dictionary: "{key}". Only expected the following keys: '
                                 f"{names}")  # fmt: skip
        return [given.get(n, 1.0 if what == "loss_weights" else None) for n in names]
    if isinstance(given, (list, tuple)):
        if len(given) != len(names):
            raise ValueError(f"When passing a list as {what}, it should have one entry per model outputs. The model "
                             f"has {len(names)} outputs, but you passed {what}={given}")  # fmt: skip
        return list(given)
    return [given] * len(names)


def weighted(scores: Any, weight: Any, mask: Any = None) -> Any:
    """Returns the mean of the scores by weights, over the samples whose weight is not 0, and the steps that count."""
    if mask is not None and K.ndim(scores) == K.ndim(mask):
        holds = K.cast(mask, scores.dtype)
        scores = scores * holds / K.mean(holds)
    if weight is None:
        return K.mean(scores)
    if K.ndim(scores) > K.ndim(weight):
        scores = K.mean(scores, list(range(K.ndim(weight), K.ndim(scores))))
    scores = scores * K.cast(weight, scores.dtype)
    # If all weights are 0, so is the mean.
    used = K.mean(K.cast(K.not_equal(weight, 0.0), scores.dtype))
    return K.mean(scores / K.maximum(used, K.epsilon()))


def term_of(loss: Any, target: Any, y: Any, weight: Any) -> Any:
    """Returns the loss of an output, by the weights of its samples."""
    mask = getattr(y, "_keras_mask", None)
    if isinstance(loss, losses.Loss):
        own = getattr(loss, "mask_of", lambda *_: None)(target, y)
        if own is not None and mask is not None:
            raise NotImplementedError("flywheel.keras: ignore_class of a loss of an output with a mask")
        reduced = loss.reduce(loss.call(target, y), weight, mask if own is None else own)
        # Without a reduction, what is minimized is the mean.
        return K.mean(reduced) if K.ndim(reduced) else reduced
    return weighted(loss(target, y), weight, mask)


def metric_of(metric: Any, y: Any, loss: Any) -> Tuple[Any, str]:
    if metric in ("accuracy", "acc"):
        if K.int_shape(y)[-1] == 1 or losses.is_like(loss, "binary_crossentropy"):
            return metrics.binary_accuracy, "acc"
        sparse = losses.is_like(loss, "sparse_categorical_crossentropy")
        return (metrics.sparse_categorical_accuracy if sparse else metrics.categorical_accuracy), "acc"
    function = metrics.get(metric)
    title = getattr(function, "name", None) or getattr(function, "__name__", type(function).__name__)
    return function, str(title)
