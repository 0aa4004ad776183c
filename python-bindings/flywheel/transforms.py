# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derivatives, and many positions at once."""

import functools
import operator
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, SupportsIndex, Tuple, Union

from . import _ops
from ._core import dtypes as _dtypes
from ._core import trace as _trace
from ._core import tree as _tree
from ._core.operators import Operators
from ._core.tensor import Tensor, as_tensor, format_shape, wrap
from ._derivatives.batched_draws import BatchedDraws
from ._derivatives.own_rules import custom_vjp as custom_vjp
from ._errors.messages import about, wrong
from ._flywheel import Attribute, Value
from ._ops.arithmetic import parameter
from ._ops.checks import expect_equal
from ._ops.emission import Size, normalize_axis, size
from .variables import Variable

Argnums = Union[int, Sequence[int]]
Variables = Optional[Sequence[Variable]]


def _wrt(tree: Any, what: str) -> Tuple[List[Tensor], Any]:
    """Returns the tensors that derivatives are with respect to; the parameters, for a module."""
    leaves, spec = _tree.flatten(_tree.with_parameters(tree))
    tensors = [as_tensor(leaf) for leaf in leaves]
    # A number of Python is computed with as float64 beside float64: its derivative is float64, too.
    tensors = [x.trace.wide.get(x.value, x) for x in tensors]
    for x in tensors:
        if not _dtypes.is_floating(x.dtype):
            raise TypeError(f"{what} is with respect to floating-point tensors, found {_dtypes.name_of(x.dtype)}")
    return tensors, spec


#
# On tensors
#


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    *,
    stop_gradients: Any = (),
    unconnected: str = "none",
) -> Any:
    """The gradient of the sum of all elements of `ys` with respect to each x, in a tree
    of the form of `xs`.

    xs are variables, or any tensors that the ys are computed from. `grad_ys`, of the form of ys, weighs elements; one
    that is None stands for ones. The tensors of `stop_gradients` are constant. An x that no y depends on has None, or
    zeros with `unconnected` "zero" (G1 to G3).
    """
    if unconnected not in ("none", "zero"):
        raise ValueError(f"expected unconnected 'none' or 'zero', found '{unconnected}'")
    targets, spec = _wrt(xs, "a gradient")
    roots = [as_tensor(y) for y in _tree.flatten(ys)[0]]
    weights: List[Optional[Tensor]] = [None] * len(roots)
    if grad_ys is not None:
        given = list(grad_ys) if isinstance(grad_ys, (list, tuple)) else [grad_ys]
        if len(given) != len(roots):
            raise ValueError(f"expected a weight for each of {len(roots)} ys, found {len(given)}")
        weights = [None if w is None else as_tensor(w, y.dtype) for w, y in zip(given, roots)]
    kept = [(y, w) for y, w in zip(roots, weights) if _dtypes.is_floating(y.dtype)]
    trace = _trace.current()
    connected = trace.graph.depends([y.value for y, _ in kept], [x.value for x in targets]) if kept else [
        False] * len(targets)  # fmt: skip
    results: List[Optional[Tensor]] = [None] * len(targets)
    if any(connected):
        reached = [x for x, depends in zip(targets, connected) if depends]
        found = iter(_emit_gradient([y for y, _ in kept], reached, [w for _, w in kept], stop_gradients))
        results = [next(found) if depends else None for depends in connected]
    if unconnected == "zero":
        return _tree.unflatten(spec, [_ops.zeros_like(x) if g is None else g for g, x in zip(results, targets)])
    return _tree.unflatten(spec, results)


def _emit_gradient(
    ys: List[Tensor], xs: List[Tensor], weights: List[Optional[Tensor]], stops: Any
) -> List[Tensor]:
    trace = _trace.current()
    cotangents: List[Tensor] = []
    if any(w is not None for w in weights):
        for y, w in zip(ys, weights):
            w = _ops.ones_like(y) if w is None else w
            cotangents.append(_of_shape(w, y))
    fixed = [as_tensor(x) for x in _tree.flatten(stops)[0]]
    # For a variable, the op takes the value that the ys are computed from.
    attributes: _trace.Attributes = {
        "operandSegmentSizes": Attribute.i32s([len(ys), len(xs), len(cotangents), len(fixed)]),
        "unconnected": Attribute.i32(1),
    }
    operands = [x.value for x in [*ys, *xs, *cotangents, *fixed]]
    types = [trace.type(x.dtype, x._dims) for x in xs]
    values = trace.op("train.gradient", operands, types, attributes)
    return [wrap(value, x.dtype, x._dims) for value, x in zip(values, xs)]


