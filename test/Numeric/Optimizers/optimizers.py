# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Optimizers against the acceptance tables and an implementation in numpy.

The tables (O2 to O8, O14, O21 to O27, R4, R5, R9, G14); parameters of odd shapes with
gradients that are fed; weight-gradient products that the update consumes, for
odd sizes and several batch sizes of one compiled program; hyper-parameters that
change between steps.
"""

import functools
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

import flywheel
from configurations import ALL, IN_PROCESS, configurations, expect_close, expect_error, run_tests
from optimizer_rules import RULES, slot_names, spell
from selection import choose

Array = NDArray[Any]


def tensor(shape: Sequence[Any], element: str) -> str:
    return f"tensor<{''.join(f'{dim_size}x' for dim_size in shape)}{element}>"


def total(name: str, shape: Sequence[Any], element: str, result: str) -> str:
    """`%result`, the sum of all elements of `%name`."""
    axes = ", ".join(str(axis) for axis in range(len(shape)))
    return (f"  %{result} = nn.reduce sum %{name} axes [{axes}] : {tensor(shape, element)} -> "
            f"tensor<{element}>\n")


# ---------------------------------------------------------------------------
# Tables
# ---------------------------------------------------------------------------

# Name, options, p after step 1, p after step 3; loss sum(p^2) / 2 from [1, -2, 3].
TABLE: List[Tuple[str, Dict[str, Any], List[float], List[float]]] = [
    ("sgd", dict(lr=0.1), [.9, -1.8, 2.7], [.729, -1.458, 2.187]),
    ("sgd", dict(lr=0.1, momentum=0.9), [.9, -1.8, 2.7], [.486, -.972, 1.458]),
    ("sgd", dict(lr=0.1, momentum=0.9, nesterov=True), [.81, -1.62, 2.43], [.327321, -.654642, .981963]),
    ("sgd", dict(lr=0.1, momentum=0.9, decay=0.5), [.9, -1.8, 2.7], [.5775, -1.155, 1.7325]),
    ("adam", dict(lr=0.1), [.9000003162, -1.9000001581, 2.9000001054],
     [.7015870149, -1.7006237584, 2.7003817664]),
    ("adam", dict(lr=0.1, decay=0.5), [.9000003162, -1.9000001581, 2.9000001054],
     [.7840639758, -1.7836273127, 2.7835147882]),
    ("momentum", dict(lr=0.1, momentum=0.9), [.9, -1.8, 2.7], [.486, -.972, 1.458]),
    ("momentum", dict(lr=0.1, momentum=0.9, nesterov=True), [.81, -1.62, 2.43],
     [.327321, -.654642, .981963]),
    ("adam", dict(lr=0.1, epsilon=1e-8), [.9000000316, -1.9000000158, 2.9000000105],
     [.7015863457, -1.7006234280, 2.7003815473]),
    ("rmsprop", dict(lr=0.1), [.6837723340, -1.6837722840, 2.6837722673],
     [.3691806959, -1.3087179538, 2.2917658489]),
    ("adagrad", dict(lr=0.1), [.9000000100, -1.9000000050, 2.9000000033],
     [.7804561988, -1.7758215240, 2.7743593520]),
    ("adadelta", dict(), [.9985857879, -1.9985857868, 2.9985857866],
     [.9957124680, -1.9957108020, 2.9957102476]),
    ("adamax", dict(lr=0.1), [.9000000100, -1.9000000050, 2.9000000033],
     [.7154994990, -1.7076482491, 2.7050095214]),
    ("nadam", dict(lr=0.1), [.8943548327, -1.8943548274, 2.8943548257],
     [.7527292898, -1.7475085133, 2.7458760102]),
    ("gradient_descent", dict(lr=0.1), [.9, -1.8, 2.7], [.729, -1.458, 2.187]),
    ("tf_adam", dict(lr=0.1), [.9000000316, -1.9000000158, 2.9000000105],
     [.7015863457, -1.7006234280, 2.7003815473]),
    ("tf_adagrad", dict(lr=0.1), [], [.7875127680, -1.7777007088, 2.7752057308]),
    ("tf_rmsprop", dict(lr=0.1), [], [.7260460355, -1.5446386202, 2.4423625821]),
    ("tf_rmsprop", dict(lr=0.1, momentum=0.9), [], [.4819657436, -1.1212113139, 1.9077607195]),
    ("tf_rmsprop", dict(lr=0.1, momentum=0.9, centered=True), [],
     [.4757384790, -1.0919554649, 1.8533110255]),
    ("tf_adadelta", dict(lr=1.0), [], [.9986434432, -1.9986432770, 2.9986432217]),
    ("ftrl", dict(lr=0.1), [], [.5117015783, -1.4761193609, 2.4674071500]),
    ("ftrl", dict(lr=0.1, l1=1.0, l2=0.5), [], [.3941881291, -1.3631445627, 2.3577810938]),
    ("ftrl", dict(lr=0.1, l2_shrinkage=0.1), [], [.4775537457, -1.4351160040, 2.4245798909]),
]

# Name, options, p after one step from p = 1 along g = .5.
ONE_STEP: List[Tuple[str, Dict[str, Any], float]] = [
    ("sgd", {}, .995), ("rmsprop", {}, .9968377243), ("adagrad", {}, .9900000020), ("adadelta", {}, .9985857921),
    ("adam", {}, .9990000063), ("adamax", {}, .9980000004), ("nadam", {}, .9978870969),
    ("gradient_descent", dict(lr=0.1), .95), ("momentum", dict(lr=0.1), .95),
    ("tf_adagrad", dict(lr=0.1), .9154845745), ("tf_rmsprop", dict(lr=0.1), .9480124755),
    ("ftrl", dict(lr=0.1), .3809620907), ("tf_adam", {}, .9990000006),
]


def quadratic(number: int, element: str, optimizer: str, shape: Sequence[int] = (3,)) -> str:
    """Variable `p<number>` and function `step<number>` on sum(p^2) / 2."""
    kind = tensor(shape, element)
    return (f"train.variable @p{number} : {kind} = #train.zeros\n"
            f"func.func @step{number}() -> tensor<{element}> {{\n"
            f"  %half = arith.constant dense<0.5> : tensor<{element}>\n"
            f"  %p = train.read @p{number} : {kind}\n  %q = arith.mulf %p, %p : {kind}\n"
            + total("q", shape, element, "s")
            + f"  %loss = arith.mulf %s, %half : tensor<{element}>\n"
            f"  train.minimize %loss : tensor<{element}> with {optimizer}\n"
            f"  return %loss : tensor<{element}>\n}}\n")


def test_tables() -> None:
    """O1, O2, O6, O21 to O23: the literal numbers, in f64 and f32."""
    for element, dtype in (("f64", np.float64), ("f32", np.float32)):
        text = "".join(quadratic(number, element, spell(name, options))
                       for number, (name, options, _, _) in enumerate(TABLE))
        tolerance = 1e-9 if element == "f64" else 1e-5
        for configuration, model in configurations(text):
            model.initialize()
            for number, (name, options, first, third) in enumerate(TABLE):
                what = f"{configuration} {element} {spell(name, options)}"
                start = np.array([1, -2, 3], dtype)
                expected = RULES[name](start, **options)
                model[f"p{number}"] = start
                losses = []
                for step in range(3):
                    losses.append(float(model.run(f"step{number}")))
                    expected.step(expected.p)
                    expect_close(f"{what} step {step}", model[f"p{number}"], expected.p)
                    if step == 0 and first:
                        expect_close(what + " after step 1", model[f"p{number}"], first, tolerance)
                expect_close(what + " after step 3", model[f"p{number}"], third, tolerance)
                # R8: the loss of a step is that before its update.
                expect_close(what + " first loss", losses[0], 7.0, tolerance)
                for slot, value in zip(slot_names(f"p{number}", name, len(expected.slots)), expected.slots):
                    expect_close(f"{what} slot {slot}", model[slot], value)


def test_defaults() -> None:
    """O2 to O8, O21 to O26: one step of each with its defaults."""
    text = ""
    for number, (name, options, _) in enumerate(ONE_STEP):
        attribute = spell(name, options) if options else f"#train.{name}"
        text += (f"train.variable @p{number} : tensor<f64> = #train.ones\n"
                 f"func.func @step{number}(%g: tensor<f64>) {{\n"
                 f"  train.apply_gradients %g : tensor<f64> to [@p{number}] with {attribute}\n  return\n}}\n")
    for configuration, model in configurations(text):
        model.initialize()
        for number, (name, _, expected) in enumerate(ONE_STEP):
            model.run(f"step{number}", np.array(0.5))
            expect_close(f"{configuration} {name}", model[f"p{number}"], expected, 1e-9)


def test_schedule_of_nadam() -> None:
    """O8: S is one number of the optimizer, updated once a step, whatever the parameters."""
    text = ("train.variable @p : tensor<3xf64> = #train.ones\ntrain.variable @q : tensor<f64> = #train.ones\n"
            "func.func @step(%g: tensor<3xf64>, %h: tensor<f64>) {\n  train.apply_gradients %g, %h : tensor<3xf64>,"
            " tensor<f64> to [@p, @q] with #train.nadam\n  return\n}\n")
    for configuration, model in configurations(text):
        model.initialize()
        for _ in range(3):
            model.run("step", np.ones(3), np.array(1.0))
        expect_close(configuration, model["Nadam/m_schedule"], .0912142874, 1e-9)
        assert int(model["Nadam/iterations"]) == 3, configuration


def test_powers() -> None:
    """O20: the powers of tf's Adam start at the betas and are multiplied by them after each step."""
    for configuration, model in configurations(quadratic(0, "f64", "#train.tf_adam")):
        model.initialize()
        for step in range(4):
            expect_close(configuration, model["Adam/beta1_power"], 0.9 ** (step + 1))
            expect_close(configuration, model["Adam/beta2_power"], 0.999 ** (step + 1))
            model.run("step0")


