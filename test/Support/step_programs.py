# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random train steps that know their text and what they do to their variables.

All floating-point values of a program have one type, so that any two can meet. A
statement that a run executes works on an environment: values by name, and the state
under the key of a variable's or an optimizer's name.
"""

import re
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

from harness import Rng, choose
from step_updates import draw_optimizer, project

Array = NDArray[Any]
State = Dict[str, Any]
Env = Dict[str, Any]
SHAPES: Sequence[Tuple[int, ...]] = ((), (3,), (5,), (2, 4), (17,))
ROWS = 4  # The number of rows of the table that is indexed.


class CheckFailed(Exception):
    """An index is out of range: the call changes nothing."""


@dataclass
class Statement:
    """Text and meaning. `text` looks at `blocks` anew, as they may have changed."""

    text: Callable[[], List[str]]
    run: Callable[[Env, State], None]
    blocks: List[List["Statement"]] = field(default_factory=list)


Block = List[Statement]


def text_of(block: Block) -> List[str]:
    return [f"  {line}" for statement in block for line in statement.text()]


def run_block(block: Block, env: Env, state: State) -> None:
    for statement in block:
        statement.run(env, state)


@dataclass
class Variable:
    name: str
    initial: float
    constraint: str = ""


@dataclass
class Program:
    """A step of floating-point variables @w0, ..., a table of them, @e, a sum of checked
    rows, @c, and a counter, @n."""

    shape: Tuple[int, ...]
    element: str
    variables: List[Variable] = field(default_factory=list)
    body: Block = field(default_factory=list)
    results: List[str] = field(default_factory=list)
    count: int = 0

    @property
    def kind(self) -> str:
        return "tensor<" + "".join(f"{dim_size}x" for dim_size in self.shape) + self.element + ">"

    @property
    def dtype(self) -> Any:
        return np.dtype({"f32": np.float32, "f64": np.float64}[self.element])

    @property
    def table(self) -> str:
        return self.kind.replace("tensor<", f"tensor<{ROWS}x")

    @property
    def feeds(self) -> List[Tuple[str, str]]:
        return [
            ("%x", self.kind),
            ("%y", self.kind),
            ("%t", self.table),
            ("%flag", "tensor<i1>"),
            ("%trips", "tensor<i64>"),
            ("%i", "tensor<i64>"),
        ]

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def module(self) -> str:
        lines = []
        for variable in self.variables:
            constraint = f" {{constraint = {variable.constraint}}}" if variable.constraint else ""
            lines.append(
                f"train.variable @{variable.name} : {self.kind} = dense<{variable.initial}> : {self.kind}{constraint}"
            )
        lines.append(f"train.variable @e : {self.table} = dense<0.5> : {self.table}")
        lines.append(f"train.variable @c : {self.kind} = #train.zeros {{trainable = false}}")
        lines.append("train.variable @n : tensor<i64> = dense<0> : tensor<i64> {trainable = false}")
        arguments = ", ".join(f"{name}: {kind}" for name, kind in self.feeds)
        kinds = ", ".join([self.kind] * len(self.results))
        lines += [
            f"func.func @step({arguments}) -> ({kinds}) {{",
            "  %c0 = arith.constant 0 : index",
            "  %c1 = arith.constant 1 : index",
            "  %one = arith.constant dense<1> : tensor<i64>",
            "  %condition = tensor.extract %flag[] : tensor<i1>",
            "  %trips64 = tensor.extract %trips[] : tensor<i64>",
            "  %many = arith.index_cast %trips64 : i64 to index",
            *text_of(self.body),
        ]
        return "\n".join([*lines, f"  return {', '.join(self.results)} : {kinds}", "}"]) + "\n"

    def initial_state(self) -> State:
        state: State = {variable.name: np.full(self.shape, variable.initial, self.dtype) for variable in self.variables}
        state["e"] = np.full((ROWS, *self.shape), 0.5, self.dtype)
        state["c"] = np.zeros(self.shape, self.dtype)
        state["n"] = np.array(0, np.int64)
        return state

    def copy_state(self, state: State) -> State:
        return {name: value.copy() for name, value in state.items()}

    def draw_feeds(self, rng: Rng) -> Dict[str, Array]:
        def numbers(shape: Tuple[int, ...]) -> Array:
            return np.asarray(rng.uniform(-1, 1, shape)).astype(self.dtype)

        index = int(rng.integers(ROWS)) if rng.integers(4) else choose(rng, [-1, ROWS, 1 << 40])
        return {
            "%x": numbers(self.shape),
            "%y": numbers(self.shape),
            "%t": numbers((ROWS, *self.shape)),
            "%flag": np.array(bool(rng.integers(2))),
            "%trips": np.array(rng.integers(0, 4)),
            "%i": np.array(index),
        }

    def call(self, state: State, feeds: Dict[str, Array]) -> List[Array]:
        env: Env = dict(feeds)
        run_block(self.body, env, state)
        return [env[name] for name in self.results]


# ---------------------------------------------------------------------------
# Expressions
# ---------------------------------------------------------------------------

# Neither overflow nor rounding grows by these, whatever they are applied to.
EXPRESSIONS: Dict[str, Tuple[int, List[str], Callable[..., Any]]] = {
    "add": (2, ["{y} = arith.addf {a}, {b} : {T}"], lambda a, b: a + b),
    "sub": (2, ["{y} = arith.subf {a}, {b} : {T}"], lambda a, b: a - b),
    "neg": (1, ["{y} = arith.negf {a} : {T}"], lambda a: -a),
    "tanh": (1, ["{y} = math.tanh {a} : {T}"], np.tanh),
    "mul": (2, ["{y}_t = math.tanh {b} : {T}", "{y} = arith.mulf {a}, {y}_t : {T}"], lambda a, b: a * np.tanh(b)),
    "square": (1, ["{y}_t = math.tanh {a} : {T}", "{y} = arith.mulf {y}_t, {y}_t : {T}"], lambda a: np.tanh(a) ** 2),
}


@dataclass
class Expression:
    """Ops on values: `compute` takes those of `inputs`."""

    lines: List[str]
    name: str
    inputs: List[str]
    compute: Callable[..., Any]


def draw_expression(program: Program, rng: Rng, inputs: Sequence[str], size: int) -> Expression:
    names, lines = list(inputs), []
    steps: List[Tuple[Callable[..., Any], List[int]]] = []
    for _ in range(size):
        count, texts, function = EXPRESSIONS[choose(rng, list(EXPRESSIONS))]
        operands = [max(int(i) for i in rng.integers(len(names), size=2)) for _ in range(count)]
        name = program.fresh()
        pair = [names[i] for i in operands] + [""]
        lines += [text.format(y=name, a=pair[0], b=pair[1], T=program.kind) for text in texts]
        steps.append((function, operands))
        names.append(name)

    def compute(*values: Any) -> Any:
        found = list(values)
        for function, operands in steps:
            found.append(function(*(found[i] for i in operands)))
        return found[-1]

    return Expression(lines, names[-1], list(inputs), compute)


def depends(lines: Sequence[str], value: str, variable: str) -> bool:
    """Returns true if a value is made of a read of a variable, even if the gradient is 0, as that of x - x."""
    needed = {value}
    for line in reversed(lines):
        name, _, rest = line.partition(" = ")
        if name in needed:
            if rest.startswith(f"train.read @{variable} "):
                return True
            needed.update(re.findall(r"%\w+", rest))
    return False


# ---------------------------------------------------------------------------
# Statements
# ---------------------------------------------------------------------------


@dataclass
class Scope:
    """The values that a statement may use: all values, and those that no variable is in."""

    values: List[str]
    free: List[str]

    def inner(self) -> "Scope":
        return Scope(list(self.values), list(self.free))


class Maker:
    """Draws the statements of a program."""

    def __init__(self, program: Program, rng: Rng) -> None:
        self.program, self.rng = program, rng
        self.makers = [
            self.compute,
            self.read,
            self.read,
            self.assign,
            self.assign,
            self.update,
            self.update,
            self.swap,
            self.count,
            self.branch,
            self.loop,
            self.while_loop,
            self.minimize,
            self.minimize,
            self.embed,
            self.check,
            self.scale_gradient,
            self.drop_nothing,
        ]

    def block(self, scope: Scope, depth: int, size: int) -> Block:
        block: Block = []
        for _ in range(int(self.rng.integers(1, size + 1))):
            block.append(choose(self.rng, self.makers)(scope, depth, size))
        return block

    def variable(self) -> Variable:
        return choose(self.rng, self.program.variables)

    def expression(self, names: Sequence[str]) -> Expression:
        inputs = [choose(self.rng, names) for _ in range(int(self.rng.integers(1, 4)))]
        return draw_expression(self.program, self.rng, inputs, int(self.rng.integers(1, 4)))

    def compute(self, scope: Scope, depth: int, size: int) -> Statement:
        free = bool(self.rng.integers(2))
        e = self.expression(scope.free if free else scope.values)
        scope.values.append(e.name)
        if free:
            scope.free.append(e.name)

        def run(env: Env, state: State) -> None:
            env[e.name] = np.asarray(e.compute(*(env[name] for name in e.inputs)))

        return Statement(lambda: e.lines, run)

    def read(self, scope: Scope, depth: int, size: int) -> Statement:
        name, variable = self.program.fresh(), self.variable().name
        scope.values.append(name)

        def run(env: Env, state: State) -> None:
            env[name] = state[variable]

        return Statement(lambda: [f"{name} = train.read @{variable} : {self.program.kind}"], run)

    def assign(self, scope: Scope, depth: int, size: int) -> Statement:
        variable, value = self.variable().name, choose(self.rng, scope.values)

        def run(env: Env, state: State) -> None:
            state[variable] = env[value]

        return Statement(lambda: [f"train.assign @{variable}, {value} : {self.program.kind}"], run)

    def update(self, scope: Scope, depth: int, size: int) -> Statement:
        """An assign_add or assign_sub, whose result may be used."""
        variable, value, name = self.variable().name, choose(self.rng, scope.values), self.program.fresh()
        op, sign = choose(self.rng, [("add", 1), ("sub", -1)])
        scope.values.append(name)

        def run(env: Env, state: State) -> None:
            state[variable] = env[name] = np.asarray(state[variable] + sign * env[value])

        return Statement(lambda: [f"{name} = train.assign_{op} @{variable}, {value} : {self.program.kind}"], run)

    def swap(self, scope: Scope, depth: int, size: int) -> Statement:
        """Two or three variables move on by one."""
        chosen = [variable.name for variable in self.program.variables]
        self.rng.shuffle(chosen)
        chosen = chosen[: int(self.rng.integers(2, 4))]
        names = [self.program.fresh() for _ in chosen]
        kind = self.program.kind

        def text() -> List[str]:
            return [f"{name} = train.read @{variable} : {kind}" for name, variable in zip(names, chosen)] + [
                f"train.assign @{variable}, {name} : {kind}" for name, variable in zip(names[1:] + names[:1], chosen)
            ]

        def run(env: Env, state: State) -> None:
            values = [state[variable] for variable in chosen]
            for variable, value in zip(chosen, values[1:] + values[:1]):
                state[variable] = value

        return Statement(text, run)

    def count(self, scope: Scope, depth: int, size: int) -> Statement:
        def run(env: Env, state: State) -> None:
            state["n"] = np.asarray(state["n"] + 1)

        return Statement(lambda: ["train.assign_add @n, %one : tensor<i64>"], run)

    def branch(self, scope: Scope, depth: int, size: int) -> Statement:
        """On a feed or on the counter's parity; with or without a result."""
        if depth == 0:
            return self.compute(scope, depth, size)
        left, right = scope.inner(), scope.inner()
        first, second = self.block(left, depth - 1, size // 2), self.block(right, depth - 1, size // 2)
        yields = [choose(self.rng, left.values), choose(self.rng, right.values)] if self.rng.integers(2) else []
        by_feed, name, kind = bool(self.rng.integers(2)), self.program.fresh(), self.program.kind

        def text() -> List[str]:
            lines, condition = [], "%condition"
            if not by_feed:
                condition = f"{name}_c"
                lines = [
                    f"{name}_n = train.read @n : tensor<i64>",
                    f"{name}_e = tensor.extract {name}_n[] : tensor<i64>",
                    f"{name}_p = arith.trunci {name}_e : i64 to i1",
                    f"{name}_t = arith.constant true",
                    f"{name}_c = arith.xori {name}_p, {name}_t : i1",
                ]
            ends = [[f"  scf.yield {value} : {kind}"] for value in yields] or [[], []]
            head = f"{name} = scf.if {condition} -> {kind} {{" if yields else f"scf.if {condition} {{"
            return [*lines, head, *text_of(first), *ends[0], "} else {", *text_of(second), *ends[1], "}"]

        def run(env: Env, state: State) -> None:
            taken = bool(env["%flag"]) if by_feed else int(state["n"]) % 2 == 0
            inner = dict(env)
            run_block(first if taken else second, inner, state)
            if yields:
                env[name] = inner[yields[0 if taken else 1]]

        if yields:
            scope.values.append(name)
        return Statement(text, run, [first, second])

    def loop(self, scope: Scope, depth: int, size: int) -> Statement:
        """With a carried value or none; as often as a number or a feed says."""
        if depth == 0:
            return self.read(scope, depth, size)
        name, kind = self.program.fresh(), self.program.kind
        start, carried = choose(self.rng, scope.values), f"{name}_a"
        trips = int(self.rng.integers(0, 4))
        by_feed, carries = bool(self.rng.integers(2)), bool(self.rng.integers(2))
        inner = scope.inner()
        if carries:
            inner.values.append(carried)
        body = self.block(inner, depth - 1, size // 2)
        last = choose(self.rng, inner.values)

        def text() -> List[str]:
            count = "%many" if by_feed else f"{name}_m"
            lines = [] if by_feed else [f"{name}_m = arith.constant {trips} : index"]
            arguments = f" iter_args({carried} = {start}) -> ({kind})" if carries else ""
            head = f"{name} = " if carries else ""
            end = [f"  scf.yield {last} : {kind}"] if carries else []
            return [
                *lines,
                f"{head}scf.for {name}_i = %c0 to {count} step %c1{arguments} {{",
                *text_of(body),
                *end,
                "}",
            ]

        def run(env: Env, state: State) -> None:
            value = env[start]
            for _ in range(int(env["%trips"]) if by_feed else trips):
                within = {**env, carried: value}
                run_block(body, within, state)
                value = within[last]
            env[name] = value

        if carries:
            scope.values.append(name)
        return Statement(text, run, [body])

    def while_loop(self, scope: Scope, depth: int, size: int) -> Statement:
        """Two lists: one value is carried, and another one or itself is passed on."""
        if depth == 0:
            return self.read(scope, depth, size)
        name, kind = self.program.fresh(), self.program.kind
        start, carried, passed = choose(self.rng, scope.values), f"{name}_a", f"{name}_b"
        trips, by_feed = int(self.rng.integers(0, 4)), bool(self.rng.integers(2))
        before, after = scope.inner(), scope.inner()
        before.values.append(carried)
        after.values.append(passed)
        first, second = self.block(before, depth - 1, size // 2), self.block(after, depth - 1, size // 2)
        on, back = choose(self.rng, before.values), choose(self.rng, after.values)

        def text() -> List[str]:
            return [
                f"{name}_m = arith.constant {trips} : index",
                f"{name}_r:2 = scf.while ({carried} = {start}, {name}_k = %c0) : ({kind}, index) -> (index, {kind}) {{",
                *text_of(first),
                f"  {name}_g = arith.cmpi slt, {name}_k, {'%many' if by_feed else f'{name}_m'} : index",
                f"  scf.condition({name}_g) {name}_k, {on} : index, {kind}",
                "} do {",
                f"^bb0({name}_j: index, {passed}: {kind}):",
                *text_of(second),
                f"  {name}_n = arith.addi {name}_j, %c1 : index",
                f"  scf.yield {back}, {name}_n : {kind}, index",
                "}",
                f"{name} = tensor.cast {name}_r#1 : {kind} to {kind}",
            ]

        def run(env: Env, state: State) -> None:
            value, count = env[start], int(env["%trips"]) if by_feed else trips
            for trip in range(count + 1):
                within = {**env, carried: value}
                run_block(first, within, state)
                env[name] = within[on]
                if trip == count:
                    break
                within = {**env, passed: env[name]}
                run_block(second, within, state)
                value = within[back]

        scope.values.append(name)
        return Statement(text, run, [first, second])

    def loss(self, scope: Scope) -> Tuple[List[str], Expression, List[Variable]]:
        """The sum of an expression of variables that are read here, and of values that
        no variable is in; its lines end with the loss `NAME_l`."""
        program, kind = self.program, self.program.kind
        variables = list({variable.name: variable for variable in (self.variable() for _ in range(2))}.values())
        reads = [program.fresh() for _ in variables]
        e = draw_expression(
            program,
            self.rng,
            [choose(self.rng, scope.free), choose(self.rng, scope.free), *reads],
            int(self.rng.integers(2, 6)),
        )
        axes = list(range(len(program.shape)))
        lines = [f"{name} = train.read @{variable.name} : {kind}" for name, variable in zip(reads, variables)]
        lines += [
            *e.lines,
            f"{e.name}_r = arith.addf {e.name}, {reads[0]} : {kind}",
            f"{e.name}_q = arith.mulf {e.name}_r, {e.name}_r : {kind}",
            f"{e.name}_l = nn.reduce sum {e.name}_q axes {axes} : {kind} -> tensor<{program.element}>",
        ]
        e.inputs[2:] = [f"@{variable.name}" for variable in variables]
        return lines, e, variables

    def gradients(self, e: Expression, env: Env, state: State) -> Dict[str, Array]:
        """By complex steps: the expression is analytic, and mixes no elements."""
        names = [name[1:] for name in e.inputs[2:]]
        found = {}
        for name in names:
            values = [env[e.inputs[0]], env[e.inputs[1]]]
            values += [state[other].astype(complex) + (1e-30j if other == name else 0) for other in names]
            total = (e.compute(*values) + values[2]) ** 2
            found[name] = np.asarray(np.imag(total) / 1e-30)
        return found

    def minimize(self, scope: Scope, depth: int, size: int) -> Statement:
        lines, e, variables = self.loss(scope)
        attribute, rule = draw_optimizer(self.rng)
        chosen = variables[:1] if self.rng.integers(3) == 0 else variables
        listed = (
            f" var_list [{', '.join('@' + v.name for v in chosen)}]"
            if self.rng.integers(2) or len(chosen) < len(variables)
            else ""
        )
        key = f"optimizer {e.name}"

        def text() -> List[str]:
            minimize = f"train.minimize {e.name}_l : tensor<{self.program.element}> with {attribute}{listed}"
            return [*lines, minimize + (" unconnected skip" if listed else "")]

        def run(env: Env, state: State) -> None:
            slots = state.get(key) or Slots()
            gradients = self.gradients(e, env, state)
            updated = slots.copy()
            for variable in chosen:
                if not depends(lines, f"{e.name}_l", variable.name):
                    continue
                new = rule(
                    state[variable.name].astype(np.float64),
                    gradients[variable.name],
                    updated.values.setdefault(variable.name, {}),
                    updated.iterations,
                )
                state[variable.name] = project(variable.constraint, np.asarray(new)).astype(self.program.dtype)
            updated.iterations += 1
            state[key] = updated

        return Statement(text, run)

    def embed(self, scope: Scope, depth: int, size: int) -> Statement:
        """Three rows of a table move towards a value: the others as an optimizer says, or not at all."""
        name, value, table = self.program.fresh(), choose(self.rng, scope.values), self.program.table
        kind, rows = self.program.kind, self.program.table.replace(f"<{ROWS}x", "<3x")
        ids = [int(self.rng.integers(ROWS)) for _ in range(3)]
        lazy = bool(self.rng.integers(2))
        attribute, rule = draw_optimizer(self.rng, lazy)
        dims = ", ".join(str(dim + 1) for dim in range(len(self.program.shape)))
        key = f"optimizer {name}"

        def text() -> List[str]:
            return [
                f"{name}_t = train.read @e : {table}",
                f"{name}_i = arith.constant dense<{ids}> : tensor<3xi32>",
                f"{name}_r = nn.gather {name}_t, {name}_i axis 0 : ({table}, tensor<3xi32>) -> {rows}",
                f"{name}_v = nn.broadcast {value} dims [{dims}] : ({kind}) -> {rows}",
                f"{name}_y = train.stop_gradient {name}_v : {rows}",
                f"{name}_d = arith.subf {name}_r, {name}_y : {rows}",
                f"{name}_l = arith.mulf {name}_d, {name}_d : {rows}",
                f"train.minimize {name}_l : {rows} with {attribute} var_list [@e]{' sparse lazy' if lazy else ''}",
            ]

        def run(env: Env, state: State) -> None:
            updated = (state.get(key) or Slots()).copy()
            old = state["e"].astype(np.float64)
            gradient = np.zeros_like(old)
            np.add.at(gradient, ids, 2 * (old[ids] - env[value]))
            slots = updated.values.setdefault("e", {})
            new = rule(old, gradient, slots, updated.iterations, ids if lazy else None)
            updated.iterations += 1
            state["e"], state[key] = np.asarray(new).astype(self.program.dtype), updated

        return Statement(text, run)

    def scale_gradient(self, scope: Scope, depth: int, size: int) -> Statement:
        """An update by hand: w -= g * tanh(g)."""
        lines, e, variables = self.loss(scope)
        variable, kind, name = variables[0].name, self.program.kind, self.program.fresh()
        first = lines[0].split(" = ")[0]

        def text() -> List[str]:
            scalar = f"tensor<{self.program.element}>"
            return [
                *lines,
                f"{name} = train.gradient {e.name}_l wrt {first} : ({scalar}, {kind}) -> {kind}",
                f"{name}_t = math.tanh {name} : {kind}",
                f"{name}_u = arith.mulf {name}, {name}_t : {kind}",
                f"train.assign_sub @{variable}, {name}_u : {kind}",
            ]

        def run(env: Env, state: State) -> None:
            g = self.gradients(e, env, state)[variable]
            env[name] = g.astype(self.program.dtype)
            state[variable] = (state[variable] - g * np.tanh(g)).astype(self.program.dtype)

        scope.values.append(name)
        return Statement(text, run)

    def check(self, scope: Scope, depth: int, size: int) -> Statement:
        """A row of a table: an index out of range fails the call, wherever it is. The
        row is added to a variable that nothing overwrites, so that it counts."""
        name, program = self.program.fresh(), self.program
        table = program.table
        scope.values.append(name)
        scope.free.append(name)

        def run(env: Env, state: State) -> None:
            if not 0 <= int(env["%i"]) < ROWS:
                raise CheckFailed
            env[name] = env["%t"][int(env["%i"])]
            state["c"] = np.asarray(state["c"] + env[name])

        return Statement(
            lambda: [
                f"{name} = nn.gather %t, %i axis 0 : ({table}, tensor<i64>) -> {program.kind}",
                f"train.assign_add @c, {name} : {program.kind}",
            ],
            run,
        )

    def drop_nothing(self, scope: Scope, depth: int, size: int) -> Statement:
        """A dropout that is not training."""
        name, value = self.program.fresh(), choose(self.rng, scope.values)
        scope.values.append(name)

        def run(env: Env, state: State) -> None:
            env[name] = env[value]

        return Statement(
            lambda: [
                f"{name}_f = arith.constant dense<false> : tensor<i1>",
                f"{name} = train.dropout {value} rate 0.5 training {name}_f : {self.program.kind}, tensor<i1>",
            ],
            run,
        )


@dataclass
class Slots:
    """The slots of one optimizer."""

    values: Dict[str, Dict[str, Array]] = field(default_factory=dict)
    iterations: int = 0

    def copy(self) -> "Slots":
        return Slots({name: dict(slots) for name, slots in self.values.items()}, self.iterations)


def new_program(rng: Rng, size: int, shape: Optional[Tuple[int, ...]] = None) -> Program:
    """Draws at most `size` statements in a block, on arrays of that shape, or of a small one."""
    program = Program(choose(rng, SHAPES) if shape is None else shape, choose(rng, ["f64", "f64", "f32"]))
    for index in range(3):
        constraint = ""
        if program.shape and rng.integers(4) == 0:
            constraint = choose(rng, ["#train.non_neg", "#train.max_norm<max = 0.75>", "#train.unit_norm"])
        program.variables.append(Variable(f"w{index}", round(float(rng.uniform(-1, 1)), 3), constraint))
    scope = Scope(["%x", "%y"], ["%x", "%y"])
    program.body = Maker(program, rng).block(scope, 2, size)
    program.results = [choose(rng, scope.values) for _ in range(int(rng.integers(1, 4)))]
    return program
