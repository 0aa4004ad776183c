# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Updates of optimizers, which ONNX has as ops on tensors: their results are new values, and no variable changes."""

from typing import Any, Callable, List, Sequence

from .. import _ops
from .._core.tensor import Tensor
from .._frontends.layouts import Laid
from ._graph import Call, op

_DOMAIN = "ai.onnx.preview.training"


def _scalar(x: Laid, dtype: Any) -> Tensor:
    return _ops.cast(_ops.reshape(x.plain(), ()), dtype)


def _each(call: Call, operands: Sequence[Laid], kinds: int, update: Callable[..., Sequence[Tensor]]) -> List[Laid]:
    """Updates each tensor: `operands` has all tensors, then all gradients, then the slots of each kind."""
    count = len(operands) // kinds
    if count * kinds != len(operands) or not count:
        raise ValueError(f"expected {kinds} operands for each tensor, found {len(operands)}")
    found = [update(*[operands[kind * count + place].plain() for kind in range(kinds)]) for place in range(count)]
    return [Laid(one[kind]) for kind in range(kinds - 1) for one in found]


def _regularized(call: Call, x: Tensor, gradient: Tensor) -> Tensor:
    norm = call.attribute("norm_coefficient")
    return _ops.add(gradient, _ops.multiply(x, norm)) if norm else gradient


@op(f"{_DOMAIN}.Adagrad")
def _adagrad(call: Call, rate: Laid, steps: Laid, *operands: Laid) -> List[Laid]:
    decay, epsilon = call.attribute("decay_factor"), call.attribute("epsilon")

    def update(x: Tensor, gradient: Tensor, squares: Tensor) -> Sequence[Tensor]:
        own = _ops.divide(_scalar(rate, x.dtype), _ops.add(1.0, _ops.multiply(_scalar(steps, x.dtype), decay)))
        g = _regularized(call, x, gradient)
        new = _ops.add(squares, _ops.square(g))
        return _ops.subtract(x, _ops.divide(_ops.multiply(own, g), _ops.add(_ops.sqrt(new), epsilon))), new

    return _each(call, operands, 3, update)


@op(f"{_DOMAIN}.Momentum")
def _momentum(call: Call, rate: Laid, steps: Laid, *operands: Laid) -> List[Laid]:
    alpha, beta = call.attribute("alpha"), call.attribute("beta")
    is_nesterov = call.word("mode", "standard", "nesterov") == "nesterov"

    def update(x: Tensor, gradient: Tensor, velocity: Tensor) -> Sequence[Tensor]:
        g = _regularized(call, x, gradient)
        # The first gradient counts whole.
        share = _ops.where(_ops.greater(_scalar(steps, x.dtype), 0.0), beta, 1.0)
        new = _ops.add(_ops.multiply(velocity, alpha), _ops.multiply(_ops.cast(share, x.dtype), g))
        step = _ops.add(g, _ops.multiply(new, alpha)) if is_nesterov else new
        return _ops.subtract(x, _ops.multiply(_scalar(rate, x.dtype), step)), new

    return _each(call, operands, 3, update)


@op(f"{_DOMAIN}.Adam")
def _adam(call: Call, rate: Laid, steps: Laid, *operands: Laid) -> List[Laid]:
    alpha, beta, epsilon = (call.attribute(name) for name in ("alpha", "beta", "epsilon"))
    after = call.attribute("norm_coefficient_post")

    def update(x: Tensor, gradient: Tensor, mean: Tensor, squares: Tensor) -> Sequence[Tensor]:
        g = _regularized(call, x, gradient)
        new_mean = _ops.add(_ops.multiply(mean, alpha), _ops.multiply(g, 1 - alpha))
        new_squares = _ops.add(_ops.multiply(squares, beta), _ops.multiply(_ops.square(g), 1 - beta))
        t, own = _scalar(steps, x.dtype), _scalar(rate, x.dtype)
        biases = [_ops.subtract(1.0, _ops.power(_ops.cast(base, x.dtype), t)) for base in (alpha, beta)]
        corrected = _ops.divide(_ops.multiply(own, _ops.sqrt(biases[1])), biases[0])
        own = _ops.where(_ops.greater(t, 0.0), corrected, own)
        moved = _ops.divide(_ops.multiply(own, new_mean), _ops.add(_ops.sqrt(new_squares), epsilon))
        new = _ops.subtract(x, moved)
        return _ops.multiply(new, 1 - after) if after else new, new_mean, new_squares

    return _each(call, operands, 4, update)
