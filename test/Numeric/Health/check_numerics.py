# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Steps that stop at the first NaN or infinity (M4)."""

from typing import Callable

import numpy as np

import flywheel
from configurations import expect_equal, run_tests

MODEL = """train.variable @w : tensor<3xf32> = #train.ones
func.func @step(%x: tensor<?x3xf32>) -> tensor<f32> {
  %w = train.read @w : tensor<3xf32>
  %v = nn.mul %x, %w : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  %y = math.log %v : tensor<?x3xf32>
  %loss = nn.reduce sum %y axes [0, 1] : tensor<?x3xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 1.0>
  return %loss : tensor<f32>
}
func.func @root(%x: tensor<3xf32>) -> tensor<f32> {
  %w = train.read @w : tensor<3xf32>
  %v = arith.mulf %x, %w : tensor<3xf32>
  %y = math.sqrt %v : tensor<3xf32>
  %loss = nn.reduce sum %y axes [0] : tensor<3xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 1.0>
  return %loss : tensor<f32>
}
func.func @loop(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %y = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %x) -> tensor<3xf32> {
    %b = arith.mulf %a, %a : tensor<3xf32>
    scf.yield %b : tensor<3xf32>
  }
  train.assign @w, %y : tensor<3xf32>
  return %y : tensor<3xf32>
}
func.func @losses(%x: tensor<?x3xf32>, %z: tensor<?x3xf32>) -> (tensor<f32>, tensor<f32>, tensor<?x3xf32>) {
  %s = nn.softmax %x : tensor<?x3xf32>
  %e = nn.softmax_cross_entropy %x, %z : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<f32>
  %g = nn.gelu %x : tensor<?x3xf32>
  %b = nn.sigmoid_cross_entropy %g, %z : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<f32>
  %total = arith.addf %e, %b : tensor<f32>
  %dx = train.gradient %total wrt %x : (tensor<f32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %e, %b, %dx : tensor<f32>, tensor<f32>, tensor<?x3xf32>
}
"""


# Only what the update computes has a NaN or an infinity.
UPDATES = """train.variable @w : tensor<3xf32> = #train.ones
func.func @divides(%x: tensor<3xf32>) {
  %w = train.read @w : tensor<3xf32>
  %m = arith.mulf %w, %x : tensor<3xf32>
  %s = nn.reduce sum %m axes [0] : tensor<3xf32> -> tensor<f32>
  train.minimize %s : tensor<f32> with #train.rmsprop<epsilon = 0.0>
  return
}
func.func @explodes(%x: tensor<3xf32>) {
  %w = train.read @w : tensor<3xf32>
  %m = arith.mulf %w, %x : tensor<3xf32>
  %s = nn.reduce sum %m axes [0] : tensor<3xf32> -> tensor<f32>
  train.minimize %s : tensor<f32> with #train.sgd<lr = 1.0e30>
  return
}
func.func @decides(%x: tensor<3xf32>) {
  %w = train.read @w : tensor<3xf32>
  %m = arith.mulf %w, %x : tensor<3xf32>
  %s = nn.reduce sum %m axes [0] : tensor<3xf32> -> tensor<f32>
  train.minimize %s : tensor<f32> with #train.gradient_descent<lr = 1.0e30> accumulate 2
  return
}
func.func @adds(%x: tensor<3xf32>) {
  train.assign_add @w, %x : tensor<3xf32>
  return
}
func.func @subtracts(%x: tensor<3xf32>) {
  train.assign_sub @w, %x : tensor<3xf32>
  return
}
"""
TABLE = """train.variable @t : tensor<20000x8xf32> = #train.ones
func.func @step(%i: tensor<4xi32>, %x: tensor<f32>) {
  %t = train.read @t : tensor<20000x8xf32>
  %r = nn.gather %t, %i axis 0 : (tensor<20000x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  %s = nn.reduce sum %r axes [0, 1] : tensor<4x8xf32> -> tensor<f32>
  %l = arith.mulf %s, %x : tensor<f32>
  train.minimize %l : tensor<f32> with #train.adagrad<lr = 1.0e38> sparse lazy
  return
}
"""


def expect_failure(text: str, action: Callable[[], object]) -> None:
    try:
        action()
    except flywheel.InvalidArgumentError as error:
        assert text in str(error), error
    else:
        raise AssertionError(text)