def test_narrow_types() -> None:
    """O1: parameters of f16 are computed in f32 and rounded once."""
    for name in RULES:
        text = ("train.variable @p : tensor<4x3xf16> = #train.random_normal\nfunc.func @step(%g: tensor<4x3xf16>) {\n"
                f"  train.apply_gradients %g : tensor<4x3xf16> to [@p] with {spell(name, {})}\n  return\n}}\n")
        for configuration, model in configurations(text, IN_PROCESS):
            model.initialize()
            expected = RULES[name](model["p"])
            gradient = np.asarray(np.random.default_rng(9).standard_normal((4, 3)), np.float16)
            model.run("step", gradient)
            expected.step(gradient)
            # Half a unit in the last place.
            expect_close(f"{configuration} {name}", model["p"], expected.p, 2**-11 * 1.02 if name != "muon" else 1e-3)


def test_refused() -> None:
    """O24, O26: what the constructors of tf refuse."""
    for attribute, pattern in (
            ("tf_adagrad<lr = 0.1, initial_accumulator = 0.0>", "initial_accumulator > 0"),
            ("ftrl<lr = 0.1, initial_accumulator = -0.1>", "initial_accumulator >= 0"),
            ("ftrl<lr = 0.1, lr_power = 0.5>", "lr_power <= 0")):
        text = quadratic(0, "f64", f"#train.{attribute}")
        expect_error(attribute, pattern, functools.partial(flywheel.compile, text))


