# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, matplotlib, tensorboardX, tqdm
# RUN: rm -rf %t && mkdir %t
# RUN: env FLYWHEEL_CACHE= MPLBACKEND=Agg %peers_python %s %t
"""Keras's views of a training: the summary of a model, the bar of an epoch on a terminal and without one, curves by
matplotlib, event files of TensorBoard (M3, M5)."""

import contextlib
import io
import os
import pty
import re
import struct
import subprocess
import sys
from typing import Any, List

import numpy as np
from tensorboardX.proto import event_pb2

from flywheel.keras import backend as K
from flywheel.keras import callbacks, layers
from flywheel.keras.models import Input, Model, Sequential

rng = np.random.default_rng(0)
x = rng.normal(size=(96, 5)).astype(np.float32)
y = x.sum(1, keepdims=True)


def build() -> Any:
    model = Sequential(
        [layers.Dense(3, activation="relu", input_shape=(5,)), layers.BatchNormalization(), layers.Dense(1)]
    )
    model.compile("sgd", "mse", metrics=["mae"])
    return model


if len(sys.argv) > 2:
    # The child on a terminal: it trains slowly enough for the bar to be drawn.
    slow = callbacks.LambdaCallback(on_batch_end=lambda batch, logs: __import__("time").sleep(0.02))
    build().fit(x, y, batch_size=4, epochs=2, verbose=int(sys.argv[2]), callbacks=[slow])
    raise SystemExit

# The summary: names, shapes, counts.
model = build()
lines: List[str] = []
model.summary(print_fn=lines.append)
rows = [line.split() for line in lines]
assert ["dense_1", "(Dense)", "(None,", "3)", "18"] in rows, rows
# As in Keras, what does not fit is cut.
assert ["batch_normalization_1", "(Batch", "(None,", "3)", "12"] in rows, rows
assert ["dense_2", "(Dense)", "(None,", "1)", "4"] in rows, rows
assert lines[-4:-1] == ["Total params: 34", "Trainable params: 28", "Non-trainable params: 6"], lines
assert 5 * 3 + 3 + 4 * 3 + 3 + 1 == 34 == model.count_params()
with contextlib.redirect_stdout(io.StringIO()) as text:
    model.summary(line_length=100)
assert max(len(line) for line in text.getvalue().splitlines()) == 100
K.clear_session()
a, b = Input(shape=(4,), name="a"), Input(shape=(4,), name="b")
shared = layers.Dense(2, name="shared")
joined = layers.concatenate([shared(a), shared(b)], name="a_layer_with_quite_a_long_name")
lines = []
Model([a, b], joined).summary(print_fn=lines.append)
assert any(re.match(r"shared \(Dense\) +\(None, 2\) +10 +a\[0\]\[0\] *$", line) for line in lines), lines
assert any(re.match(r" +b\[0\]\[0\] *$", line) for line in lines), lines
assert any(re.match(r"a_layer_with_quite_a_long_na", line) and "shared[0][0]" in line for line in lines), lines
assert any(re.match(r" +shared\[1\]\[0\] *$", line) for line in lines) and "Total params: 10" in lines

# Without a terminal: a line for each epoch, with what it gave.
K.clear_session()
model = build()
with contextlib.redirect_stdout(io.StringIO()) as text:
    history = model.fit(x, y, epochs=2, batch_size=32, verbose=1, validation_data=(x, y))
shown = text.getvalue()
assert "Epoch 1/2" in shown and "Epoch 2/2" in shown
number = r"\d+\.\d{4}"
keys = ("loss", "mean_absolute_error", "val_loss", "val_mean_absolute_error")
pattern = r" - \d+s" + "".join(f" - {key}: ({number})" for key in keys)
found = re.findall(pattern, shown)
assert len(found) == 2, shown
for i, key in enumerate(keys):
    assert np.allclose([float(row[i]) for row in found], history.history[key], atol=1e-4)
with contextlib.redirect_stdout(io.StringIO()) as text:
    model.fit(x, y, epochs=1, verbose=0)
assert text.getvalue() == ""