def row(*numbers: float) -> "np.ndarray[tuple[int, ...], np.dtype[np.float32]]":
    return np.array(numbers, np.float32)


def check(lowering: str) -> None:
    program = flywheel.compile(flywheel.parse(MODEL, name="m.mlir"), lowering=lowering, check_numerics=True)
    session = flywheel.Session(program)
    session.initialize(1)
    step, root, loop = (session.entry(name) for name in ("step", "root", "loop"))
    message = "expected finite numbers, found NaN or infinity in "
    # M4: the first op, its place; and nothing has changed.
    expect_failure(message + "'math.log' at m.mlir:5:8", lambda: step(np.stack([row(1, 2, 3), row(4, 0, 5)])))
    expect_failure(message + "'math.log' at m.mlir:5:8", lambda: step(row(1, -2, 3)[None]))
    expect_failure("expected finite numbers in feed 'x'", lambda: step(row(1, np.nan, 3)[None]))
    expect_failure("expected finite numbers in the gradient, found NaN or infinity in 'math.sqrt' at m.mlir:13:8",
                   lambda: root(row(1, 0, 4)))
    expect_failure(message + "'arith.mulf' at m.mlir:23:10", lambda: loop(row(1, 9, 1)))
    expect_equal("w", session["w"], row(1, 1, 1))
    # Finite numbers go through.
    assert np.isclose(step(row(1, 2, 4)[None]), np.log(8))
    expect_equal("w", session["w"], row(0, 0, 0))
    session["w"] = row(1, np.inf, 1)
    expect_failure(message + "'train.read' at m.mlir:3:8", lambda: step(row(1, 2, 4)[None]))
    assert np.isfinite(loop(row(1, 0.5, -1))).all()
    # Large numbers, which ops take care of.
    large = np.stack([row(1e4, -1e4, 0), row(-80, 80, 3e4)])
    for result in session.entry("losses")(large, np.abs(np.sign(large))):
        assert np.isfinite(result).all(), result


def test_check_numerics() -> None:
    """M4: what is not finite is named, in both lowerings."""
    for lowering in ("reference", "optimized"):
        check(lowering)


def test_updates() -> None:
    """M4: a variable becomes no NaN and no infinity; the update is named."""
    message = "expected finite numbers, found NaN or infinity in 'train.minimize' at m.mlir:"
    for lowering in ("reference", "optimized"):
        program = flywheel.compile(flywheel.parse(UPDATES, name="m.mlir"), lowering=lowering, check_numerics=True)
        session = flywheel.Session(program)
        session.initialize(1)
        expect_failure(message + "6:3", lambda s=session: s.run("divides", row(0, 1, 1)))  # type: ignore[misc]
        expect_failure(message + "13:3", lambda s=session: s.run("explodes", row(1e10, 1, 1)))  # type: ignore[misc]
        expect_equal("w", session["w"], row(1, 1, 1))
        expect_equal("slot", session["w/RMSprop"], row(0, 0, 0))
        # Assignments in branches, too.
        session.run("decides", row(1e10, 1, 1))
        expect_failure(message + "20:3", lambda s=session: s.run("decides", row(1e10, 1, 1)))  # type: ignore[misc]
        expect_equal("w", session["w"], row(1, 1, 1))
        # A sum of finite numbers.
        session["w"] = row(3e38, 1, 1)
        expect_failure("found NaN or infinity in 'train.assign_add' at m.mlir:24:3",
                       lambda s=session: s.run("adds", row(3e38, 1, 1)))  # type: ignore[misc]
        expect_failure("found NaN or infinity in 'train.assign_sub' at m.mlir:28:3",
                       lambda s=session: s.run("subtracts", row(-3e38, 1, 1)))  # type: ignore[misc]
        expect_equal("w", session["w"], row(3e38, 1, 1))
        session.run("adds", row(-3e38, 0, 0))
        expect_equal("w", session["w"], row(0, 1, 1))
        session["w"] = row(1, 1, 1)
        session["RMSprop/lr"] = np.float32(np.nan)
        expect_failure("expected finite numbers", lambda s=session: s.run("divides", row(1, 1, 1)))  # type: ignore[misc]
        session["RMSprop/lr"] = np.float32(0.1)
        session.run("divides", row(1, 1, 1))
        assert np.isfinite(session["w"]).all() and (session["w"] != 1).all()


