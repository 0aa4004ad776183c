# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""A list of variables that the package returns is a list to derivatives, trees, control flow and NumPy (G1): it was one
tensor of all of them, whose gradient was None. A module or a dict in its place is an error that says what to give."""

from typing import Any, Callable, Dict, List

import numpy as np

import flywheel as fw

model = fw.nn.Sequential(fw.nn.Dense(4, 4, bias=False), fw.nn.Dense(4, 4, bias=False))
# One variable alone: a tensor of it and a list of it are told apart by their shape.
single = fw.nn.Dense(4, 4, bias=False)
adam = fw.optimizers.Adam()
fw.add_to_collection("mine", model.layers[0].kernel)
x = np.random.default_rng(0).standard_normal((2, 4)).astype(np.float32)

lists: Dict[str, Callable[[], List[Any]]] = {
    "parameters": model.parameters, "variables": model.variables, "of one": single.parameters,
    "trainable": fw.trainable_variables, "global": fw.global_variables, "collection": lambda: fw.collection("mine"),
}  # fmt: skip


def loss_of(value: Any) -> Any:
    return fw.sum(fw.square(single(model(value))))


uses: Dict[str, Callable[[Any, List[Any]], Any]] = {
    "gradients": lambda v, ws: fw.gradients(loss_of(v), ws),
    "zero": lambda v, ws: fw.gradients(loss_of(v), ws, unconnected="zero"),
    "gradients of": lambda v, ws: fw.gradients(ws, ws),
    "stop": lambda v, ws: fw.gradients(loss_of(v), v, stop_gradients=ws),
    "value_and_grad": lambda v, ws: fw.value_and_grad(loss_of, variables=ws)(v),
    "grad of an argument": lambda v, ws: fw.grad(lambda own: sum(fw.sum(v @ w * w[0, 0]) for w in own))(ws),
    "jacobian": lambda v, ws: fw.jacobian_of(model(v)[0], ws),
    "jvp": lambda v, ws: fw.jvp(lambda own: fw.sum(own[0]), [ws], [[fw.ones_like(w) for w in ws]]),
    "map_leaves": lambda v, ws: fw.map_leaves(lambda w: 2.0 * w, ws),
    "returned": lambda v, ws: (ws, {"all": ws}),
    "cond": lambda v, ws: fw.cond(v[0, 0] > 0, lambda: ws, lambda: [0.5 * w for w in ws]),
    "scan": lambda v, ws: fw.scan(lambda own, _: ([w + 1.0 for w in own], None), ws, None, 3)[0],
    "vmap": lambda v, ws: fw.vmap(lambda row, own: [row @ w for w in own], in_axes=(0, None))(v, ws),
    "stack": lambda v, ws: fw.stack(ws),
}
for name, make in lists.items():
    for use, call in uses.items():
        found = fw.function(lambda v, call=call, make=make: call(v, make()))(x)
        wanted = fw.function(lambda v, call=call, make=make: call(v, list(make())))(x)
        numbers: List[Any] = []
        others: List[Any] = []
        same = [fw.map_leaves(into.append, tree) for into, tree in ((numbers, found), (others, wanted))]
        assert same[0] == same[1], (name, use, same)
        assert all(np.array_equal(a, b) for a, b in zip(numbers, others)) and len(numbers) == len(others), (name, use)
    for function in (np.stack, np.concatenate, np.array):
        values: Any = function
        np.testing.assert_array_equal(values(make()), values([w.numpy() for w in make()]))
gradients = fw.function(lambda v: fw.gradients(loss_of(v), single.parameters()))(x)
assert len(gradients) == 1 and np.abs(gradients[0]).max() > 0


def refused(text: str, body: Callable[[Any], Any]) -> None:
    try:
        fw.function(body)(x)
    except TypeError as error:
        assert text in str(error), error
    else:
        raise AssertionError(text)


untyped: Any = fw
average = fw.ExponentialMovingAverage(0.9)
weights = model.parameters()
any_model: Any = model
refused("as var_list, found Sequential: give its parameters()", lambda v: adam.minimize(loss_of(v), any_model))
refused("as var_list, found Sequential: give its parameters()", lambda v: average.apply(any_model))
refused("give zip(gradients.values(), module.parameters())",
        lambda v: adam.apply_gradients(untyped.grad(lambda one: fw.sum(one(v)))(model)))  # fmt: skip
refused("of a gradient and its variable, in this order, found",
        lambda v: untyped.optimizers.Adam.apply_gradients(adam, [(weights[0], weights[0] * 2.0)]))  # fmt: skip
