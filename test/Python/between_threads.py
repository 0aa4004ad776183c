# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Threads share names and collections (N1, N2), and have scopes and numbers of optimizers of their own."""

import contextvars
import copy
import pickle
import random
import sys
import threading
import time
import warnings
from contextlib import ExitStack, contextmanager
from typing import Any, Callable, Dict, Iterator, List

import numpy as np

import flywheel as fw
import flywheel.v1 as tf
from flywheel import keras


def run(*actions: Callable[[], object]) -> None:
    """Runs each action in a thread of its own, all at once; raises what one of them raises."""
    errors: List[BaseException] = []

    def call(action: Callable[[], object]) -> None:
        try:
            action()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=call, args=(action,)) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@contextmanager
def beside(block: Callable[[], Any]) -> Iterator[None]:
    """Another thread is in the `with` block that `block` makes, from before this one begins until it ends."""
    inside, done = threading.Event(), threading.Event()

    def stay() -> None:
        with block():
            inside.set()
            assert done.wait(60)

    thread = threading.Thread(target=stay)
    thread.start()
    assert inside.wait(60)
    try:
        yield
    finally:
        done.set()
        thread.join()


@contextmanager
def fast_switches() -> Iterator[None]:
    """Threads take turns after a few instructions."""
    old = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(old)


def test_name_scopes() -> None:
    """A scope is that of the thread that is in it, in whatever order scopes end."""
    with fw.Namespace() as names:

        def other_scope() -> Any:
            return names.name_scope("other")

        with beside(other_scope):
            assert fw.Variable(0.0, name="v").name == "v"
            # Names differ in all scopes of all threads.
            with fw.name_scope("other") as scope:
                assert scope == "other_1/"
            mine = fw.name_scope("mine")
            mine.__enter__()
            assert fw.optimizers.SGD().name == "mine/SGD"
        assert fw.Variable(0.0, name="u").name == "mine/u"
        mine.__exit__(None, None, None)
        assert fw.Variable(0.0, name="z").name == "z"
        with fw.name_scope("other") as scope:
            assert scope == "other/"


def test_unique_names() -> None:
    """N2: names of all threads differ, and none is left out."""

    class Slow(Dict[str, Any]):
        """Lets other threads run after each look at a name."""

        def get(self, name: str, default: Any = None) -> Any:
            found = super().get(name, default)
            time.sleep(1e-5)
            return found

    with fw.Namespace() as names, fast_switches():
        names._taken = Slow()
        made: List[Any] = []

        def make() -> None:
            with names:
                for i in range(500):
                    made.append(fw.Variable(0.0, name="v"))
                    assert i % 50 or made[-1].name

        run(*[make] * 6)
        assert set(names.variables) == {"v", *[f"v_{i}" for i in range(1, 3000)]}
        assert len(fw.global_variables()) == len({v.name for v in fw.global_variables()}) == 3000
        assert fw.Variable(0.0, name="v").name == "v_3000"


def test_all_or_nothing() -> None:
    """A failed call forgets the names that its thread has made, and nothing else; they are free again."""
    with fw.Namespace() as names:
        kept = [fw.Variable(0.0, name="w"), fw.Variable(0.0, name="w")]

        def make() -> None:
            with names:
                kept.extend([fw.Variable(0.0, name="mine"), fw.Variable(0.0, name="w")])

        lost = []
        try:
            with names.all_or_nothing():
                lost.append(fw.Variable(0.0, name="w"))
                with names.all_or_nothing():
                    lost.append(fw.Variable(0.0, name="new"))
                    fw.add_to_collection("own", 1)
                try:
                    with names.all_or_nothing():
                        fw.add_to_collection("own", 2)
                        raise KeyError
                except KeyError:
                    assert fw.collection("own") == [1]
                run(make)
                raise ValueError
        except ValueError:
            pass
        assert [v.name for v in kept] == ["w", "w_1", "mine", "w_2"] and len(lost) == 2
        assert list(names.variables.values()) == fw.global_variables() == fw.trainable_variables() == kept
        assert fw.collection("own") == []
        more = [fw.Variable(0.0, name=n) for n in ("w", "w", "new", "mine")]
        assert [v.name for v in more] == ["w_3", "w_4", "new", "mine_1"]
        # Variables that were lost, but are still held, have names and values of their own.
        with fw.Store():
            for number, variable in enumerate([*more, *lost]):
                variable.set(float(number))
            assert [v.numpy() for v in [*more, *lost]] == list(range(6))
            assert [v.name for v in lost] == ["w_5", "new_1"]