def test_rows() -> None:
    """M4: so are rows of a table."""
    for lowering in ("reference", "optimized"):
        program = flywheel.compile(flywheel.parse(TABLE, name="m.mlir"), lowering=lowering, check_numerics=True)
        session = flywheel.Session(program)
        session.initialize(1)
        ids = np.array([3, 7, 3, 9], np.int32)
        session["Adagrad/lr"] = np.float32(0.5)
        session.run("step", ids, np.float32(1))
        changed = np.flatnonzero((session["t"] != 1).any(axis=1))
        assert changed.tolist() == [3, 7, 9], changed
        session["Adagrad/lr"] = np.float32(1e38)
        before = session["t"].copy()
        expect_failure("'train.minimize' at m.mlir:7:3", lambda s=session: s.run("step", ids, np.float32(1e20)))  # type: ignore[misc]
        expect_equal("t", session["t"], before)


def test_without() -> None:
    """M4: without the option, numbers are what they are."""
    session = flywheel.Session(flywheel.compile(MODEL))
    session.initialize(1)
    assert np.isneginf(session.entry("step")(row(1, 0, 3)[None]))


LEAST_SQUARES = """train.variable @a : tensor<2xf64> = dense<[4.0, NAN]> : tensor<2xf64>
func.func @step(%y: tensor<2xf64>) -> tensor<f64> {
  %o = train.least_squares over [@a] max_iterations 4 regularizer 1.0 : () -> tensor<f64> {
    %a = train.read @a : tensor<2xf64>
    %b = math.sqrt %a : tensor<2xf64>
    %r = arith.subf %b, %y : tensor<2xf64>
    train.residuals %r : tensor<2xf64>
  }
  return %o : tensor<f64>
}
"""


def test_least_squares() -> None:
    """M4: residuals, and their derivatives, by the op in the region; the system, by the op itself."""
    for lowering in ("reference", "optimized"):
        def fail(second: str, feed: float, text: str) -> None:
            model = flywheel.parse(LEAST_SQUARES.replace("NAN", second), name="m.mlir")
            session = flywheel.Session(flywheel.compile(model, lowering=lowering, check_numerics=True))
            session.initialize(1)
            before = session["a"].copy()
            expect_failure(text, lambda: session.run("step", np.array([feed, 0.5])))
            expect_equal("a", session["a"], before)

        fail("-1.0", 1.0, "expected finite numbers, found NaN or infinity in 'math.sqrt' at m.mlir:5:10")
        fail("0.0", 1.0, "expected finite numbers in the gradient, found NaN or infinity in 'math.sqrt' at m.mlir:5:10")
        fail("1.0", 1e200, "expected finite numbers, found NaN or infinity in 'train.least_squares' at m.mlir:3:8")


def test_traced() -> None:
    """M4: a traced function checks itself, and names the line of Python, also where another one is the same."""
    store = flywheel.Store()
    with flywheel.Namespace(), store:
        w = flywheel.Variable(row(1, 1, 1), name="w")
        sgd = flywheel.optimizers.SGD(lr=1.0)

        def make() -> Callable[..., object]:
            @flywheel.function(check_numerics=True)
            def step(x: object) -> object:
                loss = flywheel.sum(flywheel.log(x * w))
                sgd.minimize(loss)
                return loss
            return step

        class Model:
            @flywheel.function(check_numerics=True)
            def step(self, x: object) -> object:
                return flywheel.sum(flywheel.sqrt(x * w))

        first = make.__code__.co_firstlineno + 3
        for step in (make(), make()):
            expect_failure(f"found NaN or infinity in 'math.log' at {__file__}:{first}:",
                           lambda f=step: f(row(1, 0, 1)))  # type: ignore[misc]
            expect_equal("w", w.numpy(), row(1, 1, 1))
        expect_failure("'math.sqrt'", lambda: Model().step(row(1, -1, 1)))
        make()(row(1, 1, 2))
        expect_equal("w after a step", w.numpy(), row(0, 0, 0))


run_tests([test_check_numerics, test_updates, test_rows, test_without, test_least_squares, test_traced])