def _of_shape(w: Tensor, y: Tensor) -> Tensor:
    """Returns the weights of a y as a tensor of its type. Raises ValueError for another shape; sizes that only the call
    knows are checked there."""
    if w._dims == y._dims:
        return w
    if w.ndim != y.ndim or any(n != m and None not in (n, m) for n, m in zip(w._dims, y._dims)):
        raise ValueError(f"the weights of a y have its shape {format_shape(y._dims)}, found {format_shape(w._dims)}")
    for axis in range(y.ndim):
        expect_equal(size(w, axis), size(y, axis), f"the weights of a y have its shape: dimension {axis}")
    type_ = _trace.current().type(w.dtype, y._dims)
    return wrap(_trace.current().op("tensor.cast", [w.value], [type_])[0], w.dtype, y._dims)


_MODES = {"auto": 0, "reverse": 1, "forward": 2}


def jacobian_of(ys: Any, xs: Any, *, mode: str = "auto", chunk: Optional[int] = None) -> Any:
    """The derivative of each element of each y with respect to each element of each x: of
    shape y.shape + x.shape, in a tree of the form of `ys`, each of whose leaves is a tree of
    the form of `xs`; zeros where y does not depend on x.

    All rows ("reverse") or columns ("forward") are computed in one pass, or `chunk` of
    them at a time (G5).
    """
    if mode not in _MODES:
        raise ValueError(f"expected mode 'auto', 'reverse' or 'forward', found '{mode}'")
    roots, form = _wrt(ys, "a Jacobian")
    return _tree.unflatten(form, [_jacobian_of_one(y, xs, mode, chunk) for y in roots])


def _jacobian_of_one(y: Tensor, xs: Any, mode: str, chunk: Optional[int]) -> Any:
    targets, spec = _wrt(xs, "a Jacobian")
    trace = _trace.current()
    attributes: _trace.Attributes = {"mode": Attribute.i32(_MODES[mode]), "unconnected": Attribute.i32(1)}
    if chunk is not None:
        attributes["chunk"] = Attribute.i64(chunk)
    shapes = [(*y._dims, *x._dims) for x in targets]
    types = [trace.type(x.dtype, shape) for x, shape in zip(targets, shapes)]
    values = trace.op("train.jacobian", [y.value, *[x.value for x in targets]], types, attributes)
    return _tree.unflatten(spec, [wrap(v, x.dtype, shape) for v, x, shape in zip(values, targets, shapes)])


def jvp_of(ys: Any, xs: Any, tangents: Any) -> Any:
    """Returns the derivative of each y as the xs move along the tangents, which have their form: a tree of the form of
    `ys`."""
    targets, form = _wrt(xs, "a directional derivative")
    roots, spec = _wrt(ys, "a directional derivative")
    given, other = _tree.flatten(tangents)
    if len(given) != len(targets) or (other != form and form != _tree.flatten(xs)[1]):
        raise ValueError(f"expected tangents of the form {_tree.describe(form)}, found {_tree.describe(other)}")
    directions = [as_tensor(t, x.dtype) for t, x in zip(given, targets)]
    for direction, x in zip(directions, targets):
        if len(direction._dims) != len(x._dims) or any(
            None not in (own, size) and own != size for own, size in zip(direction._dims, x._dims)
        ):
            raise wrong(ValueError, f"a tangent of the shape {format_shape(x._dims)} of its x",
                        f"the shape {format_shape(direction._dims)}", "tangents")  # fmt: skip
    trace = _trace.current()
    attributes: _trace.Attributes = {
        "operandSegmentSizes": Attribute.i32s([len(roots), len(targets), len(directions)]),
    }
    types = [trace.type(y.dtype, y._dims) for y in roots]
    values = trace.op("train.jvp", [x.value for x in [*roots, *targets, *directions]], types, attributes)
    return _tree.unflatten(spec, [wrap(v, y.dtype, y._dims) for v, y in zip(values, roots)])


#
# On functions
#


def _listed(variables: Any) -> List[Any]:
    """Returns the elements of `variables`. Raises TypeError for one variable or tensor, which would be taken as a list
    of its rows."""
    if isinstance(variables, (Variable, Tensor, str)) or not isinstance(variables, Iterable):
        raise wrong(TypeError, "a list of variables or tensors", type(variables).__name__, "variables")
    return list(variables)


