# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of ai.onnx.ml that prepare data, and linear models: the parts of pipelines of scikit-learn but trees."""

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from .. import _ops
from .. import nn as nn
from .._core import dtypes as _dtypes
from .._core.annotations import Array
from .._core.tensor import Tensor, as_tensor
from .._frontends.layouts import Laid
from .._ops.emission import sizes
from .._ops.shapes import reshape_to
from ._graph import Call, op

DOMAIN = "ai.onnx.ml"


def floats(x: Tensor) -> Tensor:
    """Numbers as these models compute with them: float64 as it is, others in float32."""
    return x if x.dtype == _dtypes.float64 else _ops.cast(x, _dtypes.float32)


def _numbers(call: Call, name: str, dtype: Any = np.float32) -> Optional[Array]:
    found = call.attribute(name)
    return None if found is None else np.asarray(found, dtype)


def refuse_text(call: Call, *names: str) -> None:
    """Raises UnsupportedOpError for an attribute with text."""
    for name in names:
        if call.attribute(name):
            raise call.unsupported(f"with {name}: text is not imported")


@op(f"{DOMAIN}.Scaler")
def _scaler(call: Call, x: Laid) -> Laid:
    data = _ops.cast(x.plain(), _dtypes.float32)
    offset, scale = _numbers(call, "offset"), _numbers(call, "scale")
    data = data if offset is None else _ops.subtract(data, as_tensor(offset))
    return Laid(data if scale is None else _ops.multiply(data, as_tensor(scale)))


@op(f"{DOMAIN}.Normalizer")
def _normalizer(call: Call, x: Laid) -> Laid:
    data, norm = _ops.cast(x.plain(), _dtypes.float32), call.word("norm", "MAX", "L1", "L2")
    if norm == "MAX":
        size = _ops.max(data, -1, keepdims=True)
    elif norm == "L1":
        size = _ops.sum(_ops.abs(data), -1, keepdims=True)
    else:
        size = _ops.sqrt(_ops.sum(_ops.square(data), -1, keepdims=True))
    # A row of zeros stays one.
    return Laid(_ops.divide(data, _ops.where(_ops.equal(size, 0.0), 1.0, size)))


@op(f"{DOMAIN}.Imputer")
def _imputer(call: Call, x: Laid) -> Laid:
    data = x.plain()
    kind, dtype = ("float", data.dtype) if _dtypes.is_floating(data.dtype) else ("int64", np.dtype(np.int64))
    values = _numbers(call, f"imputed_value_{kind}s", dtype)
    replaced = call.attribute(f"replaced_value_{kind}")
    if values is None or values.size not in (1, data._dims[-1]):
        raise ValueError(f"expected imputed_value_{kind}s: one number, or one for each of {data._dims[-1]} features")
    is_missing = _ops.isnan(data) if kind == "float" and np.isnan(replaced) else _ops.equal(
        data, as_tensor(np.asarray(replaced, dtype)))  # fmt: skip
    return Laid(_ops.where(is_missing, as_tensor(values if values.size > 1 else values.reshape(())), data))


@op(f"{DOMAIN}.Binarizer")
def _binarizer(call: Call, x: Laid) -> Laid:
    data = x.plain()
    return Laid(
        _ops.cast(_ops.greater(data, as_tensor(np.asarray(call.attribute("threshold"), data.dtype))), data.dtype)
    )


@op(f"{DOMAIN}.ArrayFeatureExtractor")
def _array_feature_extractor(call: Call, x: Laid, places: Laid) -> Laid:
    data, index = x.plain(), reshape_to(places.plain(), [places.data._static_size or 0])
    found = _ops.take(data, index, data.ndim - 1)
    return Laid(reshape_to(found, [1, *sizes(found)]) if found.ndim == 1 else found)


@op(f"{DOMAIN}.FeatureVectorizer")
def _feature_vectorizer(call: Call, *operands: Laid) -> Laid:
    wanted = call.attribute("inputdimensions", [])
    parts = [_ops.cast(x.plain(), _dtypes.float32) for x in operands]
    parts = [reshape_to(x, [sizes(x)[0], 1]) if x.ndim == 1 else x for x in parts]
    if list(wanted) != [x._dims[-1] for x in parts]:
        raise ValueError(f"expected inputdimensions {[x._dims[-1] for x in parts]}, found {list(wanted)}")
    return Laid(_ops.concatenate(parts, 1))


