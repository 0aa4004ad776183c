# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic, shapes and dtypes."""

from typing import Any, List, Optional

import numpy as np

from ... import _ops
from ... import nn as _traced
from ..._core import dtypes as _dtypes
from ..._errors.messages import about, wrong
from ..._ops import contractions as _contractions
from ...v1 import arrays as _arrays
from ...v1 import nn as _nn
from ...v1 import ops as _v1
from ...v1 import random_ops as _random
from ...v1.control_flow import cond as _cond
from ...v1.conversion import as_tensor, make
from ...v1.conversion import constant as _constant
from ...v1.derivatives import gradients as _gradients
from ...v1.elementwise import TABLE, root
from ...v1.graph import get_default_graph
from ...v1.operation import Tensor
from ...v1.precision import rounds_once
from ...v1.printing import Print as _print
from ...v1.sparse_ops import of_values, sparse_tensor_dense_matmul, sparse_tensor_to_dense
from ...v1.sparse_shapes import sparse_concat
from ...v1.sparse_tensors import SparseTensor
from ...v1.variables import Variable
from .settings import floatx, normalize_data_format

_T = TABLE


def constant(value: Any, dtype: Any = None, shape: Any = None, name: Optional[str] = None) -> Tensor:
    return _constant(value, dtype or floatx(), shape, name or "Const")


def zeros_like(x: Any, dtype: Any = None, name: Optional[str] = None) -> Any:
    y = _T["zeros_like"](x)
    return y if dtype is None else cast(y, dtype)


def ones_like(x: Any, dtype: Any = None, name: Optional[str] = None) -> Any:
    y = _T["ones_like"](x)
    return y if dtype is None else cast(y, dtype)


def gradients(loss: Any, variables: Any) -> List[Any]:
    """The gradient of a loss with respect to each variable, None where it does not depend on it."""
    return _gradients(loss, variables)


def stop_gradient(variables: Any) -> Any:
    if isinstance(variables, (list, tuple)):
        return [_v1.stop_gradient(x) for x in variables]
    return _v1.stop_gradient(variables)


def int_shape(x: Any) -> Any:
    """The shape as a tuple, with None where a size is not known."""
    if hasattr(x, "_keras_shape"):
        return x._keras_shape
    x = x if is_sparse(x) else known(x)
    return tuple(x.shape.as_list()) if isinstance(x, Variable) else x.static_shape


def known(x: Any) -> Any:
    """A tensor or a variable; raises TypeError for others."""
    if not isinstance(x, (Tensor, Variable)):
        raise wrong(TypeError, "a tensor or a variable", type(x).__name__)
    return x


def ndim(x: Any) -> int:
    """The rank of a tensor; that of the shape which a layer declares, if it has none itself."""
    own = x.static_shape if isinstance(x, (Tensor, SparseTensor)) else None
    return len(int_shape(x) if own is None else own)


def dtype(x: Any) -> str:
    return str(_dtypes.name_of((x if is_sparse(x) else known(x)).dtype))


def cast(x: Any, dtype: Any) -> Any:
    return x if as_tensor(x).dtype == _dtypes.as_dtype(dtype) else _v1.cast(x, dtype)


def shape(x: Any) -> Any:
    return _v1.shape(x)


def reshape(x: Any, shape: Any) -> Any:
    return _v1.reshape(x, [-1 if d is None else d for d in shape] if isinstance(shape, (list, tuple)) else shape)


def flatten(x: Any) -> Any:
    return _v1.reshape(x, [-1])


def batch_flatten(x: Any) -> Any:
    """All dimensions but the first as one."""
    return make("batch_flatten", lambda y: _ops.reshape(y, [-1, int(np.prod(y._dims[1:]))]), as_tensor(x))


def permute_dimensions(x: Any, pattern: Any) -> Any:
    return _v1.transpose(x, list(pattern))


def transpose(x: Any) -> Any:
    return _v1.transpose(x)


def expand_dims(x: Any, axis: int = -1) -> Any:
    return _v1.expand_dims(x, axis)


def squeeze(x: Any, axis: int) -> Any:
    return _v1.squeeze(x, axis)