# On a terminal: a bar by tqdm, which counts the steps.
for verbose in ("1", "2"):
    master, slave = pty.openpty()
    child = subprocess.Popen([sys.executable, __file__, sys.argv[1], verbose], stdout=subprocess.PIPE, stderr=slave)
    os.close(slave)
    drawn = b""
    while True:
        try:
            part = os.read(master, 4096)
        except OSError:
            break
        if not part:
            break
        drawn += part
    assert child.stdout is not None
    printed = child.stdout.read().decode()
    assert child.wait() == 0 and printed.count(" - loss: ") == 2, printed
    bars = re.findall(r"(\d+)/24 \[", drawn.decode(errors="replace"))
    if verbose == "1":
        assert bars and max(int(n) for n in bars) > 12 and "loss=" in drawn.decode(errors="replace"), drawn
    else:
        assert not bars, drawn

# Curves.
axes = history.plot()
curves = {line.get_label(): line.get_ydata() for line in axes.get_lines()}
assert sorted(curves) == sorted(keys)
for key in keys:
    assert list(curves[key]) == history.history[key]
assert list(axes.get_lines()[0].get_xdata()) == [1, 2] and axes.get_xlabel() == "epoch"
assert history.plot(["loss"], ax=axes) is axes and len(axes.get_lines()) == 5
picture = os.path.join(sys.argv[1], "curves.png")
axes.figure.savefig(picture)
assert os.path.getsize(picture) > 1000

# Event files.
K.clear_session()
model = build()
logs = os.path.join(sys.argv[1], "logs")
history = model.fit(x, y, epochs=3, verbose=0, validation_data=(x, y),
                    callbacks=[callbacks.TensorBoard(logs, histogram_freq=2, batch_size=96, write_grads=True,
                                                     write_images=True, embeddings_freq=1,
                                                     embeddings_layer_names=["dense_1"],
                                                     embeddings_metadata="labels.tsv")])  # fmt: skip
table, config, name = sorted(os.listdir(logs), key=lambda one: one.startswith("events") + (one[0] == "p") / 2)
assert (table, config) == ("dense_1.tsv", "projector_config.pbtxt")
np.testing.assert_allclose(np.loadtxt(os.path.join(logs, table)), model.layers[0].get_weights()[0], rtol=1e-6)
with open(os.path.join(logs, config)) as text_file:
    projector = text_file.read()
assert 'tensor_path: "dense_1.tsv"' in projector and 'metadata_path: "labels.tsv"' in projector
with open(os.path.join(logs, name), "rb") as file:
    data = file.read()
at = 0
scalars: Any = {}
histograms: Any = {}
images: Any = {}
while at < len(data):
    (length,) = struct.unpack_from("<Q", data, at)
    event = event_pb2.Event.FromString(data[at + 12 : at + 12 + length])
    at += length + 16
    for value in event.summary.value:
        if value.HasField("image"):
            images[value.tag] = (value.image.height, value.image.width)
            continue
        kind: Any = histograms if value.HasField("histo") else scalars
        kind.setdefault(value.tag, {})[event.step] = value.histo if value.HasField("histo") else value.simple_value
assert sorted(scalars) == sorted(keys)
for key in keys:
    np.testing.assert_allclose([scalars[key][i] for i in range(3)], history.history[key], rtol=1e-6)
# Weights, gradients and outputs of layers.
tags = [f"{w.op_name}_0{ending}" for w in model.weights for ending in ("", "_grad")]
assert sorted(histograms) == sorted(tags + [f"{layer.name}_out" for layer in model.layers])
assert images["dense_1/kernel_0_1/image/0"] == (3, 5) and images["dense_1/bias_0_1/image/0"] == (3, 1)
slope = 2 * (model.predict(x) - y).mean()
assert np.isclose(histograms["dense_2/bias_0_grad"][2].sum, slope, 1e-3)
assert histograms["dense_2_out"][0].num == 96
kernel = histograms["dense_2/kernel_0"]
assert sorted(kernel) == [0, 2] and kernel[2].num == 3
np.testing.assert_allclose(kernel[2].sum, model.layers[2].get_weights()[0].sum(), rtol=1e-4)
try:
    model.fit(x, y, verbose=0, callbacks=[callbacks.TensorBoard(logs, histogram_freq=1)])
except ValueError as error:
    assert "validation_data must be provided" in str(error)
else:
    raise AssertionError("histograms without validation data")