def test_amsgrad() -> None:
    """O6: gradients 10, .1, .1, .1 from p = 1."""
    text = ""
    for number, extra in enumerate(("", ", amsgrad = true")):
        text += (f"train.variable @p{number} : tensor<f64> = #train.ones\n"
                 f"func.func @step{number}(%g: tensor<f64>) {{\n  %p = train.read @p{number} : tensor<f64>\n"
                 "  %loss = arith.mulf %p, %g : tensor<f64>\n"
                 f"  train.minimize %loss : tensor<f64> with #train.adam<lr = 0.1, beta_2 = 0.9{extra}>\n"
                 "  return\n}\n")
    for configuration, model in configurations(text):
        model.initialize()
        for number, expected in enumerate((.7267234953, .7428513992)):
            for gradient in (10.0, 0.1, 0.1, 0.1):
                model.run(f"step{number}", np.array(gradient))
            expect_close(f"{configuration} amsgrad {number}", model[f"p{number}"], expected, 1e-9)


def test_rate_changes() -> None:
    """O22, R5, R9: the rate is a variable; the two momenta differ when it changes."""
    text = (quadratic(0, "f64", "#train.momentum<lr = 0.1>", ())
            + quadratic(1, "f64", "#train.sgd<lr = 0.1, momentum = 0.9>", ()))
    for configuration, model in configurations(text):
        model.initialize()
        for number, optimizer, slot, expected in ((0, "Momentum", 1.8, (.9, .882)), (1, "SGD", -.099, (.9, .801))):
            name = f"p{number}"
            model[name] = np.array(1.0)
            model.run(f"step{number}")
            expect_close(f"{configuration} {optimizer} step 1", model[name], expected[0])
            model[f"{optimizer}/lr"] = np.array(0.01)
            model.run(f"step{number}")
            expect_close(f"{configuration} {optimizer} step 2", model[name], expected[1])
            expect_close(f"{configuration} {optimizer} slot", model[f"{name}/{optimizer}"], slot)
        # R5, R9: momentum carries from step to step; without it, the rate of the third call counts.
        for momentum, rates, expected_p in (
                (0.9, (0.1,) * 4, (.9, .72, .486, .2268)), (0.0, (0.1, 0.1, 0.01), (.9, .81, .8019))):
            model.initialize()
            model["p1"] = np.array(1.0)
            model["SGD/momentum"] = np.array(momentum)
            for rate, value in zip(rates, expected_p):
                model["SGD/lr"] = np.array(rate)
                model.run("step1")
                expect_close(f"{configuration} R5, R9", model["p1"], value)
        # O14: one increment a step.
        assert int(model["SGD/iterations"]) == 3, model["SGD/iterations"]