def concatenate(tensors: Any, axis: int = -1) -> Any:
    """Tensors in a row along an axis; of sparse ones alone a sparse one, and else a dense one."""
    count = len([x for x in tensors if is_sparse(x)])
    if count:
        if count == len(tensors):
            return sparse_concat(axis, tensors)
        tensors = [to_dense(x) for x in tensors]
    return _v1.concat(tensors, axis)


def stack(x: Any, axis: int = 0) -> Any:
    return _v1.stack(x, axis)


def repeat(x: Any, n: int) -> Any:
    """[samples, dim] as [samples, n, dim]."""
    return _v1.tile(_v1.expand_dims(x, 1), [1, n, 1])


def tile(x: Any, n: Any) -> Any:
    return _v1.tile(x, [n] if isinstance(n, int) else n)


def one_hot(indices: Any, num_classes: int) -> Any:
    return _v1.one_hot(indices, num_classes)


def gather(reference: Any, indices: Any) -> Any:
    """Rows of a table."""
    return _nn.embedding_lookup(reference, indices)


square, exp, log, abs, sign, sin, cos = (_T[name] for name in ("square", "exp", "log", "abs", "sign", "sin", "cos"))
round, maximum, minimum = (_T[name] for name in ("round", "maximum", "minimum"))
equal, not_equal, greater, greater_equal, less, less_equal = (
    _T[name] for name in ("equal", "not_equal", "greater", "greater_equal", "less", "less_equal")
)


def pow(x: Any, a: Any) -> Any:
    return _T["pow"](x, a)


def sigmoid(x: Any) -> Any:
    return _nn.sigmoid(x)


def tanh(x: Any) -> Any:
    return _nn.tanh(x)


def softplus(x: Any) -> Any:
    return _nn.softplus(x)


def softsign(x: Any) -> Any:
    return _nn.softsign(x)


def identity(x: Any, name: Optional[str] = None) -> Any:
    if is_sparse(x):
        return of_values(x, _v1.identity(x.values, name))
    return _v1.identity(x, name)


def sqrt(x: Any) -> Any:
    """The square root, and 0 of a negative number."""
    y = as_tensor(x)
    is_negative = _T["less"](y, 0)
    # The derivative of the root of 0 is infinite, which times 0 is NaN.
    root_of = _T["sqrt"](_v1.where(is_negative, _T["ones_like"](y), y))
    return _v1.where(is_negative, _T["zeros_like"](y), root_of)


def switch(condition: Any, then_expression: Any, else_expression: Any) -> Any:
    """One of two tensors, or of what functions without arguments return, by a scalar; or element by element, where
    dimensions that the condition does not have are behind its own. Raises ValueError where it has more."""
    given = cast(condition, "bool")
    branches = then_expression, else_expression
    if ndim(given) == 0:
        made: List[Any] = [b if callable(b) else (lambda b=b: as_tensor(b)) for b in branches]
        return _cond(given, *made)
    a, b = (as_tensor(b() if callable(b) else b) for b in branches)
    rank = ndim(a)
    if ndim(given) > rank:
        raise ValueError("Rank of `condition` should be less than or equal to rank of `then_expression` and "
                         f"`else_expression`. ndim(condition)={ndim(given)}, ndim(then_expression)={rank}")  # fmt: skip
    for _ in range(rank - ndim(given)):
        given = expand_dims(given, -1)
    return make("Select", _ops.where, given, a, b)