def test_numbers_of_optimizers() -> None:
    """The numbers of an optimizer are where it was made, wherever and in whichever thread they are used first."""
    assert fw.optimizers.SGD(lr=0.01).lr.name == "SGD/lr"
    for is_thread in (False, True):
        with fw.Store() as store, fw.Namespace() as names:
            w = fw.Variable(np.ones(3, np.float32), name="w")
            optimizer = fw.optimizers.SGD(lr=0.01)
            step = fw.function(lambda w=w, optimizer=optimizer: optimizer.minimize(fw.sum(w * 2.0)))
            default = []

            def train(optimizer: Any = optimizer, step: Any = step, store: Any = store) -> None:
                with store:
                    optimizer.lr.set(0.5)
                    step()

            if is_thread:
                run(train)
            else:
                with fw.Namespace() as second:
                    train()
                    default = list(second.variables)
            assert optimizer.lr.name == "SGD/lr" and names.variables["SGD/lr"] is optimizer.lr and not default
            np.testing.assert_array_equal(w.numpy(), np.zeros(3, np.float32))
            np.testing.assert_equal(float(optimizer.lr.numpy()), 0.5)
    # Threads that use it first together get one.
    with fast_switches():
        for _ in range(50):
            with fw.Namespace() as names:
                adam = fw.optimizers.Adam()
                found: List[Any] = []
                run(*[lambda adam=adam, found=found: found.append(adam.lr)] * 4)
                assert len({id(v) for v in found}) == 1 and list(names.variables) == ["Adam/lr"], list(names.variables)
    # A copy is in the same namespace, and what is unpickled in the current one.
    with fw.Namespace() as names:
        original = fw.optimizers.SGD(lr=0.25)
    for made in (copy.copy(original), copy.deepcopy(original)):
        assert made == original and made.namespace is names
    assert pickle.loads(pickle.dumps(original)).namespace is fw.current_namespace()


def test_graphs() -> None:
    """Blocks of a graph of flywheel.v1 are those of a thread."""
    graph = tf.Graph()

    @contextmanager
    def other() -> Iterator[None]:
        with ExitStack() as blocks:
            blocks.enter_context(graph.as_default())
            blocks.enter_context(tf.variable_scope("other", reuse=tf.AUTO_REUSE))
            blocks.enter_context(tf.device("/cpu:0"))
            blocks.enter_context(tf.control_dependencies([tf.constant(1.0, name="first")]))
            blocks.enter_context(graph.context("while"))
            yield

    with graph.as_default():
        with beside(other):
            op = tf.constant(1.0, name="c").op
            assert (op.name, op.control_inputs, op.context, op.device) == ("c", [], None, "")
            assert tf.get_variable("v", []).name == "v:0" and tf.get_variable_scope().reuse is False
            mine = tf.variable_scope("mine")
            mine.__enter__()
        assert tf.get_variable("v", []).name == "mine/v:0" and graph.get_name_scope() == "mine"
        mine.__exit__(None, None, None)
        assert graph.get_name_scope() == "" and tf.get_variable_scope().name == ""
        # Names that a thread asks for at the same time as others differ.
        with fast_switches():

            def build() -> None:
                with graph.as_default():
                    for _ in range(10):
                        tf.layers.dense(tf.constant(np.ones((2, 3), np.float32)), 4)

            run(*[build] * 4)
        names = {v.name for v in tf.global_variables() if v.name.startswith("dense")}
        assert names == {f"dense{'' if i == 0 else f'_{i}'}/{part}:0" for i in range(40) for part in ("kernel", "bias")}
        ids = [op.id for op in graph.get_operations()]
        assert len(ids) == len(set(ids))


