# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s %t
"""T36: arrays of every layout of NumPy's are read by their meaning, wherever they come in, and objects that are not
arrays of numbers are refused by name: constants, feeds of functions, sessions, v1 and Keras, values and initial values
of variables, and checkpoints."""

import array
import ctypes
import os
import sys
from typing import Any, Callable, Dict, Iterator, Tuple

import numpy as np

import flywheel as fw
import flywheel.keras as keras
import flywheel.v1 as tf
from configurations import run_tests

Array = Any
DTYPES = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]
if fw.bfloat16 is not None:
    DTYPES.append("bfloat16")


class Subclass(np.ndarray):
    """An array of a user's class."""


def native(dtype: str) -> Array:
    kind = fw.bfloat16 if dtype == "bfloat16" else np.dtype(dtype)
    numbers = np.arange(6).reshape(2, 3) % 2 if dtype == "?" else np.arange(6).reshape(2, 3) + 1
    return numbers.astype(kind)


def unaligned(x: Array) -> Array:
    memory = np.zeros(x.nbytes + 1, np.uint8)
    found = memory[1:].view(x.dtype).reshape(x.shape)
    found[...] = x
    return found


def read_only(x: Array) -> Array:
    found = x.copy()
    found.flags.writeable = False
    return found


def layouts(x: Array) -> Iterator[Tuple[str, Array]]:
    """Arrays of other layouts with the elements of x, [2, 3]."""
    yield "dense", x
    yield "Fortran", np.asfortranarray(x)
    yield "steps", np.repeat(np.repeat(x, 2, 0), 3, 1)[::2, ::3]
    yield "backwards", np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1]
    yield "unaligned", unaligned(x)
    yield "read only", read_only(x)
    yield "subclass", x.view(Subclass)
    if x.dtype.kind in "fiu" and x.dtype.itemsize > 1:
        yield "other bytes", x.astype(x.dtype.newbyteorder())
        yield "other bytes, Fortran", np.asfortranarray(x.astype(x.dtype.newbyteorder()))
        yield "other bytes, unaligned", unaligned(x.astype(x.dtype.newbyteorder()))
    fields = np.zeros(x.shape, [("pad", "u1"), ("value", x.dtype)])
    fields["value"] = x
    yield "a field", fields["value"]
    if x.dtype == bool:
        yield "bytes", np.where(x, np.uint8(2), np.uint8(0)).view(bool)
        yield "bytes backwards", np.where(x, np.uint8(254), np.uint8(0)).view(bool)[::-1][::-1]


def ways(x: Array) -> Dict[str, Callable[[Array], Array]]:
    """Returns the ways by which an array of the dtype and shape of x comes in, and the same elements come out."""
    variable = fw.Variable(fw.initializers.Zeros(), shape=x.shape, dtype=x.dtype)
    entry = fw.function(lambda v: fw.where(True, v, v), signature=[fw.spec(*x.shape, dtype=x.dtype)])
    traced = fw.function(lambda v: fw.where(True, v, v), dynamic=False)

    def assign(value: Array) -> Array:
        variable.set(value)
        return variable.numpy()

    def in_store(value: Array) -> Array:
        variable.numpy()
        fw.current_store()[variable.name] = value
        return variable.numpy()

    def kept(value: Array) -> Array:
        made = fw.Variable(value)
        fw.save(os.path.join(sys.argv[1], "kept"), [made])
        made.set(np.zeros_like(x))
        fw.restore(os.path.join(sys.argv[1], "kept"), [made])
        return made.numpy()

    def step(value: Array) -> Array:
        found: Array = fw.function(lambda: fw.Tensor.__add__(fw.cast(variable.assign(value), x.dtype), 0)
                                   if x.dtype != bool else variable.assign(value))()  # fmt: skip
        return found

    return {
        "constant": lambda value: fw.function(lambda: fw.constant(value))(),
        "as a number's dtype": lambda value: fw.function(lambda: fw.constant(value, x.dtype))(),
        "captured": lambda value: fw.function(lambda v: fw.where(True, v, value))(x),
        "feed": traced,
        "feed of a signature": entry,
        "feed in a tuple": lambda value: fw.function(lambda v: fw.where(True, v[0], v[0]), dynamic=False)((value,)),
        "assign": assign,
        "assign in a step": step,
        "store": in_store,
        "initial value": lambda value: fw.function(fw.Variable(value).read)(),
        "large initial value": lambda value: fw.function(fw.Variable(np.tile(value, (1, 100))).read)()[:, :3],
        "checkpoint": kept,
        "batches": lambda value: traced(next(iter(fw.data.Batches(value, 2, shuffle=False)))),
    }


