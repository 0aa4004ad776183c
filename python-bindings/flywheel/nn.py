# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What neural networks are made of: the ops of the nn dialect, and a few more.

Images are [batch, height, width, channels] and filters [height, width, channels,
outputs]. Arguments are tensors, variables, arrays or numbers.
"""

from typing import Any, Optional

from . import _dtypes, _ops, _trace
from . import _nn_ops as _generated
from ._nn_ops import *  # noqa: F403
from ._ops import one_hot
from ._tensor import Tensor, TensorLike, as_tensor, wrap
from .variables import Variable

__all__ = [*_generated.__all__, "batch_norm", "dropout", "embedding", "one_hot", "stop_gradient"]

stop_gradient = _ops.stop_gradient


def dropout(x: TensorLike, rate: float, *, training: Optional[TensorLike] = None, seed: Optional[int] = None) -> Tensor:
    """Drops elements at random while training.

    Each element is kept with probability 1 - `rate` and divided by that, the others
    are 0. Where `training`, a scalar boolean, is false, the result is `x`; without it,
    elements are always dropped. `x` is floating-point; draws are others at each call.
    """
    x = as_tensor(x)
    trace = _trace.current()
    if not trace.draws:
        same: Tensor = x
        return same
    attributes: _trace.Attributes = {"rate": ("f64", float(rate))}
    if seed is not None:
        attributes["seed"] = ("i64", seed)
    operands = [x.value]
    if training is not None:
        operands.append(_ops.cast(training, _dtypes.bool_).value)
    trace.forget_reads("")
    return wrap(trace.draw("train.dropout", operands, [trace.type(x.dtype, x.shape)], attributes)[0], x.dtype, x.shape)


def embedding(table: TensorLike, indices: TensorLike) -> Tensor:
    """Rows of a table: `table` is [rows, ...], `indices` integers [...]. A row that there
    is not is an error of the step. The derivative is rows, and never a whole table
    where an optimizer can do with them."""
    return _ops.take(table, indices, 0)


def batch_norm(
    x: TensorLike,
    gamma: Optional[TensorLike],
    beta: Optional[TensorLike],
    moving_mean: Variable,
    moving_variance: Variable,
    *,
    training: bool,
    momentum: float = 0.99,
    epsilon: float = 0.001,
) -> Tensor:
    """Each channel with mean 0 and variance 1: over the batch where `training`, which
    moves the averages, else by them.

    `x` is [..., channels], of rank 2 at least; gamma, beta (either may be None) and the
    averages are [channels].
    """
    if not training:
        return _generated.batch_norm_inference(x, moving_mean, moving_variance, gamma, beta, epsilon=epsilon)
    result, mean, variance = _generated.batch_norm_training(x, gamma, beta, epsilon=epsilon)
    moving_mean.moving_average(mean, momentum)
    moving_variance.moving_average(variance, momentum)
    return result


def __getattr__(name: str) -> Any:
    raise AttributeError(f"there is no flywheel.nn.{name}; see docs/Dialects/NN.md")
