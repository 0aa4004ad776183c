# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Optimizers that a program writes out (O28).

Each is one loop that updates its variables in place: the numbers are those of
the formulas, and the step has no workspace to speak of. Losses are half the sum
of squares of the parameter, whose gradient is the parameter, as in the
acceptance tables, or a gradient that is fed.
"""

from typing import Callable, Dict, List, Tuple

import numpy as np

from configurations import IN_PROCESS, configurations, expect_close, make, run_tests

# For each update, the variables with their initial values, and lines in which `p` and the other variables are old
# values, and `p1` and so on new ones. A line is a name and an expression in prefix form; numbers are constants.
Update = Tuple[Dict[str, float], str]

UPDATES: Dict[str, Update] = {
    "momentum": (
        {"a": 0.0},
        """
        ma = mulf 0.9 a
        a1 = addf ma g
        s = mulf 0.1 a1
        p1 = subf p s""",
    ),
    "nesterov": (
        {"v": 0.0},
        """
        mv = mulf 0.9 v
        lg = mulf 0.1 g
        v1 = subf mv lg
        mv1 = mulf 0.9 v1
        s = subf mv1 lg
        p1 = addf p s""",
    ),
    "rmsprop": (
        {"a": 0.0},
        """
        gg = mulf g g
        ra = mulf 0.9 a
        rg = mulf 0.1 gg
        a1 = addf ra rg
        r = sqrt a1
        d = addf r 1e-7
        lg = mulf 0.1 g
        s = divf lg d
        p1 = subf p s""",
    ),
    "adadelta": (
        {"a": 0.0, "d": 0.0},
        """
        gg = mulf g g
        ra = mulf 0.95 a
        rg = mulf 0.05 gg
        a1 = addf ra rg
        de = addf d 1e-7
        rd = sqrt de
        ae = addf a1 1e-7
        rae = sqrt ae
        n = mulf g rd
        u = divf n rae
        p1 = subf p u
        uu = mulf u u
        dd = mulf 0.95 d
        ud = mulf 0.05 uu
        d1 = addf dd ud""",
    ),
    "ftrl": (
        {"n": 0.1, "z": 0.0},
        """
        gg = mulf g g
        n1 = addf n gg
        r1 = sqrt n1
        r0 = sqrt n
        dr = subf r1 r0
        s = divf dr 0.1
        sp = mulf s p
        zg = addf z g
        z1 = subf zg sp
        q0 = divf r1 0.1
        q = addf q0 1.0
        az = absf z1
        c = cmpf ogt, az 1.0
        sg = copysign 1.0 z1
        m = subf sg z1
        v = divf m q
        p1 = select c v 0.0""",
    ),
    "adamax": (
        {"m": 0.0, "u": 0.0},
        """
        bm = mulf 0.9 m
        bg = mulf 0.1 g
        m1 = addf bm bg
        bu = mulf 0.999 u
        ag = absf g
        u1 = maximumf bu ag
        de = addf u1 1e-7
        x = divf m1 de
        s = mulf 0.1 x
        p1 = subf p s""",
    ),
    # Each reads what the other overwrites.
    "exchange": (
        {"q": 2.0},
        """
        hp = mulf 0.5 p
        hq = mulf 0.5 q
        p0 = addf hp hq
        p1 = addf p0 g
        q1 = subf hp hq""",
    ),
    # The average of the new parameter, and of that average.
    "averages": (
        {"e": 0.0, "f": 1.0},
        """
        s = mulf 0.1 g
        p1 = subf p s
        e0 = mulf 0.9 e
        ep = mulf 0.1 p1
        e1 = addf e0 ep
        f0 = mulf 0.9 f
        fe = mulf 0.1 e1
        f1 = addf f0 fe""",
    ),
}
FUNCTIONS = {"sqrt", "absf", "copysign"}


def program(name: str, size: int, element: str, feed: bool) -> str:
    initial, lines = UPDATES[name]
    type = f"tensor<{size}x{element}>"
    variables = ["p", *initial]
    text = [f"train.variable @p : {type} = #train.constant<dense<[1.0, -2.0, 3.0]> : tensor<3x{element}>>"]
    text += [
        f"train.variable @{v} : {type} = #train.constant<dense<{x}> : tensor<1x{element}>>" for v, x in initial.items()
    ]
    text += [f"func.func @step({f'%g: {type}' if feed else ''}) {{"]
    text += [f"  %{v} = train.read @{v} : {type}" for v in variables]
    if not feed:
        text += [
            f"  %l = nn.l2_loss %p : {type} -> tensor<{element}>",
            f"  %g = train.gradient %l wrt %p : (tensor<{element}>, {type}) -> {type}",
        ]
    count = 0

    def operand(word: str) -> str:
        nonlocal count
        if word[0].isalpha():
            return f"%{word}"
        count += 1
        text.append(f"  %k{count} = arith.constant dense<{float(word):.8e}> : {type}")
        return f"%k{count}"

    for line in lines.strip().splitlines():
        target, _, op, *words = line.split()
        predicate = ""
        if op == "cmpf":
            predicate, words = words[0] + " ", words[1:]
        operands = ", ".join([operand(word) for word in words])
        dialect = "math" if op in FUNCTIONS else "arith"
        types = f"tensor<{size}xi1>, {type}" if op == "select" else type
        text.append(f"  %{target} = {dialect}.{op} {predicate}{operands} : {types}")
    text += [f"  train.assign @{v}, %{v}1 : {type}" for v in variables]
    return "\n".join([*text, "  return", "}"])


def evaluate(name: str, state: Dict[str, "np.ndarray"], g: "np.ndarray") -> Dict[str, "np.ndarray"]:
    initial, lines = UPDATES[name]
    functions: Dict[str, Callable[..., np.ndarray]] = {
        "mulf": np.multiply,
        "addf": np.add,
        "subf": np.subtract,
        "divf": np.divide,
        "sqrt": np.sqrt,
        "absf": np.abs,
        "cmpf": np.greater,
        "copysign": np.copysign,
        "maximumf": np.maximum,
        "select": np.where,
    }
    values = {**state, "g": g}
    for line in lines.strip().splitlines():
        target, _, op, *words = line.split()
        if op == "cmpf":
            words = words[1:]
        arguments = [values[word] if word[0].isalpha() else np.float64(word) for word in words]
        values[target] = functions[op](*arguments)
    return {v: values[f"{v}1"] for v in ("p", *initial)}


def start(name: str, size: int) -> Dict[str, "np.ndarray"]:
    p = np.full(size, 3.0)
    p[:3] = [1.0, -2.0, 3.0]
    return {"p": p, **{v: np.full(size, x) for v, x in UPDATES[name][0].items()}}


def test_numbers() -> None:
    rng = np.random.default_rng(7)
    for name in UPDATES:
        for size, element, feed in ((3, "f64", False), (37, "f64", True), (1000, "f32", True)):
            for configuration, model in configurations(program(name, size, element, feed), IN_PROCESS):
                model.initialize()
                state = start(name, size)
                for _ in range(4):
                    g = rng.standard_normal(size) if feed else state["p"]
                    model.run("step", *([g.astype(model["p"].dtype)] if feed else []))
                    state = evaluate(name, state, g)
                for variable, value in state.items():
                    expect_close(
                        f"{name} {configuration}: {variable}",
                        model[variable],
                        value,
                        1e-4 if element == "f32" else 1e-9,
                    )


def test_tables() -> None:
    """The acceptance tables, after three steps from (1, -2, 3)."""
    for name, expected in (
        ("momentum", [0.486, -0.972, 1.458]),
        ("adadelta", [0.9957124680, -1.9957108020, 2.9957102476]),
    ):
        for configuration, model in configurations(program(name, 3, "f64", False)):
            model.initialize()
            for _ in range(3):
                model.run("step")
            expect_close(f"{name} {configuration}", model["p"], expected, 1e-8)


def test_in_place() -> None:
    """A million parameters: no copy of one, and no buffer for what is shared."""
    found: List[str] = []
    for name in UPDATES:
        model = make(program(name, 1 << 20, "f32", True), "optimized")
        size = model.workspace_bytes("step")
        if size > 4096:
            found.append(f"{name}: {size} bytes")
    assert not found, f"expected no workspaces, found {found}"


run_tests([test_numbers, test_tables, test_in_place])