def test_metrics() -> None:
    """M2, R8: loss and metrics of a step are those before its update."""
    text = """
train.variable @w : tensor<2x2xf64> = dense<[[0.0, 1.0], [1.0, 0.0]]> : tensor<2x2xf64>
func.func @step(%x: tensor<?x2xf64>, %label: tensor<?xi32>) -> (tensor<f64>, tensor<i32>) {
  %w = train.read @w : tensor<2x2xf64>
  %z = nn.matmul %x, %w : (tensor<?x2xf64>, tensor<2x2xf64>) -> tensor<?x2xf64>
  %loss = nn.sparse_softmax_cross_entropy %z, %label : (tensor<?x2xf64>, tensor<?xi32>) -> tensor<f64>
  train.minimize %loss : tensor<f64> with #train.sgd<lr = 10.0>
  %class = nn.argmax %z axis 1 : tensor<?x2xf64> -> tensor<?xi32>
  %equal = arith.cmpi eq, %class, %label : tensor<?xi32>
  %ones = arith.extui %equal : tensor<?xi1> to tensor<?xi32>
  %correct = nn.reduce sum %ones axes [0] : tensor<?xi32> -> tensor<i32>
  return %loss, %correct : tensor<f64>, tensor<i32>
}
"""
    x, label = np.eye(2), np.array([0, 1], np.int32)
    for configuration, model in configurations(text):
        model.initialize()
        loss, correct = model.run("step", x, label)
        expect_close(f"{configuration} loss", loss, np.log1p(np.e))
        assert int(correct) == 0, (configuration, correct)
        assert int(model.run("step", x, label)[1]) == 2, configuration


# ---------------------------------------------------------------------------
# Shapes
# ---------------------------------------------------------------------------

SHAPES: List[Tuple[int, ...]] = [(), (1,), (3,), (7, 9), (17, 33), (5, 3, 2), (130,), (784, 256)]
VARIANTS: List[Tuple[str, Dict[str, Any]]] = [
    ("sgd", dict(lr=0.01, momentum=0.9, decay=0.25, nesterov=True)),
    ("momentum", dict(lr=0.01, momentum=0.9)),
    ("adam", dict(lr=0.01, decay=0.5, amsgrad=True)),
]


