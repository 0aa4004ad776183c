# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""G19, G20: derivatives of calls of every public function, in every mode, against each other and against differences.

A program is a call of test/Support/every_function.py whose results are weighed and added, after elementwise functions
of its arguments, and in a region: called, in a branch, a loop, under vmap. Its tensors have several roles: one tensor
may be several arguments, and an argument may be captured by the differentiated function, or be a constant. Derivatives
are by position (G19): the reference is differences of a function whose arguments are separate.
"""

from dataclasses import dataclass
from typing import Any, Callable, List, Sequence, Tuple

import numpy as np

import harness
from batches import Batches
from harness import Failure, Outcome, Report, Rng, choose

Array = Any
# Finite differences see their jumps, and nothing of their derivatives.
NOT_SEEN = ("stop_gradient", "nn.stop_gradient")
SIZES = {"a": 3, "b": 4, "c": 2, "d": 5, "e": 6}
BEFORE = ("x", "sin(x)", "tanh(x)", "x * x", "exp(x * 0.5)", "x / 3.0", "x - 0.25")
AFTER = ("y", "tanh(y)", "sin(y)", "y * y")
REGIONS = ("none", "called", "branch", "loop", "carried", "vmap", "scan")


@dataclass
class Program:
    """A call and what is around it; `roles` says for each argument which tensor it is: another argument's number,
    its own, -1 for one that is captured, -2 for a constant."""

    name: str
    arguments: List[Array]
    before: List[str]
    after: str
    region: str
    roles: List[int]
    seed: int

    def __str__(self) -> str:
        shapes = ", ".join(f"{array.dtype.name}{list(array.shape)}" for array in self.arguments)
        return (f"{self.name}({shapes}) behind {self.before}, {self.after} behind it, region {self.region}, "
                f"roles {self.roles}, seed {self.seed}")  # fmt: skip

    def positions(self) -> List[int]:
        """Returns the positions of the arguments that are differentiated by."""
        return [i for i, role in enumerate(self.roles) if role >= 0 and self.arguments[i].dtype.kind == "f"]


def draw_argument(rng: Rng, kind: str, limit: int, shape: Tuple[int, ...]) -> Array:
    if kind == "x":
        return rng.integers(0, max(limit, 1), shape).astype(np.int32)
    if kind == "i":
        return rng.integers(-5, 5, shape).astype(np.int32)
    if kind == "p":
        return rng.random(shape) < 0.5
    array = rng.standard_normal(shape)
    return array @ np.swapaxes(array, -1, -2) + 2 * np.eye(shape[-1]) if kind == "s" else array


class Derivatives(Batches):
    """Derivatives in every mode."""

    name = "derivatives"
    seconds = 120.0
    count = 6

    def prepare(self) -> None:
        import flywheel as fw
        from every_function import calls

        self.fw: Any = fw
        self.calls = {
            name: call for name, call in calls.items()
            if not name.startswith(NOT_SEEN) and any(one[0] in "fs" for one in call.arguments)
        }  # fmt: skip

    def add_options(self, parser: Any) -> None:
        parser.add_argument("--call", help="make programs of the calls whose names begin so only")

    def take_options(self, options: Any) -> None:
        self.only = options.call or ""

    def make_program(self, rng: Rng) -> Program:
        name = choose(rng, [name for name in self.calls if name.startswith(self.only)])
        call = self.calls[name]
        sizes = dict(SIZES)
        if rng.random() < 0.3:
            sizes.update({letter: int(choose(rng, [1, 2, 3, 4])) for letter in "abcd"})
        if rng.random() < 0.3:
            sizes.update(dict.fromkeys("abcd", 3))
        arguments, before = [], []
        for argument in call.arguments:
            letters = argument.split()[1] if " " in argument else ""
            shape = tuple(sizes[x] if x in sizes else int(x) for x in letters)
            limit = sizes[argument[2]] if argument[0] == "x" else 0
            arguments.append(draw_argument(rng, argument[0], limit, shape))
            before.append(choose(rng, BEFORE) if argument[0] == "f" and rng.random() < 0.5 else "x")
        roles = list(range(len(arguments)))
        for i, array in enumerate(arguments):
            same = [j for j in range(i) if roles[j] == j and arguments[j].dtype == array.dtype
                    and arguments[j].shape == array.shape and array.dtype.kind == "f"]  # fmt: skip
            if same and rng.random() < 0.6:
                roles[i] = choose(rng, same)
                arguments[i] = arguments[roles[i]]
            elif array.dtype.kind != "f" or (len(arguments) > 1 and rng.random() < 0.1):
                roles[i] = -2
        floating = [i for i, role in enumerate(roles) if role >= 0]
        if not floating:
            roles = [i if array.dtype.kind == "f" else -2 for i, array in enumerate(arguments)]
        elif len(floating) > 1 and rng.random() < 0.3:
            # Captured with the tensor of another argument, or its own.
            roles[choose(rng, floating[1:])] = -1
        after = choose(rng, AFTER) if rng.random() < 0.3 else "y"
        # The square of a distance to itself is smooth, and that of |x - x| is not to the rules.
        is_beside_itself = len({id(array) for array in arguments}) < len(arguments)
        return Program(name, arguments, before, "y" if is_beside_itself and after == "y * y" else after,
                       choose(rng, REGIONS), roles, int(rng.integers(1 << 30)))  # fmt: skip

    def loss(self, program: Program) -> Callable[..., Any]:
        """The function of all arguments, element weights and all, without a region."""
        fw = self.fw
        names = {name: getattr(fw, name) for name in ("sin", "tanh", "exp")}
        before = [eval(f"lambda x: {text}", names) for text in program.before]
        after = eval(f"lambda y: {program.after}", names)
        ours = self.calls[program.name].ours

        def total(*args: Any) -> Any:
            found = ours(*[function(x) for function, x in zip(before, args)])
            rng = np.random.default_rng(program.seed)
            parts = []
            for one in found if isinstance(found, (list, tuple)) else [found]:
                if fw.as_tensor(one).dtype == fw.float64:
                    y = after(one)
                    parts.append(fw.sum(y * fw.constant(rng.uniform(0.5, 1.5, [n or 1 for n in y.shape]))))
            return sum(parts, fw.constant(0.0, "float64"))

        return total

    def in_region(self, program: Program, function: Callable[..., Any], args: Sequence[Any]) -> Any:
        """`function` of the arguments, which is a number or several tensors of floating-point numbers."""
        fw, region = self.fw, program.region
        if region == "called":
            return fw.function(lambda *given: function(*given))(*args)
        if region == "branch":
            other = fw.sum(fw.stop_gradient(args[program.positions()[0]])) > -1e9
            return fw.cond(other, lambda *given: function(*given),
                           lambda *given: fw.map_leaves(lambda x: x * 2.0, function(*given)), *args)  # fmt: skip
        if region == "loop":
            start = fw.map_leaves(fw.zeros_like, function(*args))
            return fw.fori_loop(0, 2, lambda _, state: self.add(state, function(*args), 0.5), start)
        if region == "carried":
            start = (fw.map_leaves(fw.zeros_like, function(*args)), tuple(args))
            return fw.fori_loop(0, 2, lambda _, state: (self.add(state[0], function(*state[1]), 0.5), state[1]),
                                start)[0]  # fmt: skip
        if region == "vmap":
            many = fw.vmap(function)(*[fw.stack([x, x]) for x in args])
            return fw.map_leaves(lambda x: fw.mean(x, 0), many)
        if region == "scan":
            start = fw.constant(0.0, "float64")
            _, found = fw.scan(lambda state, given: (state, function(*given)), start,
                               tuple(fw.stack([x, x, x]) for x in args))  # fmt: skip
            return fw.map_leaves(lambda x: fw.mean(x, 0), found)
        return function(*args)

    def add(self, left: Any, right: Any, factor: float) -> Any:
        if isinstance(left, (tuple, list)):
            return type(left)(self.add(a, b, factor) for a, b in zip(left, right))
        return left + right * factor

    def derive(self, program: Program, tensors: Sequence[Any], directions: Sequence[Any]) -> Tuple[Any, ...]:
        """The value; the gradient and the directional derivative; of second order, along one direction in all modes
        and along two."""
        fw, whole, places = self.fw, self.loss(program), program.positions()
        given = [
            program.arguments[i] if role == -2 else tensors[i if role == -1 else role]
            for i, role in enumerate(program.roles)
        ]
        outer = np.random.default_rng(program.seed).random() < 0.5

        def of_some(*some: Any) -> Any:
            args = list(given)
            for place, x in zip(places, some):
                args[place] = x
            return whole(*args)

        def loss(*some: Any) -> Any:
            return self.in_region(program, of_some, some) if outer else of_some(*some)

        program = Program(**{**program.__dict__, "roles": list(range(len(places))),
                             "arguments": [program.arguments[i] for i in places]})  # fmt: skip
        at, along = tuple(given[place] for place in places), tuple(directions[place] for place in places)
        further = tuple(x[::-1] if x.ndim else x for x in along)
        numbers = tuple(range(len(places)))
        gradient = fw.grad(loss, numbers)

        def dot(left: Sequence[Any], right: Sequence[Any]) -> Any:
            return sum((fw.sum(a * b) for a, b in zip(left, right)), fw.constant(0.0, "float64"))

        def forward(*some: Any) -> Any:
            return fw.jvp(loss, some, along)[1]

        def all_of(*some: Any) -> Any:
            return (loss(*some), *gradient(*some), forward(*some), *fw.jvp(gradient, some, along)[1],
                    *fw.grad(lambda *x: dot(gradient(*x), along), numbers)(*some), *fw.grad(forward, numbers)(*some),
                    fw.jvp(forward, some, further)[1])  # fmt: skip

        return self.in_region(program, all_of, at) if not outer else all_of(*at)  # type: ignore[no-any-return]

    def check(self, case: harness.Case, report: Report) -> Outcome:
        fw, programs = self.fw, [program for program in self.programs if self.accepts(program)]
        if not programs:
            return Outcome("refused", "sizes that do not agree")
        flat = [array for program in programs for array in program.arguments]
        rng = np.random.default_rng(programs[0].seed)
        along = [rng.standard_normal(array.shape) if array.dtype.kind == "f" else array for array in flat]
        ends = np.cumsum([0, *(len(program.arguments) for program in programs)])

        def parts(args: Sequence[Any]) -> List[Sequence[Any]]:
            return [args[start:end] for start, end in zip(ends, ends[1:])]

        def plain(*args: Any) -> Any:
            return [self.plain(program, own) for program, own in zip(programs, parts(args))]

        def all_of(tensors: Any, directions: Any) -> Any:
            return [self.derive(program, own, way)
                    for program, own, way in zip(programs, parts(tensors), parts(directions))]  # fmt: skip

        values, derived = fw.function(plain), fw.function(all_of)
        report("compile")
        found = derived(tuple(flat), tuple(along))
        report("differences")
        base = [[np.asarray(x) for x in one] for one in values(*flat)]
        differences, bends = [], []
        for step in (1e-4, 5e-5):
            ends_of = []
            for sign in (1, -1):
                moved: List[Array] = []
                for program, way in zip(programs, parts(along)):
                    places = program.positions()
                    moved += [array + sign * step * way[i] if i in places else array
                              for i, array in enumerate(program.arguments)]  # fmt: skip
                ends_of.append([[np.asarray(x) for x in one] for one in values(*moved)])
            differences.append([[(a - b) / (2 * step) for a, b in zip(*pair)] for pair in zip(*ends_of)])
            bends = [[(a - c - (c - b)) / step for a, b, c in zip(*three)] for three in zip(*ends_of, base)]
        report("compare")
        for program, one, first, coarse, fine, bend, ways in zip(programs, found, base, *differences, bends,
                                                                 parts(along)):  # fmt: skip
            smooth = [np.where(np.abs(b) <= 0.01 * (1 + np.abs(f)), f, np.nan) for b, f in zip(bend, fine)]
            self.compare(program, [np.asarray(x) for x in one], first, coarse, smooth, ways)
        return Outcome("passed")

    def accepts(self, program: Program) -> bool:
        """Returns true unless the function refuses these sizes, in no region and without derivatives."""
        specs = [self.fw.spec(*array.shape, dtype=array.dtype) for array in program.arguments]
        try:
            self.fw.function(self.loss(program), signature=specs).trace()
        except (ValueError, IndexError):
            return False
        return True

    def plain(self, program: Program, args: Sequence[Any]) -> Any:
        """The value and the gradient of arguments that are apart, in no region."""
        loss, places = self.loss(program), tuple(program.positions())
        return (loss(*args), *self.fw.grad(loss, places)(*args))

    def compare(self, program: Program, found: List[Array], plain: List[Array], coarse: List[Array],
                fine: List[Array], ways: Sequence[Array]) -> None:  # fmt: skip
        places = program.positions()
        count, along = len(places), [ways[i] for i in places]
        loss, slopes, (forward, *rest) = found[0], found[1 : 1 + count], found[1 + count :]
        by_jvp, by_reverse, by_forward = (rest[i * count : (i + 1) * count] for i in range(3))
        twice = rest[3 * count]
        further = [x[::-1] if x.ndim else x for x in along]
        self.expect(program, "the value", loss, plain[0])
        for place, slope, own in zip(places, slopes, plain[1:]):
            self.expect(program, f"the gradient by argument {place}", slope, own)
        total = sum(np.sum(a * b) for a, b in zip(slopes, along))
        scale = 1 + sum(np.sum(np.abs(a * b)) for a, b in zip(slopes, along))
        self.expect(program, "forward mode and the gradient", forward, total, scale)
        self.differ(program, "the gradient along a direction", total, coarse[0], fine[0])
        orders = zip(places, by_jvp, by_reverse, by_forward, coarse[1:], fine[1:])
        for place, first, second, third, more, less in orders:
            size = 1 + float(np.max(np.abs(first), initial=0, where=np.isfinite(first)))
            self.expect(program, f"reverse over reverse by {place}", second, first, size)
            self.expect(program, f"reverse over forward by {place}", third, first, size)
            self.differ(program, f"the second derivative by {place}", first, more, less)
        total = sum(np.sum(a * b) for a, b in zip(by_jvp, further))
        scale = 1 + sum(np.sum(np.abs(a * b)) for a, b in zip(by_jvp, further))
        self.expect(program, "forward over forward", twice, total, scale)

    def expect(self, program: Program, what: str, found: Array, wanted: Array, scale: Any = None) -> None:
        scale = 1 + np.abs(wanted) if scale is None else scale
        bad = ~(np.abs(found - wanted) <= 1e-8 * scale) & ~((found == wanted) | (np.isnan(found) & np.isnan(wanted)))
        if np.any(bad):
            raise Failure(f"{what} of {program.name}: found {found}, expected {wanted}: {program}")

    def differ(self, program: Program, what: str, found: Array, coarse: Array, fine: Array) -> None:
        """Checks a derivative where differences of two steps agree; `fine` is NaN where those to either side do not,
        as at the tie of a maximum: which derivative that has is a convention."""
        with np.errstate(all="ignore"):
            scale = 1 + np.abs(fine)
            is_seen = (np.abs(coarse - fine) <= 1e-5 * scale) & (np.abs(fine) < 1e6)
            bad = is_seen & ~(np.abs(found - fine) <= 1e-4 * scale)
        if np.any(bad):
            raise Failure(f"{what} of {program.name}: found {found}, expected {fine}, by differences: {program}")


if __name__ == "__main__":
    harness.main(Derivatives(), cases=10)
