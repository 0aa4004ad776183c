# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions with a derivative rule of their own: one function, or JAX's pair of forward and backward."""

import functools
import inspect
import operator
from typing import Any, Callable, Iterable, List, Optional, Sequence, SupportsIndex, Tuple, Union, overload

from .. import _ops
from .._core import dtypes as _dtypes
from .._core import trace as _trace
from .._core import tree as _tree
from .._core.operators import Operators
from .._core.tensor import Tensor, as_tensor, format_shape, wrap
from .._errors.messages import about, wrong
from .._flywheel import Value

__all__ = ["CustomVjp", "custom_vjp"]

Argnums = Union[int, Sequence[int]]

# A rule may call its own function, whose rule is then traced too: so often, and what is deeper has the derivative of
# the function as it stands.
_MOST_RULES = 3


def _check_arity(rule: Callable[..., Any], num_arguments: int, num_cotangents: int) -> None:
    """Raises TypeError for a rule that does not take the arguments and the cotangents of the results."""
    try:
        inspect.signature(rule).bind(*[None] * (num_arguments + num_cotangents))
    except ValueError:
        # A function of C may have no signature.
        return
    except TypeError:
        raise wrong(TypeError, f"a rule of {num_arguments + num_cotangents} parameters, the {num_arguments} arguments "
                    f"of the function and the cotangent of each of {num_cotangents} results,",
                    f"rule{inspect.signature(rule)}", "rule") from None  # fmt: skip


def _check_backward(backward: Callable[..., Any], num_settings: int) -> None:
    """Raises TypeError for a backward function that does not take residuals and cotangents."""
    try:
        inspect.signature(backward).bind(*[None] * (num_settings + 2))
    except ValueError:
        return
    except TypeError:
        settings = f"the {num_settings} arguments of nondiff_argnums, " * (num_settings > 0)
        wanted = f"a function of {num_settings + 2} parameters, {settings}residuals and cotangents of the result,"
        raise wrong(TypeError, wanted, f"backward{inspect.signature(backward)}", "backward") from None


