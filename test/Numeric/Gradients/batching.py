# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s reference
# RUN: %python %s optimized
"""Every batching rule against one row at a time (G5, G11).

For each op that has a derivative rule, each sample of samples/:

* its Jacobian, in reverse and forward mode and in chunks, against gradients for
  unit weights, one call each;
* the op itself, batched over each argument, against calls on unit arguments: it
  is the rule of a `train.custom_vjp`, whose Jacobian is what the rule makes of
  unit cotangents;
* a gradient of the Jacobian against second derivatives: what batching emits has
  rules itself.

An op without a batching rule fails.

usage: batching.py LOWERING [OP...]
"""

import re
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Iterator, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

import flywheel
from samples import SAMPLES, Sample, as_list, draw
from selection import choose_for, count

Array = NDArray[Any]
# The share of the samples in a lowering, and at least one of each op in one of them.
SHARE = 0.03
# Derivatives and batches are made long before LLVM.
OPT_LEVEL = count(0, 1)


def shape_of(type: str) -> str:
    """`3x?x` of `tensor<3x?xf64>`."""
    found = re.match(r"tensor<((?:[0-9?]+x)*)", type)
    assert found
    return found.group(1)


def product_type(y: str, x: str) -> str:
    return f"tensor<{shape_of(y)}{shape_of(x)}f64>"


def function(name: str, arguments: str, body: str, results: Sequence[Tuple[str, str, str]]) -> str:
    """A function that returns values of a type, cast to another."""
    casts, values = "", []
    for number, (value, type, outer) in enumerate(results):
        values.append(value if type == outer else f"%cast{number}")
        if type != outer:
            casts += f"  %cast{number} = tensor.cast {value} : {type} to {outer}\n"
    types = ", ".join(outer for _, _, outer in results)
    return (f"func.func @{name}({arguments}) -> ({types}) {{\n{body}{casts}"
            f"  return {', '.join(values)} : {types}\n}}\n")


def indent(body: str) -> str:
    return "".join(f"  {line.strip()}\n" for line in body.strip().splitlines())


def outer_argument(sample: Sample, argument: int) -> str:
    """The type of a gradient that a function returns: where nothing of y is dynamic, an
    dimension size of x may be known from elsewhere."""
    arg = sample.args[argument]
    is_static = "?" not in (sample.static_result or sample.result)
    return f"tensor<{''.join(f'{dim_size}x' for dim_size in arg.shape)}f64>" if is_static else arg.type


def outer_type(sample: Sample, argument: int) -> str:
    """The type of a Jacobian that a function returns."""
    return product_type(sample.static_result or sample.result, outer_argument(sample, argument))


def jacobian(sample: Sample, name: str, options: str) -> str:
    """A function that returns the Jacobian of y with respect to each argument."""
    xs = [sample.args[i].type for i in sample.wrt]
    types = [product_type(sample.result, x) for x in xs]
    many = len(xs) > 1
    body = indent(sample.body) + (
        f"  %jac{':' + str(len(xs)) if many else ''} = train.jacobian %y wrt "
        f"{', '.join(f'%a{i}' for i in sample.wrt)} {options} unconnected zeros : "
        f"({', '.join([sample.result] + xs)}) -> ({', '.join(types)})\n")
    names = [f"%jac#{k}" if many else "%jac" for k in range(len(xs))]
    return function(name, sample.signature(), body,
                    [(value, type, outer_type(sample, i)) for value, type, i in zip(names, types, sample.wrt)])


def nested(sample: Sample) -> str:
    """A function of weights for each element of the Jacobian, that returns the gradients of the sum."""
    xs = [sample.args[i].type for i in sample.wrt]
    names = ", ".join(f"%a{i}" for i in sample.wrt)
    types = [product_type(sample.result, x) for x in xs]
    outer = [outer_type(sample, i) for i in sample.wrt]
    many = len(xs) > 1
    left = f":{len(xs)}" if many else ""
    values = [f"%jac#{k}" if many else "%jac" for k in range(len(xs))]
    duals = [f"%given{k}" for k in range(len(xs))]
    body = indent(sample.body) + (
        f"  %jac{left} = train.jacobian %y wrt {names} mode reverse unconnected zeros : "
        f"({', '.join([sample.result] + xs)}) -> ({', '.join(types)})\n")
    for k, (type, static) in enumerate(zip(types, outer)):
        if type != static:
            duals[k] = f"%dual{k}"
            body += f"  %dual{k} = tensor.cast %given{k} : {static} to {type}\n"
    body += (f"  %grad{left} = train.gradient {', '.join(values)} wrt {names} grad_ys {', '.join(duals)} "
             f"unconnected zeros : ({', '.join(types + xs + types)}) -> ({', '.join(xs)})\n")
    arguments = sample.signature() + "".join(f", %given{k}: {type}" for k, type in enumerate(outer))
    return function("nested", arguments, body,
                    [(f"%grad#{k}" if many else "%grad", x, outer_argument(sample, i))
                     for k, (x, i) in enumerate(zip(xs, sample.wrt))])


