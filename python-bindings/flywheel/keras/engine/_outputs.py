# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The losses and metrics of the outputs of a model, as `compile` is given them."""

from typing import Any, List, Tuple

from ..._errors.messages import about
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
            raise about("flywheel.keras", NotImplementedError("ignore_class of a loss of an output with a mask"))
        reduced = loss.reduce(loss.call(target, y), weight, mask if own is None else own)
        # Without a reduction, what is minimized is the mean.
        return K.mean(reduced) if K.ndim(reduced) else reduced
    return weighted_masked_objective(loss)(target, y, weight, mask)


def weighted_masked_objective(loss: Any) -> Any:
    """Returns the function of targets, outputs, weights of samples and a mask that gives the mean loss."""

    def mean_loss(y_true: Any, y_pred: Any, weights: Any, mask: Any = None) -> Any:
        return weighted(loss(y_true, y_pred), weights, mask)

    return mean_loss


def check_loss_and_target_compatibility(targets: Any, loss_functions: Any, output_shapes: Any) -> None:
    """Raises ValueError for arrays of targets whose sizes the loss does not take: labels as numbers for
    `categorical_crossentropy`, or another size than that of the output."""
    exact = ("mean_squared_error", "binary_crossentropy", "categorical_crossentropy")
    for y, loss, shape in zip(targets, loss_functions, output_shapes):
        kind = next((name for name in exact if losses.is_like(loss, name)), None)
        if y is None or shape is None or kind is None:
            continue
        if kind == "categorical_crossentropy" and y.shape[-1:] == (1,):
            raise ValueError(f"You are passing a target array of shape {y.shape} while using as loss "
                             f"`categorical_crossentropy`, which expects targets of shape (samples, classes), with 0 "
                             "and 1. Make them of integers with keras.utils.to_categorical, or use the loss "
                             "`sparse_categorical_crossentropy`, which takes integers.")  # fmt: skip
        if any(n is not None and m != n for m, n in zip(y.shape[1:], shape[1:])):
            raise ValueError(f"A target array with shape {y.shape} was passed for an output of shape {tuple(shape)} "
                             f"while using as loss `{kind}`. This loss expects targets to have the same shape as the "
                             "output.")  # fmt: skip


def metric_of(metric: Any, y: Any, loss: Any) -> Tuple[Any, str]:
    if metric in ("accuracy", "acc"):
        if K.int_shape(y)[-1] == 1 or losses.is_like(loss, "binary_crossentropy"):
            return metrics.binary_accuracy, "acc"
        sparse = losses.is_like(loss, "sparse_categorical_crossentropy")
        return (metrics.sparse_categorical_accuracy if sparse else metrics.categorical_accuracy), "acc"
    function = metrics.get(metric)
    title = getattr(function, "name", None) or getattr(function, "__name__", type(function).__name__)
    return function, str(title)
