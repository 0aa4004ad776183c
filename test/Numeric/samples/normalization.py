# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of normalizations."""

from samples.sampling import arg, sample, within


def norm(op: str, x: str, parameters: dict, attributes: str, results: int = 1) -> None:
    """Each of the results of a normalization, on its own."""
    names = list(parameters)
    args = [arg(x)] + [arg(kind, within(0.5, 2)) for kind in parameters.values()]
    types = ", ".join([x] + list(parameters.values()))
    clauses = " ".join(f"{name} %a{i + 1}" for i, name in enumerate(names))
    channels = f"tensor<{x.split('x')[-2]}xf64>"
    declared = [x] + [channels] * (results - 1)
    left = ", ".join(f"%r{i}" for i in range(results))
    for i, kind in enumerate(declared):
        # %y is one of several results.
        sample(op, args, f"{left} = {op} %a0 {clauses} {attributes} : ({types}) -> ({', '.join(declared)})\n"
                         f"%y = arith.addf %r{i}, %r{i} : {kind}", kind)


X = "tensor<?x2x3xf64>"
LAST, BOTH = "tensor<3xf64>", "tensor<2x3xf64>"
for parameters in ({}, {"gamma": LAST}, {"beta": LAST}, {"gamma": LAST, "beta": LAST}):
    norm("nn.layer_norm", X, parameters, "axes [2] epsilon 1.0e-3")
    norm("nn.batch_norm_training", X, parameters, "epsilon 1.0e-3", results=3)
    norm("nn.batch_norm_inference", X, {"mean": LAST, "variance": LAST, **parameters}, "epsilon 1.0e-3")
norm("nn.layer_norm", X, {"gamma": BOTH, "beta": BOTH}, "axes [1, 2] epsilon 1.0e-3")
norm("nn.layer_norm", X, {"gamma": "tensor<2xf64>"}, "axes [1] epsilon 1.0e-3")
norm("nn.rms_norm", X, {}, "axes [2] epsilon 1.0e-3")
norm("nn.rms_norm", X, {"gamma": BOTH}, "axes [1, 2] epsilon 1.0e-3")