def _reduction(name: str) -> Any:
    def reduce(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        y = as_tensor(x)
        if y.dtype.is_bool and name in ("reduce_mean", "reduce_sum"):
            y = cast(y, floatx())
        return _T[name](y, axis, keepdims)

    return reduce


sum, mean, max, min, prod, any, all, logsumexp = (
    _reduction("reduce_" + name) for name in ("sum", "mean", "max", "min", "prod", "any", "all", "logsumexp")
)


@rounds_once
def var(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return mean(square(x - mean(x, axis, True)), axis, keepdims)


@rounds_once
def std(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return root(var(x, axis, keepdims))


def argmax(x: Any, axis: int = -1) -> Any:
    return _v1.argmax(x, axis)


def argmin(x: Any, axis: int = -1) -> Any:
    return _v1.argmin(x, axis)


def clip(x: Any, min_value: Any, max_value: Any) -> Any:
    return _v1.clip_by_value(x, min_value, max_value)


def dot(x: Any, y: Any) -> Any:
    """x times y, of its last dimension and the last but one. x may be a sparse matrix."""
    if is_sparse(x):
        return sparse_tensor_dense_matmul(x, y)
    # Also an array, which has no rank of Keras.
    x, y = (one if isinstance(one, (Tensor, Variable)) else as_tensor(one) for one in (x, y))
    return make("dot", _ops.dot, as_tensor(x), as_tensor(y)) if ndim(x) > 2 or ndim(y) > 2 else _v1.matmul(x, y)


def bias_add(x: Any, bias: Any, data_format: Any = None) -> Any:
    """x with one number for each channel, or for each element of an example, which has the channels last. Raises
    ValueError for a bias of another rank."""
    is_first = normalize_data_format(data_format) == "channels_first"
    rank, own = ndim(x), ndim(bias)
    if own not in (1, rank - 1):
        raise ValueError(f"Unexpected bias dimensions {own}, expect to be 1 or {rank - 1} dimensions")
    if rank < 3 or not is_first:
        return _nn.bias_add(x, bias) if own == 1 else as_tensor(x) + bias
    # As in Keras, a bias of all elements is read in another shape, and not permuted.
    shape = int_shape(bias)
    return as_tensor(x) + reshape(bias, (1, -1, *[1] * (rank - 2)) if own == 1 else (1, shape[-1], *shape[:-1]))


def relu(x: Any, alpha: float = 0.0, max_value: Any = None) -> Any:
    y = _nn.leaky_relu(x, alpha) if alpha else _nn.relu(x)
    return y if max_value is None else _T["minimum"](y, max_value)


def elu(x: Any, alpha: float = 1.0) -> Any:
    return make("Elu", lambda y: _nn._elu_of(y, alpha), as_tensor(x))


def hard_sigmoid(x: Any) -> Any:
    return make("HardSigmoid", _traced.hard_sigmoid, as_tensor(x))


def softmax(x: Any, axis: int = -1) -> Any:
    return _nn.softmax(x, axis)


def l2_normalize(x: Any, axis: Any = None) -> Any:
    return _nn.l2_normalize(x, axis)


def _unseeded(seed: Any) -> Any:
    """Returns the seed of an op. Without one, NumPy draws a number, as in Keras, so that `numpy.random.seed` makes what
    the op draws repeat. The number is part of the session's seed: as one of the op it would make another program in
    each process."""
    if seed is None:
        graph = get_default_graph()
        graph.numpy_seed = ((graph.numpy_seed or 0) * 1000003 + int(np.random.randint(10**7))) % 2**63
    return seed


def random_uniform(shape: Any, minval: float = 0.0, maxval: float = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    return _random.random_uniform(shape, minval, maxval, dtype or floatx(), _unseeded(seed))


def random_normal(shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    return _random.random_normal(shape, mean, stddev, dtype or floatx(), _unseeded(seed))


def truncated_normal(shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    return _random.truncated_normal(shape, mean, stddev, dtype or floatx(), _unseeded(seed))


def dropout(x: Any, level: float, noise_shape: Any = None, seed: Any = None) -> Any:
    return _nn.dropout(x, 1.0 - level, noise_shape, _unseeded(seed))


def random_binomial(shape: Any, p: float = 0.0, dtype: Any = None, seed: Any = None) -> Any:
    """Ones with this probability, else zeros."""
    drawn = _random.random_uniform(shape, 0.0, 1.0, floatx(), _unseeded(seed))
    return cast(_T["less"](drawn, p), dtype or floatx())


#
# More of shapes
#


def eye(size: int, dtype: Any = None, name: Optional[str] = None) -> Any:
    """A variable: the identity matrix."""
    from .variables import variable

    return variable(np.eye(size), dtype, name)


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = "int32") -> Any:
    return cast(_v1.range_(start, stop, step), dtype)


def cumsum(x: Any, axis: int = 0) -> Any:
    return _arrays.cumsum(x, axis)


def cumprod(x: Any, axis: int = 0) -> Any:
    return _arrays.cumprod(x, axis)


def reverse(x: Any, axes: Any) -> Any:
    return _arrays.reverse(x, axes)


def repeat_elements(x: Any, rep: int, axis: int) -> Any:
    """Each element along an axis several times."""
    y = make("repeat", lambda y: _ops.repeat(y, rep, axis), as_tensor(x))
    sizes = list(int_shape(x) or ())
    if sizes:
        sizes[axis] = None if sizes[axis] is None else sizes[axis] * rep
        y._keras_shape = tuple(sizes)
    return y


def _first_of_space(data_format: Any) -> int:
    """The first dimension of space."""
    return 2 if normalize_data_format(data_format) == "channels_first" else 1


def resize_images(x: Any, height_factor: int, width_factor: int, data_format: Any = None) -> Any:
    """Each pixel several times."""
    first = _first_of_space(data_format)
    return repeat_elements(repeat_elements(x, height_factor, first), width_factor, first + 1)


def resize_volumes(x: Any, depth_factor: int, height_factor: int, width_factor: int, data_format: Any = None) -> Any:
    """Each element of volumes several times."""
    for axis, factor in enumerate((depth_factor, height_factor, width_factor), _first_of_space(data_format)):
        x = repeat_elements(x, factor, axis)
    return x


def temporal_padding(x: Any, padding: Any = (1, 1)) -> Any:
    """Zeros before and after the steps of sequences."""
    return _v1.pad(x, [(0, 0), tuple(padding), (0, 0)])


def _spatial_padding(x: Any, padding: Any, data_format: Any) -> Any:
    pairs = [tuple(pair) for pair in padding]
    first = _first_of_space(data_format)
    return _v1.pad(x, [*[(0, 0)] * first, *pairs, *[(0, 0)] * (2 - first)])


def spatial_2d_padding(x: Any, padding: Any = ((1, 1), (1, 1)), data_format: Any = None) -> Any:
    """Zeros around images."""
    return _spatial_padding(x, padding, data_format)


def spatial_3d_padding(x: Any, padding: Any = ((1, 1), (1, 1), (1, 1)), data_format: Any = None) -> Any:
    """Zeros around volumes."""
    return _spatial_padding(x, padding, data_format)


def batch_dot(x: Any, y: Any, axes: Any = None) -> Any:
    """For each example, products along an axis of x and one of y, by default the last of x and the last but one of y;
    [batch, 1] of two vectors."""
    a, b = as_tensor(x), as_tensor(y)
    if ndim(a) < 2 or ndim(b) < 2:
        raise about("batch_dot", ValueError(f"takes at least 2 dimensions, found shapes {int_shape(a)} and "
                                            f"{int_shape(b)}"), " ")  # fmt: skip
    places = (ndim(a) - 1, ndim(b) - 2 if ndim(b) > 2 else 1) if axes is None else (
        (axes, axes) if isinstance(axes, int) else tuple(axes))  # fmt: skip
    if ndim(a) == ndim(b) == 2:
        # The axes may be those of the batch.
        first, last = (place % 2 for place in places)
        columns = make("transpose", _ops.transpose, a) if first != last else a
        return expand_dims(sum(columns * b, last), 1)
    # As in Keras, a batch of 1 is repeated where only a run says that there is one.
    batch = "" if None in (int_shape(a)[0], int_shape(b)[0]) else "z"
    letters = "abcdefghijklmn"
    left = ["z", *letters[: ndim(a) - 1]]
    right = ["z", *letters[ndim(a) - 1 : ndim(a) + ndim(b) - 2]]
    right[places[1] % ndim(b)] = left[places[0] % ndim(a)]
    summed = left[places[0] % ndim(a)]
    kept = "".join(["z", *(c for c in left[1:] if c != summed), *(c for c in right[1:] if c != summed)])
    equation = f"{''.join(left)},{''.join(right)}->{kept}"
    result = make("batch_dot", lambda p, q: _contractions.contract("batch_dot", equation, [p, q], summed + batch), a, b)
    return expand_dims(result, 1) if len(kept) == 1 else result


def is_tensor(x: Any) -> bool:
    return isinstance(x, (Tensor, Variable, SparseTensor))


def is_sparse(tensor: Any) -> bool:
    return isinstance(tensor, SparseTensor)


def to_dense(tensor: Any) -> Any:
    """A sparse tensor as a dense one, and others as they are."""
    return sparse_tensor_to_dense(tensor, validate_indices=False) if is_sparse(tensor) else tensor


def print_tensor(x: Any, message: str = "") -> Any:
    """`x`, which is printed behind the message when a run computes it."""
    return _print(x, [x], message)
