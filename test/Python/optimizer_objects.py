# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Optimizers as objects: what they refuse, and the dtype of their numbers."""

import copy
import functools
import inspect
import os
import pickle
import tempfile
from typing import Any, Callable, Dict, List, Optional, Tuple, Type

import numpy as np

import flywheel as fw
from configurations import run_tests


def expect_error(kind: Type[BaseException], text: str, action: Callable[[], object]) -> None:
    try:
        action()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"expected {kind.__name__}: {text}")


def make_step(
    optimizer: Any, dtype: Any, name: str, before: Callable[[], object] = lambda: None, **clauses: Any
) -> Any:
    """A step whose gradient is that of ones: it moves w, which starts at ones, by the rate."""
    w = fw.Variable(np.ones(3, dtype), name=name)

    @fw.function
    def step() -> Any:
        before()
        optimizer.minimize(fw.sum(w), **clauses)
        return w + 0

    return step


def test_attributes_are_fixed() -> None:
    """An assignment that a compiled step would not see is refused (V14)."""
    optimizer = fw.optimizers.Adam(lr=0.1)
    for name in ("lr", "beta_1", "iterations"):
        expect_error(AttributeError, f"'{name}' of 'Adam' is a variable: set it by `.{name}.set(...)`",
                     lambda name=name: setattr(optimizer, name, 0.0))  # type: ignore[misc]
    expect_error(AttributeError, "'epsilon' of 'Adam' is fixed", lambda: setattr(optimizer, "epsilon", 0.5))
    expect_error(AttributeError, "'decay' of 'Adam' is a variable", lambda: setattr(optimizer, "decay", 0.5))
    schedule = fw.schedules.CosineRate(peak=0.1, steps=4)
    expect_error(AttributeError, "'peak' of 'CosineRate' is fixed", lambda: setattr(schedule, "peak", 1.0))
    assert schedule.peak == 0.1 and optimizer.epsilon == fw.optimizers.Adam().epsilon


def list_numbers(kind: Any) -> List[str]:
    """The arguments that are numbers."""
    return [name for name, parameter in inspect.signature(kind).parameters.items()
            if parameter.annotation in ("float", float, Optional[float])]  # fmt: skip


def test_numbers_at_construction() -> None:
    """T2: a number that no step can have is refused where it is written, by the name of its argument."""
    schedules: Dict[str, Dict[str, Any]] = {
        "ConstantRate": {"rate": 0.1}, "CosineRate": {"peak": 0.1, "steps": 10},
        "ExponentialRate": {"initial": 0.1, "factor": 0.5, "steps": 10}, "OneCycleRate": {"peak": 0.1, "steps": 10},
        "PiecewiseRate": {"boundaries": [3, 5], "rates": [0.1, 0.2, 0.3]},
        "PolynomialRate": {"initial": 0.1, "steps": 10}}  # fmt: skip
    assert set(schedules) | {"Schedule"} == set(fw.schedules.__all__)
    makers: List[Tuple[Any, Dict[str, Any]]] = [(getattr(fw.schedules, name), given)
                                                for name, given in schedules.items()]  # fmt: skip
    makers += [(getattr(fw.optimizers, name), {"lr": 0.1}) for name in fw.optimizers.__all__ if name != "Optimizer"]
    makers += [(fw.clauses.LossScale, {})]
    count = 0
    for make, given in makers:
        make(**given)
        for name in list_numbers(make):
            for value in (np.nan, np.inf, -np.inf):
                count += 1
                expect_error(ValueError, f"{make.__name__}: expected a finite {name}, found {value}",
                             lambda: make(**{**given, name: value}))  # noqa: B023
    assert count > 200, count
    cases: List[Tuple[Any, Dict[str, Any], str]] = [
        (fw.optimizers.SGD, {"momentum": -1.0}, "SGD: expected a finite momentum >= 0, found -1"),
        (fw.optimizers.SGD, {"decay": -1.0}, "SGD: expected a finite decay >= 0, found -1"),
        (fw.optimizers.Adam, {"beta_1": 1.0}, "Adam: expected beta_1 within [0, 1), found 1"),
        (fw.optimizers.Adam, {"epsilon": -1e-3}, "Adam: expected a finite epsilon >= 0, found -1.0"),
        (fw.optimizers.AdamW, {"weight_decay": -0.5}, "AdamW: expected a finite weight_decay >= 0, found -5"),
        (fw.optimizers.Ftrl, {"lr": 0.1, "lr_power": 0.5}, "Ftrl: expected a finite lr_power <= 0, found 5"),
        (fw.optimizers.Adafactor, {"decay_rate": 0.0}, "Adafactor: expected a finite decay_rate > 0, found 0"),
        (fw.schedules.PiecewiseRate, {"boundaries": [3, 2], "rates": [0.1, 0.2, 0.3]},
         "PiecewiseRate: expected boundaries that increase, found 2 after 3"),
        (fw.schedules.PiecewiseRate, {"boundaries": [3], "rates": [0.1, np.nan]},
         "PiecewiseRate: expected a finite rates, found nan"),
        (fw.schedules.CosineRate, {"peak": 0.1, "steps": 3, "warmup": -1}, "CosineRate: expected warmup >= 0"),
        (fw.schedules.CosineRate, {"peak": 0.1, "steps": 3, "warmup": 3}, "CosineRate: expected steps > warmup, 3"),
        (fw.schedules.ExponentialRate, {"initial": 0.1, "factor": -1.0, "steps": 3},
         "ExponentialRate: expected a finite factor > 0, found -1"),
        (fw.constraints.MaxNorm, {"max": -1.0}, "MaxNorm: expected finite norms 0 <= min <= max"),
    ]  # fmt: skip
    for make, given, text in cases:
        expect_error(ValueError, text, lambda: make(**given))  # noqa: B023
    # Up the gradient, the loss is negated.
    expect_error(ValueError, "SGD: expected lr >= 0, found -0.5", lambda: fw.optimizers.SGD(lr=-0.5))
    expect_error(ValueError, "CosineRate: expected peak >= 0", lambda: fw.schedules.CosineRate(-0.1, 10))