class CustomVjp:
    """A function with a derivative rule of its own: see `custom_vjp`."""

    def __init__(self, function: Callable[..., Any], nondiff_argnums: Sequence[int] = ()):
        functools.update_wrapper(self, function)
        self._function = function
        self._settings = tuple(nondiff_argnums)
        self._rule: Optional[Callable[..., Any]] = None
        self._backward: Optional[Callable[..., Any]] = None
        # The number of rules of this function that are being traced in one another.
        self._depth = 0

    def defvjp(self, rule: Callable[..., Any], backward: Optional[Callable[..., Any]] = None) -> Callable[..., Any]:
        """Sets the rule: from the arguments, and the cotangent of each floating-point result, to the cotangent of each
        argument, None standing for zeros.

        With `backward` the two are JAX's pair: `rule` takes the arguments and returns the result and residuals, a tree
        of any values, and `backward` takes the residuals, and cotangents in the form of the result, with None for one
        that is not floating-point; it returns a tuple with the cotangent of each argument. The arguments of
        `nondiff_argnums` precede the residuals. Residuals are not kept: what they are computed from is, and what the
        step computes twice is computed once. Raises TypeError for values that are not functions.
        """
        for name, one in (("rule", rule), ("backward", backward)):
            if not callable(one) and (one is not None or name == "rule"):
                raise wrong(TypeError, "a function", type(one).__name__, name)
        if backward is not None:
            _check_backward(backward, len(self._settings))
        self._rule, self._backward = rule, backward
        return rule

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._rule is None:
            raise ValueError(f"'{self._own_name}' has no rule: give one with defvjp")
        args = self._by_position(args, kwargs)
        if self._depth >= _MOST_RULES:
            return self._function(*args)
        trace = _trace.current()
        leaves, spec = _tree.flatten(self._split(args)[1])
        inputs = [self._as_input(leaf) for leaf in leaves]
        types = [trace.type(x.dtype, x._dims) for x in inputs]
        found: List[Any] = []

        def rewrap(values: Sequence[Value], like: Sequence[Tensor]) -> List[Tensor]:
            return [wrap(value, x.dtype, x._dims) for value, x in zip(values, like)]

        def body(values: List[Value]) -> List[Value]:
            own = self._join(args, _tree.unflatten(spec, rewrap(values, inputs)))
            tensors, form = _wrap_tree(self._function(*own))
            found.extend([tensors, form])
            return [x.value for x in tensors]

        own = "a function with a rule of its own"
        no_calls, trace.calls_forbidden = trace.calls_forbidden, own
        try:
            with trace.forbidding_effects(own):
                first = trace.region(types, body, "train.vjp_yield", is_isolated=True)
                captured = trace.graph.isolate(first)
                extra = [wrap(v, _dtypes.as_dtype(v.dtype), v.shape) for v in captured]
                second = self._trace_rule(trace, args, spec, inputs, extra, found[0], found[1])
        finally:
            trace.calls_forbidden = no_calls
        result_types = [trace.type(x.dtype, x._dims) for x in found[0]]
        operands = [x.value for x in [*inputs, *extra]]
        values = trace.op("train.custom_vjp", operands, result_types, {}, [first, second])
        return _tree.unflatten(found[1], rewrap(values, found[0]))

    @property
    def _own_name(self) -> str:
        return str(getattr(self, "__name__", "function"))

    # Arguments

    def _by_position(self, args: Tuple[Any, ...], kwargs: Any) -> Tuple[Any, ...]:
        """Returns all arguments by position, also those that the call gives by keyword; with a pair, also those that it
        leaves at their defaults, as in JAX. Raises TypeError for one that can only be given by keyword."""
        if not kwargs and self._backward is None:
            return args
        try:
            bound = inspect.signature(self._function).bind(*args, **kwargs)
        except ValueError:
            if kwargs:
                raise TypeError(f"'{self._own_name}' has no signature: give its arguments by position") from None
            return args
        bound.apply_defaults()
        if bound.kwargs:
            raise TypeError(f"'{self._own_name}' has a rule of its own, which takes arguments by position, and "
                            f"{', '.join(bound.kwargs)} cannot be given so")  # fmt: skip
        return bound.args

    def _places(self, args: Tuple[Any, ...]) -> List[int]:
        """Returns the places of arguments that are handed on as they are. Raises ValueError for one that the
        call does not have."""
        for place in self._settings:
            if not -len(args) <= place < len(args):
                raise ValueError(f"nondiff_argnums of '{self._own_name}' names argument {place}, and the call has "
                                 f"{len(args)}")  # fmt: skip
        return [place % len(args) for place in self._settings]

    def _split(self, args: Tuple[Any, ...]) -> Tuple[Tuple[Any, ...], Tuple[Any, ...]]:
        """Returns the arguments that are handed on as they are, and the others."""
        places = self._places(args)
        return tuple(args[place] for place in places), tuple(
            arg for place, arg in enumerate(args) if place not in places)  # fmt: skip

    def _join(self, args: Tuple[Any, ...], others: Sequence[Any]) -> List[Any]:
        """Returns all arguments, with these in place of those that have derivatives."""
        places, rest = self._places(args), iter(others)
        return [arg if place in places else next(rest) for place, arg in enumerate(args)]

    def _as_input(self, leaf: Any) -> Tensor:
        if isinstance(leaf, (str, bytes)) or (callable(leaf) and not isinstance(leaf, Operators)):
            raise wrong(TypeError, "tensors and numbers as arguments", f"{leaf!r}", function=self._own_name,
                        hint="; name other arguments: flywheel.custom_vjp(function, nondiff_argnums=...)")  # fmt: skip
        return as_tensor(leaf)

    # The rule

    def _trace_rule(
        self, trace: _trace.Trace, args: Tuple[Any, ...], spec: Any, inputs: List[Tensor], extra: List[Tensor],
        outputs: List[Tensor], form: Any,
    ) -> Any:  # fmt: skip
        results = [x for x in outputs if _dtypes.is_floating(x.dtype)]
        types = [trace.type(x.dtype, x._dims) for x in [*inputs, *extra, *results]]

        def rule(values: List[Value]) -> List[Value]:
            self._depth += 1
            try:
                return apply(values)
            finally:
                self._depth -= 1

        def apply(values: List[Value]) -> List[Value]:
            own = [wrap(v, x.dtype, x._dims) for v, x in zip(values, [*inputs, *extra, *results])]
            given = _tree.unflatten(spec, own[: len(inputs)])
            cotangents = own[len(inputs) + len(extra) :]
            if self._backward is None:
                flat = self._apply_rule(self._join(args, given), cotangents, len(inputs))
            else:
                rest = iter(cotangents)
                weights = [next(rest) if _dtypes.is_floating(x.dtype) else None for x in outputs]
                flat = self._apply_pair(args, given, outputs, form, weights)
            flat += [None] * len(extra)
            pairs = [(c, x) for c, x in zip(flat, own) if _dtypes.is_floating(x.dtype)]
            return [(_ops.zeros_like(x) if c is None else as_tensor(c, x.dtype)).value for c, x in pairs]

        second = trace.region(types, rule, "train.vjp_yield", is_isolated=True)
        if trace.graph.isolate(second):
            raise ValueError("a rule uses its arguments only: pass other values to the function")
        return second

    def _apply_rule(self, args: List[Any], cotangents: List[Tensor], count: int) -> List[Any]:
        """Returns the cotangents of `count` inputs by a rule of one function."""
        assert self._rule is not None
        _check_arity(self._rule, len(args), len(cotangents))
        found = self._rule(*args, *cotangents)
        answers = found if isinstance(found, (tuple, list)) else (found,)
        flat = [leaf for answer in answers for leaf in ([None] if answer is None else _tree.flatten(answer)[0])]
        if len(flat) != count:
            raise ValueError(f"the rule returned {len(flat)} cotangents, expected one for each of "
                             f"{count} arguments")  # fmt: skip
        return flat

    def _apply_pair(
        self, args: Tuple[Any, ...], given: Tuple[Any, ...], outputs: List[Tensor], form: Any, weights: List[Any]
    ) -> List[Any]:
        """Returns the cotangents of the inputs by a forward and a backward function."""
        assert self._rule is not None and self._backward is not None
        name = self._own_name
        made = self._rule(*self._join(args, given))
        if not isinstance(made, (tuple, list)) or len(made) != 2:
            raise wrong(TypeError, "the result and the residuals, a pair, from the forward function",
                        f"a tuple of {len(made)}" if isinstance(made, (tuple, list)) else type(made).__name__,
                        function=name)  # fmt: skip
        tensors, own_form = _wrap_tree(made[0])
        kinds = [_describe(x) for x in outputs]
        if own_form != form or [_describe(x) for x in tensors] != kinds:
            wanted = f"{_tree.describe(form)} of {', '.join(kinds)}"
            found = f"{_tree.describe(own_form)} of {', '.join(map(_describe, tensors))}"
            raise wrong(ValueError, f"a result of the forward function as that of the function, {wanted}", found,
                        function=name)  # fmt: skip
        found = self._backward(*self._split(args)[0], made[1], _tree.unflatten(form, weights))
        if not isinstance(found, (tuple, list)) or len(found) != len(given):
            raise wrong(TypeError, f"a tuple of the cotangent of each of {len(given)} arguments from the backward "
                        "function", f"{len(found)} of them" if isinstance(found, (tuple, list)) else
                        type(found).__name__, function=name)  # fmt: skip
        flat: List[Any] = []
        for place, (answer, argument) in enumerate(zip(found, given)):
            leaves, spec = _tree.flatten(argument)
            mine = _spread(answer, argument)
            if mine is None:
                raise wrong(ValueError, f"a cotangent of the form of argument {place}, {_tree.describe(spec)}, from "
                            "the backward function", _tree.describe(_tree.flatten(answer)[1]),
                            function=name)  # fmt: skip
            for leaf, x in zip(mine, leaves):
                self._check_cotangent(leaf, x, place)
            flat += mine
        return flat

    def _check_cotangent(self, given: Any, x: Tensor, place: int) -> None:
        """Raises ValueError for a cotangent of another shape than the argument has."""
        if given is None or not _dtypes.is_floating(x.dtype):
            return
        y = as_tensor(given, x.dtype)
        if y.ndim != x.ndim or any(n != m and None not in (n, m) for n, m in zip(y._dims, x._dims)):
            raise about(self._own_name, ValueError(
                f"the cotangent of argument {place} has its shape {format_shape(x._dims)}, found "
                f"{format_shape(y._dims)} from the backward function"))  # fmt: skip


