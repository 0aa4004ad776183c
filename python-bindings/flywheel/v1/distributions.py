# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.distributions`: densities, draws, moments, entropies and divergences.

Parameters broadcast to the shape of a batch. A draw of `sample_shape` has that shape in front of the batch's. Draws of
Normal, Uniform, Laplace and Exponential have derivatives of their parameters; those of the others have none.
"""

import math
from typing import Any, Dict, Optional

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._numerics import special as _special
from .._ops import checks as _checks
from .conversion import as_tensor, make
from .distribution import FULLY_REPARAMETERIZED as FULLY_REPARAMETERIZED
from .distribution import NOT_REPARAMETERIZED as NOT_REPARAMETERIZED
from .distribution import Distribution, OfLogits, OfTwo, RegisterKL, as_floating, as_parameter, kl_divergence
from .elementwise import TABLE
from .nn import log_softmax, sigmoid_cross_entropy_with_logits, softmax, softplus
from .ops import argmax, cast, one_hot
from .random_ops import random_normal, random_uniform
from .special import lbeta, xlogy

_HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)


def _options(validate_args: bool, allow_nan_stats: bool, name: str) -> Dict[str, Any]:
    return dict(validate_args=validate_args, allow_nan_stats=allow_nan_stats, name=name)


def _where(kind: str, holds: Any, x: Any, other: float) -> Any:
    """x where a condition holds, and a number elsewhere."""
    return make(kind, lambda c, y: _ops.where(c, y, other), holds, x)


class Normal(OfTwo):
    """exp(-(x - loc)^2 / (2 scale^2)) / (scale sqrt(2 pi))."""

    reparameterization_type = FULLY_REPARAMETERIZED

    def __init__(self, loc: Any, scale: Any, validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str = "Normal"):  # fmt: skip
        self.loc, self.scale = self._keep(loc, scale, _options(validate_args, allow_nan_stats, name))

    def _draw(self, sizes: Any, seed: Any) -> Any:
        return self.loc + self.scale * random_normal(sizes, dtype=self.dtype, seed=seed)

    def _log_prob(self, value: Any) -> Any:
        return -0.5 * TABLE["square"]((value - self.loc) / self.scale) - (_HALF_LOG_2PI + TABLE["log"](self.scale))

    def _cdf(self, value: Any) -> Any:
        return 0.5 * TABLE["erfc"]((self.loc - value) / (self.scale * math.sqrt(2.0)))

    def _survival(self, value: Any) -> Any:
        return 0.5 * TABLE["erfc"]((value - self.loc) / (self.scale * math.sqrt(2.0)))

    def _log_cdf(self, value: Any) -> Any:
        return make("log_cdf", _special.log_ndtr, (value - self.loc) / self.scale)

    def _log_survival(self, value: Any) -> Any:
        return make("log_survival", _special.log_ndtr, (self.loc - value) / self.scale)

    def entropy(self, name: Optional[str] = None) -> Any:
        return self._wide(0.5 + _HALF_LOG_2PI + TABLE["log"](self.scale))

    def mean(self, name: Optional[str] = None) -> Any:
        return self._wide(self.loc)

    mode = mean

    def stddev(self, name: Optional[str] = None) -> Any:
        return self._wide(self.scale)


class Laplace(OfTwo):
    """exp(-|x - loc| / scale) / (2 scale)."""

    reparameterization_type = FULLY_REPARAMETERIZED

    def __init__(self, loc: Any, scale: Any, validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str = "Laplace"):  # fmt: skip
        self.loc, self.scale = self._keep(loc, scale, _options(validate_args, allow_nan_stats, name))

    def _draw(self, sizes: Any, seed: Any) -> Any:
        u = random_uniform(sizes, -1.0, 1.0, self.dtype, seed)
        # A draw of -1 has no logarithm.
        left = TABLE["maximum"](1.0 - TABLE["abs"](u), float(np.finfo(np.float32).tiny))
        return self.loc - self.scale * TABLE["sign"](u) * TABLE["log"](left)

    def _log_prob(self, value: Any) -> Any:
        return -TABLE["abs"]((value - self.loc) / self.scale) - (math.log(2.0) + TABLE["log"](self.scale))

    def _cdf(self, value: Any) -> Any:
        return make("cdf", _laplace_cdf, (value - self.loc) / self.scale)

    def _survival(self, value: Any) -> Any:
        return make("survival", _laplace_cdf, (self.loc - value) / self.scale)

    def _log_cdf(self, value: Any) -> Any:
        return make("log_cdf", _laplace_log_cdf, (value - self.loc) / self.scale)

    def _log_survival(self, value: Any) -> Any:
        return make("log_survival", _laplace_log_cdf, (self.loc - value) / self.scale)

    def entropy(self, name: Optional[str] = None) -> Any:
        return self._wide(math.log(2.0) + 1.0 + TABLE["log"](self.scale))

    def mean(self, name: Optional[str] = None) -> Any:
        return self._wide(self.loc)

    mode = mean

    def stddev(self, name: Optional[str] = None) -> Any:
        return self._wide(self.scale * math.sqrt(2.0))


def _laplace_cdf(z: Any) -> Any:
    half = _ops.multiply(0.5, _ops.exp(_ops.negative(_ops.abs(z))))
    return _ops.where(_ops.less(z, 0.0), half, _ops.subtract(1.0, half))


def _laplace_log_cdf(z: Any) -> Any:
    # The logarithm of the tail is a line there, and the tail itself underflows.
    is_low = _ops.less(z, 0.0)
    tail = _ops.multiply(-0.5, _ops.exp(_ops.negative(_ops.where(is_low, _ops.zeros_like(z), z))))
    return _ops.where(is_low, _ops.subtract(z, math.log(2.0)), _ops.log1p(tail))


class Uniform(OfTwo):
    """1 / (high - low) from low on and below high."""

    reparameterization_type = FULLY_REPARAMETERIZED

    def __init__(self, low: Any = 0.0, high: Any = 1.0, validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str = "Uniform"):  # fmt: skip
        self.low, self.high = self._keep(low, high, _options(validate_args, allow_nan_stats, name))

    def range(self, name: Optional[str] = None) -> Any:
        return self.high - self.low

    def _draw(self, sizes: Any, seed: Any) -> Any:
        return self.low + self.range() * random_uniform(sizes, dtype=self.dtype, seed=seed)

    def _log_prob(self, value: Any) -> Any:
        return TABLE["log"](self.prob(value))

    def prob(self, value: Any, name: Optional[str] = None) -> Any:
        def emit(x: Any, a: Any, b: Any) -> Any:
            inside = _ops.logical_and(_ops.greater_equal(x, a), _ops.less(x, b))
            found = _ops.where(inside, _ops.reciprocal(_ops.subtract(b, a)), _ops.zeros_like(x))
            return _ops.where(_ops.not_equal(x, x), x, found)

        return make("Uniform", emit, self._value(value), self.low, self.high)

    def _cdf(self, value: Any) -> Any:
        return TABLE["minimum"](TABLE["maximum"]((value - self.low) / self.range(), 0.0), 1.0)

    def entropy(self, name: Optional[str] = None) -> Any:
        return TABLE["log"](self.range())

    def mean(self, name: Optional[str] = None) -> Any:
        return (self.low + self.high) / 2.0

    def stddev(self, name: Optional[str] = None) -> Any:
        return self.range() / math.sqrt(12.0)


class Gamma(OfTwo):
    """rate^a x^(a - 1) exp(-rate x) / Gamma(a), of the concentration a."""

    def __init__(self, concentration: Any, rate: Any, validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str = "Gamma"):  # fmt: skip
        self.concentration, self.rate = self._keep(concentration, rate, _options(validate_args, allow_nan_stats, name))

    def _log_prob(self, value: Any) -> Any:
        powers = xlogy(self.concentration - 1.0, value) - self.rate * value
        return powers - (TABLE["lgamma"](self.concentration) - self.concentration * TABLE["log"](self.rate))

    def entropy(self, name: Optional[str] = None) -> Any:
        a = self.concentration
        return a - TABLE["log"](self.rate) + TABLE["lgamma"](a) + (1.0 - a) * TABLE["digamma"](a)

    def mean(self, name: Optional[str] = None) -> Any:
        return self.concentration / self.rate

    def variance(self, name: Optional[str] = None) -> Any:
        return self.concentration / TABLE["square"](self.rate)

    def mode(self, name: Optional[str] = None) -> Any:
        found = (self.concentration - 1.0) / self.rate
        return make("mode", lambda m, a: _ops.where(_ops.greater(a, 1.0), m, math.nan), found, self.concentration)


class Exponential(Gamma):
    """rate exp(-rate x)."""

    reparameterization_type = FULLY_REPARAMETERIZED

    def __init__(self, rate: Any, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Exponential"):
        own = as_parameter(rate)
        super().__init__(TABLE["ones_like"](own), own, validate_args, allow_nan_stats, name)

    def _draw(self, sizes: Any, seed: Any) -> Any:
        u = random_uniform(sizes, dtype=self.dtype, seed=seed)
        return -TABLE["log1p"](-u) / self.rate

    def _cdf(self, value: Any) -> Any:
        return -TABLE["expm1"](-self.rate * value)

    def _survival(self, value: Any) -> Any:
        return TABLE["exp"](-self.rate * value)

    def _log_survival(self, value: Any) -> Any:
        return -self.rate * value

    def mode(self, name: Optional[str] = None) -> Any:
        return TABLE["zeros_like"](self.rate)


class Beta(OfTwo):
    """x^(a - 1) (1 - x)^(b - 1) / B(a, b)."""

    def __init__(self, concentration1: Any = None, concentration0: Any = None, validate_args: bool = False,
                 allow_nan_stats: bool = True, name: str = "Beta"):  # fmt: skip
        options = _options(validate_args, allow_nan_stats, name)
        self.concentration1, self.concentration0 = self._keep(concentration1, concentration0, options)

    @property
    def total_concentration(self) -> Any:
        return self.concentration1 + self.concentration0

    def _log_beta(self) -> Any:
        return (TABLE["lgamma"](self.concentration1) + TABLE["lgamma"](self.concentration0)
                - TABLE["lgamma"](self.total_concentration))  # fmt: skip

    def _log_prob(self, value: Any) -> Any:
        low = xlogy(self.concentration1 - 1.0, value)
        return low + (self.concentration0 - 1.0) * TABLE["log1p"](-value) - self._log_beta()

    def entropy(self, name: Optional[str] = None) -> Any:
        a, b, total = self.concentration1, self.concentration0, self.total_concentration
        psi = TABLE["digamma"]
        return self._log_beta() - (a - 1.0) * psi(a) - (b - 1.0) * psi(b) + (total - 2.0) * psi(total)

    def mean(self, name: Optional[str] = None) -> Any:
        return self.concentration1 / self.total_concentration

    def variance(self, name: Optional[str] = None) -> Any:
        return self.mean() * (1.0 - self.mean()) / (1.0 + self.total_concentration)

    def mode(self, name: Optional[str] = None) -> Any:
        low = TABLE["minimum"](self.concentration1, self.concentration0)
        found = (self.concentration1 - 1.0) / (self.total_concentration - 2.0)
        return _where("mode", TABLE["greater"](low, 1.0), found, math.nan)


class Bernoulli(OfLogits):
    """probs where x is 1, 1 - probs where it is 0."""

    def __init__(self, logits: Any = None, probs: Any = None, dtype: Any = _dtypes.int32, validate_args: bool = False,
                 allow_nan_stats: bool = True, name: str = "Bernoulli"):  # fmt: skip
        self._keep(logits, probs, dtype, _options(validate_args, allow_nan_stats, name))

    @property
    def probs(self) -> Any:
        return TABLE["sigmoid"](self._given) if self._has_logits else self._given

    @property
    def logits(self) -> Any:
        return self._given if self._has_logits else TABLE["log"](self._given) - TABLE["log1p"](-self._given)

    def _draw(self, sizes: Any, seed: Any) -> Any:
        return cast(TABLE["less"](random_uniform(sizes, dtype=self._given.dtype, seed=seed), self.probs), self.dtype)

    def _log_prob(self, value: Any) -> Any:
        x = cast(value, self._given.dtype)
        logits = self.logits + TABLE["zeros_like"](x)
        return -sigmoid_cross_entropy_with_logits(labels=x + TABLE["zeros_like"](logits), logits=logits)

    def entropy(self, name: Optional[str] = None) -> Any:
        # The logits times what is missing to 1, and the logarithm of both.
        return -self.logits * (TABLE["sigmoid"](self.logits) - 1.0) + softplus(-self.logits)

    def mean(self, name: Optional[str] = None) -> Any:
        return self.probs

    def variance(self, name: Optional[str] = None) -> Any:
        return self.probs * (1.0 - self.probs)

    def mode(self, name: Optional[str] = None) -> Any:
        return cast(TABLE["greater"](self.probs, 0.5), self.dtype)


class _OfClasses(OfLogits):
    """A distribution of the probabilities of classes, [..., n]."""

    @property
    def probs(self) -> Any:
        return softmax(self._given) if self._has_logits else self._given

    @property
    def logits(self) -> Any:
        return self._given if self._has_logits else TABLE["log"](self._given)


class Categorical(_OfClasses):
    """One of n classes, by probabilities [..., n]."""

    def __init__(self, logits: Any = None, probs: Any = None, dtype: Any = _dtypes.int32, validate_args: bool = False,
                 allow_nan_stats: bool = True, name: str = "Categorical"):  # fmt: skip
        self._keep(logits, probs, dtype, _options(validate_args, allow_nan_stats, name))

    @property
    def event_size(self) -> Any:
        return as_tensor(self._given.shape[-1].value)

    def _whole(self) -> Any:
        return self._given[..., 0]

    def _draw(self, sizes: Any, seed: Any) -> Any:
        u = random_uniform(sizes, dtype=self._given.dtype, seed=seed)

        def emit(x: Any, draw: Any) -> Any:
            sums = _ops.cumsum(_ops.exp(_ops.subtract(x, _ops.logsumexp(x, -1, True))), x.ndim - 1)
            below = _ops.less_equal(sums[..., :-1], _ops.expand_dims(draw, -1))
            return _ops.sum(_ops.cast(below, self.dtype.dtype), -1)

        return make("Categorical", emit, self.logits, u)

    def _log_prob(self, value: Any) -> Any:
        rows = log_softmax(self.logits)
        count = self._given.shape[-1].value

        def checked(v: Any) -> Any:
            fits = _ops.logical_and(_ops.greater_equal(v, 0), _ops.less(v, count))
            _checks.expect(_ops.all(fits), f"Categorical.log_prob: a class is not in [0, {count})")
            return v

        hot = one_hot(make("Categorical", checked, value), count, dtype=self._given.dtype)
        # The sum leaves out the other classes: 0 times the -inf of an impossible one is NaN.
        def emit(x: Any, h: Any) -> Any:
            return _ops.sum(_ops.where(_ops.greater(h, 0), _ops.add(x, _ops.zeros_like(h)), _ops.zeros_like(h)), -1)

        return make("Categorical", emit, rows, hot)

    def entropy(self, name: Optional[str] = None) -> Any:
        rows = log_softmax(self.logits)
        return -TABLE["reduce_sum"](_product(TABLE["exp"](rows), rows), -1)

    def mode(self, name: Optional[str] = None) -> Any:
        return cast(argmax(self._given, -1), self.dtype)


def _product(p: Any, x: Any) -> Any:
    """p x, and 0 where p is."""
    return make("product", lambda a, b: _ops.where(_ops.equal(a, 0), _ops.zeros_like(a), _ops.multiply(
        a, _ops.where(_ops.equal(a, 0), _ops.zeros_like(b), b))), p, x)  # fmt: skip


class Dirichlet(Distribution):
    """prod x_i^(a_i - 1) / B(a), of concentrations [..., n]."""

    _event_rank = 1

    def __init__(self, concentration: Any, validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str = "Dirichlet"):  # fmt: skip
        self.concentration = as_floating(concentration)
        super().__init__(self.concentration.dtype, **_options(validate_args, allow_nan_stats, name))

    @property
    def total_concentration(self) -> Any:
        return TABLE["reduce_sum"](self.concentration, -1)

    def _whole(self) -> Any:
        return self.concentration

    def _log_prob(self, value: Any) -> Any:
        return TABLE["reduce_sum"](xlogy(self.concentration - 1.0, value), -1) - lbeta(self.concentration)

    def entropy(self, name: Optional[str] = None) -> Any:
        a, total = self.concentration, self.total_concentration
        count = float(a.shape[-1].value or 0)
        inner = TABLE["reduce_sum"]((a - 1.0) * TABLE["digamma"](a), -1)
        return lbeta(a) + (total - count) * TABLE["digamma"](total) - inner

    def mean(self, name: Optional[str] = None) -> Any:
        return self.concentration / TABLE["reduce_sum"](self.concentration, -1, True)

    def variance(self, name: Optional[str] = None) -> Any:
        return self.mean() * (1.0 - self.mean()) / (1.0 + TABLE["reduce_sum"](self.concentration, -1, True))

    def mode(self, name: Optional[str] = None) -> Any:
        rest = self.concentration - 1.0
        found = rest / TABLE["reduce_sum"](rest, -1, True)
        least = TABLE["reduce_min"](rest, -1, True)
        return _where("mode", TABLE["greater"](least + TABLE["zeros_like"](rest), 0.0), found, math.nan)


class Multinomial(_OfClasses):
    """The counts of `total_count` draws of n classes, by probabilities [..., n]."""

    _event_rank = 1

    def __init__(self, total_count: Any, logits: Any = None, probs: Any = None, validate_args: bool = False,
                 allow_nan_stats: bool = True, name: str = "Multinomial"):  # fmt: skip
        self._keep(logits, probs, _dtypes.float32, _options(validate_args, allow_nan_stats, name))
        self.dtype = self._given.dtype
        self.total_count = as_floating(total_count)

    def _whole(self) -> Any:
        # The counts may have dimensions that the probabilities have not.
        return self.mean()

    def _log_prob(self, value: Any) -> Any:
        powers = TABLE["reduce_sum"](_product(value, log_softmax(self.logits)), -1)
        ways = TABLE["lgamma"](self.total_count + 1.0) - TABLE["reduce_sum"](TABLE["lgamma"](value + 1.0), -1)
        return powers + ways

    def mean(self, name: Optional[str] = None) -> Any:
        return self.probs * make("expand", lambda n: _ops.expand_dims(n, -1), self.total_count)

    def variance(self, name: Optional[str] = None) -> Any:
        return self.mean() * (1.0 - self.probs)


class StudentT(Distribution):
    """Student's distribution of `df` degrees of freedom, moved by loc and stretched by scale."""

    def __init__(self, df: Any, loc: Any, scale: Any, validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str = "StudentT"):  # fmt: skip
        self.df, self.loc, self.scale = as_parameter(df), as_parameter(loc), as_parameter(scale)
        super().__init__(self.df.dtype, **_options(validate_args, allow_nan_stats, name))

    def _whole(self) -> Any:
        return self.df + self.loc + self.scale

    def _log_prob(self, value: Any) -> Any:
        z, n = (value - self.loc) / self.scale, self.df
        size = TABLE["log"](TABLE["abs"](self.scale)) + 0.5 * TABLE["log"](n) + 0.5 * math.log(math.pi)
        size = size + TABLE["lgamma"](0.5 * n) - TABLE["lgamma"](0.5 * (n + 1.0))
        return -0.5 * (n + 1.0) * TABLE["log1p"](TABLE["square"](z) / n) - size

    def mode(self, name: Optional[str] = None) -> Any:
        return self.loc + TABLE["zeros_like"](self._whole())

    def mean(self, name: Optional[str] = None) -> Any:
        return _where("mean", TABLE["greater"](self._wide_df(), 1.0), self.mode(), math.nan)

    def variance(self, name: Optional[str] = None) -> Any:
        n = self._wide_df()
        safe = _where("df", TABLE["greater"](n, 2.0), n, 3.0)
        found = TABLE["square"](self.scale) * safe / (safe - 2.0)
        found = _where("variance", TABLE["greater"](n, 2.0), found, math.inf)
        return _where("variance", TABLE["greater"](n, 1.0), found, math.nan)

    def entropy(self, name: Optional[str] = None) -> Any:
        n, psi = self._wide_df(), TABLE["digamma"]
        log_beta = 0.5 * math.log(math.pi) + TABLE["lgamma"](0.5 * n) - TABLE["lgamma"](0.5 * (n + 1.0))
        size = TABLE["log"](TABLE["abs"](self.scale)) + 0.5 * TABLE["log"](n) + log_beta
        return size + 0.5 * (n + 1.0) * (psi(0.5 * (n + 1.0)) - psi(0.5 * n))

    def _wide_df(self) -> Any:
        return self.df + TABLE["zeros_like"](self._whole())


