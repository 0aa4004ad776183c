# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with the methods of estimators of scikit-learn, which this does not import."""

import copy
import types
from typing import Any, Callable, Dict, List

import numpy as np

from ..models import Sequential
from ..utils import to_categorical
from ..utils.generic_utils import has_arg

__all__ = ["BaseWrapper", "KerasClassifier", "KerasRegressor"]


class BaseWrapper:
    """An estimator of the model that `build_fn` makes and compiles: a function, an object that is called, or None for
    `__call__` of a subclass. `sk_params` are arguments of that, and of the methods of a model. Raises ValueError for
    one that none of them takes."""

    def __init__(self, build_fn: Any = None, **sk_params: Any):
        self.build_fn, self.sk_params = build_fn, sk_params
        self.check_params(sk_params)

    def _builder(self) -> Callable[..., Any]:
        """Returns the function whose arguments are those of the model."""
        if self.build_fn is None:
            found: Callable[..., Any] = self.__call__  # type: ignore[operator]
        elif isinstance(self.build_fn, (types.FunctionType, types.MethodType)):
            found = self.build_fn
        else:
            found = self.build_fn.__call__
        return found

    def check_params(self, params: Dict[str, Any]) -> None:
        """Raises ValueError for a parameter that neither the builder nor a method of a model takes."""
        known = [Sequential.fit, Sequential.predict, Sequential.predict_classes, Sequential.evaluate, self._builder()]
        for name in params:
            if name != "nb_epoch" and not any(has_arg(function, name) for function in known):
                raise ValueError(f"{name} is not a legal parameter")

    def get_params(self, **params: Any) -> Dict[str, Any]:
        """The parameters, copied; `params` is ignored."""
        return {**copy.deepcopy(self.sk_params), "build_fn": self.build_fn}

    def set_params(self, **params: Any) -> "BaseWrapper":
        self.check_params(params)
        self.sk_params.update(params)
        return self

    def filter_sk_params(self, fn: Any, override: Any = None) -> Dict[str, Any]:
        """The parameters that are arguments of a function, and those in `override`."""
        return {**{name: value for name, value in self.sk_params.items() if has_arg(fn, name)}, **(override or {})}

    def fit(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Makes a model, and trains it; returns its history."""
        builder = self._builder()
        self.model = builder(**self.filter_sk_params(builder))
        return self.model.fit(x, self._targets(y), **{**copy.deepcopy(self.filter_sk_params(Sequential.fit)), **kwargs})

    def _targets(self, y: Any) -> Any:
        """Returns labels as the loss of the model takes them."""
        loss = getattr(self.model.loss, "__name__", self.model.loss)
        return to_categorical(y) if loss == "categorical_crossentropy" and np.ndim(y) != 2 else y

    def _evaluate(self, x: Any, y: Any, kwargs: Dict[str, Any]) -> List[Any]:
        found = self.model.evaluate(x, y, **self.filter_sk_params(Sequential.evaluate, kwargs))
        return found if isinstance(found, list) else [found]


class KerasClassifier(BaseWrapper):
    """A classifier: of labels of any kind, or of rows with a column for each class."""

    def fit(self, x: Any, y: Any, sample_weight: Any = None, **kwargs: Any) -> Any:
        """Makes a model, and trains it; returns its history. Raises ValueError for labels of another shape."""
        y = np.array(y)
        if y.ndim == 2 and y.shape[1] > 1:
            self.classes_ = np.arange(y.shape[1])
        elif y.ndim in (1, 2):
            self.classes_ = np.unique(y)
            y = np.searchsorted(self.classes_, y)
        else:
            raise ValueError(f"Invalid shape for y: {y.shape}")
        self.n_classes_ = len(self.classes_)
        if sample_weight is not None:
            kwargs["sample_weight"] = sample_weight
        return super().fit(x, y, **kwargs)

    def predict(self, x: Any, **kwargs: Any) -> Any:
        """The most likely class of each row."""
        found = self.model.predict(x, **self.filter_sk_params(Sequential.predict_classes, kwargs))
        return self.classes_[found.argmax(-1) if found.shape[-1] > 1 else (found > 0.5).astype(np.int32)]

    def predict_proba(self, x: Any, **kwargs: Any) -> Any:
        """The probability of each class, [samples, classes]."""
        found = self.model.predict(x, **self.filter_sk_params(Sequential.predict_proba, kwargs))
        return np.hstack([1 - found, found]) if found.shape[1] == 1 else found

    def score(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """The share of rows whose class is right. Raises ValueError for a model without the metric "accuracy"."""
        values = self._evaluate(x, self._targets(np.searchsorted(self.classes_, y)), kwargs)
        for name, value in zip(self.model.metrics_names, values):
            if name == "acc":
                return value
        raise ValueError('The model is not configured to compute accuracy. You should pass `metrics=["accuracy"]` to '
                         "the `model.compile()` method.")  # fmt: skip


class KerasRegressor(BaseWrapper):
    """A regression."""

    def predict(self, x: Any, **kwargs: Any) -> Any:
        return np.squeeze(self.model.predict(x, **self.filter_sk_params(Sequential.predict, kwargs)))

    def score(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """The loss, with the sign changed: more is better."""
        return -self._evaluate(x, y, kwargs)[0]
