# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s reference
# RUN: %python %s optimized
# RUN: %python %s gpu
"""Every derivative rule against numbers (G1, G11, G13, G14).

For each rule of the registry, each sample of samples/: the gradient
against central differences in f64; <J v, u> = <v, J^T u> with J v by differences
along v; the same for the gradient's own gradient; and <J v, u> with J v in
forward mode. A rule without a sample fails.

usage: rules.py LOWERING|gpu [RULE...]
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, List, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

import flywheel
from configurations import GPU_TARGET, ONLY_GPU
from samples import SAMPLES, Sample, as_list, draw
from selection import choose, choose_for, count

Array = NDArray[Any]
# The share of the samples of an op in a lowering; at least one of each in one of them, but on the simulator of a GPU.
SHARE = 0.08
SHARE_ON_GPU = 0.05
# Derivatives are made long before LLVM.
OPT_LEVEL = count(0, 1)


def difference(function: Callable[[Sequence[Array]], List[Array]], at: List[Array], along: List[Array],
               step: float) -> List[Array]:
    """The derivative of `function` along a direction, to O(step^4)."""
    def shifted(scale: float) -> List[Array]:
        return function([a + scale * step * v for a, v in zip(at, along)])

    one, minus_one, two, minus_two = shifted(1), shifted(-1), shifted(2), shifted(-2)
    return [(8 * (p - m) - (pp - mm)) / (12 * step) for p, m, pp, mm in zip(one, minus_one, two, minus_two)]


def inner(a: Sequence[Array], b: Sequence[Array]) -> float:
    return float(sum(np.sum(x * y) for x, y in zip(a, b)))


def magnitude(arrays: Sequence[Array]) -> float:
    return max([1.0] + [float(np.max(np.abs(a), initial=0.0)) for a in arrays])


def check(sample: Sample, lowering: str, rng: np.random.Generator) -> str:
    """Nothing, or what is wrong."""
    try:
        if lowering == "gpu":
            session = flywheel.Session(flywheel.compile(sample.module(), target=GPU_TARGET))
        else:
            session = flywheel.Session(flywheel.compile(sample.module(), lowering=lowering, opt_level=OPT_LEVEL))
    except flywheel.CompileError as error:
        return f"does not compile: {error}"
    inputs = [draw(arg, rng) for arg in sample.args]
    wrt = sample.wrt

    def bind(entry: str, extra: Sequence[Array]) -> Callable[[Sequence[Array]], List[Array]]:
        call = session.entry(entry)

        def function(at: Sequence[Array]) -> List[Array]:
            arguments = list(inputs)
            for index, value in zip(wrt, at):
                arguments[index] = np.array(value, order="C")
            results: List[Array] = as_list(call(*arguments, *extra))
            return results
        return function

    at = [inputs[index] for index in wrt]
    value = bind("f", ())
    # Singles inside a sample: differences see their rounding, so step further.
    coarse = sample.tolerance > 1e-3
    step = 1e-2 if coarse else 1e-3
    tolerance = sample.tolerance * (1 if coarse else 10)
    weights = rng.standard_normal(value(at)[0].shape)
    gradient = bind("vjp", (weights,))
    first = gradient(at)
    if sample.constant and any(np.any(g) for g in first):
        return "expected a derivative of 0"

    # Element by element.
    for position, (argument, found) in enumerate(zip(at, first)):
        for element in np.ndindex(argument.shape):
            unit = [np.zeros_like(a) for a in at]
            unit[position][element] = 1.0
            expected = inner([weights], difference(value, at, unit, step))
            if not abs(found[element] - expected) <= tolerance * max(1.0, abs(expected)):
                return (f"gradient of argument {wrt[position]} at {element}: expected {expected}, "
                        f"found {found[element]}")

    # <J v, u> = <v, J^T u>, then the same one order up.
    seconds = [rng.standard_normal(a.shape) for a in at]
    second = bind("second", [weights] + seconds)
    checks: Tuple[Tuple[str, Callable[[Sequence[Array]], List[Array]], Sequence[Array], List[Array]], ...] = (
        ("first", value, [weights], first), ("second", gradient, seconds, second(at)))
    for order, function, dual, transposed in checks:
        direction = [rng.standard_normal(a.shape) for a in at]
        forward = inner(difference(function, at, direction, step), dual)
        backward = inner(direction, transposed)
        if not abs(backward - forward) <= tolerance * max(magnitude(transposed), abs(forward)) * 10:
            return f"<J v, u> = <v, J^T u> of {order} order: expected {forward}, found {backward}"

    # Both derived: equal but for rounding.
    direction = [rng.standard_normal(a.shape) for a in at]
    forward, backward = inner(bind("jvp", direction)(at), [weights]), inner(direction, first)
    exact = 1e-5 if coarse else 1e-11
    if not abs(backward - forward) <= exact * max(magnitude(first), abs(forward)) * 10:
        return f"<J v, u> = <v, J^T u> in forward mode: expected {backward}, found {forward}"
    return ""


def main(lowering: str, only: Sequence[str]) -> None:
    rules = flywheel.derivative_rules()
    failures = [f"{rule}: no sample" for rule in rules if rule not in SAMPLES]
    cases = [(rule, number, sample) for rule in rules if not only or rule in only
             for number, sample in enumerate(SAMPLES.get(rule, []))]
    if not only and lowering == "gpu" and not ONLY_GPU:
        cases = choose("rules gpu", cases, SHARE_ON_GPU)
    elif not only:
        cases = choose_for(lowering, ("reference", "optimized"), "rules", cases, SHARE, group=lambda case: case[0])

    def run(case: Tuple[str, int, Sample]) -> str:
        rule, number, sample = case
        message = check(sample, lowering, np.random.default_rng(number))
        return f"{rule}: sample {number}: {message}\n{sample.module()}" if message else ""

    with ThreadPoolExecutor(2) as pool:
        failures += [message for message in pool.map(run, cases) if message]
    print("\n".join(failures))
    print(f"{len(rules)} rules, {len(cases)} samples, {len(failures)} failures")
    sys.exit(1 if failures else 0)


main(sys.argv[1], sys.argv[2:])