def test_kinds_of_clauses() -> None:
    """Arguments that are not schedules or variables are errors that say so."""
    sgd = fw.optimizers.SGD
    cases: List[Tuple[Dict[str, Any], str]] = [
        ({"schedule": sgd()}, "expected one of flywheel.schedules as schedule, found SGD"),
        ({"schedule": fw.initializers.Zeros()}, "expected one of flywheel.schedules as schedule, found Zeros"),
        ({"schedule": 0.1}, "expected one of flywheel.schedules as schedule, found float"),
        ({"global_step": 3}, "expected a variable as global_step, found int"),
        ({"no_decay": [3], "l2": 0.1}, "expected variables in no_decay, found int"),
    ]  # fmt: skip
    for number, (clauses, text) in enumerate(cases):
        step = make_step(sgd(0.1), np.float32, f"clause{number}", **clauses)
        expect_error(TypeError, text, step)


def test_rate_before_the_first_step() -> None:
    """V14: numbers have the dtype of what is trained, also where they were touched before."""
    for dtype in (np.float32, np.float64):
        name = np.dtype(dtype).name
        optimizer = fw.optimizers.SGD(lr=0.1)
        optimizer.lr.set(0.5)
        assert optimizer.lr.numpy() == 0.5
        step = make_step(optimizer, dtype, "set_" + name)
        np.testing.assert_array_equal(step(), np.full(3, 0.5, dtype))
        assert optimizer.lr.dtype == dtype and optimizer.lr.numpy() == 0.5
        optimizer.lr.set(0.25)
        np.testing.assert_array_equal(step(), np.full(3, 0.25, dtype))
        # Read alone, it keeps all its digits.
        optimizer = fw.optimizers.SGD(lr=0.1)
        assert optimizer.lr.numpy() == np.float32(0.1)
        np.testing.assert_array_equal(make_step(optimizer, dtype, "read_" + name)(), 1 - np.full(3, 0.1, dtype))
        assert optimizer.lr.numpy() == dtype(0.1)


def test_each_store_has_its_own() -> None:
    """V14: a value that waits for the first step is one of the store that it was set in."""
    optimizer = fw.optimizers.SGD(lr=0.125)
    other = fw.Store()
    with other:
        optimizer.lr.set(0.5)
    step = make_step(optimizer, np.float64, "stores")
    np.testing.assert_array_equal(step(), np.full(3, 0.875))
    with other:
        np.testing.assert_array_equal(step(), np.full(3, 0.5))


