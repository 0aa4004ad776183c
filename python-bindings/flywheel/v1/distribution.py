# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The base class of distributions, and their divergences."""

from typing import Any, Callable, Dict, List, NoReturn, Optional, Tuple

import numpy as np

from .._core import dtypes as _dtypes
from .._errors.messages import about
from .conversion import as_tensor
from .dtypes import as_dtype
from .elementwise import TABLE
from .ops import cast, concat, reshape, shape
from .shapes import TensorShape

FULLY_REPARAMETERIZED, NOT_REPARAMETERIZED = "FULLY_REPARAMETERIZED", "NOT_REPARAMETERIZED"


def as_floating(x: Any) -> Any:
    owns_dtype = hasattr(x, "op") or isinstance(x, (np.ndarray, np.generic))
    t = as_tensor(x, None if owns_dtype else _dtypes.float32)
    if not t.dtype.is_floating:
        raise TypeError(f"parameters of distributions are floating-point tensors, found {t.dtype.name}")
    return t


def as_parameter(x: Any) -> Any:
    """A floating-point tensor; integers, which programs may mean to divide, are none."""
    if isinstance(x, (int, np.integer)):
        raise ValueError(f"Expected floating point type, got {x!r} of {type(x).__name__}.")
    return as_floating(x)


class Distribution:
    """The base class of distributions. `reparameterization_type` and `graph_parents` have no effect: a class has its
    own `reparameterization_type`."""

    reparameterization_type = NOT_REPARAMETERIZED
    # The number of dimensions of one event.
    _event_rank = 0

    def __init__(
        self, dtype: Any = None, reparameterization_type: Any = None, validate_args: bool = False,
        allow_nan_stats: bool = True, parameters: Any = None, graph_parents: Any = None, name: Optional[str] = None,
    ):  # fmt: skip
        if validate_args:
            self._refuse("validate_args=True")
        if not allow_nan_stats:
            self._refuse("allow_nan_stats=False")
        self.dtype, self.name = dtype, name or type(self).__name__
        self.parameters = dict(parameters or {})
        self.validate_args, self.allow_nan_stats = validate_args, allow_nan_stats

    def _refuse(self, what: str) -> NoReturn:
        raise NotImplementedError(f"{what} is not implemented: flywheel.v1.distributions.{type(self).__name__}")

    # Shapes

    def _whole(self) -> Any:
        """A tensor of the shape of a batch, and of an event behind it."""
        self._refuse("batch_shape")

    @property
    def batch_shape(self) -> TensorShape:
        sizes = self._whole().shape.as_list()
        return TensorShape(sizes[: len(sizes) - self._event_rank])

    @property
    def event_shape(self) -> TensorShape:
        sizes = self._whole().shape.as_list()
        return TensorShape(sizes[len(sizes) - self._event_rank :])

    def batch_shape_tensor(self, name: Optional[str] = None) -> Any:
        sizes = shape(self._whole())
        return sizes[: len(self._whole().shape) - self._event_rank] if self._event_rank else sizes

    def event_shape_tensor(self, name: Optional[str] = None) -> Any:
        return shape(self._whole())[len(self._whole().shape) - self._event_rank :]

    def is_scalar_batch(self, name: Optional[str] = None) -> Any:
        return as_tensor(len(self._whole().shape) == self._event_rank)

    def is_scalar_event(self, name: Optional[str] = None) -> Any:
        return as_tensor(self._event_rank == 0)

    # Draws

    def _draw(self, sizes: Any, seed: Any) -> Any:
        """Draws of the shape `sizes`, which has the shape of a batch at its end."""
        self._refuse("sample")

    def sample(self, sample_shape: Any = (), seed: Any = None, name: Optional[str] = None) -> Any:
        """Draws of a shape, in front of those of the batch and of an event."""
        given = [sample_shape] if isinstance(sample_shape, int) else sample_shape
        batch = self.batch_shape.as_list()
        known = [int(n) for n in given] if isinstance(given, (list, tuple)) else None
        if known is not None and None not in batch:
            return self._draw([*known, *batch], seed)
        front = as_tensor(np.asarray(known, np.int32)) if known is not None else reshape(cast(given, _dtypes.int32),
                                                                                         [-1])  # fmt: skip
        own = shape(self._whole())
        if known is not None:
            return self._draw([*known, *[own[i] if n is None else n for i, n in enumerate(batch)]], seed)
        return self._draw(concat([front, self.batch_shape_tensor()], 0), seed)

    # Densities and moments

    def _log_prob(self, value: Any) -> Any:
        self._refuse("log_prob")

    def log_prob(self, value: Any, name: Optional[str] = None) -> Any:
        return self._log_prob(self._value(value))

    def prob(self, value: Any, name: Optional[str] = None) -> Any:
        return TABLE["exp"](self.log_prob(value))

    def _value(self, value: Any) -> Any:
        return as_tensor(value, self.dtype)

    def _cdf(self, value: Any) -> Any:
        self._refuse("cdf")

    def _survival(self, value: Any) -> Any:
        return 1.0 - self._cdf(value)

    def _log_cdf(self, value: Any) -> Any:
        return TABLE["log"](self._cdf(value))

    def _log_survival(self, value: Any) -> Any:
        return TABLE["log"](self._survival(value))

    def cdf(self, value: Any, name: Optional[str] = None) -> Any:
        return self._cdf(self._value(value))

    def log_cdf(self, value: Any, name: Optional[str] = None) -> Any:
        return self._log_cdf(self._value(value))

    def survival_function(self, value: Any, name: Optional[str] = None) -> Any:
        return self._survival(self._value(value))

    def log_survival_function(self, value: Any, name: Optional[str] = None) -> Any:
        return self._log_survival(self._value(value))

    def quantile(self, value: Any, name: Optional[str] = None) -> Any:
        """The number below which a share `value` of the draws is."""
        self._refuse("quantile")

    def entropy(self, name: Optional[str] = None) -> Any:
        self._refuse("entropy")

    def mean(self, name: Optional[str] = None) -> Any:
        self._refuse("mean")

    def mode(self, name: Optional[str] = None) -> Any:
        self._refuse("mode")

    def variance(self, name: Optional[str] = None) -> Any:
        if type(self).stddev is Distribution.stddev:
            self._refuse("variance")
        return TABLE["square"](self.stddev())

    def stddev(self, name: Optional[str] = None) -> Any:
        if type(self).variance is Distribution.variance:
            self._refuse("stddev")
        return TABLE["sqrt"](self.variance())

    def covariance(self, name: Optional[str] = None) -> Any:
        self._refuse("covariance")

    def cross_entropy(self, other: Any, name: str = "cross_entropy") -> Any:
        return self.entropy() + kl_divergence(self, other)

    def kl_divergence(self, other: Any, name: str = "kl_divergence") -> Any:
        return kl_divergence(self, other)

    def __repr__(self) -> str:
        return f"<flywheel.v1.distributions.{type(self).__name__} '{self.name}'>"