def test_shapes() -> None:
    """O14, O28: parameters of every kind of tail, gradients as fed."""
    rng = np.random.default_rng(5)
    for element, dtype in (("f32", np.float32), ("f64", np.float64)):
        text = ""
        for number, (name, options) in enumerate(VARIANTS):
            feeds = ", ".join(f"%g{i}: {tensor(shape, element)}" for i, shape in enumerate(SHAPES))
            body = f"func.func @step{number}({feeds}) -> tensor<{element}> {{\n"
            for i, shape in enumerate(SHAPES):
                kind = tensor(shape, element)
                text += f"train.variable @p{number}_{i} : {kind}\n"
                body += (f"  %p{i} = train.read @p{number}_{i} : {kind}\n"
                         f"  %q{i} = arith.mulf %p{i}, %g{i} : {kind}\n" + total(f"q{i}", shape, element, f"s{i}"))
            body += f"  %t0 = arith.addf %s0, %s0 : tensor<{element}>\n  %z = arith.subf %t0, %s0 : tensor<{element}>\n"
            last = "z"
            for i in range(1, len(SHAPES)):
                body += f"  %l{i} = arith.addf %{last}, %s{i} : tensor<{element}>\n"
                last = f"l{i}"
            body += (f"  train.minimize %{last} : tensor<{element}> with {spell(name, options)}\n"
                     f"  return %{last} : tensor<{element}>\n}}\n")
            text += body
        for configuration, model in configurations(text):
            model.initialize()
            for number, (name, options) in enumerate(VARIANTS):
                expected = [RULES[name](model[f"p{number}_{i}"], **options) for i in range(len(SHAPES))]
                for _ in range(3):
                    gradients = [np.asarray(rng.standard_normal(shape), dtype) for shape in SHAPES]
                    model.run(f"step{number}", *gradients)
                    for optimizer, gradient in zip(expected, gradients):
                        optimizer.step(gradient)
                for i, optimizer in enumerate(expected):
                    expect_close(f"{configuration} {element} {name} {SHAPES[i]}", model[f"p{number}_{i}"],
                                 optimizer.p)


def layer(number: int, element: str, dim_sizes: Tuple[int, int], optimizer: str, rows: Any = "?") -> str:
    """A dense layer whose loss is <x w + b, g>: the gradients are x^T g and sum g."""
    m, n = dim_sizes
    x, w, b, z = (tensor(shape, element) for shape in ((rows, m), (m, n), (n,), (rows, n)))
    return (f"train.variable @w{number} : {w}\ntrain.variable @b{number} : {b}\n"
            f"func.func @step{number}(%x: {x}, %g: {z}) -> tensor<{element}> {{\n"
            f"  %w = train.read @w{number} : {w}\n  %b = train.read @b{number} : {b}\n"
            f"  %z = nn.dense %x, %w, %b : ({x}, {w}, {b}) -> {z}\n  %q = arith.mulf %z, %g : {z}\n"
            + total("q", (rows, n), element, "loss")
            + f"  train.minimize %loss : tensor<{element}> with {optimizer}\n"
            f"  return %loss : tensor<{element}>\n}}\n")


def check_layers(element: str, dtype: Any, dim_sizes: Tuple[int, int], names: Sequence[str],
                 rows: Optional[int] = None) -> None:
    rng = np.random.default_rng(dim_sizes[0] * 1000 + dim_sizes[1])
    optimizers = [("sgd", dict(lr=0.01)), ("sgd", dict(lr=0.01, momentum=0.9)),
                  ("momentum", dict(lr=0.01, momentum=0.9, nesterov=True)), ("adam", dict(lr=0.01))]
    text = "".join(layer(number, element, dim_sizes, spell(name, options), rows or "?")
                   for number, (name, options) in enumerate(optimizers))
    for configuration, model in configurations(text, names):
        model.initialize()
        for number, (name, options) in enumerate(optimizers):
            w = RULES[name](model[f"w{number}"], **options)
            b = RULES[name](model[f"b{number}"], **options)
            for batch in (5, 1, 64, 33, 16, 100) if rows is None else (rows, rows):
                # Small integers: the sums are exact in any order.
                x = rng.integers(-3, 4, (batch, dim_sizes[0])).astype(dtype)
                g = rng.integers(-3, 4, (batch, dim_sizes[1])).astype(dtype)
                loss = model.run(f"step{number}", x, g)
                what = f"{configuration} {element} {dim_sizes} {name} batch {batch}"
                exact = float(np.sum((x @ w.p + b.p) * g))
                scale = float(np.sum((np.abs(x) @ np.abs(w.p) + np.abs(b.p)) * np.abs(g)))
                assert abs(float(loss) - exact) <= (1e-6 if element == "f32" else 1e-13) * scale + 1e-6, what
                w.step(np.asarray(x.T.astype(np.float64) @ g))
                b.step(np.asarray(np.sum(g, 0, dtype=np.float64)))
                expect_close(what + " w", model[f"w{number}"], w.p)
                expect_close(what + " b", model[f"b{number}"], b.p)


