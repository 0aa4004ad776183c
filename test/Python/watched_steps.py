# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# mypy: disable-error-code="arg-type, no-untyped-def, union-attr"
# REQUIRES: python
# RUN: rm -rf %t && env FLYWHEEL_CACHE=%t %python %s
"""M9: the numbers of `flywheel.watch` beside NumPy, its flags, its page and its event files."""

import functools
import glob
import json
import os
import re
import struct
import tempfile
from typing import Any, Callable, List, Optional

import numpy as np

import flywheel as fw
from flywheel import keras
from flywheel import v1 as tf
from flywheel._training.events import masked_crc
from flywheel.dashboard import Dashboard, Record, TensorNumbers


def check_numbers(found: Optional[TensorNumbers], x: "np.ndarray[Any, Any]", rtol: float = 1e-4) -> None:
    """Compares numbers with those of all elements of `x`."""
    assert found is not None
    finite = x[np.isfinite(x)].astype(np.float64)
    np.testing.assert_allclose(found.norm, np.sqrt((x.astype(np.float64) ** 2).sum()), rtol=rtol)
    np.testing.assert_allclose(found.zeros, (x == 0).mean(), rtol=1e-6)
    np.testing.assert_allclose(found.nonfinite, (~np.isfinite(x)).mean(), rtol=1e-6)
    np.testing.assert_allclose([found.low, found.high], [finite.min(), finite.max()], rtol=rtol)
    np.testing.assert_allclose(found.mean, finite.mean(), rtol=rtol, atol=1e-6)
    assert found.size == x.size and found.sampled == finite.size
    if found.low == found.high:
        # NumPy has no bins of width 0.
        assert found.counts[0] == finite.size
        return
    expected = np.histogram(finite, len(found.counts), (found.low, found.high))[0]
    # Elements at an edge may be in either bin.
    assert np.abs(np.cumsum(expected) - np.cumsum(found.counts)).max() <= 2, (expected, found.counts)


def test_function() -> None:
    rng = np.random.default_rng(1)
    w0, v0 = rng.normal(size=(5, 7)).astype("f"), rng.normal(size=(7, 3)).astype("f")
    # Unit 2 is dead, and unit 4 of the tanh is saturated.
    bias = np.array([0, 0, -100, 0, 0, 0, 0], "f")
    w, v = fw.Variable(w0, name="w"), fw.Variable(v0, name="v")
    b = fw.Variable(np.array([0, 0, 90], "f"), name="b")
    unused = fw.Variable(np.ones(2, "f"), name="unused")
    board, sgd = Dashboard(every=3), fw.optimizers.SGD(lr=0.0)

    @fw.function
    def step(x):
        hidden = fw.nn.relu(x @ w + bias)
        out = fw.tanh(hidden @ v + b)
        loss = fw.mean(fw.square(out[:, :2])) + fw.sum(unused) * 0.0
        fw.watch(loss, {"hidden": hidden, "out": out}, to=board)
        sgd.minimize(loss)
        return loss

    xs = rng.normal(size=(10, 6, 5)).astype("f")
    losses = [step(x) for x in xs]
    assert [r.step for r in board.records] == [0, 3, 6, 9]
    for record in board.records:
        x = xs[record.step]
        hidden = np.maximum(x @ w0 + bias, 0)
        out = np.tanh(hidden @ v0 + [0, 0, 90])
        d_out = np.where(np.arange(3) < 2, 2 * out / 12, 0)
        d_z = d_out * (1 - out**2)
        d_hidden = d_z @ v0.T
        d_w = x.T @ (d_hidden * (hidden > 0))
        seen = record.tensors
        np.testing.assert_allclose(record.loss, losses[record.step], rtol=1e-6)
        assert sorted(seen) == ["b", "hidden", "out", "unused", "v", "w"], sorted(seen)
        pairs = (("w", w0, d_w), ("v", v0, hidden.T @ d_z), ("b", np.array([0, 0, 90], "f"), d_z.sum(0)),
                 ("hidden", hidden, d_hidden), ("out", out, d_out))  # fmt: skip
        for name, value, gradient in pairs:
            check_numbers(seen[name].value, value)
            check_numbers(seen[name].gradient, gradient, 2e-3)
        np.testing.assert_allclose(seen["hidden"].value.unit_zeros, (hidden == 0).mean(0), rtol=1e-6)
        assert seen["hidden"].value.saturated is None
        np.testing.assert_allclose(seen["out"].value.saturated, (np.abs(out) >= 0.99).mean(), rtol=1e-6)
        np.testing.assert_allclose(seen["out"].value.unit_saturated, (np.abs(out) >= 0.99).mean(0), rtol=1e-6)
    flags = {(f.name, f.problem): f for f in board.flags}
    assert flags["hidden", "dead units"].units == (2,) and flags["hidden", "dead units"].threshold == 1.0
    assert 2 in flags["out", "saturated units"].units and flags["out", "saturated units"].threshold == 0.95
    assert ("unused", "vanishing gradient") in flags, flags
    # The question of the page comes first: findings of gradients are behind those of units.
    kinds = [flag.problem for flag in board.flags]
    assert kinds[0] == "dead units" and kinds.index("saturated units") < kinds.index("vanishing gradient"), kinds
    check_page(board)
    check_events(board)