def _describe(x: Tensor) -> str:
    return f"{_dtypes.name_of(x.dtype)}{format_shape(x._dims)}"


def _spread(answer: Any, argument: Any) -> Optional[List[Any]]:
    """Returns a cotangent for each leaf of an argument, of which a None stands for all of a part; None for an answer of
    another form."""
    wanted: Any
    leaves, wanted = _tree.flatten(argument)
    if answer is None:
        return [None] * len(leaves)
    if wanted == _tree.LEAF:
        return [answer] if _tree.flatten(answer)[1] == _tree.LEAF else None
    if isinstance(argument, dict) and isinstance(answer, dict) and set(argument) == set(answer):
        # In the order of leaves.
        keys: Any = wanted[1]
    elif isinstance(argument, (tuple, list)) and isinstance(answer, (tuple, list)) and len(argument) == len(answer):
        keys = range(len(argument))
    else:
        given, form = _tree.flatten(answer)
        return given if form == wanted else None
    parts = [_spread(answer[key], argument[key]) for key in keys]
    return None if any(part is None for part in parts) else [one for part in parts for one in part or ()]


def _wrap_tree(tree: Any) -> Tuple[List[Tensor], Any]:
    leaves, spec = _tree.flatten(tree)
    return [as_tensor(leaf) for leaf in leaves], spec