@RegisterKL(Normal, Normal)
def _kl_normal(p: Any, q: Any, name: Optional[str] = None) -> Any:
    ratio = TABLE["square"](p.scale / q.scale)
    return TABLE["square"](p.loc - q.loc) / (2.0 * TABLE["square"](q.scale)) + 0.5 * (ratio - 1.0 - TABLE["log"](ratio))


@RegisterKL(Bernoulli, Bernoulli)
def _kl_bernoulli(p: Any, q: Any, name: Optional[str] = None) -> Any:
    one = softplus(-q.logits) - softplus(-p.logits)
    other = softplus(q.logits) - softplus(p.logits)
    return TABLE["sigmoid"](p.logits) * one + TABLE["sigmoid"](-p.logits) * other


@RegisterKL(Categorical, Categorical)
def _kl_categorical(p: Any, q: Any, name: Optional[str] = None) -> Any:
    a, b = log_softmax(p.logits), log_softmax(q.logits)
    return TABLE["reduce_sum"](TABLE["exp"](a) * (a - b), -1)


@RegisterKL(Gamma, Gamma)
def _kl_gamma(p: Any, q: Any, name: Optional[str] = None) -> Any:
    a, b = p.concentration, q.concentration
    found = (a - b) * TABLE["digamma"](a) + TABLE["lgamma"](b) - TABLE["lgamma"](a)
    return found + b * (TABLE["log"](p.rate) - TABLE["log"](q.rate)) + a * (q.rate / p.rate - 1.0)