def check_page(board: Dashboard) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "new", "watch.html")
        board.save(path, "a <title>")
        with open(path, encoding="utf-8") as file:
            text = file.read()
    assert "a &lt;title&gt;" in text and "prefers-color-scheme: dark" in text
    # Nothing is loaded from anywhere; the one address is the name of SVG.
    assert set(re.findall(r"https?://[^\"' ]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(link|img|iframe)|src=|@import", text)
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))
    assert len(data["records"]) == len(board.records)
    assert {(f["name"], f["problem"]) for f in data["flags"]} == {(f.name, f.problem) for f in board.flags}
    first = data["records"][0]["tensors"]["hidden"]["value"]
    np.testing.assert_allclose(first["norm"], board.records[0].tensors["hidden"].value.norm, rtol=1e-4)


def events_of(path: str) -> List[bytes]:
    """Returns the records of an event file, whose checksums are compared."""
    with open(path, "rb") as file:
        data = file.read()
    found, at = [], 0
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        assert struct.unpack_from("<I", data, at + 8)[0] == masked_crc(data[at : at + 8])
        event = data[at + 12 : at + 12 + length]
        assert struct.unpack_from("<I", data, at + 12 + length)[0] == masked_crc(event)
        found.append(event)
        at += 16 + length
    return found


def check_events(board: Dashboard) -> None:
    with tempfile.TemporaryDirectory() as folder:
        events = events_of(board.write_events(folder))
    # The version, and a summary of each record.
    assert len(events) == 1 + len(board.records)
    for tag in (b"hidden/norm", b"gradients/hidden/zeros", b"out/saturated", b"gradients/w"):
        assert tag in events[1], tag


def test_odd_values() -> None:
    board = Dashboard(every=1, name="odd")
    w = fw.Variable(np.array([1, 2], "f"), name="odd_w")

    @fw.function
    def step(x):
        h = x * w
        fw.watch(fw.sum(h), {"h": h}, to=board, limits={"h": (None, 100.0)})

    step(np.array([[1, np.nan], [np.inf, 0]], "f"))
    seen = board.records[0].tensors["h"].value
    assert seen.nonfinite == 0.5 and seen.zeros == 0.25 and (seen.low, seen.high) == (0, 1) and seen.sampled == 2
    assert seen.saturated == 0.25
    assert ("h", "not finite") in {(f.name, f.problem) for f in board.flags}
    for wrong in (dict(every=0), dict(bins=0), dict(keep=1), dict(saturated=2.0), dict(vanishing=2.0, exploding=1.0)):
        try:
            Dashboard(**wrong)
        except ValueError as error:
            assert next(iter(wrong)) in str(error)
        else:
            raise AssertionError(f"expected an error of {wrong}")


def test_loop() -> None:
    w = fw.Variable(np.ones((4, 2), "f"), name="loop_w")
    board, sgd = Dashboard(every=2, name="loop"), fw.optimizers.SGD(lr=0.1)

    @fw.function
    def step(x):
        h = fw.nn.sigmoid(x @ w)
        loss = fw.mean(h)
        fw.watch(loss, {"h": h}, to=board)
        sgd.minimize(loss)
        return loss

    with tempfile.TemporaryDirectory() as folder:
        page, logs = os.path.join(folder, "w.html"), os.path.join(folder, "logs")
        loop = fw.train.Loop(step, callbacks=[fw.train.Watch(page, logs, board)])
        loop.fit([(np.ones((3, 4), "f"),)] * 4, epochs=2, verbose=0)
        assert os.path.getsize(page) > 1000
        (path,) = glob.glob(os.path.join(logs, "events*"))
        assert len(events_of(path)) == 1 + 4
    assert [r.step for r in board.records] == [0, 2, 4, 6]