def _check_function(function: Any, argnums: Any) -> Argnums:
    """Returns the numbers of arguments, one or a tuple of them. Raises TypeError for a value that is not a function or
    not such a number, ValueError for none and for one that is given twice."""
    if not callable(function):
        raise TypeError(f"expected a function to differentiate, found {function!r}")
    if not isinstance(argnums, bool) and isinstance(argnums, SupportsIndex):
        return operator.index(argnums)
    places: List[Any] = [None]
    if isinstance(argnums, Iterable) and not isinstance(argnums, (str, bytes, Operators)):
        places = list(argnums)
    if any(isinstance(place, bool) or not isinstance(place, SupportsIndex) for place in places):
        raise wrong(TypeError, "the number of an argument, from 0, or a list of them", repr(argnums), "argnums")
    if not places or len(set(places)) != len(places):
        raise wrong(ValueError, "one argument or more, each once,", repr(argnums), "argnums")
    return tuple(operator.index(place) for place in places)


def _check_places(args: Tuple[Any, ...], argnums: Argnums) -> None:
    """Raises ValueError where a call has no argument of such a number."""
    for place in [argnums] if isinstance(argnums, int) else argnums:
        if not -len(args) <= place < len(args):
            raise ValueError(f"argnums names argument {place}, and the call has {len(args)} by position: an argument "
                             "that is differentiated is given by position")  # fmt: skip


def _select(args: Tuple[Any, ...], argnums: Argnums) -> Any:
    if isinstance(argnums, int):
        return args[argnums]
    return tuple(args[place] for place in argnums)


def _refuse_shared(args: Tuple[Any, ...], places: Sequence[int]) -> None:
    """Raises ValueError if a parameter of a module is also in another module or argument that derivatives are with
    respect to: each derivative would be the total one."""
    of_modules: Dict[int, int] = {}
    of_leaves: Dict[int, int] = {}
    for place in places:
        leaves, spec = _tree.flatten(args[place])
        own: List[Any] = [(False, leaf) for leaf in leaves if isinstance(leaf, Variable)]
        for reference in _tree.wholes(spec):
            whole = reference()
            if whole is not None:
                own += [(True, leaf) for leaf in _tree.flatten(whole._parameters())[0]]
        for is_of_module, variable in own:
            known = of_modules.get(id(variable))
            if known is None and is_of_module:
                known = of_leaves.get(id(variable))
            if known is not None:
                where = f"arguments {known} and {place}" if known != place else f"argument {place} twice"
                raise ValueError(f"variable '{variable.name}' is in {where}: differentiate with respect to one of "
                                 "them, whose gradient is that of the variable")  # fmt: skip
            (of_modules if is_of_module else of_leaves)[id(variable)] = place


def _as_arguments(args: Tuple[Any, ...], argnums: Argnums) -> Tuple[Any, ...]:
    """Arguments of which those that derivatives are with respect to are parameters, and of others
    the arrays tensors: numbers, flags and the like stay what they are.

    Each leaf is a parameter of its own, whatever else has its value: the derivative is a partial one."""
    _check_places(args, argnums)
    chosen = {place % len(args) for place in ([argnums] if isinstance(argnums, int) else argnums) if args}
    _refuse_shared(args, sorted(chosen))

    def convert(leaf: Any) -> Any:
        return leaf if isinstance(leaf, (bool, int, float, str, bytes)) or callable(leaf) else as_tensor(leaf)

    def as_parameter(leaf: Any) -> Tensor:
        x = as_tensor(leaf)
        return parameter(x) if _dtypes.is_floating(x.dtype) else x

    return tuple(_tree.map_leaves(as_parameter if place in chosen else convert, arg) for place, arg in enumerate(args))


