# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a function of JAX to a module of StableHLO that says what its derivatives depend on.

StableHLO has no word for `stop_gradient`, nor for derivatives that are defined with `jax.custom_jvp` or
`jax.custom_vjp`: JAX is done with them when it exports. So the function's jaxpr is read first, and they become calls
that have a name in the module. A function with a derivative of its own is two more modules: itself, and the function
from cotangents of its results to those of its arguments.
"""

import os
import re
from typing import Any, Callable, Dict, List, NamedTuple, Sequence, Tuple

import jax
from jax.extend import core
from jax.interpreters import mlir as lowering
from jaxlib.mlir import ir

from .._frontends.missing_ops import MissingOp, UnsupportedOpError, refuse

STOP_GRADIENT = "flywheel.stop_gradient"
RELU = "flywheel.relu"
RELU6 = "flywheel.relu6"
SOFTPLUS = "flywheel.softplus"
CUSTOM = "flywheel.custom_derivative"
CHOLESKY = "flywheel.cholesky"
TRIANGULAR_SOLVE = "flywheel.triangular_solve"
PROMISED = "flywheel.promised_indices"
EIGH, LU, QR, SVD = (f"flywheel.{name}" for name in ("eigh", "lu", "qr", "svd"))

_OWN = os.path.dirname(os.path.abspath(jax.__file__)) + os.sep


def _marker(name: str) -> Any:
    """Creates the identity (to JAX), which is a call of this name in the module."""
    primitive = core.Primitive(name)
    primitive.def_abstract_eval(lambda x: x)

    def lower(context: Any, x: Any) -> Any:
        return _call(name, [x], [x.type], "").results

    lowering.register_lowering(primitive, lower)
    return primitive


def _call(name: str, operands: Sequence[Any], results: Sequence[Any], config: str) -> Any:
    attributes = {"call_target_name": ir.StringAttr.get(name), "backend_config": ir.StringAttr.get(config)}
    return ir.Operation.create(
        "stablehlo.custom_call", results=list(results), operands=list(operands), attributes=attributes
    )


def _custom_marker() -> Any:
    """Creates a call of a function with a derivative of its own; `number` selects the function."""
    primitive = core.Primitive(CUSTOM)
    primitive.multiple_results = True
    primitive.def_abstract_eval(lambda *_, avals, number: list(avals))

    def lower(context: Any, *operands: Any, avals: Sequence[Any], number: int) -> Any:
        types = [_type_of(aval) for aval in context.avals_out]
        return _call(CUSTOM, operands, types, str(number)).results

    lowering.register_lowering(primitive, lower)
    return primitive


def _factor_marker() -> Any:
    """Creates the lower factor of each matrix; elements above it have no meaning, as those of JAX's primitive."""
    primitive = core.Primitive(CHOLESKY)
    primitive.def_abstract_eval(lambda x, **_: x)
    lowering.register_lowering(primitive, lambda context, x, **_: _call(CHOLESKY, [x], [x.type], "").results)
    return primitive


def _solve_marker() -> Any:
    """JAX's `triangular_solve`: LAPACK's, under names that change, where it is exported."""
    primitive = core.Primitive(TRIANGULAR_SOLVE)
    primitive.def_abstract_eval(lambda a, b, **_: b)

    def lower(context: Any, a: Any, b: Any, **params: Any) -> Any:
        words = [name for name in ("left_side", "lower", "transpose_a", "unit_diagonal") if params[name]]
        return _call(TRIANGULAR_SOLVE, [a, b], [b.type], " ".join(words)).results

    lowering.register_lowering(primitive, lower)
    return primitive


def _factors_marker(name: str, original: Any) -> Any:
    """A primitive with several factors as results; what its parameters ask for is its configuration."""
    primitive = core.Primitive(name)
    primitive.multiple_results = True
    primitive.def_effectful_abstract_eval(original.abstract_eval)

    def lower(context: Any, x: Any, **params: Any) -> Any:
        words = [f"{key}={params[key]}" for key in sorted(params) if key not in _HINTS]
        return _call(name, [x], [_type_of(aval) for aval in context.avals_out], " ".join(words)).results

    lowering.register_lowering(primitive, lower)
    return primitive


