# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""V8: what keeps a value of the caller keeps a copy: an array or a list that is changed in place later changes no
initial value and no constant, in any store and at any time of the first use."""

import mmap
import tempfile
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

import flywheel as fw
import flywheel.keras.backend as K
import flywheel.v1 as tf
from configurations import run_tests
from flywheel import keras
from flywheel._core import dtypes as _dtypes

# One is a part of modules, one is copied to stores.
SIZES = (3, 2000)


def arrays(size: int) -> Dict[str, Tuple[Any, Any]]:
    """Returns values of ones, with what shares their memory."""
    whole, wide, plain = np.ones((2, size), np.float32), np.ones((size, 2), np.float32), np.ones(size, np.float32)
    buffer = bytearray(plain.tobytes())
    numbers = [1.0] * size
    frozen = np.ones(size, np.float32)
    read_only = frozen[:]
    read_only.flags.writeable = False
    shared = np.ones(size, np.float32)
    return {"array": (plain, plain), "view": (whole[0], whole), "strided": (wide[:, 0], wide),
            "buffer": (np.frombuffer(buffer, np.float32), np.frombuffer(buffer, np.float32)),
            "list": (numbers, numbers), "read only": (read_only, frozen),
            "memory": (shared.data, shared)}  # fmt: skip


def change(value: Any) -> None:
    if isinstance(value, list):
        value[:] = [7.0] * len(value)
    else:
        value[...] = 7.0


def each_array(make: Callable[[Any, int], Callable[[], Any]], leave_out: Tuple[str, ...] = ()) -> None:
    """Checks what `make` keeps of each array. It returns a function that reads it."""
    for size in SIZES:
        for name, (value, shared) in arrays(size).items():
            if name in leave_out:
                continue
            read = make(value, size)
            change(shared)
            found = np.asarray(read())
            assert found.shape == (size,) and (found == 1).all(), (name, size, found)


def test_variables() -> None:
    """By `numpy`, by a function, and in a second store, whose initial value is computed later."""

    def plain(value: Any, _: int) -> Callable[[], Any]:
        return fw.Variable(value).numpy

    def traced(value: Any, _: int) -> Callable[[], Any]:
        v = fw.Variable(value)
        return fw.function(lambda: v.read() * 1)

    def second(value: Any, _: int) -> Callable[[], Any]:
        v = fw.Variable(value)
        read = fw.function(lambda: v.read() * 1)
        assert (read() == 1).all() and (v.numpy() == 1).all()

        def in_another() -> Any:
            with fw.Store():
                assert (v.numpy() == 1).all()
            with fw.Store():
                return read()

        return in_another

    for make in (plain, traced, second):
        each_array(make)


def test_loop() -> None:
    """One buffer that is filled for one variable after the other."""
    buffer, made = np.zeros(3, np.float32), []
    for number in range(3):
        buffer[:] = number
        made.append(fw.Variable(buffer))
    assert [v.numpy().tolist() for v in made] == [[number] * 3 for number in range(3)]


def test_initializers() -> None:
    def constant(value: Any, size: int) -> Callable[[], Any]:
        return fw.Variable(fw.initializers.Constant(value), shape=(size,)).numpy

    def integers(value: Any, size: int) -> Callable[[], Any]:
        initializer = fw.initializers.Constant(value, "int32")
        return lambda: fw.Variable(initializer, shape=(size,), dtype="int32").numpy()

    def later(value: Any, size: int) -> Callable[[], Any]:
        initializer = fw.initializers.Constant(value)
        return lambda: fw.Variable(initializer, shape=(size,)).numpy()

    for make in (constant, integers, later):
        each_array(make)
    # A list has the dtype of each variable.
    numbers: List[Any] = [[1, 1], [1]]
    nested: List[Any] = [numbers[0]]
    made = fw.initializers.Constant(nested)
    numbers[0][:] = [7, 7]
    assert fw.Variable(made, shape=(1, 2)).numpy().tolist() == [[1.0, 1.0]]


def test_stores() -> None:
    """A value that is set, or read, is copied at once."""
    for size in SIZES:
        v = fw.Variable(np.zeros(size, np.float32))
        store = fw.current_store()

        def assign(value: Any, v: Any = v) -> None:
            v.assign(value)

        def item(value: Any, v: Any = v, store: Any = store) -> None:
            store[v.name] = value

        for put in (v.set, assign, item):
            value = np.ones(size, np.float32)
            put(value)
            value[:] = 7
            assert (v.numpy() == 1).all()
            v.numpy()[:] = 5
            store[v.name][:] = 5
            assert (v.numpy() == 1).all()


def test_optimizers() -> None:
    """A rate that is given, or set, as an array."""
    rate: Any = np.array(0.25)
    w = fw.Variable(np.ones(2, np.float32))
    sgd = fw.optimizers.GradientDescent(rate)
    rate[...] = 9
    step = fw.function(lambda: sgd.minimize(fw.sum(w)))
    step()
    assert w.numpy().tolist() == [0.75, 0.75]
    late = np.array(0.5)
    other = fw.optimizers.GradientDescent(1.0)
    other.lr.set(late)
    late[...] = 9
    wide = fw.Variable(np.ones(2), name="wide")
    fw.function(lambda: other.minimize(fw.sum(wide)))()
    assert wide.numpy().tolist() == [0.5, 0.5]


def test_graphs() -> None:
    """Constants, variables and data sets of a graph."""

    def constant(value: Any, _: int) -> Callable[[], Any]:
        x = tf.constant(value)
        return lambda: tf.Session().run(x * 1)

    def fetched(value: Any, _: int) -> Callable[[], Any]:
        x = tf.constant(value)
        with tf.Session() as session:
            session.run(x)[...] = 5
        return lambda: tf.Session().run(x)

    def operand(value: Any, size: int) -> Callable[[], Any]:
        x = tf.zeros([size]) + value
        return lambda: tf.Session().run(x)

    def variable(value: Any, _: int) -> Callable[[], Any]:
        v = tf.Variable(value)

        def read() -> Any:
            with tf.Session() as session:
                session.run(v.initializer)
                return session.run(v)

        return read

    def initializer(value: Any, size: int) -> Callable[[], Any]:
        made = tf.constant_initializer(value)

        def read() -> Any:
            v = tf.get_variable("v", [size], initializer=made)
            with tf.Session() as session:
                session.run(v.initializer)
                return session.run(v)

        return read

    def rows(value: Any, size: int) -> Callable[[], Any]:
        following = tf.data.Dataset.from_tensor_slices(value).batch(size).make_one_shot_iterator().get_next()
        return lambda: tf.Session().run(following)

    for make in (constant, fetched, operand, variable, initializer, rows):

        def alone(value: Any, size: int, make: Any = make) -> Callable[[], Any]:
            graph = tf.Graph()
            with graph.as_default():
                read = make(value, size)

            def in_graph() -> Any:
                with graph.as_default():
                    return read()

            return in_graph

        # TensorFlow has no memory views.
        each_array(alone, ("memory",))


def test_keras() -> None:
    def constant(value: Any, _: int) -> Callable[[], Any]:
        x = K.constant(value)
        return lambda: K.eval(x)

    def variable(value: Any, _: int) -> Callable[[], Any]:
        v = K.variable(value)
        return lambda: K.get_value(v)

    def initializer(value: Any, size: int) -> Callable[[], Any]:
        made = keras.initializers.Constant(value)
        return lambda: K.eval(K.variable(made((size,))))

    def weights(value: Any, size: int) -> Callable[[], Any]:
        layer = keras.layers.Dense(size, input_shape=(1,), use_bias=False)
        model = keras.models.Sequential([layer])
        model.set_weights([np.asarray(value).reshape(1, size)])
        return lambda: model.get_weights()[0][0]

    for make in (constant, variable, initializer):
        each_array(make, ("memory",))
    each_array(weights, ("memory", "list"))


def test_no_needless_copies() -> None:
    """Memory that nobody writes to is kept as it is: bytes, and files that are mapped to be read."""
    content = np.arange(4, dtype=np.float32).tobytes()
    given = np.frombuffer(content, np.float32)
    assert np.shares_memory(_dtypes.kept(given), given)
    assert np.shares_memory(_dtypes.kept(given.reshape(2, 2)[1:]), given)
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.flush()
        mapped = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.float32)
        assert np.shares_memory(_dtypes.kept(mapped), mapped)
        private = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY), np.float32)
        assert not np.shares_memory(_dtypes.kept(private), private)


run_tests([
    test_variables, test_loop, test_initializers, test_stores, test_optimizers, test_graphs, test_keras,
    test_no_needless_copies,
])  # fmt: skip