def test_saved_before_the_first_step() -> None:
    """V14: what is set before the first step is saved, and what is restored, initialised or set later takes its
    place."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "numbers")
        for dtype in (np.float32, np.float64):

            def make(dtype: Any = dtype) -> Tuple[Any, Any, Dict[str, Any]]:
                w = fw.Variable(np.ones(3, dtype), name="w")
                optimizer = fw.optimizers.SGD(lr=0.1, momentum=0.5, decay=0.25)
                numbers = {name: getattr(optimizer, name) for name in ("lr", "momentum", "decay", "iterations")}
                return fw.function(lambda: optimizer.minimize(fw.sum(w))), w, numbers

            values = {"lr": 0.7, "momentum": 0.9, "decay": 0.0, "iterations": 5}
            with fw.Namespace(), fw.Store() as store:
                step, w, numbers = make()
                for name, number in numbers.items():
                    number.set(values[name])
                assert store["SGD/lr"] == dtype(0.7) and numbers["lr"].is_initialized()
                fw.save(path)
                step()
                expected = w.numpy()
            for touch in (lambda number: None, lambda number: number.numpy(), lambda number: number.set(3)):
                with fw.Namespace(), fw.Store():
                    step, w, numbers = make()
                    for number in numbers.values():
                        touch(number)
                    fw.restore(path)
                    for name, number in numbers.items():
                        assert number.numpy() == number.numpy().dtype.type(values[name]), (name, number.numpy())
                    step()
                    np.testing.assert_array_equal(w.numpy(), expected)
                    assert numbers["lr"].numpy() == dtype(0.7)
            with fw.Namespace(), fw.Store() as store:
                step, w, numbers = make()
                numbers["lr"].set(0.7)
                store.initialize()
                assert numbers["lr"].numpy() == dtype(0.1)
                numbers["lr"].set(0.3)
                step()
                assert numbers["lr"].numpy() == dtype(0.3)


def test_dtype_decided_later() -> None:
    """V14: what was set before any variable was made keeps its digits, in every store that has it."""
    with fw.Namespace(), fw.Store(), fw.Store() as other:
        optimizer = fw.optimizers.SGD(lr=0.1)
        optimizer.lr.set(0.7)
        with fw.Store() as third:
            optimizer.lr.numpy()
            third.initialize()
            step = make_step(optimizer, np.float64, "late")
            assert (step() == 1 - 0.1).all() and optimizer.lr.numpy() == 0.1
        assert other["SGD/lr"] == 0.7 and (step() == 1 - 0.7).all()


def test_copies_have_the_numbers_of_now() -> None:
    """N15: a copy starts from the hyper-parameters that were set, without counters and slots."""
    with fw.Namespace(), fw.Store():
        optimizer = fw.optimizers.Adam(0.1)
        optimizer.lr.set(0.5)
        optimizer.iterations.set(9)
        for made in (copy.copy(optimizer), copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
            assert made.lr.numpy() == np.float32(0.5) and made.beta_1.numpy() == np.float32(0.9)
            assert made.iterations.numpy() == 0 and made.name != optimizer.name


def test_rate_in_front_of_the_update() -> None:
    """V14: a step may assign the rate, and then update along it."""
    with fw.Namespace():
        optimizer = fw.optimizers.SGD(lr=0.1)
        step = make_step(optimizer, np.float64, "front", lambda: optimizer.lr.assign(0.5))
        np.testing.assert_array_equal(step(), np.full(3, 0.5))


def test_two_dtypes() -> None:
    """One optimizer has its numbers in one dtype, which an error says."""
    optimizer = fw.optimizers.SGD(lr=0.5)
    make_step(optimizer, np.float32, "narrow")()
    expect_error(TypeError, "has its numbers in float32, and float64 variables need them in float64",
                 make_step(optimizer, np.float64, "wide"))


def test_unknown_attributes() -> None:
    """An attribute that nothing would read is an error with the nearest one; classes of programs have their own."""
    with fw.Namespace():
        for name in fw.optimizers.__all__:
            make: Any = getattr(fw.optimizers, name)
            kind = make
            if inspect.isclass(kind) and issubclass(kind, fw.optimizers.Optimizer) and kind.prefix:
                made = make(lr=0.1)
                for own in ("learning_rate", "lr_", "beta1", "momentun"):
                    expect_error(AttributeError, f"'{kind.__name__}' has no attribute '{own}' to set",
                                 functools.partial(setattr, made, own, 0.5))
        adam = fw.optimizers.Adam(0.1)
        for own, ours in (("learning_rate", "lr"), ("lr_", "lr"), ("beta1", "beta_1"), ("beta2", "beta_2")):
            expect_error(AttributeError, f"did you mean '{ours}'?", functools.partial(setattr, adam, own, 0.5))
        adam._mine = 1

        class Logged(fw.optimizers.Adam):
            note = ""

            def __init__(self, rate: float) -> None:
                super().__init__(rate)
                self.seen = [rate]
                self._begin()

            def _begin(self) -> None:
                self.count = 0

        logged = Logged(0.1)
        logged.seen, logged.count, logged.note = [0.2], 1, "x"
        expect_error(AttributeError, "did you mean 'lr'?", lambda: setattr(logged, "learning_rate", 0.5))
        assert isinstance(copy.copy(logged), Logged)


run_tests([test_unknown_attributes, test_attributes_are_fixed, test_numbers_at_construction, test_kinds_of_clauses,
           test_rate_before_the_first_step, test_saved_before_the_first_step, test_dtype_decided_later,
           test_copies_have_the_numbers_of_now, test_each_store_has_its_own, test_rate_in_front_of_the_update,
           test_two_dtypes])  # fmt: skip
