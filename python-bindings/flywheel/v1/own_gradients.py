# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients that programs write: of types of ops (`RegisterGradient`), and of functions (`custom_gradient`)."""

import functools
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Sequence

from .. import _ops, transforms
from .._core import dtypes as _dtypes
from .._errors.messages import about
from .conversion import as_tensor
from .graph import Graph, get_default_graph
from .inference import as_list
from .operation import Fields, Operation, Tensor
from .ops import identity
from .structures import flatten, pack

# By names, functions of an op and of the gradients of its results.
_registered: Dict[str, Callable[..., Any]] = {}

# TensorFlow's types of ops that have another name here.
_TYPES: Dict[str, str] = {
    "add": "Add", "sub": "Sub", "Subtract": "Sub", "mul": "Mul", "Multiply": "Mul", "truediv": "RealDiv",
    "Truediv": "RealDiv", "Divide": "RealDiv", "Realdiv": "RealDiv", "Div": "RealDiv", "floordiv": "FloorDiv",
    "Floordiv": "FloorDiv", "mod": "FloorMod", "Mod": "FloorMod", "Floormod": "FloorMod", "pow": "Pow",
    "Negative": "Neg", "matmul": "MatMul", "transpose": "Transpose", "stack": "Pack", "concat": "ConcatV2",
    "strided_slice": "StridedSlice", "reduce_prod": "Prod", "reduce_min": "Min", "Truncatediv": "TruncateDiv",
}  # fmt: skip
_SAME = frozenset([
    "Abs", "Acos", "AddN", "Asin", "Atan", "AvgPool", "BiasAdd", "Cast", "Ceil", "Conv2D", "Cos", "Elu", "Erf", "Exp",
    "Expm1", "ExpandDims", "Fill", "Floor", "Gather", "Identity", "L2Loss", "LRN", "LeakyRelu", "Log", "Log1P",
    "LogSoftmax", "MatMul", "Max", "MaxPool", "Maximum", "Mean", "Minimum", "Neg", "Pad", "Reciprocal", "Relu", "Relu6",
    "Reshape", "Rint", "Round", "Rsqrt", "Select", "Selu", "Sigmoid", "Sign", "Sin", "Slice", "Softmax", "Softplus",
    "Softsign", "Sqrt", "Square", "SquaredDifference", "Squeeze", "Sum", "Tan", "Tanh", "Tile",
])  # fmt: skip
_KNOWN = _SAME | frozenset(_TYPES.values()) | {"AddV2", "GatherV2", "Log1p", "PadV2", "SelectV2"}
_OTHER = {"AddV2": "Add", "GatherV2": "Gather", "Log1p": "Log1P", "PadV2": "Pad", "SelectV2": "Select"}


class RegisterGradient:
    """A decorator: `gradient_override_map` gives ops this function, of an op and of the gradients of its results. It
    returns the gradients of the inputs, None for one that has none. Raises KeyError for a name that is taken."""

    def __init__(self, op_type: str):
        self._name = op_type

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if self._name in _registered:
            raise KeyError(f"Registering two gradient with name '{self._name}'!")
        _registered[self._name] = function
        return function


@contextmanager
def override_map(graph: Graph, types: Dict[str, str]) -> Iterator[None]:
    """In the block, ops of these types get the gradients that are registered under these names."""
    if not isinstance(types, dict):
        raise TypeError("op_type_map must be a dictionary mapping strings to strings")
    for kind in types:
        if not isinstance(kind, str) or not isinstance(types[kind], str):
            raise TypeError("op_type_map must be a dictionary mapping strings to strings")
        if kind not in _KNOWN:
            raise about("flywheel.v1.Graph.gradient_override_map", NotImplementedError(
                f"ops of type '{kind}'; those it takes: {', '.join(sorted(_KNOWN))}"))  # fmt: skip
    own = graph._open
    old, own.gradients = own.gradients, {**own.gradients, **{_OTHER.get(k, k): name for k, name in types.items()}}
    try:
        yield
    finally:
        own.gradients = old


def override(op: Operation, gradients: Dict[str, str]) -> None:
    """Gives a new op the gradient that the block it is made in says for its type."""
    name = gradients.get(_TYPES.get(op.type, op.type))
    if name is None:
        return
    function = _registered.get(name)
    if function is None:
        raise LookupError(f"No gradient defined for operation '{op.name}' (op type: {op.type}): no function is "
                          f"registered as '{name}'")  # fmt: skip
    assert op.emit is not None
    graph, forward = op.graph, op.emit
    with graph.context("gradient") as context:
        inputs = [_stand_in(x) for x in op.inputs]
        outputs = [_stand_in(x) for x in op.outputs]
        cotangents = [_stand_in(x) for x in outputs]
        within = _Within(op, inputs, outputs)
        old, graph._open.gradients = graph._open.gradients, {}
        try:
            made = function(within, *cotangents)
            results = list(made) if isinstance(made, (list, tuple)) else [made]
            if len(results) != len(inputs):
                raise ValueError(f"Num gradients {len(results)} generated for op '{op.name}' do not match num inputs "
                                 f"{len(inputs)}")  # fmt: skip
            results = [None if one is None else identity(one) for one in results]
        finally:
            graph._open.gradients = old
    own = _Own(context, inputs, outputs, cotangents, results)

    def region(emitter: Any, op: Operation) -> Any:
        return own.emit(emitter, [emitter.value(x) for x in op.inputs], lambda _, *xs: as_list(forward(*xs)))

    op.fields = op.fields._replace(region=region, captures=own.captures, own_gradient=name)