def test_ops_of_others() -> None:
    """A tape records the ops of its own thread, and a layer is made of those alone."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.constant(2.0)

        def square() -> None:
            with graph.as_default():
                tf.square(x)

        with tf.GradientTape() as tape:
            run(square)
            tape.watch(x)
            y = x * x
        assert tape.watched_variables() == ()
        with tf.Session() as session:
            assert session.run(tape.gradient(y, x)) == 4.0

    def call(inputs: Any) -> Any:
        run(lambda: keras.layers.Dropout(0.5)(keras.layers.Input((3,))))
        return inputs * 2.0

    assert keras.layers.Lambda(call)(keras.layers.Input((3,)))._uses_learning_phase is False
    assert keras.layers.Dropout(0.5)(keras.layers.Input((3,)))._uses_learning_phase is True


def test_keras() -> None:
    """Models that threads build have names as those that one builds after the other, and leave no scope open."""
    names: List[str] = []
    graph = tf.get_default_graph()

    def build() -> None:
        model = keras.models.Sequential([keras.layers.Dense(4, input_shape=(3,)), keras.layers.Dense(1)])
        model.compile(loss="mse", optimizer="adam")
        names.extend(w.name for w in model.weights)

    with fast_switches():
        run(*[build] * 6)
    assert sorted(names) == sorted(f"dense_{i}/{part}:0" for i in range(1, 13) for part in ("kernel", "bias")), names
    assert graph.get_name_scope() == ""
    model = keras.models.Sequential([keras.layers.Dense(3, input_shape=(2,))])
    assert [w.name for w in model.weights] == ["dense_13/kernel:0", "dense_13/bias:0"]


def test_values_of_threads() -> None:
    """N21: a call has the values that its own thread sees, and so has a later one."""
    local, variable = threading.local(), contextvars.ContextVar("rate", default=0.0)
    cases: Dict[str, Any] = {"a local": (lambda x: x * local.rate, lambda rate: setattr(local, "rate", rate)),
                             "a variable of contexts": (lambda x: x * variable.get(), variable.set)}  # fmt: skip
    for label, (body, set_rate) in cases.items():
        traced = fw.function(body)
        wrong: List[float] = []

        def work(rate: float, traced: Any = traced, set_rate: Any = set_rate, wrong: Any = wrong) -> None:
            set_rate(rate)
            wrong.extend(found for found in (float(traced(np.float32(1))) for _ in range(8)) if found != rate)

        with warnings.catch_warnings(), fast_switches():
            warnings.simplefilter("ignore", fw.CompileWarning)
            run(*[lambda rate=rate, work=work: work(rate) for rate in (1.0, 2.0, 3.0)])
            for rate in (5.0, 6.0):
                work(rate)
        assert not wrong, f"{label}: {wrong}"


def test_values_that_change() -> None:
    """N21: one thread changes a value while others call, which look at buffers and keys in Python."""

    class Name(str):
        def __eq__(self, other: object) -> bool:
            return str.__eq__(self, str(other))

        __hash__ = str.__hash__

    buffers, rates = [bytearray(b"\1" * 100) for _ in range(30)], {Name("rate"): 0}
    wrong: List[float] = []

    def body(x: Any) -> Any:
        return x * sum(one[0] for one in buffers) + rates[Name("rate")]

    traced, done = fw.function(body), threading.Event()

    def call() -> None:
        while not done.is_set():
            traced(np.float32(1))

    def change() -> None:
        try:
            for number in range(60):
                rates[Name("rate")] = number % 3
                wrong.extend(found for found in [float(traced(np.float32(1)))] if found != 30 + number % 3)
        finally:
            done.set()

    with warnings.catch_warnings(), fast_switches():
        warnings.simplefilter("ignore", fw.CompileWarning)
        run(call, call, call, change)
    assert not wrong, wrong


def test_draws_of_others() -> None:
    """Numbers that another thread draws are none that the function draws."""
    done, drawn = threading.Event(), threading.Event()

    def draw() -> None:
        while not done.is_set():
            np.random.rand()
            random.random()
            drawn.set()

    def body(x: Any) -> Any:
        drawn.clear()
        assert drawn.wait(60)
        return x * 2.0

    thread = threading.Thread(target=draw)
    thread.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", fw.CompileWarning)
            assert fw.function(body)(np.float32(1)) == 2.0
    finally:
        done.set()
        thread.join()


if __name__ == "__main__":
    test_values_of_threads()
    test_values_that_change()
    test_draws_of_others()
    test_name_scopes()
    test_unique_names()
    test_all_or_nothing()
    test_numbers_of_optimizers()
    test_graphs()
    test_ops_of_others()
    test_keras()
