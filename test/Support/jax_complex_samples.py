# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of JAX's Fourier transforms and complex numbers; see `jax_primitives.py`. Numbers are made of real arrays in
the function, and results are their parts: so derivatives are those by the parts."""

from typing import Any, Callable, List

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jax_primitives import Sample, normal


def _parts(results: Any) -> Any:
    return jax.tree_util.tree_map(lambda z: (z.real, z.imag) if jnp.iscomplexobj(z) else z, results)


def _sample(primitive: str, what: str, function: Callable[..., Any], *arrays: Any) -> Sample:
    return Sample(primitive, what, lambda *given: _parts(function(*given)), list(arrays))


def _of_complex(primitive: str, what: str, function: Callable[..., Any], *shape: int) -> Sample:
    """A sample of one complex array."""
    return _sample(primitive, what, lambda a, b: function(lax.complex(a, b)), normal(*shape), normal(*shape))


def _elementwise() -> List[Sample]:
    names = (
        "exp exp2 log log1p expm1 sqrt rsqrt sin cos tan tanh sinh cosh asin acos atan asinh acosh atanh logistic sign "
        "abs square conj neg real imag"
    ).split()
    found = [_of_complex(name, "complex", getattr(lax, name), 3, 4) for name in names]
    found += [_of_complex(name, "complex scalar", getattr(lax, name)) for name in ("exp", "sqrt", "abs", "log")]
    three = [normal(3), normal(3), normal(3)]

    own = jax.custom_vjp(lambda z: z * z)
    own.defvjp(lambda z: (own(z), z), lambda z, g: (g * 3 * z,))
    found += [
        _sample("pow", "complex", lambda a, b, c: lax.pow(lax.complex(a, b), lax.complex(b, c)), *three),
        _sample("div", "complex", lambda a, b, c: lax.complex(a, b) / lax.complex(b, c), *three),
        _of_complex("div", "complex, of a number", lambda z: 1 / z + 2j / (z + 3), 3),
        _sample("eq", "complex", lambda a: (lax.complex(a, a) == lax.complex(a, -a)) * a, normal(4)),
        _of_complex("pow", "complex to 0.5", lambda z: z**0.5, 3),
        _of_complex("integer_pow", "complex", lambda z: z**3 + z**-2, 3),
        _of_complex("atan2", "of complex parts", jnp.angle, 4),
        _of_complex("custom_vjp_call", "complex", own, 4),
        _of_complex("stop_gradient", "complex", lambda z: z * lax.stop_gradient(z), 4),
        _of_complex("abs", "complex zeros", lambda z: jnp.abs(z * jnp.array([0, 1, 0])), 3),
        _sample("mul", "complex constants",
                lambda a: jnp.exp(1j * a * jnp.arange(3)) * jnp.array([1 + 2j, np.inf * 0 + 3, 1j]), normal(3)),
        _sample("mul", "complex constant, long",
                lambda a: a * (np.arange(300) * np.exp(1j * np.arange(300))).astype(np.complex64), normal(300)),
    ]  # fmt: skip
    return found


def _moving() -> List[Sample]:
    def pieces(z: Any) -> Any:
        joined = jnp.concatenate([z, z[::-1]])
        return joined, jnp.pad(z, 1), z.T, jnp.where(z.real > 0, z, 1j), jnp.roll(z, 1), z[1:, ::2]

    def updated(z: Any) -> Any:
        return z.at[1].set(2j).at[jnp.array([0, 2])].add(z[:2]).at[0].subtract(1j)

    return [
        _of_complex("concatenate", "complex", pieces, 3, 4),
        _of_complex("gather", "complex", lambda z: z[jnp.array([1, 0, 2, 2])], 3, 4),
        _of_complex("dynamic_slice", "complex", lambda z: lax.dynamic_slice(z, (1, 0), (2, 3)), 3, 4),
        _of_complex("scatter", "complex", updated, 3, 4),
        _of_complex("reduce_sum", "complex", lambda z: (z.sum(0), z.mean(), jnp.cumsum(z, 1)), 3, 4),
        _of_complex("reduce_prod", "complex", lambda z: (jnp.prod(z, 0), jnp.prod(z)), 3, 4),
        _of_complex("cumprod", "complex", lambda z: jnp.cumprod(z, 0), 3, 4),
        _of_complex("dot_general", "complex", lambda z: (z @ z.T, jnp.vdot(z, z), jnp.linalg.norm(z)), 3, 4),
        _sample("dot_general", "complex by real", lambda a, b, w: lax.complex(a, b) @ w, normal(3, 4), normal(3, 4),
                normal(4, 2)),
        _of_complex("conv_general_dilated", "complex", lambda z: jnp.convolve(z, z[:3]), 7),
    ]  # fmt: skip


def _controlled() -> List[Sample]:
    def recurrent(a: Any, b: Any, x: Any) -> Any:
        return lax.scan(lambda h, row: (h * lax.complex(a, b) + row, h.real), jnp.zeros(4, jnp.complex64), x)

    def associative(a: Any, b: Any, x: Any) -> Any:
        turns = jnp.broadcast_to(lax.complex(a, b), x.shape)
        pairs = turns, x.astype(jnp.complex64)
        return lax.associative_scan(lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), pairs)[1]

    half = np.float32(0.5)
    return [
        _sample("scan", "complex", recurrent, normal(4) * half, normal(4) * half, normal(6, 4)),
        _sample("scan", "complex, associative", associative, normal(4) * half, normal(4) * half, normal(6, 4)),
        _sample("cond", "complex", lambda a, b: lax.cond(
            a[0] > 0, lambda z: z * 2j, lambda z: z.conj(), lax.complex(a, b)), normal(4), normal(4)),
        _of_complex("while", "complex", lambda z: lax.fori_loop(0, 4, lambda i, own: own * own + 0.3, z * 0.3), 4),
        _of_complex("remat2", "complex", jax.checkpoint(lambda z: jnp.exp(z) * z), 4),
    ]  # fmt: skip


def _spectra() -> List[Sample]:
    found: List[Sample] = []
    for name in ("fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "irfft", "irfft2", "irfftn", "hfft"):
        found.append(_of_complex("fft", name, getattr(jnp.fft, name), 3, 6, 5))
    for name in ("fft", "rfft", "rfft2", "rfftn", "hfft", "ihfft"):
        found.append(_sample("fft", f"{name} of real", getattr(jnp.fft, name), normal(3, 6, 8)))
    # Lengths that one product transforms, that several do, and a prime.
    for length in (12, 300, 257):
        found.append(_sample("fft", f"rfft of {length}", lambda x: jnp.fft.rfft(x, norm="ortho"), normal(2, length)))
        found.append(_sample("fft", f"and back of {length}", lambda x: jnp.fft.irfft(
            jnp.fft.rfft(x) * jnp.exp(1j), n=x.shape[-1]), normal(2, length)))  # fmt: skip
    found += [
        _of_complex("fft", "irfft of an odd length", lambda z: jnp.fft.irfft(z, n=7), 3, 5),
        _sample("fft", "along the first dimension", lambda x: jnp.fft.fft(x, n=10, axis=0), normal(8, 3)),
        _sample("fft", "in a batch", jax.vmap(lambda row: jnp.fft.fft(row) * 1j), normal(3, 5)),
        _sample("fft", "convolution", lambda x, y: jax.scipy.signal.fftconvolve(x, y, mode="same"), normal(20),
                normal(5)),  # fmt: skip
        _sample("fft", "of windows", lambda x: jax.scipy.signal.stft(x, nperseg=8)[2], normal(32)),
    ]
    return found


def complex_samples() -> List[Sample]:
    return [*_elementwise(), *_moving(), *_controlled(), *_spectra()]
