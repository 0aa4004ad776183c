# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Written by scripts/generate-python: edit the TableGen sources instead.
"""The ops of the nn dialect: shapes and dtypes as TensorFlow and Keras have them."""

from typing import Literal, Optional, Sequence, Tuple

from .._core.tensor import Tensor, TensorLike
from ._nn_build import Attribute, Attributes, Padding, build, padding_attribute
from ._nn_build import case as _case

__all__ = [
    "add", "argmax", "argmin", "argsort", "attention", "avg_pool2d", "batch_norm_inference",
    "batch_norm_training", "binary_crossentropy", "categorical_crossentropy", "categorical_hinge", "cholesky",
    "conv2d", "conv2d_transpose", "cosine_proximity", "cumprod", "cumsum", "dense", "div", "elu", "gather",
    "gelu", "hard_sigmoid", "hinge", "huber", "kl_divergence", "l2_loss", "layer_norm", "leaky_relu",
    "log_cosh", "logcumsumexp", "lstsq", "matmul", "max", "max_pool2d", "mean_absolute_error",
    "mean_absolute_percentage_error", "mean_squared_error", "mean_squared_logarithmic_error", "min", "mul",
    "poisson", "pow", "reduce", "relu", "relu6", "rms_norm", "scatter", "scatter_add",
    "scatter_add_along_axis", "selu", "sigmoid", "silu", "softplus", "softsign", "squared_hinge", "sub",
    "take_along_axis", "tile", "triangle", "triangular_solve", "try_cholesky",
]  # fmt: skip

# The losses of rows.
LOSSES = (
    "binary_crossentropy", "categorical_crossentropy", "categorical_hinge", "cosine_proximity", "hinge",
    "huber", "kl_divergence", "log_cosh", "mean_absolute_error", "mean_absolute_percentage_error",
    "mean_squared_error", "mean_squared_logarithmic_error", "poisson", "sigmoid_cross_entropy",
    "softmax_cross_entropy", "sparse_softmax_cross_entropy", "squared_hinge")  # fmt: skip


def add(lhs: TensorLike, rhs: TensorLike) -> Tensor:
    """Lhs + rhs, of shapes that broadcast.

    `arith.addf`, or `arith.addi` of integers.

    The shapes broadcast as in NumPy: they are aligned at their last dimensions,
    and an operand without a dimension, or with a dimension size that is 1 by its type,
    repeats along it. A dynamic dimension size does not stretch, also where it turns out
    to be 1: dimension sizes that differ are an error of the step. A rank-0 operand goes
    with every shape. The derivative of an operand is summed over the dimensions
    along which it repeats.
    """
    attributes: Attributes = {}
    return build("nn.add", [("lhs", lhs, "any"), ("rhs", rhs, "any")], attributes, False)[0]


def argmax(input: TensorLike, axis: int) -> Tensor:
    """Index of the largest element along a dimension.

    The first of equal elements; NaN counts as largest. No derivative.
    """
    attributes: Attributes = {"axis": Attribute.i64(axis)}
    return build("nn.argmax", [("input", input, "any")], attributes, False)[0]


def argmin(input: TensorLike, axis: int) -> Tensor:
    """Index of the smallest element along a dimension.

    The first of equal elements; NaN counts as smallest. No derivative.
    """
    attributes: Attributes = {"axis": Attribute.i64(axis)}
    return build("nn.argmin", [("input", input, "any")], attributes, False)[0]


def argsort(x: TensorLike, axis: int, *, descending: bool = False) -> Tensor:
    """Positions of elements in order along a dimension.

    The positions along `axis` of the elements in ascending order, or with
    `descending` in descending order, as i32: NaN is the largest number, -0 is
    equal to 0, false is less than true, and equal elements stay in the order of
    their positions. On a CPU a radix sort, whose time is linear in the number of
    elements; on a GPU a merge sort. No derivative.
    """
    attributes: Attributes = {"axis": Attribute.i64(axis)}
    if descending:
        attributes["descending"] = Attribute.unit()
    return build("nn.argsort", [("x", x, "any")], attributes, False)[0]


def attention(
    q: TensorLike,
    k: TensorLike,
    v: TensorLike,
    mask: Optional[TensorLike] = None,
    *,
    causal: bool = False,
    scale: Optional[float] = None,
) -> Tensor:
    """Softmax(scale q k^T) v: averages of values, weighted by scores.

    q is [..., t, d], k is [..., s, d] and v is [..., s, e], with equal leading
    dimension sizes (batch, heads); the result is [..., t, e] (Vaswani and others,
    Attention Is All You Need, 2017). `scale` is 1 / sqrt(d) unless given.

    `mask` is [..., t, s], as the scores are; `nn.broadcast` makes one for all
    heads or samples. One of i1 says by true which of s positions a query
    attends to; one of q's element type is added to the scores. With `causal`,
    query i attends to positions 0 to i, whatever t and s are; the other scores
    do not matter, nor does what a mask says of them.

    A query that a mask of i1 lets attend to nothing has a result of 0, and no
    derivative. If every score of a query is -infinity, as an added mask can
    make it, the result is NaN, as that of a softmax is.
    """
    attributes: Attributes = {}
    if causal:
        attributes["causal"] = Attribute.unit()
    if scale is not None:
        attributes["scale"] = Attribute.f64(scale)
    return build("nn.attention", [("q", q, "float"), ("k", k, "float"), ("v", v, "float"), ("mask", mask, "any?")], attributes, False)[0]


def avg_pool2d(
    x: TensorLike, window: Sequence[int], *, strides: Optional[Sequence[int]] = None, padding: Padding = "valid",
) -> Tensor:
    """The mean of each window.

    x is [batch, height, width, channels]; each channel is pooled by itself.
    `strides` is `window` by default, `padding` (see `#nn.padding`) is `valid`.
    Padding takes no part: a window at the border is the mean of the elements that
    it covers. Explicit padding has to be smaller than the window.

    The mean of a whole image is `nn.reduce mean` over axes [1, 2].
    """
    attributes: Attributes = {"window": Attribute.i64s(window), "padding": padding_attribute(padding)}
    if strides is not None:
        attributes["strides"] = Attribute.i64s(strides)
    return build("nn.avg_pool2d", [("x", x, "float")], attributes, False)[0]


