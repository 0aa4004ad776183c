# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A sample of each public function of `jax.numpy`, `jax.nn` and `jax.scipy`, with the first arguments that JAX traces
it with (`import_jax_primitives.py --functions` runs them)."""

import inspect
import warnings
from typing import Any, Callable, List, Optional, Sequence, Tuple

import jax
import jax.numpy as jnp
import numpy as np

from jax_primitives import Sample, definite, normal, positive, spaced, whole, within

_MODULES = {
    "jnp": jnp, "jnp.linalg": jnp.linalg, "jnp.fft": jnp.fft, "jax.nn": jax.nn, "jax.scipy.special": jax.scipy.special,
    "jax.scipy.linalg": jax.scipy.linalg, "jax.scipy.signal": jax.scipy.signal, "jax.scipy.ndimage": jax.scipy.ndimage,
    "jax.scipy.integrate": jax.scipy.integrate, "jax.ops": jax.ops}  # fmt: skip
_DENSITIES = ("bernoulli beta cauchy chi2 dirichlet expon gamma gennorm geom laplace logistic multivariate_normal norm "
              "pareto poisson t truncnorm uniform").split()  # fmt: skip
# Functions that read files, print, say something of a dtype, compile, or draw uninitialized numbers.
_LEFT_OUT = frozenset(
    ("array_repr array_str array_equiv can_cast dtype empty empty_like finfo fromfile frombuffer from_dlpack fromiter "
     "fromstring get_printoptions iinfo isdtype issubdtype jit load promote_types printoptions result_type save savez "
     "set_printoptions size shape ndim ufunc vectorize frompyfunc iscomplexobj isrealobj isscalar iterable "
     "broadcast_shapes einsum_path block astype").split())  # fmt: skip


def _candidates() -> List[Tuple[Any, ...]]:
    """Arguments, of which a function gets the first ones that it takes; arrays are those of the sample."""
    square, rows = definite(3) * np.float32(0.2), normal(2, 3)
    vector, other = within(6), positive(6)
    return [
        (positive(3, 4),), (within(6),), (square,), (vector, other), (square, square), (rows, normal(2, 3)),
        (positive(3, 4), 1), (whole(3, 4),), (whole(6, low=0), whole(6, low=1)), (rows, 0), (vector, 2), (vector, 0, 1),
        (square, normal(3)), (spaced(6), np.float32(0.5)), ([rows, normal(2, 3)],),
        (positive(4), positive(4), within(4)),
        (positive(4), positive(4), positive(4), within(4)), (rows, (3, 2)), (rows, whole(2, 1, low=0, high=3), 1),
        (normal(6, 6), normal(3, 3)), (np.array([True, False, True]),), (3,), (2, 5), (0.0, 1.0),
        (np.array([True, False, True]), normal(3), normal(3)), (whole(4, low=0, high=3), 3), (lambda x: x * 2, 0, rows),
        (normal(1, 5, 2, 4), normal(1, 5, 2, 4), normal(1, 5, 2, 4)), (whole(8, low=0), 3), ((3, 2), 1.5),
        (normal(8), 4), (rows, [whole(2, low=0, high=2), whole(2, low=0, high=3)], 1), (square, (0, 1)),
        ([normal(3), normal(3)], [np.array([True, False, True])] * 2),
        (vector, np.array([0.0, 0.5, 1.0], np.float32), other[:3]),
        (1.5, 6), ((0.0, 1.0), (2.0, 3.0)), (np.array([1.0, 2.0], np.float32), square[:2, :2]),
    ]  # fmt: skip


def _is_array(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.ndim > 0


def _bound(function: Callable[..., Any], given: Sequence[Any]) -> Tuple[Callable[..., Any], List[Any]]:
    """Returns a function of the arrays among arguments, and the arrays."""
    leaves, form = jax.tree_util.tree_flatten(tuple(given))
    places = [place for place, leaf in enumerate(leaves) if _is_array(leaf)]

    def call(*arrays: Any) -> Any:
        full = list(leaves)
        for place, array in zip(places, arrays):
            full[place] = array
        return _real(function(*jax.tree_util.tree_unflatten(form, full)))

    return call, [leaves[place] for place in places]


# Arguments of functions whose domain the candidates leave: there JAX's derivatives are those of another function.
_WITHIN_DOMAIN = {"jax.scipy.special.zeta": [(1.2 + positive(4), positive(4))]}


def _without_signs(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: jax.tree_util.tree_map(jnp.abs, function(*given))


def _real(results: Any) -> Any:
    """The arrays of results, complex ones as their parts."""
    leaves = [jnp.asarray(one) for one in jax.tree_util.tree_leaves(results)]
    return [part for one in leaves for part in ((one.real, one.imag) if jnp.iscomplexobj(one) else (one,))]


# Factors, of which the signs of rows or columns are not defined.
_OF_ANY_SIGN = ("eig", "eigh", "svd", "qr", "lu", "rq", "polar")


def _sample(name: str, function: Callable[..., Any], candidates: Sequence[Tuple[Any, ...]]) -> Optional[Sample]:
    for given in candidates:
        is_free = name.split(".")[-1] in _OF_ANY_SIGN
        call, arrays = _bound(_without_signs(function) if is_free else function, given)
        try:
            jaxpr = jax.make_jaxpr(call)(*arrays)
            found = jax.jit(call)(*arrays)
        except Exception:
            continue
        if found and (arrays or jaxpr.eqns) and all(np.isfinite(np.asarray(one)).any() for one in found if one.size):
            return Sample(name, "", call, arrays or [normal(1)]) if arrays else None
    return None


def function_samples() -> Tuple[List[Sample], List[str]]:
    """The samples, and the names of functions that no arguments were found for: JAX itself does not trace most of them,
    as their results have sizes that depend on elements."""
    found: List[Sample] = []
    without: List[str] = []
    candidates = _candidates()
    functions = [(f"{name}.{key}", getattr(module, key)) for name, module in _MODULES.items() for key in dir(module)
                 if not key.startswith("_") and key not in _LEFT_OUT]  # fmt: skip
    for name in _DENSITIES:
        module = getattr(jax.scipy.stats, name)
        functions += [(f"jax.scipy.stats.{name}.{key}", getattr(module, key)) for key in dir(module)
                      if not key.startswith("_")]  # fmt: skip
    seen = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, function in functions:
            is_own = callable(function) and not inspect.isclass(function) and not inspect.ismodule(function)
            if not is_own or id(function) in seen or isinstance(function, (type, np.dtype)):
                continue
            module = str(getattr(function, "__module__", ""))
            is_dtype = isinstance(getattr(function, "dtype", None), np.dtype)
            if not module.startswith("jax") or name.endswith("_") or is_dtype:
                continue
            seen.add(id(function))
            sample = _sample(name, function, _WITHIN_DOMAIN.get(name, candidates))
            if sample is None:
                without.append(name)
            else:
                found.append(sample)
    return found, without
