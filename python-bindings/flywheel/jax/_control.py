# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls, branches and loops of StableHLO.

A loop that counts is one that has derivatives. JAX writes `scan` and `fori_loop` as a `while` whose
state has the counter, what the body only reads, and what changes; here those are told apart.
"""

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from jaxlib.mlir import ir

from .. import _ops
from .. import control as control
from .. import transforms as transforms
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor
from .._flywheel import Value
from .._ops.emission import Size, index_op
from .._ops.shapes import to_index
from ._export import CUSTOM, Exported
from ._graph import Call, Interpreter, complex_op, is_complex, op, type_of
from ._values import AnyKnown, Complex, Known, as_sizes, bounds_of, of_sizes, of_tensor, regrouped, tensors_of


@op("func.call")
def _call(call: Call, *operands: AnyKnown) -> List[AnyKnown]:
    return call.interpreter.call(_callee(call.operation), operands, call.env.exact)


def _callee(operation: Any) -> str:
    return str(ir.FlatSymbolRefAttr(operation.attributes["callee"]).value)


@op("stablehlo.composite")
def _composite(call: Call, *operands: AnyKnown) -> List[AnyKnown]:
    return call.interpreter.decompose(call, operands)


@op(CUSTOM)
@complex_op(CUSTOM)
def _custom(call: Call, *operands: AnyKnown) -> List[AnyKnown]:
    """A function with a derivative of its own. A cotangent of complex numbers is a + b i in JAX where the derivatives
    by the parts are a and -b."""
    forward, backward = call.interpreter.customs[int(ir.StringAttr(call.attribute("backend_config")).value)]
    given_complex = [isinstance(x, Complex) for x in operands]
    made_complex = [is_complex(value) for value in call.operation.results]
    is_moving = [_dtypes.is_floating(x.dtype) for x in operands]

    def run(exported: Exported, given: Sequence[AnyKnown]) -> List[AnyKnown]:
        return Interpreter(exported).run([given[place] for place in exported.kept])

    def function(*given: Tensor) -> List[Tensor]:
        return tensors_of(run(forward, regrouped(given, given_complex)))

    def rule(*given: Tensor) -> List[Optional[Tensor]]:
        count = sum(given_complex) + len(given_complex)
        dtypes = [type_of(value)[0] for value in call.operation.results]
        kinds = [kind for kind, dtype in zip(made_complex, dtypes) if _dtypes.is_floating(dtype)]
        cotangents = [_conjugate(x) for x in regrouped(given[count:], kinds)]
        found = iter(_conjugate(x) for x in run(backward, [*regrouped(given[:count], given_complex), *cotangents]))
        results: List[Optional[Tensor]] = []
        for moves in is_moving:
            results += tensors_of([next(found)]) if moves else [None]
        return results

    derived = transforms.custom_vjp(function)
    derived.defvjp(rule)
    return regrouped(derived(*tensors_of(operands)), made_complex)


def _conjugate(x: AnyKnown) -> AnyKnown:
    return Complex(x.real, of_tensor(_ops.negative(x.imaginary.tensor))) if isinstance(x, Complex) else x


@op("case")
def _case(call: Call, index: Known) -> Any:
    return _branch(call, index, list(range(len(call.operation.regions))))


def _branch(call: Call, index: Known, places: List[int]) -> Any:
    """Runs the branch of this number; any other number selects the last one."""
    known = index.uniform
    if known is not None or len(places) == 1:
        return _run(call, int(known) if known in places else places[-1])
    found = control.cond(
        _ops.equal(index.tensor, places[0]),
        lambda: tensors_of(_run(call, places[0])),
        lambda: tensors_of(_branch(call, index, places[1:])))  # fmt: skip
    return regrouped(found, list(map(is_complex, call.operation.results)))


def _run(call: Call, region: int) -> List[AnyKnown]:
    return call.interpreter.run_block(call.block(region), [], call.env)


@op("if")
def _if(call: Call, condition: Known) -> Any:
    if condition.uniform is not None:
        return _run(call, 0 if condition.uniform else 1)
    found = control.cond(
        condition.tensor, lambda: tensors_of(_run(call, 0)), lambda: tensors_of(_run(call, 1))
    )
    return regrouped(found, list(map(is_complex, call.operation.results)))


#
# Loops
#


class _Scope:
    """A block of a loop's body. It finds the origin of a value through the functions that are called."""

    def __init__(self, interpreter: Interpreter, arguments: Dict[Any, Tuple[Any, "Optional[_Scope]"]]):
        self.interpreter = interpreter
        self.arguments = arguments

    def origin(self, value: Any) -> Tuple[Any, "Optional[_Scope]"]:
        """The value that this one is, and where; without a scope, one that the loop has from outside."""
        if value in self.arguments:
            outer, scope = self.arguments[value]
            return (outer, None) if scope is None else scope.origin(outer)
        owner = _owner(value)
        if owner is None or owner.name != "func.call":
            return value, self
        block = self.interpreter.functions[_callee(owner)].regions[0].blocks[0]
        inner = _Scope(self.interpreter, {a: (b, self) for a, b in zip(block.arguments, owner.operands)})
        operations = list(block.operations)
        place = next(i for i, result in enumerate(owner.results) if result == value)
        return inner.origin(operations[-1].operation.operands[place])


def _owner(value: Any) -> Any:
    """Returns the op that defines a value; None for a block's argument."""
    owner = value.owner
    return None if isinstance(owner, ir.Block) else getattr(owner, "operation", owner)


def _real(x: AnyKnown) -> Known:
    """Returns an operand of a comparison, which no complex number is."""
    assert isinstance(x, Known)
    return x


class _Counter(NamedTuple):
    """An element of the state that each iteration adds a constant to."""

    start: Known
    step: int