def test_layers() -> None:
    """R4, G14, O28: updates that consume the weight gradient, for odd sizes and batches."""
    for dim_sizes in ((1, 1), (3, 5), (17, 33), (64, 128), (100, 7), (31, 130), (9, 16)):
        check_layers("f32", np.float32, dim_sizes, IN_PROCESS)
    check_layers("f64", np.float64, (17, 33), ALL)
    check_layers("f32", np.float32, (65, 31), ("object",))
    # Steps that fetch what the update reads: all of it, one line in several, and none.
    for rows in (23, 70, 135):
        check_layers("f32", np.float32, (31, 130), IN_PROCESS, rows)


def test_rates_of_zero() -> None:
    """O1, O26: a rate of 0, which schedules end at, leaves parameter and slots meaningful;
    FTRL, which divides by it, makes no step."""
    cases = [(name, *kind) for name in RULES for kind in (("f64", 1e-8), ("f32", 1e-4))]
    for name, element, tolerance in choose("rates of zero", cases, 0.1, group=lambda case: case[0]):
        rule, kind = RULES[name], tensor((4, 3), element)
        text = (f"train.variable @p : {kind} = #train.ones\nfunc.func @step(%g: {kind}) {{\n"
                f"  train.apply_gradients %g : {kind} to [@p] with {spell(name, {'lr': 0.0})}\n  return\n}}\n")
        for configuration, model in configurations(text, ALL if name == "ftrl" else IN_PROCESS):
            model.initialize()
            rng = np.random.default_rng(12)
            expected = rule(model["p"], lr=0.0)
            lr = f"{rule.scope}/lr"
            for rate in (0.0, 0.1, 0.0, 0.0, 0.2, 0.0):
                model[lr] = np.asarray(rate, model[lr].dtype)
                expected.options["lr"] = rate
                g = np.asarray(rng.standard_normal((4, 3)), model["p"].dtype)
                model.run("step", g)
                expected.step(g)
                what = f"{configuration} {name} {element} rate {rate}"
                expect_close(what, model["p"], expected.p, tolerance)
                for slot, value in zip(slot_names("p", name, len(expected.slots)), expected.slots):
                    expect_close(f"{what} {slot}", model[slot], value, tolerance)
    text = quadratic(0, "f32", spell("ftrl", {"lr": 0.5}) + " lr #train.cosine_rate<peak = 0.1, steps = 3>")
    for configuration, model in configurations(text):
        model.initialize()
        model["p0"] = np.array([1, -2, 3], np.float32)
        expected = RULES["ftrl"](model["p0"])
        for step in range(6):
            model.run("step0")
            expected.options["lr"] = 0.05 * (1 + np.cos(np.pi * min(step / 3, 1)))
            expected.step(expected.p)
            expect_close(f"{configuration} step {step}", model["p0"], expected.p, 1e-4)


def test_variance_of_constant_gradients() -> None:
    """O25: a variance of 0 that rounds to a number below it has no root."""
    kind, values = "tensor<6xf32>", np.array([0.7, 1.3, 3.7, 10.1, 100.3, -1e4], np.float32)
    lr, epsilon = 0.125, 1e-10
    text = (f"train.variable @p : {kind} = #train.ones\nfunc.func @step(%g: {kind}) {{\n  train.apply_gradients %g : "
            f"{kind} to [@p] with {spell('tf_rmsprop', dict(lr=lr, decay=0.5, centered=True))}\n  return\n}}\n")
    for configuration, model in configurations(text):
        model.initialize()
        for step in range(80):
            model.run("step", values)
            squares, mean, velocity = (np.asarray(model[slot], np.float64)
                                       for slot in slot_names("p", "tf_rmsprop", 3))
            variance = np.maximum(squares - mean**2, 0)
            slack = 4 * np.spacing(np.asarray(squares, np.float32))
            largest = lr * np.abs(values) / np.sqrt(np.maximum(variance - slack, 0) + epsilon)
            smallest = lr * np.abs(values) / np.sqrt(variance + slack + epsilon)
            found = np.abs(velocity)
            assert np.all(found <= 1.001 * largest) and np.all(found >= 0.999 * smallest), (configuration, step, found)


run_tests([test_tables, test_defaults, test_schedule_of_nadam, test_powers, test_narrow_types, test_refused,
           test_amsgrad, test_rate_changes, test_metrics, test_shapes, test_layers,
           test_rates_of_zero, test_variance_of_constant_gradients])