def test_graph() -> None:
    rng = np.random.default_rng(2)
    w0, x0 = rng.normal(size=(4, 3)).astype("f"), rng.normal(size=(5, 4)).astype("f")
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 4])
        w = tf.Variable(w0, name="w")
        h = tf.tanh(tf.matmul(x, w))
        loss = tf.reduce_mean(tf.square(h))
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        board = Dashboard(every=2, name="graph")
        look = fw.watch(loss, {"h": h}, to=board)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(4):
                session.run([train, look], {x: x0})
    assert [r.step for r in board.records] == [0, 2]
    seen, out = board.records[0].tensors, np.tanh(x0 @ w0)
    check_numbers(seen["w"].value, w0)
    check_numbers(seen["h"].value, out)
    check_numbers(seen["w"].gradient, x0.T @ (2 * out / 15 * (1 - out**2)), 2e-3)
    np.testing.assert_allclose(seen["h"].value.saturated, (np.abs(out) >= 0.99).mean(), rtol=1e-6)


def test_keras() -> None:
    rng = np.random.default_rng(3)
    model = keras.models.Sequential([keras.layers.Dense(6, activation="relu", input_shape=(4,), name="hidden"),
                                     keras.layers.Dense(2, activation="sigmoid", name="out")])  # fmt: skip
    model.compile("sgd", "mse")
    xs, ys = rng.normal(size=(20, 4)).astype("f"), rng.normal(size=(20, 2)).astype("f")
    first = model.get_weights()[0]
    with tempfile.TemporaryDirectory() as folder:
        page, logs = os.path.join(folder, "w.html"), os.path.join(folder, "logs")
        watch = keras.callbacks.Watch(page, logs, every=2)
        model.fit(xs, ys, batch_size=5, epochs=2, verbose=0, callbacks=[watch])
        assert os.path.getsize(page) > 1000
        (path,) = glob.glob(os.path.join(logs, "events*"))
        assert len(events_of(path)) == 1 + 4
    assert [r.step for r in watch.board.records] == [0, 2, 4, 6]
    seen = watch.board.records[0].tensors
    assert sorted(seen) == ["hidden", "hidden/bias", "hidden/kernel", "out", "out/bias", "out/kernel"], sorted(seen)
    check_numbers(seen["hidden/kernel"].value, first)
    assert seen["out"].value.saturated is not None and seen["hidden"].value.unit_zeros.shape == (6,)


def refuses(text: str, call: Callable[[], object]) -> None:
    try:
        call()
    except (ValueError, TypeError) as error:
        assert text in str(error), error
    else:
        raise AssertionError(text)


def test_magnitudes() -> None:
    """Squares that float32 does not hold, and ranges of histograms near its least number."""
    for x in ([1e20] * 4, [1e-25] * 4, [0, 1e-37, 2e-37, 3e-37], [-3e38, 3e38], [0.0, 0.0], [5.0]):
        board, w = Dashboard(every=1), fw.Variable(np.ones((), "f"))

        @fw.function
        def step(x, w=w, board=board):
            h = x * w
            fw.watch(fw.sum(h * 0.0), {"h": h}, to=board)

        values = np.array(x, "f")
        step(values)
        check_numbers(board.records[0].tensors["h"].value, values)


def test_empty() -> None:
    """A batch without elements is a record, in which nothing is not finite."""
    for dynamic in (True, False):
        board, w = Dashboard(every=1), fw.Variable(np.ones((4, 3), "f"))

        def step(x, w=w, board=board):
            h = fw.nn.sigmoid(x @ w)
            loss = fw.sum(h)
            fw.watch(loss, {"h": h}, to=board)
            return loss

        run = fw.function(step, dynamic=dynamic)
        for count in (0, 2, 0):
            run(np.ones((count, 4), "f"))
        assert len(board.records) == 3
        for record in board.records[::2]:
            seen = record.tensors["h"].value
            assert (seen.norm, seen.zeros, seen.nonfinite, seen.saturated, seen.size) == (0, 0, 0, 0, 0)
            assert not any(one.value.nonfinite for one in record.tensors.values())
        board.html()
    with tf.Graph().as_default(), tf.Session() as session:
        x, v = tf.placeholder(tf.float32, [None, 2]), tf.Variable(np.ones((2, 2), "f"))
        board = Dashboard(every=1)
        look = fw.watch(tf.reduce_sum(tf.matmul(x, v)), to=board)
        session.run(tf.global_variables_initializer())
        session.run(look, {x: np.ones((0, 2), "f")})
        assert len(board.records) == 1