# Parameters of primitives that say how, and not what, is computed.
_HINTS = ("algorithm", "implementation", "use_magma")


def _gather_marker() -> Any:
    """JAX's `gather` of indices that are promised to be in bounds, which are marked. StableHLO has one op for those and
    for clipped ones: an index that is out of bounds moves inside in both, but only a clipped one has a derivative."""
    primitive = core.Primitive("flywheel.gather")
    primitive.def_effectful_abstract_eval(jax.lax.gather_p.abstract_eval)

    def run(x: Any, indices: Any, **params: Any) -> Any:
        return jax.lax.gather_p.bind(x, _MARKERS[PROMISED].bind(indices), **params)

    lowering.register_lowering(primitive, lowering.lower_fun(run, multiple_results=False))
    return primitive


def _type_of(aval: Any) -> Any:
    element = lowering.dtype_to_ir_type(aval.dtype)
    dynamic = ir.ShapedType.get_dynamic_size()
    return ir.RankedTensorType.get([size if isinstance(size, int) else dynamic for size in aval.shape], element)


_MARKERS: Dict[str, Any] = {name: _marker(name) for name in (STOP_GRADIENT, RELU, RELU6, SOFTPLUS, PROMISED)}
_MARKERS[CUSTOM] = _custom_marker()
_GATHER: Any = _gather_marker()
# Primitives that JAX exports as CPU calls of LAPACK.
_SOLVERS: Dict[str, Any] = {"cholesky": _factor_marker(), "triangular_solve": _solve_marker()}
_FACTORS = {"eigh": EIGH, "lu": LU, "qr": QR, "svd": SVD}
for _name, _target in _FACTORS.items():
    _SOLVERS[_name] = _factors_marker(_target, getattr(jax.lax.linalg, f"{_name}_p"))
_MARKERS.update({CHOLESKY: _SOLVERS["cholesky"], TRIANGULAR_SOLVE: _SOLVERS["triangular_solve"]})
_MARKERS.update({target: _SOLVERS[name] for name, target in _FACTORS.items()})


# JAX writes them out as approximations, with branches that do not hold and loops: a derivative is not theirs.
_APPROXIMATED = {
    "erf_inv", "erfc", "lgamma", "digamma", "polygamma", "zeta", "bessel_i0e", "bessel_i1e", "igamma", "igammac",
    "igamma_grad_a", "random_gamma_grad", "regularized_incomplete_beta"}  # fmt: skip
# Functions of one argument, which JAX differentiates twice: others have arguments that it does not differentiate by.
_SMOOTH = {"erf_inv", "erfc", "lgamma", "digamma", "bessel_i0e", "bessel_i1e"}
# Written out with a maximum, whose ties have no share in what the function of them all has.
_CUMULATIVE = {"cumlogsumexp", "cummax", "cummin"}


