# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses of each sample, by their names in Keras 2.1 (X6)."""

from typing import Any, Callable

from .. import _dtypes, _ops
from .. import nn as _traced
from ..v1.conversion import as_tensor, make
from ._serialization import find


def _rows(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def loss(y_true: Any, y_pred: Any) -> Any:
        def emit(t: Any, p: Any) -> Any:
            return function(p, _ops.cast(t, p.dtype), reduction="none")

        return make(name, emit, as_tensor(y_true), as_tensor(y_pred))

    loss.__name__ = loss.__qualname__ = name
    return loss


mean_squared_error = _rows("mean_squared_error", _traced.mean_squared_error)
mean_absolute_error = _rows("mean_absolute_error", _traced.mean_absolute_error)
mean_absolute_percentage_error = _rows("mean_absolute_percentage_error", _traced.mean_absolute_percentage_error)
mean_squared_logarithmic_error = _rows("mean_squared_logarithmic_error", _traced.mean_squared_logarithmic_error)
squared_hinge = _rows("squared_hinge", _traced.squared_hinge)
hinge = _rows("hinge", _traced.hinge)
categorical_hinge = _rows("categorical_hinge", _traced.categorical_hinge)
logcosh = _rows("logcosh", _traced.log_cosh)
categorical_crossentropy = _rows("categorical_crossentropy", _traced.categorical_crossentropy)
binary_crossentropy = _rows("binary_crossentropy", _traced.binary_crossentropy)
kullback_leibler_divergence = _rows("kullback_leibler_divergence", _traced.kl_divergence)
poisson = _rows("poisson", _traced.poisson)
cosine_proximity = _rows("cosine_proximity", _traced.cosine_proximity)


def sparse_categorical_crossentropy(y_true: Any, y_pred: Any) -> Any:
    """As `categorical_crossentropy`, of labels as numbers."""

    def emit(t: Any, p: Any) -> Any:
        t = _ops.cast(t, _dtypes.int32)
        if t.ndim == p.ndim:
            t = _ops.squeeze(t, -1)
        # As in Keras; a label that there is not is an error of the step.
        return _traced.sparse_softmax_cross_entropy(_ops.log(_ops.clip(p, 1e-7, 1.0 - 1e-7)), t, reduction="none")

    return make("sparse_categorical_crossentropy", emit, as_tensor(y_true), as_tensor(y_pred))


mse = MSE = mean_squared_error
mae = MAE = mean_absolute_error
mape = MAPE = mean_absolute_percentage_error
msle = MSLE = mean_squared_logarithmic_error
kld = KLD = kullback_leibler_divergence
cosine = cosine_proximity


_NAMES = {
    key: value for key, value in globals().items()
    if callable(value) and not key.startswith("_") and key not in ("Any", "Callable", "as_tensor", "find", "make")
}  # fmt: skip


def get(identifier: Any) -> Any:
    """A loss, by its name or as it is."""
    return identifier if callable(identifier) else find(str(identifier), _NAMES, "loss function")