def value_and_grad(
    function: Callable[..., Any],
    argnums: Argnums = 0,
    *,
    variables: Variables = None,
    has_aux: bool = False,
) -> Callable[..., Any]:
    """A function that returns what `function` does, a scalar, and its gradient.
The gradient is with respect to the arguments at `argnums` (trees of tensors), partial where others have the same value
(G19), or with `variables` to these, as a list. With respect to a module it is an OrderedDict with the gradient of each
of its parameters by path. With `has_aux` the function returns a pair, of which only the first is differentiated.
Arguments and variables that the value does not depend on have zeros. Raises TypeError for a value that is not a
function or not a number of an argument, ValueError for a number that a call has no argument of, and for a variable of a
module that is in two of the arguments.
    """
    argnums = _check_function(function, argnums)

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        args = _as_arguments(args, argnums if variables is None else ())
        result = function(*args, **kwargs)
        if isinstance(result, (tuple, list, dict)) and not has_aux:
            raise TypeError(f"a gradient is of a scalar, found a {type(result).__name__}: return the scalar, or with "
                            "has_aux=True a tuple of it and other results")  # fmt: skip
        value = as_tensor(result[0] if has_aux else result)
        if not _dtypes.is_floating(value.dtype):
            raise TypeError(f"a gradient is of a floating-point scalar, found {_dtypes.name_of(value.dtype)}")
        if value._dims != ():
            raise ValueError(f"a gradient is of a scalar, found shape {format_shape(value._dims)}: "
                             "use jacobian, or gradients with grad_ys")  # fmt: skip
        wrt = _select(args, argnums) if variables is None else _listed(variables)
        found = gradients(value, wrt, unconnected="zero")
        return (result if has_aux else value), found

    return wrapped


def grad(
    function: Callable[..., Any],
    argnums: Argnums = 0,
    *,
    variables: Variables = None,
    has_aux: bool = False,
) -> Callable[..., Any]:
    """A function that returns the gradient of a scalar function; see `value_and_grad`.
    With `has_aux`, a pair of it and of what else the function returns."""
    both = value_and_grad(function, argnums, variables=variables, has_aux=has_aux)

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        value, found = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return wrapped


def jacobian(
    function: Callable[..., Any],
    argnums: Argnums = 0,
    *,
    variables: Variables = None,
    mode: str = "auto",
    chunk: Optional[int] = None,
) -> Callable[..., Any]:
    """A function that returns the Jacobian of a function, whose result is a tensor or a tree of them; see
    `jacobian_of`. The Jacobian of a `grad` is a Hessian."""
    argnums = _check_function(function, argnums)

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        args = _as_arguments(args, argnums if variables is None else ())
        wrt = _select(args, argnums) if variables is None else _listed(variables)
        return jacobian_of(function(*args, **kwargs), wrt, mode=mode, chunk=chunk)

    return wrapped


