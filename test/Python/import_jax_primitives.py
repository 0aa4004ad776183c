# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, jax
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""B6: each primitive of JAX, with its derivative: what is imported has JAX's results and derivatives, also where these
are zero everywhere, and what is not is refused by name.

usage: import_jax_primitives.py [--table] [--functions] [WORD], in the names of samples to run; FLYWHEEL_TEST_ALL=1 runs
all, --table prints what is refused, and --functions runs the public functions of JAX in place of its primitives
"""

import collections
import sys
import warnings
from typing import Any, Dict, List, Sequence, Tuple

import jax
import jax.numpy as jnp
import numpy as np

import flywheel as fw
import flywheel.jax
from flywheel.jax import UnsupportedOpError
from jax_function_samples import function_samples
from jax_larger_primitives import all_samples
from jax_primitives import LEFT_OUT, Sample, primitives
from selection import choose

# The samples of which a run without FLYWHEEL_TEST_ALL takes some.
SHARE = 0.08
# So many samples are one program.
GROUP = 12
RTOL = {"float16": 4e-3, "bfloat16": 3e-2}


def is_float(x: Any) -> bool:
    return bool(jnp.issubdtype(np.asarray(x).dtype, jnp.floating))


def weighted(results: Any) -> Any:
    """A scalar that every element of floating point has a part in."""
    total = jnp.zeros((), jnp.float32)
    for leaf in jax.tree_util.tree_leaves(results):
        if jnp.issubdtype(leaf.dtype, jnp.floating):
            weights = jnp.cos(jnp.arange(leaf.size, dtype=jnp.float32)).reshape(leaf.shape)
            total = total + jnp.sum(jnp.where(jnp.isfinite(leaf), weights * leaf.astype(jnp.float32), 0))
    return total


def compare(found: Any, expected: Any, what: str) -> None:
    for one, other in zip(jax.tree_util.tree_leaves(found), jax.tree_util.tree_leaves(expected)):
        one, other = np.asarray(one), np.asarray(other)
        kinds = [f"{x.dtype}{x.shape}" for x in (one, other)]
        assert kinds[0] == kinds[1], f"{what}: {kinds[0]}, not {kinds[1]}"
        if not is_float(other):
            assert (one == other).all(), f"{what}: {one.tolist()}, not {other.tolist()}"
            continue
        rtol = RTOL.get(str(other.dtype), 2e-4)
        finite = np.abs(other[np.isfinite(other)].astype(np.float64))
        scale = float(np.max(finite, initial=1.0))
        np.testing.assert_allclose(one.astype(np.float64), other.astype(np.float64), rtol, 1e-5 * scale, err_msg=what)


def check(samples: Sequence[Sample], derivatives: bool = True) -> None:
    """Raises AssertionError where a result or a derivative differs, UnsupportedOpError where one is refused. All are
    one function, which is exported and compiled once."""
    params: Dict[str, Any] = {}
    inputs: Dict[str, Any] = {}
    for number, sample in enumerate(samples):
        for place, array in enumerate(sample.arrays):
            (params if is_float(array) else inputs)[f"{number}_{place}"] = np.asarray(array)

    def run(own: Any, given: Any) -> Any:
        both = {**own, **given}
        return {sample.name: sample.function(*[both[f"{number}_{i}"] for i in range(len(sample.arrays))])
                for number, sample in enumerate(samples)}  # fmt: skip

    with fw.Namespace(), fw.Store():
        compare(flywheel.jax.from_function(run, params, (inputs,))(inputs), jax.jit(run)(params, inputs), "result")
    if not params or not derivatives:
        return

    def loss(own: Any, given: Any) -> Any:
        return weighted(run(own, given))

    expected = jax.jit(jax.grad(loss))(params, inputs)
    with fw.Namespace(), fw.Store():
        ours = flywheel.jax.from_function(loss, params, (inputs,), optimizer=fw.optimizers.SGD(lr=1.0))
        ours.step(inputs)
        for name, value in ours.params().items():
            largest = float(np.max(np.abs(params[name]), initial=1.0))
            found, wanted = (params[name] - value) / largest, np.asarray(expected[name]) / np.float32(largest)
            compare(found, wanted, f"derivative by argument {name}")


def outcome(sample: Sample) -> Tuple[str, str]:
    """Returns the outcome of a sample: "right", "refused" by name, "other" for any other error, or "wrong"; and why."""
    for derivatives in (True, False):
        try:
            check([sample], derivatives)
            return "right", ""
        except UnsupportedOpError as error:
            return "refused", " ".join(str(error).split())
        except Exception as error:
            lines = " | ".join(line for line in str(error).splitlines() if line.strip())
            why = f"{type(error).__name__}: {lines[:300]}"
            if _runs(sample, derivatives):
                return ("wrong" if isinstance(error, AssertionError) else "other"), why
            # JAX itself has no derivative, or no function.
    return "not exported", why


def _runs(sample: Sample, derivatives: bool) -> bool:
    """Returns true if JAX itself compiles the function, or its derivative."""
    arrays = [jnp.asarray(array) for array in sample.arrays]
    moving = [i for i, array in enumerate(arrays) if is_float(array)]
    try:
        jax.jit(sample.function)(*arrays)
        if moving and derivatives:
            jax.jit(jax.grad(lambda *given: weighted(sample.function(*given)), moving))(*arrays)
        return True
    except Exception:
        return False


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    samples = all_samples()
    # A primitive that a new JAX has is here or in LEFT_OUT.
    missing = set(primitives()) - {sample.primitive for sample in samples}
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    without: List[str] = []
    if "--functions" in sys.argv:
        samples, without = function_samples()
    if words:
        samples = [sample for sample in samples if words[0] in sample.name]
    else:
        samples = choose("import_jax_primitives", samples, SHARE)
    counts: "collections.Counter[str]" = collections.Counter()
    refused: List[str] = []
    for group in (samples[first : first + GROUP] for first in range(0, len(samples), GROUP)):
        try:
            check(group)
            counts["right"] += len(group)
            continue
        except Exception:
            # Some of them, which each by itself tells.
            pass
        for sample in group:
            found, why = outcome(sample)
            counts[found] += 1
            if found in ("wrong", "other"):
                print(f"{sample.name}: {found}: {why}", flush=True)
            elif found != "right":
                refused.append(f"{sample.name}: {found}: {why}")
    if "--table" in sys.argv:
        print("\n".join(refused))
        print(f"{len(primitives())} primitives, without samples: {sorted(missing)}; left out: {len(LEFT_OUT)}")
        print(f"functions without samples: {' '.join(without)}")
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    sys.exit(bool(counts["wrong"] or counts["other"]))
