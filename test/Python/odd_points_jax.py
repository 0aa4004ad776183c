# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, jax
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""G20: functions of JAX at odd points: values, gradients, directional derivatives, and second and third derivatives
beside JAX's own, wherever those are numbers."""

import warnings
from typing import Any, Callable, Dict, List

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import flywheel as fw
import flywheel.jax
from selection import choose

jax.config.update("jax_enable_x64", True)

Function = Callable[[Any], Any]

ODD = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 1e-4, 3.0, -2.0, 6.0, -3.0])
DIRECTION = np.linspace(1, -1.5, 12)
UNARY = ("abs arcsinh arctan cos cosh exp exp2 expm1 log log10 log1p log2 reciprocal sinc sin sinh sqrt tan tanh "
         "square sign").split()  # fmt: skip
ACTIVATIONS = ("relu relu6 sigmoid softplus silu elu selu celu gelu leaky_relu hard_tanh hard_sigmoid hard_swish "
               "log_sigmoid soft_sign mish squareplus sparse_plus").split()  # fmt: skip
BINARY = "maximum minimum fmax fmin hypot logaddexp logaddexp2 copysign".split()


def bind(function: Callable[..., Any], *args: Any) -> Function:
    return lambda x: function(x, *args)


def lead(function: Callable[..., Any], other: Any) -> Function:
    return lambda x: function(other, x)


def flipped(function: Callable[..., Any]) -> Function:
    return lambda x: function(x, jnp.flip(x))


def cases() -> Dict[str, Function]:
    special = jax.scipy.special
    found: Dict[str, Function] = {name: getattr(jnp, name) for name in UNARY}
    found.update({name: getattr(jax.nn, name) for name in ACTIVATIONS if hasattr(jax.nn, name)})
    found.update({f"pow {p!r}": bind(jnp.power, p) for p in (0, 1, 2, 3, 0.5, 1.5, -1.0, 2.5, 0.0, 1.0)})
    for name in BINARY:
        function = getattr(jnp, name)
        found.update({f"{name} of a constant": bind(function, ODD), f"{name} by it": lead(function, ODD),
                      f"{name} and 0": bind(function, 0.0), f"{name} of two": flipped(function)})  # fmt: skip
    found.update({
        "arctan2": bind(jnp.arctan2, 1.0), "pow of a constant": lead(jnp.power, np.abs(ODD)),
        "xlogy": bind(special.xlogy, ODD), "xlogy by it": lead(special.xlogy, ODD),
        "entr": special.entr, "gammaln": special.gammaln, "erf": special.erf, "erfc": special.erfc,
        "clip": lambda x: jnp.clip(x, 0.0, 1.0), "clamp": lambda x: lax.clamp(0.0, x, 1.0), "norm": jnp.linalg.norm,
        "std": lambda x: jnp.std(x.reshape(3, 4), axis=1), "prod": lambda x: jnp.prod(x.reshape(3, 4), 1),
        "det": lambda x: jnp.linalg.det(x[:9].reshape(3, 3)), "cumprod": lambda x: jnp.cumprod(x.reshape(3, 4), 1),
        "cummax": lambda x: lax.cummax(x.reshape(3, 4), 1), "cummin": lambda x: lax.cummin(x.reshape(3, 4), 0),
        "cumlogsumexp": lambda x: lax.cumlogsumexp(x.reshape(3, 4), 1, reverse=True),
        "max": lambda x: jnp.max(x.reshape(3, 4), 1), "max from 0": lambda x: jnp.max(x.reshape(3, 4), 1, initial=0.0),
        "logsumexp": lambda x: jax.nn.logsumexp(x.reshape(3, 4), 1),
        "log_softmax": lambda x: jax.nn.log_softmax(x.reshape(3, 4), 1),
        "log_cosh": lambda x: jnp.logaddexp(x, -x) - np.log(2.0),
        "where": lambda x: jnp.where(x > 0, x, 2 * x), "mod": lambda x: jnp.mod(x, 1.3),
    })  # fmt: skip
    return found


# Rounding is more than there is of the derivative, or of JAX's formula for it.
EXCEPT = {("sinc", "third"), ("hypot of a constant", "third"), ("hypot by it", "third")}


def compare(name: str, function: Function) -> List[str]:
    """Returns the differences."""
    shape = jax.eval_shape(function, ODD).shape
    weights = np.linspace(1, 2, max(1, int(np.prod(shape)))).reshape(shape)

    def of_jax(x: Any) -> Any:
        return jnp.sum(function(x) * weights)

    def along(slope: Function, grad: Any, total: Any) -> Function:
        """The gradient of a gradient along the direction."""
        return grad(lambda x: total(slope(x) * DIRECTION))  # type: ignore[no-any-return]

    second = along(jax.grad(of_jax), jax.grad, jnp.sum)
    expected = [of_jax(ODD), jax.grad(of_jax)(ODD), second(ODD), along(second, jax.grad, jnp.sum)(ODD),
                jax.jvp(of_jax, (ODD,), (DIRECTION,))[1]]  # fmt: skip
    with fw.Namespace(), fw.Store():
        imported = flywheel.jax.from_function(lambda params, x: function(x), {}, (ODD,))

        def ours(x: Any) -> Any:
            return fw.sum(weights * imported(x, training=True))

        slope = fw.grad(ours)
        twice = along(slope, fw.grad, fw.sum)

        @fw.function
        def program(x: Any) -> Any:
            return (ours(x), slope(x), twice(x), along(twice, fw.grad, fw.sum)(x),
                    fw.jvp(ours, (x,), (fw.broadcast_to(DIRECTION, x.shape),))[1])  # fmt: skip

        results = program(ODD)
    wrong = []
    for what, own, theirs in zip(("value", "first", "second", "third", "forward"), results, expected):
        found, wanted = np.asarray(own), np.asarray(theirs)
        near = np.isclose(found, wanted, rtol=1e-7, atol=1e-9) | ~np.isfinite(wanted)
        if not np.all(near) and (name, what) not in EXCEPT:
            wrong.append(f"{name}, {what}: found\n{found}\nJAX\n{wanted}")
    return wrong


if __name__ == "__main__":
    warnings.simplefilter("ignore", RuntimeWarning)
    chosen = dict(choose("odd points of JAX", list(cases().items()), 0.25))
    wrong = [text for name, function in chosen.items() for text in compare(name, function)]
    assert not wrong, "\n".join(wrong)
