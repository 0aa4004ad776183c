# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of normalizations."""

from typing import Dict, List

from samples.sampling import arg, sample, within

X = "tensor<?x2x3xf64>"
LAST, BOTH = "tensor<3xf64>", "tensor<2x3xf64>"


def norm(op: str, parameters: Dict[str, str], attributes: str, jax: List[str]) -> None:
    """Each of the results of a normalization of x, on its own: all but the first
    are of the channels. `jax` has an expression of each result."""
    names = {name: f"a{i + 1}" for i, name in enumerate(parameters)}
    args = [arg(X)] + [arg(kind, within(0.5, 2)) for kind in parameters.values()]
    types = ", ".join([X, *parameters.values()])
    clauses = " ".join(f"{name} %{value}" for name, value in names.items())
    declared = [X] + [LAST] * (len(jax) - 1)
    left = ", ".join(f"%r{i}" for i in range(len(jax)))
    for i, kind in enumerate(declared):
        expression = jax[i]
        if i == 0:
            expression = f"{expression} * {names.get('gamma', '1')} + {names.get('beta', '0')}"
        sample(op, args, f"{left} = {op} %a0 {clauses} {attributes} : ({types}) -> ({', '.join(declared)})\n"
                         f"%y = arith.addf %r{i}, %r{i} : {kind}", kind, jax=f"2 * ({expression})")


def centered(axis: str) -> str:
    mean, variance = (f"a0.{name}({axis}, keepdims=True)" for name in ("mean", "var"))
    return f"(a0 - {mean}) / jnp.sqrt({variance} + 1e-3)"


for parameters in ({}, {"gamma": LAST, "beta": LAST}):
    norm("nn.layer_norm", parameters, "axes [2] epsilon 1.0e-3", [centered("-1")])
    norm("nn.batch_norm_training", parameters, "epsilon 1.0e-3",
         [centered("(0, 1)"), "a0.mean((0, 1))", "a0.var((0, 1))"])
    norm("nn.batch_norm_inference", {"mean": LAST, "variance": LAST, **parameters}, "epsilon 1.0e-3",
         ["(a0 - a1) / jnp.sqrt(a2 + 1e-3)"])
norm("nn.layer_norm", {"gamma": BOTH, "beta": BOTH}, "axes [1, 2] epsilon 1.0e-3", [centered("(1, 2)")])
norm("nn.layer_norm", {"beta": LAST}, "axes [2] epsilon 1.0e-3", [centered("-1")])
norm("nn.rms_norm", {}, "axes [2] epsilon 1.0e-3", ["a0 / jnp.sqrt((a0 ** 2).mean(-1, keepdims=True) + 1e-3)"])
norm("nn.rms_norm", {"gamma": BOTH}, "axes [1, 2] epsilon 1.0e-3",
     ["a0 / jnp.sqrt((a0 ** 2).mean((1, 2), keepdims=True) + 1e-3)"])
sample("nn.layer_norm", [arg(X), arg("tensor<2xf64>")],
       f"%y = nn.layer_norm %a0 gamma %a1 axes [1] epsilon 1.0e-3 : ({X}, tensor<2xf64>) -> {X}", X)