@op(f"{DOMAIN}.OneHotEncoder")
def _one_hot_encoder(call: Call, x: Laid) -> Laid:
    refuse_text(call, "cats_strings")
    if not call.flag("zeros"):
        raise call.unsupported("with zeros = 0, an error at unknown categories,")
    data, known = x.plain(), _numbers(call, "cats_int64s", np.int64)
    if known is None:
        raise ValueError("expected cats_int64s")
    column = reshape_to(_ops.cast(data, _dtypes.int64), [*sizes(data), 1])
    return Laid(_ops.cast(_ops.equal(column, as_tensor(known)), _dtypes.float32))


@op(f"{DOMAIN}.LabelEncoder")
def _label_encoder(call: Call, x: Laid) -> Laid:
    refuse_text(call, "keys_strings", "values_strings")
    keys = _first(call, ("keys_tensor", None), ("keys_int64s", np.int64), ("keys_floats", np.float32))
    values = _first(call, ("values_tensor", None), ("values_int64s", np.int64), ("values_floats", np.float32))
    given, is_real = call.attribute("default_tensor"), values.dtype.kind == "f"
    numbers = call.attribute("default_float"), call.attribute("default_int64")
    call.has("default_string")
    other = np.asarray(numbers[0] if is_real else numbers[1]) if given is None else given
    data = x.plain()
    if keys.dtype != data.dtype or keys.size != values.size:
        raise ValueError(f"expected as many values as keys, of {data.dtype}, found {keys.size} of {keys.dtype} and "
                         f"{values.size}")  # fmt: skip
    found = as_tensor(other.reshape(-1)[:1].astype(values.dtype).reshape(()))
    # If keys are equal the first one counts; from version 4 on a NaN is equal to itself.
    for key, value in reversed(list(zip(keys.reshape(-1), values.reshape(-1)))):
        is_nan = call.opset >= 4 and keys.dtype.kind == "f" and np.isnan(key)
        holds = _ops.isnan(data) if is_nan else _ops.equal(data, as_tensor(np.asarray(key)))
        found = _ops.where(holds, as_tensor(np.asarray(value)), found)
    return Laid(found)


def _first(call: Call, *choices: Tuple[str, Any]) -> Array:
    for name, dtype in choices:
        found = call.attribute(name)
        if found is not None and len(found):
            return np.asarray(found, dtype)
    raise ValueError(f"expected one of {', '.join(name for name, _ in choices)}")


#
# Scores
#


def transformed(call: Call, scores: Tensor) -> Tensor:
    """Scores [n, targets] after the post_transform of the op."""
    how = call.attribute("post_transform")
    how = {0: "NONE", 1: "SOFTMAX", 2: "LOGISTIC"}.get(how, how) if isinstance(how, int) else how
    if how == "NONE":
        return scores
    if how == "LOGISTIC":
        return _ops.sigmoid(scores)
    if how == "SOFTMAX":
        return nn.softmax(scores)
    raise call.unsupported(f"with post_transform {how}")


def labels_of(call: Call, name: str) -> Array:
    """The labels of classes, which are integers. Raises UnsupportedOpError for text."""
    refuse_text(call, "classlabels_strings")
    found = _numbers(call, name, np.int64)
    if found is None or not found.size:
        raise ValueError(f"expected {name}")
    return found


def chosen(scores: Tensor, labels: Array) -> Tensor:
    """The label of the largest score of each row."""
    return _ops.take(as_tensor(labels), _ops.argmax(scores, 1), 0)


def _linear(call: Call, x: Laid, count: int) -> Tensor:
    """Returns the scores [n, count] of a linear model."""
    weights, shifts = _numbers(call, "coefficients"), _numbers(call, "intercepts")
    if weights is None or count < 1 or weights.size % count or shifts is not None and shifts.size not in (0, count):
        raise ValueError(f"expected coefficients and intercepts of {count} targets")
    data = _ops.cast(x.plain(), _dtypes.float32)
    data = data if data.ndim == 2 else reshape_to(data, [1, *sizes(data)])
    found = nn.matmul(data, as_tensor(weights.reshape(count, -1)), transpose_b=True)
    return found if shifts is None or not shifts.size else _ops.add(found, as_tensor(shifts))


@op(f"{DOMAIN}.LinearRegressor")
def _linear_regressor(call: Call, x: Laid) -> Laid:
    return Laid(transformed(call, _linear(call, x, call.attribute("targets"))))


@op(f"{DOMAIN}.LinearClassifier", without="multi_class")
def _linear_classifier(call: Call, x: Laid) -> List[Laid]:
    labels = labels_of(call, "classlabels_ints")
    shifts: Sequence[float] = call.attribute("intercepts", [])
    if len(shifts) not in (0, labels.size):
        raise call.unsupported(f"with {labels.size} labels and {len(shifts)} scores")
    scores = _linear(call, x, labels.size)
    return [Laid(chosen(scores, labels)), Laid(transformed(call, scores))]