# Functions of complex numbers, which JAX writes out as ones of their parts with branches that do not hold.
_OF_COMPLEX = {
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "exp2", "expm1", "log", "log1p",
    "logistic", "pow", "rsqrt", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh"}  # fmt: skip


# A rule of JAX may call its own function, as that of `logaddexp` does: derivatives up to this order are by the rules,
# and further ones those of the ops of the function.
_ORDERS = 3


class Exported:
    """A function as StableHLO.

    `module` is the module, in `context`; of the flat arguments, `main` takes those of `kept`.
    `outputs` are abstract values of JAX; `out_tree` is the form of the result. `customs` are the functions that have
    derivatives of their own, by number, up to `orders` orders of them.
    """

    def __init__(self, function: Callable[..., Any], arguments: Sequence[Any], orders: int = _ORDERS):
        jaxpr, result = jax.make_jaxpr(function, return_shape=True)(*arguments)
        self.customs: List[Custom] = []
        self._orders = orders
        jaxpr = self._rewrite_closed(jaxpr)
        self.out_tree = jax.tree_util.tree_structure(result)
        checks = [jax.export.DisabledSafetyCheck.custom_call(name) for name in _MARKERS]
        exporter = jax.export.export(jax.jit(core.jaxpr_as_fun(jaxpr)), disabled_checks=checks, platforms=["cpu"])
        try:
            exported = exporter(*jax.tree_util.tree_leaves(arguments))
        except ValueError as error:
            raise _as_refusal(error) from None
        self.outputs = exported.out_avals
        self.kept: Tuple[int, ...] = tuple(exported.module_kept_var_idx)
        self.context = lowering.make_ir_context()
        with self.context:
            self.module = ir.Module.parse(exported.mlir_module())
        self.functions: Dict[str, Any] = {
            ir.StringAttr(op.attributes["sym_name"]).value: op for op in self.module.body.operations
        }

    # Reading the jaxpr

    def _rewrite_closed(self, closed: Any) -> Any:
        return core.ClosedJaxpr(self._rewrite(closed.jaxpr), closed.consts)

    def _rewrite(self, jaxpr: Any) -> Any:
        return jaxpr.replace(eqns=[self._rewrite_equation(equation) for equation in jaxpr.eqns])

    def _rewrite_equation(self, equation: Any) -> Any:
        name = equation.primitive.name
        if name in _SOLVERS:
            return equation.replace(primitive=_SOLVERS[name])
        if self._orders:
            if name == "stop_gradient":
                return equation.replace(primitive=_MARKERS[STOP_GRADIENT], params={})
            if name in ("custom_jvp_call", "custom_vjp_call"):
                return self._rewrite_custom(equation)
            if name == "gather" and equation.params["mode"] == jax.lax.GatherScatterMode.PROMISE_IN_BOUNDS:
                return equation.replace(primitive=_GATHER)
            approximated = _APPROXIMATED if self._orders == _ORDERS else _SMOOTH
            is_complex = name in _OF_COMPLEX and jax.numpy.iscomplexobj(equation.outvars[0].aval)
            if name in approximated | _CUMULATIVE or name == "custom_linear_solve" or is_complex:
                return self._add_custom(equation)
        params = {key: self._rewrite_param(value) for key, value in equation.params.items()}
        return equation.replace(params=params)

    def _rewrite_param(self, value: Any) -> Any:
        if isinstance(value, core.ClosedJaxpr):
            return self._rewrite_closed(value)
        if isinstance(value, core.Jaxpr):
            return self._rewrite(value)
        if isinstance(value, tuple) and any(isinstance(part, (core.ClosedJaxpr, core.Jaxpr)) for part in value):
            parts = [self._rewrite_param(part) for part in value]
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
        return value

    def _rewrite_custom(self, equation: Any) -> Any:
        function, file = _defined(equation)
        operands = equation.invars
        if file.startswith(_OWN) and len(equation.outvars) == 1:
            # Functions for which the compiler has ops with the same derivatives.
            if function in ("relu", "relu6") and len(operands) == 1:
                return equation.replace(primitive=_MARKERS[RELU if function == "relu" else RELU6], params={})
            if function == "logaddexp" and _is_zero(operands[1]) and operands[0].aval == equation.outvars[0].aval:
                return equation.replace(primitive=_MARKERS[SOFTPLUS], params={}, invars=operands[:1])
        return self._add_custom(equation)

    def _add_custom(self, equation: Any) -> Any:
        operands = equation.invars
        variables = list(dict.fromkeys(operand for operand in operands if not isinstance(operand, core.Literal)))
        self.customs.append(_export_custom(equation, variables, self._orders - 1))
        avals = tuple(variable.aval for variable in equation.outvars)
        params = {"number": len(self.customs) - 1, "avals": avals}
        return equation.replace(primitive=_MARKERS[CUSTOM], params=params, invars=variables)


def _as_refusal(error: ValueError) -> Exception:
    """Calls of libraries that JAX does not export, as ops that are not imported; other errors as they are."""
    names = re.findall(r"stablehlo\.custom_call @([\w.]+)", str(error))
    if "custom calls" not in str(error) or not names:
        return error
    return refuse("JAX", [MissingOp(f"stablehlo.custom_call @{name}", "") for name in dict.fromkeys(names)])


class Custom(NamedTuple):
    """A function with a derivative of its own: `backward` is of the arguments and of cotangents of those
    results that are of floating point, and gives those of such arguments."""

    forward: Exported
    backward: Exported


def _is_floating(value: Any) -> bool:
    """Returns true for values that have derivatives, complex ones too."""
    return bool(jax.dtypes.issubdtype(value.dtype, jax.numpy.inexact))


def _is_zero(operand: Any) -> bool:
    return isinstance(operand, core.Literal) and operand.aval.shape == () and float(operand.val) == 0.0


def _defined(equation: Any) -> Tuple[str, str]:
    """Returns the name and the file of the function that has a derivative of its own."""
    body = equation.params["call_jaxpr"]
    info = getattr(getattr(body, "jaxpr", body), "debug_info", None)
    found = re.match(r"(.*) at (.*):\d+$", str(getattr(info, "func_src_info", "")))
    return (found[1], found[2]) if found else ("", "")


def _export_custom(equation: Any, variables: Sequence[Any], further: int) -> Custom:
    arguments = [jax.ShapeDtypeStruct(variable.aval.shape, variable.aval.dtype) for variable in variables]
    results = [jax.ShapeDtypeStruct(variable.aval.shape, variable.aval.dtype) for variable in equation.outvars]
    # The equation by itself, to which JAX applies the rule.
    alone = core.jaxpr_as_fun(core.ClosedJaxpr(_only(equation, variables), []))
    moving = [i for i, value in enumerate(arguments) if _is_floating(value)]
    kept = [i for i, value in enumerate(results) if _is_floating(value)]

    def backward(values: Sequence[Any], cotangents: Sequence[Any]) -> Any:
        def of_moving(*moved: Any) -> List[Any]:
            full = list(values)
            for place, value in zip(moving, moved):
                full[place] = value
            outputs = alone(*full)
            return [outputs[i] for i in kept]

        pullback = jax.vjp(of_moving, *[values[i] for i in moving])[1]
        return list(pullback(list(cotangents)))

    given = [arguments, [results[i] for i in kept]]
    forward = Exported(alone, arguments, orders=0)
    try:
        return Custom(forward, Exported(backward, given, orders=further))
    except (NotImplementedError, ValueError) as error:
        if isinstance(error, UnsupportedOpError):
            raise
        raise refuse("JAX", [MissingOp(f"{equation.primitive.name}, which JAX does not differentiate ({error})",
                                       _place_of(equation))]) from None  # fmt: skip
    except IndexError as error:
        # JAX 0.10 loses count of the constants of some derivatives, such as that of `exp1`.
        name = _defined(equation)[0] or equation.primitive.name
        raise refuse("JAX", [MissingOp(f"the derivative of {name}, which JAX does not export",
                                       _place_of(equation))]) from error  # fmt: skip


def _place_of(equation: Any) -> str:
    """File and line of the user's that calls a primitive."""
    frames = getattr(equation.source_info.traceback, "frames", ())
    own = next((frame for frame in frames if not frame.file_name.startswith(_OWN)), None)
    return f"{own.file_name}:{own.line_num}" if own is not None else ""


def _only(equation: Any, variables: Sequence[Any]) -> Any:
    return core.Jaxpr(
        constvars=(), invars=list(variables), outvars=list(equation.outvars), eqns=[equation], effects=equation.effects
    )