def test_layouts() -> None:
    os.makedirs(sys.argv[1], exist_ok=True)
    for dtype in DTYPES:
        x = native(dtype)
        for way, comes_in in ways(x).items():
            for layout, value in layouts(x):
                found = comes_in(value)
                assert found.dtype == x.dtype and found.shape == x.shape, (dtype, way, layout, found.dtype, found.shape)
                assert found.tobytes() == x.tobytes(), (dtype, way, layout, found)
                np.testing.assert_array_equal(found, x, err_msg=f"{dtype} {way} {layout}")


def test_scalars_of_no_dimension_sizes() -> None:
    # Scalars of no dimension, sizes of 0, steps of 0.
    for dtype in DTYPES:
        point = native(dtype)[1, 1]
        for value in (np.asarray(point), unaligned(np.asarray(point)), np.asarray(point)[...]):
            comes: Any = (lambda v: fw.function(lambda: fw.constant(v))(), fw.function(lambda v: fw.where(True, v, v)))
            for come in comes:
                assert come(value) == point and come(value).shape == (), (dtype, come(value))
        row = np.broadcast_to(point, (4,))
        assert (fw.function(lambda v: fw.where(True, v, v))(row) == point).all(), dtype
        assert (fw.function(lambda: fw.constant(row))() == point).all(), dtype
        none = np.zeros((3, 0), point.dtype)[::2]
        assert fw.function(lambda v: fw.where(True, v, v))(none).shape == (2, 0), dtype
        assert fw.function(lambda: fw.constant(none))().shape == (2, 0), dtype


# Objects that have a buffer.
numbers: Any = np.arange(6, dtype=np.int32)
double = fw.function(lambda v: v * 2, dynamic=False)


def test_objects_that_have_a_buffer() -> None:
    bytes_of: Any = numbers.astype(">i4")
    twice: Any = np.repeat(numbers, 2)
    swapped = (ctypes.c_int32.__ctype_be__ * 6)(*range(6))
    for buffer in (memoryview(numbers), memoryview(bytes_of), array.array("i", range(6)), swapped,
                   memoryview(twice)[::2], memoryview(numbers[::-1].copy())[::-1]):  # fmt: skip
        assert (double(buffer) == numbers * 2).all() and double(buffer).dtype == np.int32, buffer
    assert (double(bytearray(range(6))) == numbers * 2).all()
    assert double(memoryview(numbers.reshape(2, 3))[::-1]).tolist() == [[6, 8, 10], [0, 2, 4]]


class Described:
    """Has what `__array_interface__` says."""

    def __init__(self, x: Array, name: str):
        setattr(self, name, getattr(x, name))
        self.kept = x


def test_objects_that_have_a_buffer_2() -> None:
    for name in ("__array_interface__", "__array_struct__"):
        assert (double(Described(numbers[::-1], name)) == numbers[::-1] * 2).all(), name


def test_model_of_mlir() -> None:
    # A model of MLIR.
    session = fw.Session(
        fw.compile(
            fw.parse("""
func.func @twice(%x: tensor<2x3xf32>, %p: tensor<2x3xi1>) -> (tensor<2x3xf32>, tensor<2x3xi1>) {
  %y = arith.addf %x, %x : tensor<2x3xf32>
  %q = arith.ori %p, %p : tensor<2x3xi1>
  return %y, %q : tensor<2x3xf32>, tensor<2x3xi1>
}""")
        )
    )
    x, p = native("f4"), native("?")
    for (_, value), (_, mask) in zip(layouts(x), [*layouts(p)] * 2):
        found, told = session.run("twice", value, mask)
        np.testing.assert_array_equal(found, x * 2)
        np.testing.assert_array_equal(told, p)

    # Graphs and Keras.
    placeholder = tf.placeholder(tf.float32, [2, 3])
    doubled = placeholder * 2
    model = keras.models.Sequential([keras.layers.Dense(1, input_shape=(3,))])
    model.compile("sgd", "mse")
    weights, target = model.get_weights(), np.ones((2, 1))
    with tf.Session() as sess:
        for layout, value in layouts(x):
            np.testing.assert_array_equal(sess.run(doubled, {placeholder: value}), x * 2, err_msg=layout)
            np.testing.assert_array_equal(sess.run(tf.constant(value) + 0), x, err_msg=layout)
    losses = []
    for _, value in layouts(x):
        model.set_weights([np.asfortranarray(w.astype(">f4")) for w in weights])
        for given, held in zip(weights, model.get_weights()):
            np.testing.assert_array_equal(given, held)
        losses.append((model.train_on_batch(value, target.astype(">f8")), model.evaluate(value, target, verbose=0)))
        model.fit(value, target, batch_size=1, epochs=1, verbose=0)
    assert len(set(losses)) == 1, losses