class _Within:
    """The op that a gradient is of, as its function sees it: inputs and outputs stand for those of a run."""

    def __init__(self, op: Operation, inputs: Sequence[Tensor], outputs: Sequence[Tensor]):
        self.name, self.type, self.graph = op.name, op.type, op.graph
        self.inputs, self.outputs = list(inputs), list(outputs)

    def get_attr(self, name: str) -> Any:
        raise NotImplementedError(f"the attribute '{name}' of op '{self.name}' in a gradient that is registered")


def _stand_in(x: Tensor) -> Tensor:
    return get_default_graph().create("LoopVariable", [], None, [(x.dtype, x.static_shape)]).outputs[0]


class _Own:
    """Results, and the gradients of inputs, as ops of a context of their own."""

    def __init__(
        self, context: Any, inputs: List[Tensor], outputs: List[Tensor], cotangents: List[Tensor], results: List[Any]
    ):
        from .emission import inner_ops

        self._context, self._inputs, self._outputs = context, inputs, outputs
        self._cotangents, self._results = cotangents, results
        made = [x for x in [*outputs, *results] if x is not None]
        inside, outside = inner_ops(context, [x.op for x in made])
        if any(op.fields.writes for op in inside):
            raise NotImplementedError("an assignment in a gradient that the program writes")
        # The tensors that the ops take from outside.
        used = [x for op in inside for x in op.inputs if x.op in outside]
        self.captures = list(dict.fromkeys([*used, *[x for x in results if x is not None and x.op in outside]]))

    def emit(self, emitter: Any, inputs: List[Any], forward: Callable[..., List[Any]]) -> List[Any]:
        count, extra = len(inputs), [emitter.value(x) for x in self.captures]

        def env_of(values: Sequence[Any]) -> Dict[int, List[Any]]:
            env: Dict[int, List[Any]] = {x.op.id: [v] for x, v in zip(self._inputs, values)}
            for x, v in zip(self.captures, values[count:]):
                known = env.setdefault(x.op.id, [])
                known += [None] * (x.index + 1 - len(known))
                known[x.index] = v
            return env

        def own(*values: Any) -> Any:
            return tuple(forward(lambda xs: emitter.region(self._context, xs, env_of(values)), *values[:count]))

        def rule(*given: Any) -> Any:
            values, cotangents = given[: count + len(extra)], iter(given[count + len(extra) :])
            env = env_of(values)
            made = own(*values)
            for x, y, z in zip(self._outputs, self._cotangents, made):
                if x.op.type == "LoopVariable":
                    env[x.op.id] = [z]
                is_floating = _dtypes.is_floating(z.dtype)
                env[y.op.id] = [next(cotangents) if is_floating else _ops.zeros_like(z)]
            found = iter(emitter.region(self._context, [x for x in self._results if x is not None], env))
            answers = [None if x is None else next(found) for x in self._results]
            shaped = [None if g is None or not _dtypes.is_floating(x.dtype) else transforms._of_shape(g, x)
                      for g, x in zip(answers, values)]  # fmt: skip
            return (*shaped, *[None] * len(extra))

        function = transforms.custom_vjp(own)
        function.defvjp(rule)
        return list(function(*inputs, *extra))


def custom_gradient(f: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator of a function that returns its results, and a function from the gradients of these to those of the
    arguments. Raises ValueError where f reads variables: they are arguments."""

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        graph = get_default_graph()
        given = [as_tensor(x) for x in args]
        with graph.context("gradient") as context:
            inputs = [_stand_in(x) for x in given]
            result, gradient = f(*inputs, **kwargs)
            outputs = [identity(y) for y in flatten(result)]
            cotangents = [_stand_in(y) for y in outputs]
            made = gradient(*cotangents)
            results = list(made) if isinstance(made, (list, tuple)) else [made]
            if len(results) != len(inputs):
                raise about("custom_gradient", ValueError(f"function expected to return {len(inputs)} gradients but "
                                                          f"returned {len(results)} instead."), " ")  # fmt: skip
            results = [None if one is None else identity(one) for one in results]
        own = _Own(context, inputs, outputs, cotangents, results)
        read = [x.name for x in own.captures if x.op.type in ("VariableV2", "ReadValue")]
        if read:
            raise about("custom_gradient", ValueError(f"the function reads {', '.join(read)}: pass variables as "
                                                      "arguments"))  # fmt: skip

        def region(emitter: Any, op: Operation) -> Any:
            values = [emitter.value(x) for x in op.inputs]
            return own.emit(emitter, values, lambda emit, *_: emit(outputs))

        types = [(y.dtype, y.static_shape) for y in outputs]
        op = graph.create("CustomGradient", given, lambda *xs: xs, types,
                          fields=Fields(captures=own.captures, region=region))  # fmt: skip
        return op.outputs[0] if isinstance(result, Tensor) else pack(result, list(op.outputs))

    return decorated


__all__ = ["RegisterGradient", "custom_gradient"]