def batch_norm_inference(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    gamma: Optional[TensorLike] = None,
    beta: Optional[TensorLike] = None,
    *,
    epsilon: float = 0.001,
) -> Tensor:
    """Normalizes each channel by a given mean and variance.

    As `nn.batch_norm_training`, with the mean and the variance of each channel,
    [channels], from elsewhere, such as moving averages.
    """
    attributes: Attributes = {"epsilon": Attribute.f64(epsilon)}
    return build("nn.batch_norm_inference", [("x", x, "float"), ("mean", mean, "float"), ("variance", variance, "float"), ("gamma", gamma, "float?"), ("beta", beta, "float?")], attributes, True)[0]


def batch_norm_training(
    x: TensorLike, gamma: Optional[TensorLike] = None, beta: Optional[TensorLike] = None, *, epsilon: float = 0.001,
) -> Tuple[Tensor, Tensor, Tensor]:
    """Each channel with mean 0 and variance 1 over the batch.

    (x - mean) / sqrt(variance + epsilon) * gamma + beta (Ioffe and Szegedy,
    Batch Normalization, 2015). x is [..., channels] of at least rank 2; mean
    and variance, [channels], are over all dimensions but the last. The variance
    is the mean of (x - mean)^2. gamma and beta, [channels], may be left out.
    They and the results `mean` and `variance` have x's element type, or f32
    where x has 16 bits. Derivatives flow through mean and variance. Both are 0
    where x has no elements.

    `train.moving_average` keeps what `nn.batch_norm_inference` needs.
    """
    attributes: Attributes = {"epsilon": Attribute.f64(epsilon)}
    result, mean, variance = build("nn.batch_norm_training", [("x", x, "float"), ("gamma", gamma, "float?"), ("beta", beta, "float?")], attributes, True)
    return result, mean, variance


def binary_crossentropy(
    prediction: TensorLike, target: TensorLike, *, reduction: Literal["none", "mean", "sum"] = "mean",
) -> Tensor:
    """Mean(-t log p - (1 - t) log(1 - p)) of each row.

    Keras 2's `binary_crossentropy`: p is cut off to
    [1e-7, 1 - 1e-7] first. For logits, use `nn.sigmoid_cross_entropy`.

    p and t are [..., n] of one type and at least rank 1: all dimensions but the
    last are rows. The result is one loss a row, [...], with `reduction none`,
    else the mean or the sum of all of them, a scalar.
    """
    attributes: Attributes = {"reduction": Attribute.i32(_case(reduction, {"none": 0, "mean": 1, "sum": 2}))}
    return build("nn.binary_crossentropy", [("prediction", prediction, "float"), ("target", target, "float")], attributes, False)[0]


def categorical_crossentropy(
    prediction: TensorLike, target: TensorLike, *, reduction: Literal["none", "mean", "sum"] = "mean",
) -> Tensor:
    """-sum(t log(p / sum(p))) of each row.

    Keras 2's `categorical_crossentropy`: p / sum(p) is cut
    off to [1e-7, 1 - 1e-7] before the logarithm. For logits, use
    `nn.softmax_cross_entropy`.

    p and t are [..., n] of one type and at least rank 1: all dimensions but the
    last are rows. The result is one loss a row, [...], with `reduction none`,
    else the mean or the sum of all of them, a scalar.
    """
    attributes: Attributes = {"reduction": Attribute.i32(_case(reduction, {"none": 0, "mean": 1, "sum": 2}))}
    return build("nn.categorical_crossentropy", [("prediction", prediction, "float"), ("target", target, "float")], attributes, False)[0]


def categorical_hinge(
    prediction: TensorLike, target: TensorLike, *, reduction: Literal["none", "mean", "sum"] = "mean",
) -> Tensor:
    """Max(max((1 - t) p) - sum(t p) + 1, 0) of each row.

    Keras 2's `categorical_hinge`, of targets 0 and 1.

    p and t are [..., n] of one type and at least rank 1: all dimensions but the
    last are rows. The result is one loss a row, [...], with `reduction none`,
    else the mean or the sum of all of them, a scalar.
    """
    attributes: Attributes = {"reduction": Attribute.i32(_case(reduction, {"none": 0, "mean": 1, "sum": 2}))}
    return build("nn.categorical_hinge", [("prediction", prediction, "float"), ("target", target, "float")], attributes, False)[0]


def cholesky(a: TensorLike) -> Tensor:
    """The lower triangle L with L L^T = a.

    a is a symmetric matrix, or a batch [..., n, n] of them, of f32 or f64. Only
    its lower triangle is read, and has a derivative (after Murray,
    Differentiation of the Cholesky decomposition, 2016); the result is 0 above
    the diagonal. A matrix that is not positive definite is an error of the step,
    which then changes nothing.
    """
    attributes: Attributes = {}
    return build("nn.cholesky", [("a", a, "float")], attributes, False)[0]


def conv2d(
    x: TensorLike,
    w: TensorLike,
    *,
    strides: Optional[Sequence[int]] = None,
    padding: Padding = "valid",
    dilations: Optional[Sequence[int]] = None,
) -> Tensor:
    """Cross-correlation of images with filters.

    y[n, i, j, o] = sum over p, q, c of
    x[n, i sh + p dh - top, j sw + q dw - left, c] * w[p, q, c, o], where x is 0
    outside. x is [batch, height, width, channels], w is
    [height, width, channels, outputs] of static shape. `strides` and `dilations` are
    [1, 1] by default, `padding` (see `#nn.padding`) is `valid`.

    If x has G times the channels of w, and w a multiple of G outputs, both are
    G groups, each of which is convolved by itself: with one channel a group, that
    is a depthwise convolution.

    One element type; sums of f16 and bf16 are in f32.
    """
    attributes: Attributes = {"padding": padding_attribute(padding)}
    if strides is not None:
        attributes["strides"] = Attribute.i64s(strides)
    if dilations is not None:
        attributes["dilations"] = Attribute.i64s(dilations)
    return build("nn.conv2d", [("x", x, "float"), ("w", w, "float")], attributes, False)[0]