def hessian(function: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """A function that returns the second derivatives of a scalar function: of a tree of
    arguments, a tree of such trees."""
    return jacobian(grad(function, argnums), argnums)


def jvp(function: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> Tuple[Any, Any]:
    """Returns the result of `function(*primals)`, and its derivative along the tangents."""
    args = _as_arguments(tuple(primals), range(len(primals)))
    result = _tree.map_leaves(as_tensor, function(*args))
    return result, jvp_of(result, args, tuple(tangents))


def vjp(function: Callable[..., Any], *primals: Any) -> Tuple[Any, Callable[[Any], Any]]:
    """Returns the result of `function(*primals)`, and a function from weights of that to the weighted sum of the
    gradients: a tuple with one for each primal."""
    args = _as_arguments(primals, range(len(primals)))
    result = _tree.map_leaves(as_tensor, function(*args))

    def pull(weights: Any) -> Any:
        return gradients(
            _tree.flatten(result)[0], args, _tree.flatten(weights)[0], unconnected="zero"
        )  # fmt: skip

    return result, pull


def _axes_of(axes: Any, tree: Any, what: str) -> List[Optional[int]]:
    """Returns an axis for each leaf of a tree, from a tree that may end above: its leaves are for all below."""
    if axes is None or isinstance(axes, int):
        return [axes] * len(_tree.flatten(tree)[0])
    keys = list(tree) if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, (list, tuple)) else None
    if keys is None or isinstance(axes, dict) != isinstance(tree, dict) or len(axes) != len(keys):
        raise ValueError(f"expected {what} of the form {_tree.describe(_tree.flatten(tree)[1])} or a part of it, "
                         f"found {axes!r}")  # fmt: skip
    # In the order of leaves.
    form: Any = _tree.flatten(tree)[1]
    ordered = form[1] if isinstance(tree, dict) else keys
    return [axis for key in ordered for axis in _axes_of(axes[key], tree[key], what)]


def vmap(function: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0) -> Callable[..., Any]:
    """A function that does for each position of a dimension what `function` does for
    one, all at once.

    `in_axes` says where the dimension is in the arguments: one number for all, or one
    for each argument, or for parts of it in a tree of its form; None is for what all
    positions share. Arguments by keyword have it in front. Results have it at `out_axes`,
    a number or a tree of them. Derivatives may be taken in the function and of the result. Each position draws random
    numbers of its own, for which the function is traced twice; it must not draw in a loop or a branch of its own.
    Raises ValueError for sizes that differ, CompileError for what cannot be batched, TypeError for what is no
    function.
    """
    if not callable(function):
        raise TypeError(f"expected a function to call for each position, found {function!r}")

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        axes: List[Any] = list(in_axes) if isinstance(in_axes, (list, tuple)) else [in_axes] * len(args)
        if len(axes) != len(args):
            raise ValueError(f"expected an axis for each of {len(args)} arguments, found {len(axes)}")
        trace = _trace.current()
        leaves, spec = _tree.flatten((args, kwargs))
        own = [axis for axes_, arg in zip(axes, args) for axis in _axes_of(axes_, arg, "in_axes")]
        own += [0] * (len(leaves) - len(own))
        inputs: List[Tensor] = []
        dim_size: Optional[Size] = None
        for leaf, axis in zip(leaves, own):
            x = as_tensor(leaf)
            if axis is not None:
                if x.ndim == 0:
                    raise about("vmap", ValueError("takes a position of a dimension: a scalar has none"), " ")
                x = _ops.moveaxis(x, normalize_axis(axis, x.ndim), 0)
                found = size(x, 0)
                if isinstance(dim_size, int) and isinstance(found, int) and dim_size != found:
                    raise about("vmap", ValueError(f"takes dimensions of one size, found {dim_size} and {found}"), " ")
                dim_size = found if dim_size is None or isinstance(found, int) else dim_size
            inputs.append(x)
        if dim_size is None:
            raise about("vmap", ValueError("needs an argument with an axis"), " ")
        return _batch(trace, function, inputs, own, spec, dim_size, out_axes)

    return functools.wraps(function)(wrapped)


def _batch(
    trace: _trace.Trace,
    function: Callable[..., Any],
    inputs: List[Tensor],
    axes: List[Optional[int]],
    spec: Any,
    dim_size: Size,
    out_axes: Any,
) -> Any:
    shapes = [x._dims if axis is None else x._dims[1:] for x, axis in zip(inputs, axes)]
    outputs: List[Any] = []

    draws = BatchedDraws()
    drawn: Optional[List[Tensor]] = None

    def body(values: List[Value]) -> List[Value]:
        own = [wrap(value, x.dtype, shape) for value, x, shape in zip(values, inputs, shapes)]
        given = zip(values[len(own) :], drawn or ())
        draws.begin(trace, None if drawn is None else [wrap(value, x.dtype, x._dims[1:]) for value, x in given])
        args, kwargs = _tree.unflatten(spec, own)
        found = function(*args, **kwargs)
        leaves, form = _tree.flatten(found)
        tensors = [as_tensor(leaf) for leaf in leaves]
        outputs[:] = [tensors, form, _axes_of(out_axes, found, "out_axes")]
        return [x.value for x in tensors]

    def build(more: Sequence[Tensor]) -> Any:
        types = [trace.type(x.dtype, shape) for x, shape in zip(inputs, shapes)]
        types += [trace.type(x.dtype, x._dims[1:]) for x in more]
        outer, trace.batched_draws = trace.batched_draws, draws
        try:
            with trace.forbidding_effects("the function of a vmap"):
                # Reads are its own, so that one read in a loop of it is the same value as one around that loop.
                return trace.region(types, body, "func.return", sees_outer=False)
        finally:
            trace.batched_draws = outer

    region = build([])
    if draws.has_any:
        drawn = draws.emit(trace, dim_size)
        region = build(drawn)
    batched = [axis is not None for axis in axes] + [True] * len(drawn or ())
    values = trace.graph.batch(region, [x.value for x in [*inputs, *(drawn or ())]], batched, dim_size)
    results = []
    for value, x, axis in zip(values, outputs[0], outputs[2]):
        if axis is None:
            raise ValueError("each position has a result of its own: expected numbers as out_axes, found None")
        dense = wrap(value, x.dtype, value.shape)
        results.append(_ops.moveaxis(dense, 0, axis) if axis else dense)
    return _tree.unflatten(outputs[1], results)