@RegisterKL(Beta, Beta)
def _kl_beta(p: Any, q: Any, name: Optional[str] = None) -> Any:
    psi = TABLE["digamma"]
    found = q._log_beta() - p._log_beta()
    for one in ("concentration1", "concentration0"):
        found = found - psi(getattr(p, one)) * (getattr(q, one) - getattr(p, one))
    return found + psi(p.total_concentration) * (q.total_concentration - p.total_concentration)


@RegisterKL(Dirichlet, Dirichlet)
def _kl_dirichlet(p: Any, q: Any, name: Optional[str] = None) -> Any:
    total = TABLE["reduce_sum"](p.concentration, -1, True)
    each = TABLE["digamma"](p.concentration) - TABLE["digamma"](total)
    found = TABLE["reduce_sum"]((p.concentration - q.concentration) * each, -1)
    return found - lbeta(p.concentration) + lbeta(q.concentration)


__all__ = [
    "Bernoulli", "Beta", "Categorical", "Dirichlet", "Distribution", "Exponential", "FULLY_REPARAMETERIZED", "Gamma",
    "Laplace", "Multinomial", "NOT_REPARAMETERIZED", "Normal", "RegisterKL", "StudentT", "Uniform", "kl_divergence",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    from .namespaces import missing

    raise missing(f"distributions.{name}")