class _Loop:
    """The kinds of the parts of a loop's state."""

    def __init__(self, call: Call, state: Sequence[AnyKnown]):
        self.call, self.state = call, list(state)
        body = call.block(1)
        self.arguments = list(body.arguments)
        scope = _Scope(call.interpreter, {})
        returned = list(body.operations)[-1].operation.operands
        self.fixed: List[int] = []
        self.counters: Dict[int, _Counter] = {}
        for place, value in enumerate(returned):
            origin, where = scope.origin(value)
            if where is scope and origin == self.arguments[place]:
                self.fixed.append(place)
                continue
            step = self._step(origin, where, place)
            start = state[place]
            if step is not None and isinstance(start, Known) and not start.shape and _dtypes.is_integer(start.dtype):
                self.counters[place] = _Counter(start, step)
        self.limit = self._find_limit()

    def _step(self, value: Any, scope: Optional[_Scope], place: int) -> Optional[int]:
        """Returns the constant that is added to an element of the state."""
        owner = _owner(value) if scope is not None else None
        if owner is None or owner.name != "stablehlo.add":
            return None
        assert scope is not None
        for mine, other in (owner.operands, list(owner.operands)[::-1]):
            origin, where = scope.origin(mine)
            if where is None or origin != self.arguments[place]:
                continue
            constant, _ = scope.origin(other)
            return self._constant(constant)
        return None

    def _constant(self, value: Any) -> Optional[int]:
        owner = _owner(value)
        if owner is not None and owner.name == "stablehlo.constant":
            kind = ir.RankedTensorType(value.type)
            attribute = owner.attributes["value"]
            if kind.rank == 0 and isinstance(kind.element_type, ir.IntegerType):
                return int(ir.IntegerAttr(attribute.maybe_downcast().get_splat_value()).value)
        return None

    def _find_limit(self) -> Optional[Tuple[int, Known]]:
        """Returns the number of the counter, and the limit, of a condition `counter < limit`."""
        block = self.call.block(0)
        operations = [view.operation for view in block.operations]
        test = _owner(operations[-1].operands[0])
        if test is None or test.name != "stablehlo.compare":
            return None
        if Call(test, self.call.interpreter, self.call.env).word("comparison_direction") != "LT":
            return None
        left, right = test.operands
        arguments = list(block.arguments)
        if left not in arguments:
            return None
        place = arguments.index(left)
        if place not in self.counters or self.counters[place].step != 1:
            return None
        if right in arguments:
            other = arguments.index(right)
            return (place, _real(self.state[other])) if other in self.fixed else None
        constant = self._constant(right)
        if constant is not None:
            return place, of_sizes([constant], self.state[place].dtype, ())
        owner = _owner(right)
        if owner is not None and owner in operations:
            return None
        return place, _real(self.call.env[right])


@op("while")
def _while(call: Call, *state: AnyKnown) -> List[AnyKnown]:
    loop = _Loop(call, state)
    if loop.limit is None:
        return _while_loop(call, loop)
    place, limit = loop.limit
    first, last = _scalar_size(loop.counters[place].start), _scalar_size(limit)
    count = index_op("maxsi", index_op("subi", last, first), 0)
    carried = [i for i in range(len(state)) if i not in loop.fixed and i not in loop.counters]
    are_complex = [isinstance(state[i], Complex) for i in carried]

    def known_state(own: Sequence[Tensor], index: Size, is_inside: bool) -> List[AnyKnown]:
        """Returns all of the state, in an iteration (whose number `index` is) or after the loop."""
        values = list(state)
        for i, value in zip(carried, regrouped(own, are_complex)):
            values[i] = value
        for i, counter in loop.counters.items():
            values[i] = _counted(counter, index, count if is_inside else None)
        return values

    def body(index: Value, own: List[Tensor]) -> List[Tensor]:
        results = call.interpreter.run_block(call.block(1), known_state(own, index, True), call.env)
        return tensors_of([results[i] for i in carried])

    leaves = tensors_of([state[i] for i in carried])
    if count == 0:
        return list(state)
    results = control._for(count, leaves, body) if carried else []
    return known_state(results, count, False)


def _scalar_size(x: Known) -> Size:
    known = as_sizes(x)
    return known[0] if known is not None else to_index(x.tensor)


def _counted(counter: _Counter, index: Size, count: Optional[Size]) -> Known:
    """start + step * index, where index < count if that is given."""
    start = _scalar_size(counter.start)
    offset = index if counter.step == 1 else index_op("muli", index, counter.step)
    bounds, own = None, bounds_of(counter.start)
    if own is not None and isinstance(count, int):
        end = counter.step * (count - 1)
        bounds = own[0] + min(end, 0), own[1] + max(end, 0)
    value = offset if isinstance(start, int) and start == 0 else index_op("addi", offset, start)
    return of_sizes([value], counter.start.dtype, (), bounds)


def _while_loop(call: Call, loop: _Loop) -> List[AnyKnown]:
    """Emits a loop that runs until its condition is false."""
    state = loop.state
    carried = [i for i in range(len(state)) if i not in loop.fixed]
    are_complex = [isinstance(state[i], Complex) for i in carried]

    def values(own: Sequence[Tensor]) -> List[AnyKnown]:
        result = list(state)
        for i, x in zip(carried, regrouped(own, are_complex)):
            result[i] = x
        return result

    def condition(own: Sequence[Tensor]) -> Tensor:
        return tensors_of(call.interpreter.run_block(call.block(0), values(own), call.env))[0]

    def body(own: Sequence[Tensor]) -> List[Tensor]:
        results = call.interpreter.run_block(call.block(1), values(own), call.env)
        return tensors_of([results[i] for i in carried])

    found = control.while_loop(condition, body, tensors_of([state[i] for i in carried]))
    return values(found)