def batched(sample: Sample, argument: int) -> str:
    """A function that returns what the sample makes of each unit tensor as one argument."""
    result, type = sample.result, sample.args[argument].type
    inputs = [f"%b{i}: {arg.type}" for i, arg in enumerate(sample.args)]
    floats = [i for i, arg in enumerate(sample.args) if "xi" not in arg.type and "<i" not in arg.type]
    types = ", ".join([arg.type for arg in sample.args] + [result])
    outer = sample.static_result or result
    rule = re.sub(r"%a(\d+)", lambda found: "%unit" if int(found.group(1)) == argument else f"%b{found.group(1)}",
                  sample.body)
    cast = f"  %weight = tensor.cast %weight_static : {outer} to {result}\n" if outer != result else ""
    body = cast + (
        f"  %moved = train.custom_vjp {', '.join([f'%a{i}' for i in range(len(sample.args))] + ['%weight'])} : "
        f"({types}) -> {type} {{\n  ^bb0({', '.join(inputs + [f'%bweight: {result}'])}):\n"
        f"    train.vjp_yield %b{argument} : {type}\n  }} vjp {{\n"
        f"  ^bb0({', '.join(inputs + [f'%bweight: {result}', f'%unit: {type}'])}):\n{indent(rule)}"
        f"    train.vjp_yield {', '.join([f'%b{i}' for i in floats] + ['%y'])} : "
        f"{', '.join([sample.args[i].type for i in floats] + [result])}\n  }}\n"
        f"  %jac = train.jacobian %moved wrt %weight mode reverse : ({type}, {result}) -> "
        f"{product_type(type, result)}\n")
    weights = "%weight" if outer == result else "%weight_static"
    return function(f"batched{argument}", f"{sample.signature()}, {weights}: {outer}", body,
                    [("%jac", product_type(type, result), product_type(type, outer))])


def units(shape: Tuple[int, ...]) -> Iterator[Array]:
    for element in np.ndindex(shape):
        unit = np.zeros(shape)
        unit[element] = 1.0
        yield unit


def differs(found: Array, expected: Array, tolerance: float) -> bool:
    with np.errstate(invalid="ignore"):
        scale = max(1.0, float(np.max(np.abs(expected), initial=0.0, where=np.isfinite(expected))))
    return found.shape != expected.shape or not np.allclose(found, expected, rtol=tolerance, atol=tolerance * scale,
                                                            equal_nan=True)


def check(sample: Sample, lowering: str, rng: np.random.Generator) -> str:
    """Nothing, or what is wrong."""
    text = sample.module() + jacobian(sample, "reverse", "mode reverse") + jacobian(
        sample, "forward", "mode forward") + nested(sample) + "".join(batched(sample, i) for i in sample.wrt)
    names = ["reverse", "forward"]
    # A number that a loop would check in each iteration has to be known before it.
    if "?" not in sample.result + "".join(arg.type for arg in sample.args):
        text += jacobian(sample, "chunks", "mode reverse chunk 2")
        names.append("chunks")
    try:
        session = flywheel.Session(flywheel.compile(text, lowering=lowering, opt_level=OPT_LEVEL))
    except flywheel.CompileError as error:
        return f"does not compile: {error}\n{text}"
    inputs = [draw(arg, rng) for arg in sample.args]
    value = as_list(session.run("f", *inputs))[0]
    # Singles inside a sample.
    tolerance = 1e-5 if sample.tolerance > 1e-3 else 1e-10

    rows = [as_list(session.run("vjp", *inputs, unit)) for unit in units(value.shape)]
    expected = [np.reshape([row[k] for row in rows], value.shape + inputs[i].shape)
                for k, i in enumerate(sample.wrt)]
    for name in names:
        for k, found in enumerate(as_list(session.run(name, *inputs))):
            if differs(found, expected[k], tolerance):
                return (f"Jacobian ({name}) of argument {sample.wrt[k]}: expected\n{expected[k]}\n"
                        f"found\n{found}\n{text}")

    weights = [np.asarray(rng.standard_normal(jacobian.shape)) for jacobian in expected]
    seconds = [np.zeros(inputs[i].shape) for i in sample.wrt]
    for element, unit in zip(np.ndindex(value.shape), units(value.shape)):
        parts = as_list(session.run("second", *inputs, unit, *[np.array(w[element]) for w in weights]))
        for total, part in zip(seconds, parts):
            total += part
    for k, found in enumerate(as_list(session.run("nested", *inputs, *weights))):
        if differs(found, seconds[k], tolerance * 10):
            return f"gradient of the Jacobian: expected\n{seconds[k]}\nfound\n{found}\n{text}"

    for argument in sample.wrt:
        shape = inputs[argument].shape
        calls = []
        try:
            for unit in units(shape):
                arguments = list(inputs)
                arguments[argument] = unit
                calls.append(as_list(session.run("f", *arguments))[0])
        except flywheel.InvalidArgumentError:
            continue  # No unit tensor is allowed.
        one_by_one = np.reshape(calls, shape + value.shape)
        found = session.run(f"batched{argument}", *inputs, value)
        if differs(found, one_by_one, tolerance):
            return f"batched over argument {argument}: expected\n{one_by_one}\nfound\n{found}\n{text}"
    return ""


def main(lowering: str, only: Sequence[str]) -> None:
    rules = flywheel.derivative_rules()
    covered = set(flywheel.batching_rules())
    failures = [f"{rule}: no batching rule" for rule in rules if rule not in covered]
    cases = [(rule, number, sample) for rule in rules if not only or rule in only
             for number, sample in enumerate(SAMPLES.get(rule, []))]
    if not only:
        cases = choose_for(lowering, ("reference", "optimized"), "batching", cases, SHARE, group=lambda case: case[0])

    def run(case: Tuple[str, int, Sample]) -> str:
        rule, number, sample = case
        message = check(sample, lowering, np.random.default_rng(number))
        return f"{rule}: sample {number}: {message}" if message else ""

    with ThreadPoolExecutor(2) as pool:
        failures += [message for message in pool.map(run, cases) if message]
    print("\n".join(failures))
    print(f"{len(rules)} ops, {len(cases)} samples, {len(failures)} failures")
    sys.exit(1 if failures else 0)


main(sys.argv[1], sys.argv[2:])