class OfTwo(Distribution):
    """A distribution of two parameters that broadcast."""

    def _keep(self, one: Any, other: Any, options: Dict[str, Any]) -> Tuple[Any, Any]:
        a, b = as_parameter(one), as_parameter(other)
        if a.dtype != b.dtype:
            raise about(type(self).__name__, TypeError(f"parameters have one dtype, found {a.dtype.name} and "
                                                       f"{b.dtype.name}"))  # fmt: skip
        Distribution.__init__(self, a.dtype, **options)
        self._pair = a, b
        return a, b

    def _whole(self) -> Any:
        return TABLE["add"](*self._pair)

    def _wide(self, x: Any) -> Any:
        """x in the shape of the batch."""
        return x + TABLE["zeros_like"](self._whole())


class OfLogits(Distribution):
    """A distribution of probabilities, or of their logits."""

    def _keep(self, logits: Any, probs: Any, dtype: Any, options: Dict[str, Any]) -> None:
        if (logits is None) == (probs is None):
            raise ValueError("Must pass probs or logits, but not both.")
        Distribution.__init__(self, as_dtype(dtype), **options)
        self._given = as_floating(probs if logits is None else logits)
        self._has_logits = logits is not None

    def _whole(self) -> Any:
        return self._given


# Divergences

_DIVERGENCES: List[Tuple[Any, Any, Callable[..., Any]]] = []


class RegisterKL:
    """Decorates a function of two distributions of these classes that computes their divergence."""

    def __init__(self, dist_cls_a: Any, dist_cls_b: Any):
        self._pair = dist_cls_a, dist_cls_b

    def __call__(self, kl_fn: Callable[..., Any]) -> Callable[..., Any]:
        if any((a, b) == self._pair for a, b, _ in _DIVERGENCES):
            raise ValueError(f"KL({self._pair[0].__name__} || {self._pair[1].__name__}) has already been registered")
        _DIVERGENCES.append((*self._pair, kl_fn))
        return kl_fn


def kl_divergence(distribution_a: Any, distribution_b: Any, allow_nan_stats: bool = True,
                  name: Optional[str] = None) -> Any:  # fmt: skip
    """The divergence of Kullback and Leibler, the mean of log p(x) - log q(x) for x by p. Raises NotImplementedError
    for classes that have none."""
    if not allow_nan_stats:
        raise about("flywheel.v1.distributions.kl_divergence", NotImplementedError("allow_nan_stats=False"))
    found = [(type(distribution_a).__mro__.index(a) + type(distribution_b).__mro__.index(b), function)
             for a, b, function in _DIVERGENCES
             if isinstance(distribution_a, a) and isinstance(distribution_b, b)]  # fmt: skip
    if not found:
        raise NotImplementedError(f"No KL(distribution_a || distribution_b) registered for distribution_a type "
                                  f"{type(distribution_a).__name__} and distribution_b type "
                                  f"{type(distribution_b).__name__}")  # fmt: skip
    result = min(found, key=lambda one: one[0])[1](distribution_a, distribution_b)
    return result
