# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Collections, freezing and several optimizers (C1 to C7, D1, D2, V10, V15, O20)."""

import warnings

import numpy as np

import flywheel
from configurations import configurations, expect_close, expect_equal, expect_error, run_tests

# y = f x w with f = 2 frozen, w = 1, and the loss (y - 12)^2.
PRODUCT = """
train.variable @f : tensor<f64> = dense<2.0> : tensor<f64> {FROZEN}
train.variable @w : tensor<f64> = dense<1.0> : tensor<f64>
func.func private @apply(%x: tensor<f64>) -> tensor<f64> {
  %f = train.read @f : tensor<f64>
  %w = train.read @w : tensor<f64>
  %fx = arith.mulf %f, %x : tensor<f64>
  %y = arith.mulf %fx, %w : tensor<f64>
  return %y : tensor<f64>
}
func.func @predict(%x: tensor<f64>) -> tensor<f64> {
  %y = call @apply(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
func.func @step(%x: tensor<f64>) -> tensor<f64> {
  %y = call @apply(%x) : (tensor<f64>) -> tensor<f64>
  %target = arith.constant dense<12.0> : tensor<f64>
  %error = arith.subf %y, %target : tensor<f64>
  %loss = arith.mulf %error, %error : tensor<f64>
  train.minimize %loss : tensor<f64> with #train.sgd<lr = 0.001> LIST
  return %loss : tensor<f64>
}
"""


def product(frozen: str, var_list: str = "") -> str:
    return PRODUCT.replace("FROZEN", frozen).replace("LIST", var_list)


def test_frozen() -> None:
    """C3, C5: a frozen variable keeps its bits and has no slot."""
    three = np.array(3.0)
    for frozen in ("trainable = false", 'collections = ["LOCAL"]', 'collections = ["mine"], trainable = false'):
        for configuration, model in configurations(product(frozen)):
            model.initialize()
            model["f"] = 2.0
            expect_close(configuration, model.run("step", three), 36.0)
            expect_close(configuration, model["w"], 1.072)
            expect_equal(configuration, model["f"], np.float64(2))
            for _ in range(20):
                model.run("step", three)
            expect_equal(configuration, model["f"], np.float64(2))
            if "f/SGD" in model.variables():
                raise AssertionError(f"{configuration}: a frozen variable has a slot")


def test_var_list() -> None:
    """C6: a list overrides `trainable`, and what it leaves out never changes."""
    three = np.array(3.0)
    for configuration, model in configurations(product("trainable = false", "var_list [@f]")):
        model.initialize()
        model.run("step", three)
        expect_close(configuration, model["f"], 2.036)
        expect_equal(configuration, model["w"], np.float64(1))
        if "w/SGD" in model.variables():
            raise AssertionError(f"{configuration}: an unlisted variable has a slot")


DISCRIMINATOR = """
  %one = arith.constant dense<1.0> : tensor<3xf64>
  %v1 = train.read @v1 : tensor<3xf64>
  %d0 = arith.subf %v1, %one : tensor<3xf64>
  %d = arith.mulf %d0, %d0 : tensor<3xf64>
"""
GENERATOR = """
  %w1 = train.read @v1 : tensor<3xf64>
  %sum = nn.reduce sum %w1 axes [0] : tensor<3xf64> -> tensor<f64>
  %sums = nn.broadcast %sum dims [] : (tensor<f64>) -> tensor<2xf64>
  %v2 = train.read @v2 : tensor<2xf64>
  %g0 = arith.subf %v2, %sums : tensor<2xf64>
  %g = arith.mulf %g0, %g0 : tensor<2xf64>
"""
TRAIN_D = "  train.minimize %d : tensor<3xf64> with #train.sgd<lr = 0.1> var_list [@v1]\n"
TRAIN_G = "  train.minimize %g : tensor<2xf64> with #train.sgd<lr = 0.1> var_list [@v2]\n"
ADVERSARIAL = f"""
train.variable @v1 : tensor<3xf64> = #train.zeros
train.variable @v2 : tensor<2xf64> = #train.zeros
func.func @discriminator() {{{DISCRIMINATOR}{TRAIN_D}  return
}}
func.func @generator() {{{GENERATOR}{TRAIN_G}  return
}}
func.func @in_turn() {{{DISCRIMINATOR}{TRAIN_D}{GENERATOR}{TRAIN_G}  return
}}
func.func @at_once() {{{DISCRIMINATOR}{GENERATOR}{TRAIN_D}{TRAIN_G}  return
}}
"""