# Values that no tensor has are refused, with their type.
masked = np.ma.masked_array([1.0, 2.0, 3.0], [False, True, False], dtype=np.float32)
structured = np.zeros(3, [("a", "f4"), ("b", "i4")])
objects = np.array([1.0, None, 2.0])
variable = fw.Variable(np.zeros(3, np.float32))
plain = keras.models.Sequential([keras.layers.Dense(1, input_shape=(1,))])
plain.compile("sgd", "mse")


def fed(value: Array) -> Any:
    return fw.function(lambda v: v * 2, dynamic=False)(value)


def test_values_that_no_tensor() -> None:
    known = fw.function(lambda v: v * 2, signature=[fw.spec(3)])
    known(np.zeros(3, np.float32))
    graph_feed = tf.placeholder(tf.float32, [3])
    graph_session = tf.Session()
    places: Dict[str, Callable[[Array], Any]] = {
        "constant": lambda v: fw.function(lambda: fw.constant(v))(), "feed": fed, "known feed": known,
        "in a list": lambda v: fw.function(lambda: fw.constant([v, v]))(),
        "as float32": lambda v: fw.function(lambda: fw.constant(v, "float32"))(),
        "captured": lambda v: fw.function(lambda w: w + v)(np.zeros(3, np.float32)),
        "set": variable.set, "assign": variable.assign, "initial value": fw.Variable,
        "store": lambda v: fw.current_store().__setitem__(variable.name, v),
        "batches": lambda v: known(next(iter(fw.data.Batches(v, 3)))),
        "v1": lambda v: tf.constant(v) + 1.0, "v1 feed": lambda v: graph_session.run(graph_feed + 1.0, {graph_feed: v}),
        "fit": lambda v: plain.fit(v, np.ones(3), verbose=0), "predict": plain.predict,
    }  # fmt: skip
    variable.numpy()
    fed(np.zeros(3, np.float32))
    for kind, value, words in (
        ("masked", masked, ("masked array", "value.filled(number)")),
        ("structured", structured, ("[('a', '<f4'), ('b', '<i4')]",)),
        ("objects", objects, ("NoneType", "object", "None")),
        ("complex", np.ones(3, np.complex64), ("complex64",)),
        ("times", np.zeros(3, "M8[s]"), ("datetime64[s]",)),
    ):  # fmt: skip
        for place, use in places.items():
            if (kind, place) == ("complex", "v1"):
                continue  # A tensor of graphs.
            try:
                use(value)
            except (TypeError, ValueError) as error:
                assert any(word in str(error) for word in words), (kind, place, error)
            else:
                raise AssertionError(f"expected an error for {kind} as {place}")


def test_variable_is_its_value() -> None:
    # A variable is its value to NumPy, outside of a trace.
    variable.set(np.array([1, 2, 3], np.float32))
    assert np.asarray(variable).tolist() == [1, 2, 3] and np.asarray(variable).dtype == np.float32
    assert np.asarray(variable, np.int64).dtype == np.int64 and np.stack([variable, variable]).shape == (2, 3)
    assert fw.Variable([variable, variable]).shape == (2, 3)
    np.asarray(variable)[0] = 7
    assert np.asarray(variable)[0] == 1, "a copy"
    counted = fw.function(lambda v: v.assign_add(np.ones(3, np.float32)))
    counted(variable)
    assert np.asarray(variable).tolist() == [2, 3, 4], "an argument that is a variable is the variable"
    assert fw.function(lambda: np.stack([variable, variable]))().tolist() == [[2, 3, 4]] * 2, "flywheel's function"
    for bad in (lambda: np.asarray(variable), lambda: np.sin(np.asarray(variable)), lambda: np.array([variable])):
        try:
            fw.function(bad)()
        except TypeError as error:
            assert f"the array of variable '{variable.name}' is not known while a function is traced" in str(error), (
                error
            )
        else:
            raise AssertionError("expected an error")


run_tests([test_layouts, test_scalars_of_no_dimension_sizes, test_objects_that_have_a_buffer,
           test_objects_that_have_a_buffer_2, test_model_of_mlir, test_values_that_no_tensor,
           test_variable_is_its_value])  # fmt: skip
