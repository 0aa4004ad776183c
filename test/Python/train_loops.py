# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# mypy: disable-error-code="func-returns-value, arg-type"
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""M7, M8: loops over traced functions, their files read back, and tables and profiles of functions."""

import contextlib
import csv
import glob
import io
import os
import struct
import tempfile
from typing import Any, Callable, Dict, Iterator, List, Tuple

import numpy as np

import flywheel as fw
from configurations import raises, run_tests
from flywheel import keras

f32 = np.float32
draws = np.random.default_rng(0)
xs = draws.standard_normal((50, 4)).astype(f32)
ys = (xs @ np.array([1, -2, 0.5, 3], f32)).astype(f32)


def make(name: str, **options: Any) -> Tuple[Any, Any, Any, Any]:
    w = fw.Variable(np.zeros(4, f32), name=name)
    sgd = fw.optimizers.SGD(lr=0.05, momentum=0.5)

    @fw.function
    def test(x: Any, y: Any) -> Any:
        error = x @ w - y
        return {"loss": fw.mean(fw.square(error)), "mae": fw.mean(fw.abs(error))}

    @fw.function
    def step(x: Any, y: Any) -> Any:
        found = test(x, y)
        sgd.minimize(found["loss"])
        return found

    return w, sgd, step, test


@contextlib.contextmanager
def printed() -> Iterator[List[str]]:
    lines: List[str] = []
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        yield lines
    lines.extend(out.getvalue().splitlines())


# Event files, read by hand


def varint(data: bytes, at: int) -> Tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return number, at


def fields(data: bytes) -> Dict[int, List[Any]]:
    found: Dict[int, List[Any]] = {}
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        value: Any
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = struct.unpack_from("<d", data, at)[0], at + 8
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at : at + size], at + size
        else:
            assert kind == 5
            value, at = struct.unpack_from("<f", data, at)[0], at + 4
        found.setdefault(key >> 3, []).append(value)
    return found


def crc(data: bytes) -> int:
    """CRC-32C bit by bit."""
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    value ^= 0xFFFFFFFF
    return ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF


def events(folder: str) -> List[Tuple[int, str, Any]]:
    (path,) = glob.glob(os.path.join(folder, "events.out.tfevents.*"))
    with open(path, "rb") as file:
        data = file.read()
    found: List[Tuple[int, str, Any]] = []
    at, count = 0, 0
    while at < len(data):
        (size,) = struct.unpack_from("<Q", data, at)
        assert struct.unpack_from("<I", data, at + 8)[0] == crc(data[at : at + 8])
        record = data[at + 12 : at + 12 + size]
        assert struct.unpack_from("<I", data, at + 12 + size)[0] == crc(record)
        at += 16 + size
        event = fields(record)
        if count == 0:
            assert event[3] == [b"brain.Event:2"]
        for summary in event.get(5, []):
            for one in fields(summary)[1]:
                value = fields(one)
                step = event.get(2, [0])[0]
                found.append((step, value[1][0].decode(), value[2][0] if 2 in value else fields(value[5][0])))
        count += 1
    return found


def test_checksums() -> None:
    # The checksum of "123456789" in the standard.
    assert crc(b"123456789") == ((0xE3069283 >> 15 | 0xE3069283 << 17) + 0xA282EAD8) & 0xFFFFFFFF


def test_history_is_that_of_a_plain_loop() -> None:
    w, _, step, test = make("loop_w")
    plain, _, plain_step, plain_test = make("loop_plain")
    batches = [(xs[i : i + 16], ys[i : i + 16]) for i in range(0, 50, 16)]
    loop = fw.train.Loop(step, test=test)
    history = loop.fit(batches, epochs=3, validation=(xs[:20], ys[:20]), verbose=0)
    for epoch in range(3):
        results = [(plain_step(x, y), len(x)) for x, y in batches]
        tested = plain_test(xs[:20], ys[:20])
        for name in ("loss", "mae"):
            mean = sum(float(r[name]) * n for r, n in results) / 50
            np.testing.assert_allclose(history.history[name][epoch], mean, rtol=1e-6)
            np.testing.assert_allclose(history.history[f"val_{name}"][epoch], float(tested[name]), rtol=1e-6)
    np.testing.assert_array_equal(w.numpy(), plain.numpy())
    assert history.epoch == [0, 1, 2] and loop.history is history


def test_forms_of_batches_and_results() -> None:
    seen: List[Any] = []
    loop = fw.train.Loop(lambda x: seen.append(x.shape) or x.mean())
    loop.fit(fw.data.Batches(xs, 20, shuffle=False), epochs=2, verbose=0)
    assert seen == [(20, 4), (20, 4), (10, 4)] * 2
    named = fw.train.Loop(lambda x, y: (x.mean(), y.mean()), names=["first", "second"])
    history = named.fit(lambda: iter([{"x": xs, "y": ys}]), epochs=2, verbose=0)
    assert list(history.history) == ["first", "second"] and len(history.history["first"]) == 2
    unnamed = fw.train.Loop(lambda x, y: [x.mean(), y.mean()]).fit([(xs, ys)], verbose=0)
    assert list(unnamed.history) == ["loss", "value_1"]

    def stream() -> Iterator[Any]:
        while True:
            yield (xs,)

    assert len(loop.fit(stream(), epochs=3, steps=2, verbose=0).history["loss"]) == 3
    raises(ValueError, "in each epoch, found 0", lambda: loop.fit((x for x in [(xs,)]), epochs=2, verbose=0))
    raises(ValueError, "found the shape (50,)", lambda: fw.train.Loop(lambda x: x[:, 0]).fit([(xs,)], verbose=0))
    raises(ValueError, "a Loop with a test", lambda: loop.fit([(xs,)], validation=[(xs,)], verbose=0))
    raises(TypeError, "expected a function as step", lambda: fw.train.Loop(3))
    raises(TypeError, "expected a number of epochs", lambda: loop.fit([(xs,)], epochs=1.5, verbose=0))
    raises(TypeError, "expected batches", lambda: loop.fit(3, verbose=0))
    raises(TypeError, "expected callbacks", lambda: fw.train.Loop(len, callbacks=[fw.train.History]))
    turns = iter([{"a": 1.0}, {"b": 1.0}])
    raises(ValueError, "expected the results ['a']", lambda: fw.train.Loop(lambda x: next(turns)).fit(
        [(xs,), (xs,)], verbose=0))  # fmt: skip


def test_what_is_one_batch() -> None:
    """`fit`, `evaluate` and `validation` take the same forms for one batch and for several."""
    seen: List[Any] = []

    def note(*parts: Any, **named: Any) -> float:
        seen.append((*map(np.shape, parts), *((key, np.shape(part)) for key, part in named.items())))
        return 1.0

    loop = fw.train.Loop(note, test=note)
    ways: List[Any] = [lambda given: loop.fit(given, verbose=0), loop.evaluate,
                       lambda given: loop.fit([(xs,)], validation=given, verbose=0)]  # fmt: skip
    x, y = (50, 4), (50,)
    taken: List[Any] = [
        ((xs, ys), [(x, y)]), ((xs,), [(x,)]), ([xs], [(x,)]), ([(xs,), (ys,)], [(x,), (y,)]),
        (((xs,), (ys,)), [(x,), (y,)]), ([[xs, ys]], [(x, y)]), ({"x": xs, "y": ys}, [(("x", x), ("y", y))]),
        ([{"x": xs}] * 2, [(("x", x),)] * 2), (lambda: [xs, ys], [(x,), (y,)]), ((xs, 0.5), [(x, ())]),
    ]  # fmt: skip
    for given, expected in taken:
        for way in ways:
            seen.clear()
            way(given)
            assert seen[-len(expected) :] == expected, (seen, expected)
    counts: List[Any] = []
    count = fw.train.LambdaCallback()
    count.set_params = counts.append  # type: ignore[assignment, method-assign]
    fw.train.Loop(note, callbacks=[count]).fit((xs, ys), verbose=0)
    assert counts[0]["steps"] == 1, counts
    for way in ways:
        for given, text in ((xs, "an array of shape (50, 4): write (x,) for one batch, or fw.data.Batches"),
                            ([xs, ys], "a list of ndarray: write (x, y)"),
                            (((xs, xs), ys), "a tuple of ndarray, tuple: write (x, y) or [batch]"),
                            ({"x": [xs]}, "a dict of list: write [batch]"), ({}, "a dict of nothing"),
                            (3, "found 3"), ("xs", "found 'xs'")):  # fmt: skip
            raises(TypeError, text, lambda: way(given))
        raises(ValueError, "expected a batch or more", lambda: way([]))


def test_files_and_rates() -> None:
    w, sgd, step, test = make("loop_files")
    with tempfile.TemporaryDirectory() as folder:
        log, board = os.path.join(folder, "log.csv"), os.path.join(folder, "board")
        best = os.path.join(folder, "best.safetensors")
        rates: List[float] = []
        loop = fw.train.Loop(step, test=test, optimizer=sgd, variables=[w], callbacks=[
            fw.train.CSVLogger(log),
            fw.train.TensorBoard(board, histogram_freq=2, write_steps=True),
            fw.train.ModelCheckpoint(best, monitor="val_loss", save_best_only=True),
            fw.train.LearningRateScheduler(lambda epoch, rate: rate * 0.5 if epoch else rate),
            fw.train.LambdaCallback(on_epoch_end=lambda epoch, logs: rates.append(float(sgd.lr.numpy()))),
        ])  # fmt: skip
        batches = fw.data.Batches((xs, ys), 25, shuffle=False)
        with printed() as lines:
            history = loop.fit(batches, epochs=3, validation=(xs, ys))
        np.testing.assert_allclose(rates, [0.05, 0.025, 0.0125], rtol=1e-6)
        with open(log, newline="") as file:
            rows = list(csv.DictReader(file))
        assert [row["epoch"] for row in rows] == ["0", "1", "2"]
        for name in ("loss", "mae", "val_loss", "val_mae"):
            np.testing.assert_allclose([float(row[name]) for row in rows], history.history[name], rtol=1e-6)
        found = events(board)
        scalars = {(step, tag): value for step, tag, value in found if not isinstance(value, dict)}
        for name, values in history.history.items():
            np.testing.assert_allclose([scalars[e, name] for e in range(3)], values, rtol=1e-6)
        assert len([1 for _, tag, _ in found if tag == "batch/loss"]) == 6
        histograms = [(step, value) for step, tag, value in found if tag == "loop_files"]
        assert [step for step, _ in histograms] == [0, 2]
        last = histograms[-1][1]
        value = w.numpy().astype(np.float64)
        np.testing.assert_allclose([last[1][0], last[2][0], last[3][0], last[4][0], last[5][0]],
                                   [value.min(), value.max(), 4, value.sum(), (value * value).sum()])  # fmt: skip
        limits, counts = (np.frombuffer(last[k][0], np.float64) for k in (6, 7))
        assert counts.sum() == 4 and len(limits) == len(counts)
        for x in value:
            assert counts[np.searchsorted(limits, x, side="right")] > 0
        assert lines[0] == "Epoch 1/3" and " - loss: " in lines[1] and "val_mae" in lines[1], lines
        kept = w.numpy()
        w.set(np.zeros(4, f32))
        fw.restore(best)
        np.testing.assert_array_equal(w.numpy(), kept)


def test_schedules() -> None:
    """A schedule takes the rate if its signature has a place for it; its own TypeError comes out."""
    _, sgd, step, _ = make("loop_schedules")

    def rate_after(schedule: Callable[..., float]) -> float:
        sgd.lr.set(0.05)
        fw.train.Loop(step, optimizer=sgd, callbacks=[fw.train.LearningRateScheduler(schedule)]).fit(
            [(xs, ys)], verbose=0)  # fmt: skip
        return float(sgd.lr.numpy())

    schedules: List[Tuple[Any, float]] = [
        (lambda epoch: 0.5, 0.5), (lambda epoch, rate: 2.0 * rate, 0.1), (lambda *values: float(len(values)), 2.0),
        (lambda epoch, *, scale=0.25: scale, 0.25), ({0: 0.5}.get, 0.5)]  # fmt: skip
    for schedule, expected in schedules:
        np.testing.assert_allclose(rate_after(schedule), expected, rtol=1e-6)
    calls: List[int] = []

    def wrong(epoch: int, rate: Any = None) -> Any:
        calls.append(epoch)
        return rate + "1"

    raises(TypeError, "unsupported operand", lambda: rate_after(wrong))
    assert calls == [0], calls


def test_loops_stop() -> None:
    w, sgd, step, test = make("loop_stop")
    sgd.lr.set(0.0)
    history = fw.train.Loop(step, callbacks=[fw.train.EarlyStopping("loss", patience=2)]).fit(
        [(xs, ys)], epochs=9, verbose=0)  # fmt: skip
    assert len(history.epoch) == 3
    count: List[int] = []
    nan = fw.train.Loop(lambda x: count.append(1) or np.nan, callbacks=[fw.train.TerminateOnNaN()])
    with printed():
        nan.fit([(xs,)] * 4, epochs=2, verbose=0)
    assert len(count) == 1
    raises(ValueError, "whose optimizer has a rate", lambda: fw.train.Loop(
        step, callbacks=[fw.train.ReduceLROnPlateau("loss")]).fit([(xs, ys)], verbose=0))  # fmt: skip
    plateau = fw.train.ReduceLROnPlateau("loss", factor=0.5, patience=1)
    sgd.lr.set(1e-12)
    fw.train.Loop(step, optimizer=sgd, callbacks=[plateau]).fit([(xs, ys)], epochs=3, verbose=0)
    assert sgd.lr.numpy() == np.float32(1e-12) * np.float32(0.25), sgd.lr.numpy()


def test_keras_has_the_same() -> None:
    for name in ("Callback", "CSVLogger", "EarlyStopping", "History", "ModelCheckpoint"):
        assert getattr(keras.callbacks, name) is getattr(fw.train, name)
    assert issubclass(keras.callbacks.ReduceLROnPlateau, fw.train.ReduceLROnPlateau)
    # It writes gradients, images and embeddings too.
    assert issubclass(keras.callbacks.TensorBoard, fw.train.Callback)
    model = keras.models.Sequential([keras.layers.Dense(1, input_shape=(4,))])
    model.compile("sgd", "mse")
    with tempfile.TemporaryDirectory() as folder:
        history = model.fit(xs, ys[:, None], epochs=2, verbose=0, validation_data=(xs, ys[:, None]),
                            callbacks=[keras.callbacks.TensorBoard(folder, histogram_freq=1)])  # fmt: skip
        found = events(folder)
    losses = [value for _, tag, value in found if tag == "loss"]
    np.testing.assert_allclose(losses, history.history["loss"], rtol=1e-6)
    assert {tag for _, tag, _ in found if "kernel" in tag}


def test_summary() -> None:
    with fw.Namespace(), fw.Store() as store:
        w = fw.Variable(np.zeros((8, 4), f32), name="w")
        fixed = fw.Variable(np.zeros(3, np.int32), name="fixed", trainable=False)
        adam = fw.optimizers.Adam(lr=0.1)

        @fw.function
        def step(x: Any) -> Any:
            loss = fw.sum(fw.square(x @ w)) + fw.sum(fixed)
            adam.minimize(loss)
            return loss + fw.sum(fw.random.normal([2])) * 0.0

        raises(ValueError, "was not called yet", lambda: fw.summary(step))
        assert str(fw.summary()).splitlines()[-2] == "2 variables: 35 elements, of which 32 trainable"
        step(np.ones((2, 8), f32))
        found = fw.summary(step)
        rows = {row.name: row for row in found.rows}
        assert set(rows) >= {"w", "fixed"}
        assert rows["w"].shape == (8, 4) and rows["w"].dtype == "float32" and rows["w"].nbytes == 128
        assert rows["w"].trainable and not rows["fixed"].trainable and rows["fixed"].nbytes == 12
        assert sorted(rows["w"].slots) == ["Adam", "Adam_1"] and rows["w"].slot_nbytes == 256
        assert found.trainable_size == 32
        state = step.trace().program.variables
        assert found.nbytes == sum(v.nbytes for v in state), (found, [(v.name, v.nbytes) for v in state])
        assert any("random" in row.name for row in found.others), found
        text = str(found)
        assert "w " in text and "Adam, Adam_1" in text and "(8, 4)" in text, text
        for of in (None, store):
            other = {row.name: row for row in fw.summary(of).rows}
            assert other["w"] == rows["w"], of
        assert [row.name for row in fw.summary([fixed, w]).rows] == ["fixed", "w"]
        assert [row.name for row in fw.summary(w).rows] == ["w"]
        block = fw.nn.Dense(3, 2)
        assert {row.name for row in fw.summary(block).rows} == {v.name for v in block.variables()}
        raises(TypeError, "expected variables", lambda: fw.summary([3]))  # type: ignore[list-item]
        raises(TypeError, "expected variables", lambda: fw.summary(3))


def test_profile_and_cost() -> None:
    w, _, step, _ = make("loop_profile")
    before = w.numpy()
    profile = step.profile(xs, ys, calls=7)
    np.testing.assert_array_equal(w.numpy(), before)
    (entry,) = profile.entries
    assert entry.calls == 7 and entry.name == "step" and profile.kernels
    assert "step: 7 calls" in str(profile)
    assert step.cost(xs, ys)["before"]["entries"][0]["once"]["total"]["flops"] > 0
    raises(ValueError, "1 or more", lambda: step.profile(xs, ys, calls=0))
    step(xs, ys)
    changed = w.numpy()
    assert not np.array_equal(changed, before)
    step.profile(xs, ys, calls=1)
    np.testing.assert_array_equal(w.numpy(), changed)


run_tests([test for name, test in list(globals().items()) if name.startswith("test_")])