def test_adversarial() -> None:
    """C7: two optimizers with lists of their own do not touch each other."""
    for configuration, model in configurations(ADVERSARIAL):
        model.initialize()
        before = model.snapshot()
        model.run("discriminator")
        expect_close(configuration, model["v1"], np.full(3, 0.2))
        others = [name for name in model.variables() if name.startswith("v2")]
        for name in others:
            expect_equal(f"{configuration} {name}", model[name], before[name])
        before = model.snapshot()
        model.run("generator")
        expect_close(configuration, model["v2"], np.full(2, 0.12))
        for name in model.variables():
            if name.startswith("v1"):
                expect_equal(f"{configuration} {name}", model[name], before[name])
        # In one entry the generator sees the discriminator's new value where its
        # reads come after the update, and the old one where they come before.
        model.initialize()
        model.run("in_turn")
        expect_close(configuration, model["v1"], np.full(3, 0.2))
        expect_close(configuration, model["v2"], np.full(2, 0.12))
        model.initialize()
        model.run("at_once")
        expect_close(configuration, model["v1"], np.full(3, 0.2))
        expect_equal(configuration, model["v2"], np.zeros(2))


def test_same_kind_twice() -> None:
    """O20, N2: two optimizers of a kind on one variable have slots of their own."""
    step = """
  %w = train.read @w : tensor<f64>
  %loss = arith.mulf %w, %w : tensor<f64>
  train.minimize %loss : tensor<f64> with #train.momentum<lr = RATE, momentum = 0.5>
"""
    text = "train.variable @w : tensor<f64> = #train.ones\n"
    for name, rate in (("slow", "0.1"), ("fast", "0.25")):
        text += f"func.func @{name}() {{{step.replace('RATE', rate)}  return\n}}\n"
    for configuration, model in configurations(text):
        model.initialize()
        model.run("slow")
        expect_close(configuration, model["w/Momentum"], 2.0)
        expect_close(configuration, model["w/Momentum_1"], 0.0)
        expect_close(configuration, model["w"], 0.8)
        model.run("fast")
        expect_close(configuration, model["w/Momentum"], 2.0)
        expect_close(configuration, model["w/Momentum_1"], 1.6)
        expect_close(configuration, model["w"], 0.4)
        expect_close(configuration, model["Momentum/lr"], 0.1)
        expect_close(configuration, model["Momentum_1/lr"], 0.25)


def test_info() -> None:
    """C1, C2, C4, V15: what a program says of its variables, slots included."""
    text = """
train.variable @plain : tensor<f32>
train.variable @frozen : tensor<f32> {trainable = false}
train.variable @local : tensor<f32> {collections = ["LOCAL"]}
train.variable @local_trainable : tensor<f32> {collections = ["LOCAL"], trainable = true}
train.variable @mine : tensor<f32> {collections = ["GLOBAL", "mine"], device = "/cpu:0"}
func.func @step() {
  %w = train.read @plain : tensor<f32>
  train.minimize %w : tensor<f32> with #train.sgd
  return
}
"""
    infos = {info.name: info for info in flywheel.compile(text).variables}
    expected = {
        "plain": ["GLOBAL", "TRAINABLE"],
        "frozen": ["GLOBAL"],
        "local": ["LOCAL"],
        "local_trainable": ["LOCAL", "TRAINABLE"],
        "mine": ["GLOBAL", "mine", "TRAINABLE"],
        "plain/SGD": ["GLOBAL"],
        "SGD/lr": ["GLOBAL"],
    }
    for name, collections in expected.items():
        info = infos[name]
        if info.collections != collections or info.trainable != ("TRAINABLE" in collections):
            raise AssertionError(f"{name}: {info.collections}, trainable: {info.trainable}")
    if infos["mine"].device != "/cpu:0" or infos["plain"].device is not None:
        raise AssertionError("device")


def test_device() -> None:
    """D1, D2: a device that is not there is an error of the session, or a warning."""
    text = """
train.variable @v : tensor<f32> = #train.ones {device = "DEVICE"}
func.func @get() -> tensor<f32> {
  %v = train.read @v : tensor<f32>
  return %v : tensor<f32>
}
"""
    for device in ("/cpu:0", "/job:ps/task:1", "/device:CPU:0"):
        flywheel.Session(flywheel.compile(text.replace("DEVICE", device)))
    for device in ("/gpu:1", "/cpu:1", "/job:worker/device:TPU:0"):
        program = flywheel.compile(text.replace("DEVICE", device))
        expect_error(
            device,
            f"Cannot assign a device to variable 'v': it is to be on '{device}'.*available devices are: /cpu:0",
            lambda: flywheel.Session(program),
            flywheel.InvalidArgumentError)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            session = flywheel.Session(program, soft_placement=True)
        if len(caught) != 1 or "Cannot assign a device" not in str(caught[0].message):
            raise AssertionError(f"{device}: expected a warning, found {caught}")
        session.initialize()
        expect_equal(device, session.run("get"), np.float32(1))


run_tests(
    [
        test_frozen,
        test_var_list,
        test_adversarial,
        test_same_kind_twice,
        test_info,
        test_device,
    ]
)