def test_records() -> None:
    """Records are at equal distances, whatever number of them is kept; flags are of the last ones."""
    for keep in (2, 5, 8):
        board = Dashboard(every=1, keep=keep)
        for step in range(1000):
            board._add(Record(step, 0.0, {}))
            kept = [record.step for record in board.records]
            gaps = np.diff(kept[:-1])
            assert kept[0] == 0 and kept[-1] == step and len(kept) <= keep + 1, kept
            assert len(set(gaps)) <= 1 and (len(kept) > keep // 2 or step < keep), (step, kept)
        assert [record.step for record in board._recent] == [997, 998, 999]


def test_owners() -> None:
    """A dashboard is of one function, whatever its sizes, and of the next one when that is gone."""
    board, w = Dashboard(every=2), fw.Variable(np.ones(3, "f"))

    def make() -> Any:
        def step(x):
            loss = fw.sum(x * w)
            fw.watch(loss, to=board)
            return loss

        return fw.function(step, dynamic=False)

    first = make()
    for count in (1, 2, 1, 2):
        first(np.ones((count, 3), "f"))
    assert [r.step for r in board.records] == [0, 2]
    refuses("a dashboard watches one function", lambda: make()(np.ones((1, 3), "f")))
    del first
    make()(np.ones((1, 3), "f"))
    for pair in ((1.0, -1.0), (1.0, 1.0), (1.0,), 3.0):
        limited = fw.function(lambda x, pair=pair: fw.watch(fw.sum(x), {"h": x}, to=Dashboard(), limits={"h": pair}))
        refuses("of 'h'", functools.partial(limited, np.ones(2, "f")))


def test_checkpoints() -> None:
    """A checkpoint of before the dashboard is restored, and the count is in none."""
    with tempfile.TemporaryDirectory() as folder, fw.Namespace(), fw.Store():
        path = os.path.join(folder, "model")
        w = fw.Variable(np.ones(2, "f"), name="w")
        fw.current_store().initialize()
        fw.save(path)
        board = Dashboard(every=1)

        @fw.function
        def step(x):
            loss = fw.sum(x * w)
            fw.watch(loss, to=board)
            return loss

        for _ in range(2):
            fw.restore(path)
            step(np.ones(2, "f"))
        fw.save(path)
        with fw.Store():
            fw.restore(path)
            np.testing.assert_array_equal(w.numpy(), 1)


def test_keras_layers() -> None:
    """Layers with several results or calls, models in models, integers, and names that a weight has."""
    layers = keras.layers
    shared, x, y = layers.Dense(3, name="both"), layers.Input((4,)), layers.Input((4,))
    inner = keras.models.Sequential([layers.Dense(3, input_shape=(3,), name="deep")], name="inner")
    joined = layers.add([shared(x), shared(y)])
    ids = layers.Lambda(lambda z: keras.backend.cast(z > 0, "int32"), name="ids")(joined)
    more = layers.Flatten()(layers.Embedding(2, 2)(ids))
    out = layers.Dense(1)(layers.concatenate([inner(joined), more]))
    model = keras.models.Model([x, y], out)
    series = layers.Input((5, 2))
    whole, h, c = layers.LSTM(3, return_sequences=True, return_state=True, name="lstm")(series)
    recurrent = keras.models.Model(series, layers.Dense(1)(layers.concatenate([layers.Flatten()(whole), h, c])))
    data = [np.ones((4, 4), "f")] * 2
    for one, given, names in ((model, data, {"both", "both_1", "inner"}),
                              (recurrent, np.ones((4, 5, 2), "f"), {"lstm", "lstm:1", "lstm:2"})):  # fmt: skip
        one.compile("sgd", "mse")
        for _ in range(2):
            watch = keras.callbacks.Watch(None, every=1)
            one.fit(given, np.ones((4, 1), "f"), verbose=0, callbacks=[watch])
        seen = watch.board.records[0].tensors
        assert names <= set(seen) and "ids" not in seen, sorted(seen)
    assert seen["lstm:1"].value.size == 12 and seen["lstm"].value.size == 60


test_function()
test_odd_values()
test_magnitudes()
test_empty()
test_records()
test_owners()
test_checkpoints()
test_keras_layers()
test_loop()
test_graph()
test_keras()