def conv2d_transpose(
    x: TensorLike,
    w: TensorLike,
    like: Optional[TensorLike] = None,
    *,
    strides: Optional[Sequence[int]] = None,
    padding: Padding = "valid",
    dilations: Optional[Sequence[int]] = None,
) -> Tensor:
    """Transposed convolution: the gradient of conv2d for its image.

    The linear map from outputs of `nn.conv2d` with these attributes and this
    filter back to images. x is [batch, height, width, outputs] and w is
    [height, width, channels, outputs], as `nn.conv2d` has it: the channels of the
    result are the filter's third dimension size, or G times as many with G groups.

    Convolutions of images of several dimension sizes may have one output's dimension sizes. So
    those of the result are declared; where its height or width is dynamic, `like`
    names a tensor of the result's shape, of which nothing but the shape is used.
    """
    attributes: Attributes = {"padding": padding_attribute(padding)}
    if strides is not None:
        attributes["strides"] = Attribute.i64s(strides)
    if dilations is not None:
        attributes["dilations"] = Attribute.i64s(dilations)
    return build("nn.conv2d_transpose", [("x", x, "float"), ("w", w, "float"), ("like", like, "any?")], attributes, False)[0]


def cosine_proximity(
    prediction: TensorLike, target: TensorLike, *, reduction: Literal["none", "mean", "sum"] = "mean",
) -> Tensor:
    """The negative cosine of the angle between p and t, of each row.

    Keras 2's `cosine_proximity`: -sum(n(p) n(t)) with
    n(x) = x / sqrt(max(sum(x^2), 1e-12)).

    p and t are [..., n] of one type and at least rank 1: all dimensions but the
    last are rows. The result is one loss a row, [...], with `reduction none`,
    else the mean or the sum of all of them, a scalar.
    """
    attributes: Attributes = {"reduction": Attribute.i32(_case(reduction, {"none": 0, "mean": 1, "sum": 2}))}
    return build("nn.cosine_proximity", [("prediction", prediction, "float"), ("target", target, "float")], attributes, False)[0]