@overload
def custom_vjp(function: Callable[..., Any], nondiff_argnums: Argnums = ()) -> CustomVjp: ...
@overload
def custom_vjp(
    function: None = None, nondiff_argnums: Argnums = ()
) -> Callable[[Callable[..., Any]], CustomVjp]: ...  # fmt: skip
def custom_vjp(function: Optional[Callable[..., Any]] = None, nondiff_argnums: Argnums = ()) -> Any:
    """A decorator: the function keeps what it computes, and gets the derivative of a
    rule that `defvjp` sets (G15).

        @flywheel.custom_vjp
        def clipped(x):
            return x

        @clipped.defvjp
        def _(x, dy):
            return flywheel.clip(dy, -1.0, 1.0)

    JAX's pair of a forward function, which returns the result and residuals, and a backward one is a rule, too:
    `clipped.defvjp(forward, backward)`. Arguments are trees of tensors and numbers; those of `nondiff_argnums`, by
    place, are any values, which functions get as they are, and rules give no cotangent for.

    Values that the function uses besides its arguments are constant to derivatives. A rule may call
    the function: the first two derivatives are by the rule then, and further ones those of the ops
    of the function.
    """
    numbers: List[Any] = [nondiff_argnums]
    if isinstance(nondiff_argnums, Iterable) and not isinstance(nondiff_argnums, (str, bytes, Operators)):
        numbers = list(nondiff_argnums)
    if any(isinstance(one, bool) or not isinstance(one, SupportsIndex) for one in numbers):
        raise wrong(TypeError, "the number of an argument, from 0, or a list of them", repr(nondiff_argnums),
                    "nondiff_argnums")  # fmt: skip
    places = tuple(operator.index(one) for one in numbers)
    if function is None:
        return functools.partial(custom_vjp, nondiff_argnums=places)
    if not callable(function):
        raise wrong(TypeError, "a function", type(function).__name__, "function")
    return CustomVjp(function, places)