def cumprod(x: TensorLike, axis: int, *, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """Running products along one dimension.

    Element k along `axis` of the result is the product of the elements of x up
    to k: without the last with `exclusive`, those from k on with `reverse`. The
    product of no element is 1. Products of f16 and bf16 are in f32 and rounded
    once.

    The derivative divides by nothing, so that it holds where elements are 0. It
    is a loop along `axis`, whose memory is that of x, and so is its derivative.
    """
    attributes: Attributes = {"axis": Attribute.i64(axis)}
    if exclusive:
        attributes["exclusive"] = Attribute.unit()
    if reverse:
        attributes["reverse"] = Attribute.unit()
    return build("nn.cumprod", [("x", x, "any")], attributes, False)[0]


def cumsum(x: TensorLike, axis: int, *, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """Running sums along one dimension.

    Element k along `axis` of the result is the sum of the elements of x up to
    k: without the last with `exclusive`, those from k on with `reverse`. Sums of
    f16 and bf16 are in f32 and rounded once.
    """
    attributes: Attributes = {"axis": Attribute.i64(axis)}
    if exclusive:
        attributes["exclusive"] = Attribute.unit()
    if reverse:
        attributes["reverse"] = Attribute.unit()
    return build("nn.cumsum", [("x", x, "any")], attributes, False)[0]


def dense(x: TensorLike, w: TensorLike, b: Optional[TensorLike] = None) -> Tensor:
    """x * w + b.

    x is [..., in], w is [in, out], b is [out], the result is [..., out]; x has
    at least rank 2, and all its dimensions but the last are rows of one product
    of two matrices. b may be left out.
    """
    attributes: Attributes = {}
    return build("nn.dense", [("x", x, "float"), ("w", w, "float"), ("b", b, "float?")], attributes, False)[0]


def div(lhs: TensorLike, rhs: TensorLike) -> Tensor:
    """Lhs / rhs, of shapes that broadcast.

    `arith.divf`, or `arith.divsi` of integers, which rounds to zero and refuses
    to divide by it.

    The shapes broadcast as in NumPy: they are aligned at their last dimensions,
    and an operand without a dimension, or with a dimension size that is 1 by its type,
    repeats along it. A dynamic dimension size does not stretch, also where it turns out
    to be 1: dimension sizes that differ are an error of the step. A rank-0 operand goes
    with every shape. The derivative of an operand is summed over the dimensions
    along which it repeats.
    """
    attributes: Attributes = {}
    return build("nn.div", [("lhs", lhs, "any"), ("rhs", rhs, "any")], attributes, False)[0]


def elu(x: TensorLike, *, alpha: float = 1.0) -> Tensor:
    """x where x > 0, else alpha (exp(x) - 1).

    After Clevert, Unterthiner and Hochreiter, Exponential Linear Units, 2015;
    Keras's `elu`. The derivative at 0 is alpha.
    """
    attributes: Attributes = {"alpha": Attribute.f64(alpha)}
    return build("nn.elu", [("x", x, "float")], attributes, False)[0]


def gather(x: TensorLike, indices: TensorLike, axis: int) -> Tensor:
    """Slices at indices along one dimension.

    The result has dimension `axis` of x replaced by the dimensions of `indices`,
    as NumPy's `take` does: with axis 1, x of [a, n, b] and indices of [i, j] the
    result is [a, i, j, b]. With axis 0, rows of an embedding table. An index
    outside of [0, n) is an error of the step, which then changes nothing;
    negative indices do not count from the end.

    The derivative with respect to x adds up what each slice received
    (`nn.scatter_add`); indices carry none. Upstream's `tensor.gather`, which
    says nothing of indices out of range, is refused.
    """
    attributes: Attributes = {"axis": Attribute.i64(axis)}
    return build("nn.gather", [("x", x, "any"), ("indices", indices, "int")], attributes, False)[0]


def gelu(x: TensorLike, *, approximate: bool = False) -> Tensor:
    """x times the normal distribution function of x.

    x (1 + erf(x / sqrt 2)) / 2; with `approximate`,
    x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, after Hendrycks and
    Gimpel, Gaussian Error Linear Units, 2016.
    """
    attributes: Attributes = {}
    if approximate:
        attributes["approximate"] = Attribute.unit()
    return build("nn.gelu", [("x", x, "float")], attributes, False)[0]


def hard_sigmoid(x: TensorLike) -> Tensor:
    """0.2 x + 0.5, cut off at 0 and 1.

    Keras 2's `hard_sigmoid`. The derivative at the bounds x = -2.5 and
    x = 2.5 is 0.2.
    """
    attributes: Attributes = {}
    return build("nn.hard_sigmoid", [("x", x, "float")], attributes, False)[0]


def hinge(prediction: TensorLike, target: TensorLike, *, reduction: Literal["none", "mean", "sum"] = "mean") -> Tensor:
    """Mean(max(1 - t p, 0)) of each row.

    Keras 2's `hinge`, of targets -1 and 1.

    p and t are [..., n] of one type and at least rank 1: all dimensions but the
    last are rows. The result is one loss a row, [...], with `reduction none`,
    else the mean or the sum of all of them, a scalar.
    """
    attributes: Attributes = {"reduction": Attribute.i32(_case(reduction, {"none": 0, "mean": 1, "sum": 2}))}
    return build("nn.hinge", [("prediction", prediction, "float"), ("target", target, "float")], attributes, False)[0]


def huber(
    prediction: TensorLike,
    target: TensorLike,
    *,
    delta: float = 1.0,
    reduction: Literal["none", "mean", "sum"] = "mean",
) -> Tensor:
    """Mean of a loss that is quadratic near 0 and linear beyond.

    With e = p - t, the mean of each row of e^2 / 2 where |e| <= delta, and of
    delta |e| - delta^2 / 2 elsewhere (Huber, 1964; TensorFlow's `huber_loss`,
    averaged as Keras losses are).

    p and t are [..., n] of one type and at least rank 1: all dimensions but the
    last are rows. The result is one loss a row, [...], with `reduction none`,
    else the mean or the sum of all of them, a scalar.
    """
    attributes: Attributes = {"delta": Attribute.f64(delta), "reduction": Attribute.i32(_case(reduction, {"none": 0, "mean": 1, "sum": 2}))}
    return build("nn.huber", [("prediction", prediction, "float"), ("target", target, "float")], attributes, False)[0]


def kl_divergence(
    prediction: TensorLike, target: TensorLike, *, reduction: Literal["none", "mean", "sum"] = "mean",
) -> Tensor:
    """Sum(t log(t / p)) of each row.

    Keras 2's `kullback_leibler_divergence`: p and t are cut
    off to [1e-7, 1] first.

    p and t are [..., n] of one type and at least rank 1: all dimensions but the
    last are rows. The result is one loss a row, [...], with `reduction none`,
    else the mean or the sum of all of them, a scalar.
    """
    attributes: Attributes = {"reduction": Attribute.i32(_case(reduction, {"none": 0, "mean": 1, "sum": 2}))}
    return build("nn.kl_divergence", [("prediction", prediction, "float"), ("target", target, "float")], attributes, False)[0]


def l2_loss(x: TensorLike) -> Tensor:
    """Half the sum of the squares of all elements.

    TensorFlow's `l2_loss`. The result is a scalar.
    """
    attributes: Attributes = {}
    return build("nn.l2_loss", [("x", x, "float")], attributes, False)[0]


def layer_norm(
    x: TensorLike,
    gamma: Optional[TensorLike] = None,
    beta: Optional[TensorLike] = None,
    *,
    axes: Sequence[int],
    epsilon: float = 0.001,
) -> Tensor:
    """Each sample with mean 0 and variance 1 over `axes`.

    (x - mean) / sqrt(variance + epsilon) * gamma + beta (Ba, Kiros and Hinton,
    Layer Normalization, 2016). Mean and variance are over `axes`, which are
    strictly increasing; the variance is the mean of (x - mean)^2, without the
    cancellation of a difference of means. gamma and beta, either of which may
    be left out, have the dimension sizes of `axes`, in order, and x's element type, or
    f32 where x has 16 bits.
    """
    attributes: Attributes = {"axes": Attribute.i64s(axes), "epsilon": Attribute.f64(epsilon)}
    return build("nn.layer_norm", [("x", x, "float"), ("gamma", gamma, "float?"), ("beta", beta, "float?")], attributes, True)[0]


def leaky_relu(x: TensorLike, alpha: float) -> Tensor:
    """x where x > 0, else alpha x.

    The derivative at 0 is alpha.
    """
    attributes: Attributes = {"alpha": Attribute.f64(alpha)}
    return build("nn.leaky_relu", [("x", x, "float")], attributes, False)[0]


def log_cosh(
    prediction: TensorLike, target: TensorLike, *, reduction: Literal["none", "mean", "sum"] = "mean",
) -> Tensor:
    """Mean(log(cosh(p - t))) of each row.

    Keras 2's `logcosh`. With e = |p - t| computed as
    e + log(1 + expm1(-2 e) / 2), which overflows for no e.

    p and t are [..., n] of one type and at least rank 1: all dimensions but the
    last are rows. The result is one loss a row, [...], with `reduction none`,
    else the mean or the sum of all of them, a scalar.
    """
    attributes: Attributes = {"reduction": Attribute.i32(_case(reduction, {"none": 0, "mean": 1, "sum": 2}))}
    return build("nn.log_cosh", [("prediction", prediction, "float"), ("target", target, "float")], attributes, False)[0]


def log_softmax(x: TensorLike) -> Tensor:
    """Log(softmax(x)) over the last dimension.

    Computed as (x - max x) - log(sum exp(x - max x)), which is finite where x
    is. The derivative is dy - softmax(x) sum(dy).
    """
    attributes: Attributes = {}
    return build("nn.log_softmax", [("x", x, "float")], attributes, False)[0]


def logcumsumexp(x: TensorLike, axis: int, *, reverse: bool = False) -> Tensor:
    """Logarithms of running sums of exponentials along one dimension.

    Element k along `axis` of the result is the logarithm of the sum of the
    exponentials of the elements of x up to k, with `reverse` of those from k on:
    a running sum of numbers of which only logarithms are known. No exponential
    overflows: one step, of a and b, is max(a, b) + log1p(exp(-|a - b|)), and
    equal numbers, infinite ones too, differ by 0. Those of f16 and bf16 are in
    f32 and rounded once.

    The derivative of element k with respect to element i of x is exp(x[i] - y[k]),
    at most 1; it is 1 where both are the same infinity. It is computed by a loop
    backwards along `axis`.
    """
    attributes: Attributes = {"axis": Attribute.i64(axis)}
    if reverse:
        attributes["reverse"] = Attribute.unit()
    return build("nn.logcumsumexp", [("x", x, "float")], attributes, False)[0]


def lstsq(a: TensorLike, b: TensorLike, damping: Optional[TensorLike] = None, *, l2: float = 0.0) -> Tensor:
    """The x that minimizes |a x - b|^2 + l2 |x|^2.

    a is [..., m, n], b is [..., m, k] and the result [..., n, k], of f32 or f64,
    and `l2` is a number, or a scalar tensor of their element type that the step
    computes, such as a damping that adapts; either is not negative. By the
    normal equations: x solves (a^T a + l2 I) x = a^T b by a Cholesky factor of n
    by n. If m < n is known statically, x = a^T z with (a a^T + l2 I) z = b, of m
    by m, which has the least norm. Fast, at the price of squaring the condition of
    a: a system that is singular without `l2` is the error of `nn.cholesky`.
    """
    attributes: Attributes = {"l2": Attribute.f64(l2)}
    return build("nn.lstsq", [("a", a, "float"), ("b", b, "float"), ("damping", damping, "float?")], attributes, False)[0]


def matmul(a: TensorLike, b: TensorLike, *, transpose_a: bool = False, transpose_b: bool = False) -> Tensor:
    """op(a) * op(b).

    a is [..., m, k] ([..., k, m] with `transpose_a`), b is [..., k, n]
    ([..., n, k] with `transpose_b`), the result is [..., m, n]: one product of
    two matrices for each index of the leading dimensions, whose dimension sizes are
    equal. Nothing is broadcast: one matrix for all rows is `nn.dense`. One
    element type; products of f16 and bf16 accumulate in f32.
    """
    attributes: Attributes = {}
    if transpose_a:
        attributes["transpose_a"] = Attribute.unit()
    if transpose_b:
        attributes["transpose_b"] = Attribute.unit()
    return build("nn.matmul", [("a", a, "float"), ("b", b, "float")], attributes, False)[0]


def max(lhs: TensorLike, rhs: TensorLike) -> Tensor:
    """The larger of lhs and rhs, of shapes that broadcast.

    `arith.maximumf`, which is NaN where one of the two is, or `arith.maxsi` of
    integers.

    The shapes broadcast as in NumPy: they are aligned at their last dimensions,
    and an operand without a dimension, or with a dimension size that is 1 by its type,
    repeats along it. A dynamic dimension size does not stretch, also where it turns out
    to be 1: dimension sizes that differ are an error of the step. A rank-0 operand goes
    with every shape. The derivative of an operand is summed over the dimensions
    along which it repeats.
    """
    attributes: Attributes = {}
    return build("nn.max", [("lhs", lhs, "any"), ("rhs", rhs, "any")], attributes, False)[0]


def max_pool2d(
    x: TensorLike, window: Sequence[int], *, strides: Optional[Sequence[int]] = None, padding: Padding = "valid",
) -> Tensor:
    """The largest element of each window.

    x is [batch, height, width, channels]; each channel is pooled by itself.
    `strides` is `window` by default, `padding` (see `#nn.padding`) is `valid`.
    Padding takes no part: explicit padding has to be smaller than the window. A
    NaN in a window is its maximum. The derivative of a window goes to its first
    largest element (the first NaN if there is one), in row-major order.

    The maximum of a whole image is `nn.reduce max` over axes [1, 2].
    """
    attributes: Attributes = {"window": Attribute.i64s(window), "padding": padding_attribute(padding)}
    if strides is not None:
        attributes["strides"] = Attribute.i64s(strides)
    return build("nn.max_pool2d", [("x", x, "float")], attributes, False)[0]


def mean_absolute_error(
    prediction: TensorLike, target: TensorLike, *, reduction: Literal["none", "mean", "sum"] = "mean",
) -> Tensor:
    """Mean(|p - t|) of each row.

    Keras 2's `mean_absolute_error`. The derivative is 0 where p = t.

    p and t are [..., n] of one type and at least rank 1: all dimensions but the
    last are rows. The result is one loss a row, [...], with `reduction none`,
    else the mean or the sum of all of them, a scalar.
    """
    attributes: Attributes = {"reduction": Attribute.i32(_case(reduction, {"none": 0, "mean": 1, "sum": 2}))}
    return build("nn.mean_absolute_error", [("prediction", prediction, "float"), ("target", target, "float")], attributes, False)[0]


def mean_absolute_percentage_error(
    prediction: TensorLike, target: TensorLike, *, reduction: Literal["none", "mean", "sum"] = "mean",
) -> Tensor:
    """100 mean(|p - t| / max(|t|, 1e-7)) of each row.

    Keras 2's `mean_absolute_percentage_error`.

    p and t are [..., n] of one type and at least rank 1: all dimensions but the
    last are rows. The result is one loss a row, [...], with `reduction none`,
    else the mean or the sum of all of them, a scalar.
    """
    attributes: Attributes = {"reduction": Attribute.i32(_case(reduction, {"none": 0, "mean": 1, "sum": 2}))}
    return build("nn.mean_absolute_percentage_error", [("prediction", prediction, "float"), ("target", target, "float")], attributes, False)[0]


def mean_squared_error(
    prediction: TensorLike, target: TensorLike, *, reduction: Literal["none", "mean", "sum"] = "mean",
) -> Tensor:
    """Mean((p - t)^2) of each row.

    Keras 2's `mean_squared_error`.

    p and t are [..., n] of one type and at least rank 1: all dimensions but the
    last are rows. The result is one loss a row, [...], with `reduction none`,
    else the mean or the sum of all of them, a scalar.
    """
    attributes: Attributes = {"reduction": Attribute.i32(_case(reduction, {"none": 0, "mean": 1, "sum": 2}))}
    return build("nn.mean_squared_error", [("prediction", prediction, "float"), ("target", target, "float")], attributes, False)[0]


def mean_squared_logarithmic_error(
    prediction: TensorLike, target: TensorLike, *, reduction: Literal["none", "mean", "sum"] = "mean",
) -> Tensor:
    """Mean((log(1 + p) - log(1 + t))^2) of each row.

    Keras 2's `mean_squared_logarithmic_error`: p and t are
    raised to at least 1e-7 first.

    p and t are [..., n] of one type and at least rank 1: all dimensions but the
    last are rows. The result is one loss a row, [...], with `reduction none`,
    else the mean or the sum of all of them, a scalar.
    """
    attributes: Attributes = {"reduction": Attribute.i32(_case(reduction, {"none": 0, "mean": 1, "sum": 2}))}
    return build("nn.mean_squared_logarithmic_error", [("prediction", prediction, "float"), ("target", target, "float")], attributes, False)[0]


def min(lhs: TensorLike, rhs: TensorLike) -> Tensor:
    """The smaller of lhs and rhs, of shapes that broadcast.

    `arith.minimumf`, which is NaN where one of the two is, or `arith.minsi` of
    integers.

    The shapes broadcast as in NumPy: they are aligned at their last dimensions,
    and an operand without a dimension, or with a dimension size that is 1 by its type,
    repeats along it. A dynamic dimension size does not stretch, also where it turns out
    to be 1: dimension sizes that differ are an error of the step. A rank-0 operand goes
    with every shape. The derivative of an operand is summed over the dimensions
    along which it repeats.
    """
    attributes: Attributes = {}
    return build("nn.min", [("lhs", lhs, "any"), ("rhs", rhs, "any")], attributes, False)[0]


def mul(lhs: TensorLike, rhs: TensorLike) -> Tensor:
    """Lhs rhs, element by element, of shapes that broadcast.

    `arith.mulf`, or `arith.muli` of integers.

    The shapes broadcast as in NumPy: they are aligned at their last dimensions,
    and an operand without a dimension, or with a dimension size that is 1 by its type,
    repeats along it. A dynamic dimension size does not stretch, also where it turns out
    to be 1: dimension sizes that differ are an error of the step. A rank-0 operand goes
    with every shape. The derivative of an operand is summed over the dimensions
    along which it repeats.
    """
    attributes: Attributes = {}
    return build("nn.mul", [("lhs", lhs, "any"), ("rhs", rhs, "any")], attributes, False)[0]


def poisson(
    prediction: TensorLike, target: TensorLike, *, reduction: Literal["none", "mean", "sum"] = "mean",
) -> Tensor:
    """Mean(p - t log(p + 1e-7)) of each row.

    Keras 2's `poisson`.

    p and t are [..., n] of one type and at least rank 1: all dimensions but the
    last are rows. The result is one loss a row, [...], with `reduction none`,
    else the mean or the sum of all of them, a scalar.
    """
    attributes: Attributes = {"reduction": Attribute.i32(_case(reduction, {"none": 0, "mean": 1, "sum": 2}))}
    return build("nn.poisson", [("prediction", prediction, "float"), ("target", target, "float")], attributes, False)[0]


def pow(lhs: TensorLike, rhs: TensorLike) -> Tensor:
    """Lhs to the power of rhs, of shapes that broadcast.

    `math.powf`.

    The shapes broadcast as in NumPy: they are aligned at their last dimensions,
    and an operand without a dimension, or with a dimension size that is 1 by its type,
    repeats along it. A dynamic dimension size does not stretch, also where it turns out
    to be 1: dimension sizes that differ are an error of the step. A rank-0 operand goes
    with every shape. The derivative of an operand is summed over the dimensions
    along which it repeats.
    """
    attributes: Attributes = {}
    return build("nn.pow", [("lhs", lhs, "float"), ("rhs", rhs, "float")], attributes, False)[0]


def reduce(
    input: TensorLike,
    kind: Literal["sum", "mean", "max", "min", "prod"],
    axes: Sequence[int],
    *,
    keepdims: bool = False,
) -> Tensor:
    """Reduces over some dimensions.

    `axes` is strictly increasing. Reduced dimensions disappear, or stay with
    dimension size 1 with `keepdims`. `mean` needs a floating-point type. The derivative
    of `max` and `min` is shared equally by equal elements, and by those that are
    NaN where the extremum is; that of `prod` is the
    product of the other elements, also where some are 0. If the dimension size is
    dynamic, that takes memory for its square.
    """
    attributes: Attributes = {"kind": Attribute.i32(_case(kind, {"sum": 0, "mean": 1, "max": 2, "min": 3, "prod": 4})), "axes": Attribute.i64s(axes)}
    if keepdims:
        attributes["keepdims"] = Attribute.unit()
    return build("nn.reduce", [("input", input, "any")], attributes, False)[0]


def relu(x: TensorLike) -> Tensor:
    """Max(x, 0), element by element.

    The derivative at 0 is 0. A NaN stays a NaN.
    """
    attributes: Attributes = {}
    return build("nn.relu", [("x", x, "float")], attributes, False)[0]


def relu6(x: TensorLike) -> Tensor:
    """Min(max(x, 0), 6).

    The derivative at 0 and at 6 is 0, as TensorFlow's. A cut-off whose bounds
    pass the derivative is `math.clampf`.
    """
    attributes: Attributes = {}
    return build("nn.relu6", [("x", x, "float")], attributes, False)[0]


def rms_norm(
    x: TensorLike, gamma: Optional[TensorLike] = None, *, axes: Sequence[int], epsilon: float = 0.001,
) -> Tensor:
    """Each sample with mean square 1 over `axes`.

    x / sqrt(mean(x^2) + epsilon) * gamma (Zhang and Sennrich, Root Mean Square
    Layer Normalization, 2019). gamma, which may be left out, is as that of
    `nn.layer_norm`.
    """
    attributes: Attributes = {"axes": Attribute.i64s(axes), "epsilon": Attribute.f64(epsilon)}
    return build("nn.rms_norm", [("x", x, "float"), ("gamma", gamma, "float?")], attributes, False)[0]


def scatter(init: TensorLike, indices: TensorLike, updates: TensorLike, axis: int) -> Tensor:
    """Replaces slices at indices along one dimension.

    As `nn.scatter_add`, but a slice of `updates` takes the place of what was
    there; of several for one place the last, in the order of the indices, is the
    one that stays, and alone has a derivative.
    """
    attributes: Attributes = {"axis": Attribute.i64(axis)}
    return build("nn.scatter", [("init", init, "any"), ("indices", indices, "int"), ("updates", updates, "any")], attributes, False)[0]


def scatter_add(init: TensorLike, indices: TensorLike, updates: TensorLike, axis: int) -> Tensor:
    """Adds slices at indices along one dimension.

    `init` with the slices of `updates` added to those at `indices`, one after
    the other in the order of the indices: duplicates add up. `updates` has the
    shape that `nn.gather` gives for `init`, `indices` and `axis`, and indices
    out of range are the same error. A variable that is assigned the result is
    updated in place, but for one of f16 or bf16, whose sums are in f32 and
    rounded once.
    """
    attributes: Attributes = {"axis": Attribute.i64(axis)}
    return build("nn.scatter_add", [("init", init, "any"), ("indices", indices, "int"), ("updates", updates, "any")], attributes, False)[0]


def scatter_add_along_axis(init: TensorLike, indices: TensorLike, updates: TensorLike, axis: int) -> Tensor:
    """Adds elements at indices along one dimension.

    `init` with each element of `updates` added to the one at its index, one after
    the other in row-major order: with axis 1, updates[i, j, k] is added to
    element (i, indices[i, j, k], k). `indices` and `updates` have one shape, that
    of the result of `nn.take_along_axis` for `init`, and indices out of range are
    the same error. Sums of f16 and bf16 are in f32 and rounded once.
    """
    attributes: Attributes = {"axis": Attribute.i64(axis)}
    return build("nn.scatter_add_along_axis", [("init", init, "any"), ("indices", indices, "int"), ("updates", updates, "any")], attributes, False)[0]


def selu(x: TensorLike) -> Tensor:
    """1.0507 elu(x) with alpha = 1.6733.

    scale = 1.0507009873554805 and alpha = 1.6732632423543772: those of Klambauer
    and others, Self-Normalizing Neural Networks, 2017.
    """
    attributes: Attributes = {}
    return build("nn.selu", [("x", x, "float")], attributes, False)[0]


def sigmoid(x: TensorLike) -> Tensor:
    """1 / (1 + exp(-x)), element by element.

    Its derivative is y (1 - y), which no x overflows.
    """
    attributes: Attributes = {}
    return build("nn.sigmoid", [("x", x, "float")], attributes, False)[0]


def sigmoid_cross_entropy(
    logits: TensorLike, labels: TensorLike, *, reduction: Literal["none", "mean", "sum"] = "mean",
) -> Tensor:
    """-z log sigmoid(x) - (1 - z) log(1 - sigmoid(x)), element by element.

    x = logits and z = labels have one shape. Computed as
    max(x, 0) - x z + log(1 + exp(-|x|)), TensorFlow's
    `sigmoid_cross_entropy_with_logits`. The derivative with respect to x is
    sigmoid(x) - z, with respect to z it is -x. The result has the shape of x
    with `reduction none`, else it is the mean or the sum of all elements, a
    scalar.
    """
    attributes: Attributes = {"reduction": Attribute.i32(_case(reduction, {"none": 0, "mean": 1, "sum": 2}))}
    return build("nn.sigmoid_cross_entropy", [("logits", logits, "float"), ("labels", labels, "float")], attributes, False)[0]


def silu(x: TensorLike) -> Tensor:
    """x sigmoid(x), also known as swish.

    After Elfwing, Uchibe and Doya, Sigmoid-Weighted Linear Units, 2017.
    """
    attributes: Attributes = {}
    return build("nn.silu", [("x", x, "float")], attributes, False)[0]


def softmax(x: TensorLike) -> Tensor:
    """Exp(x - max x) / sum exp(x - max x) over the last dimension.

    x has at least rank 1. A row with a NaN or with +infinity, and one of
    -infinity only, is NaN; in others -infinity has share 0. A row without
    elements has an empty result. The derivative is y (dy - sum(dy y)).
    """
    attributes: Attributes = {}
    return build("nn.softmax", [("x", x, "float")], attributes, False)[0]


def softmax_cross_entropy(
    logits: TensorLike, labels: TensorLike, *, reduction: Literal["none", "mean", "sum"] = "mean",
) -> Tensor:
    """-sum(labels * log_softmax(logits)) of each row.

    logits and labels are [..., classes] of one type and at least rank 2: all
    dimensions but the last are rows. The result is one loss a row, [...], with
    `reduction none`, else the mean or the sum of all of them, a scalar.
    Numerically stable. The derivative
    with respect to the logits is (softmax * sum(labels) - labels); with respect
    to the labels it is -log_softmax.
    """
    attributes: Attributes = {"reduction": Attribute.i32(_case(reduction, {"none": 0, "mean": 1, "sum": 2}))}
    return build("nn.softmax_cross_entropy", [("logits", logits, "float"), ("labels", labels, "float")], attributes, False)[0]


def softplus(x: TensorLike) -> Tensor:
    """Log(1 + exp(x)), element by element.

    Computed as max(x, 0) + log1p(exp(-|x|)). Its derivative is sigmoid(x).
    """
    attributes: Attributes = {}
    return build("nn.softplus", [("x", x, "float")], attributes, False)[0]


def softsign(x: TensorLike) -> Tensor:
    """x / (1 + |x|).

    Element by element; Keras's `softsign`. The derivative is 1 / (1 + |x|)^2.
    At an infinity it is NaN.
    """
    attributes: Attributes = {}
    return build("nn.softsign", [("x", x, "float")], attributes, False)[0]


def sparse_softmax_cross_entropy(
    logits: TensorLike, label: TensorLike, *, reduction: Literal["none", "mean", "sum"] = "mean",
) -> Tensor:
    """-log_softmax(logits)[label] of each row.

    logits is [..., classes] of at least rank 2, label is [...] of integers in
    [0, classes); a label outside is an error of the step, which then changes
    nothing. The result is one loss a row, [...], with `reduction none`, else
    the mean or the sum of all of them, a scalar.
    """
    attributes: Attributes = {"reduction": Attribute.i32(_case(reduction, {"none": 0, "mean": 1, "sum": 2}))}
    return build("nn.sparse_softmax_cross_entropy", [("logits", logits, "float"), ("label", label, "int")], attributes, False)[0]


def squared_hinge(
    prediction: TensorLike, target: TensorLike, *, reduction: Literal["none", "mean", "sum"] = "mean",
) -> Tensor:
    """Mean(max(1 - t p, 0)^2) of each row.

    Keras 2's `squared_hinge`, of targets -1 and 1.

    p and t are [..., n] of one type and at least rank 1: all dimensions but the
    last are rows. The result is one loss a row, [...], with `reduction none`,
    else the mean or the sum of all of them, a scalar.
    """
    attributes: Attributes = {"reduction": Attribute.i32(_case(reduction, {"none": 0, "mean": 1, "sum": 2}))}
    return build("nn.squared_hinge", [("prediction", prediction, "float"), ("target", target, "float")], attributes, False)[0]


def sub(lhs: TensorLike, rhs: TensorLike) -> Tensor:
    """Lhs - rhs, of shapes that broadcast.

    `arith.subf`, or `arith.subi` of integers.

    The shapes broadcast as in NumPy: they are aligned at their last dimensions,
    and an operand without a dimension, or with a dimension size that is 1 by its type,
    repeats along it. A dynamic dimension size does not stretch, also where it turns out
    to be 1: dimension sizes that differ are an error of the step. A rank-0 operand goes
    with every shape. The derivative of an operand is summed over the dimensions
    along which it repeats.
    """
    attributes: Attributes = {}
    return build("nn.sub", [("lhs", lhs, "any"), ("rhs", rhs, "any")], attributes, False)[0]


def take_along_axis(x: TensorLike, indices: TensorLike, axis: int) -> Tensor:
    """Elements at indices along one dimension.

    NumPy's `take_along_axis`: with axis 1, element (i, j, k) of the result is
    x[i, indices[i, j, k], k]. `indices` has the rank of x and the dimension sizes of x in
    all dimensions but `axis`, of which it has as many positions as the result is
    to have; nothing is broadcast. An index outside of the dimension size of x along
    `axis` is an error of the step, which then changes nothing; negative indices
    do not count from the end.

    The derivative with respect to x adds up what each element received
    (`nn.scatter_add_along_axis`); indices carry none. Whole slices at indices are
    `nn.gather`.
    """
    attributes: Attributes = {"axis": Attribute.i64(axis)}
    return build("nn.take_along_axis", [("x", x, "any"), ("indices", indices, "int")], attributes, False)[0]


def tile(x: TensorLike, multiples: Sequence[int]) -> Tensor:
    """Repeats a tensor along its own dimensions.

    Dimension i of the result is that of x `multiples[i]` times in a row.
    """
    attributes: Attributes = {"multiples": Attribute.i64s(multiples)}
    return build("nn.tile", [("x", x, "any")], attributes, False)[0]


def triangle(x: TensorLike, kind: Literal["lower", "upper"], *, diagonal: int = 0, fill: float = 0.0) -> Tensor:
    """Keeps a triangle of each matrix.

    x is [..., m, n]. With `lower`, element (i, j) of each matrix stays where
    j - i <= `diagonal`; with `upper`, where j - i >= `diagonal`. The others
    become `fill`, which an element type of integers must be able to hold. 0 is
    the main diagonal, 1 the one above it.
    """
    attributes: Attributes = {"kind": Attribute.i32(_case(kind, {"lower": 0, "upper": 1})), "diagonal": Attribute.i64(diagonal), "fill": Attribute.f64(fill)}
    return build("nn.triangle", [("x", x, "any")], attributes, False)[0]


def triangular_solve(
    a: TensorLike,
    b: TensorLike,
    kind: Literal["lower", "upper"],
    *,
    transpose: bool = False,
    unit_diagonal: bool = False,
) -> Tensor:
    """The x with op(a) x = b, where a is a triangle.

    a is [..., n, n], of which the `lower` or `upper` triangle is read, b and the
    result are [..., n, k], of f32 or f64. op transposes each matrix with
    `transpose`. With `unit_diagonal` the diagonal is not read and taken for
    ones. A 0 on the diagonal divides as IEEE says.
    """
    attributes: Attributes = {"kind": Attribute.i32(_case(kind, {"lower": 0, "upper": 1}))}
    if transpose:
        attributes["transpose"] = Attribute.unit()
    if unit_diagonal:
        attributes["unit_diagonal"] = Attribute.unit()
    return build("nn.triangular_solve", [("a", a, "float"), ("b", b, "float")], attributes, False)[0]


def try_cholesky(a: TensorLike) -> Tuple[Tensor, Tensor]:
    """The lower triangle L with L L^T = a, if there is one.

    As `nn.cholesky`, but where a matrix is not positive definite that is not an
    error: `success`, a scalar boolean, is then false, and no element of the
    result is to be relied on.
    """
    attributes: Attributes = {}
    result, success = build("nn.try_cholesky", [("a", a, "float")], attributes, False)
    return result, success
