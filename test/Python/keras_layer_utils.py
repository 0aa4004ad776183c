# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""`keras.utils.layer_utils`: weights of other conventions, counts and tables (X43)."""

from typing import Any, List

import numpy as np

from flywheel import keras
from flywheel.keras.layers import Conv2D, Dense, Flatten
from flywheel.keras.models import Sequential
from flywheel.keras.utils import layer_utils

draw = np.random.default_rng(8)


def build(shape: Any, data_format: str) -> Any:
    convolution = Conv2D(2, (4, 3), input_shape=shape, data_format=data_format)
    return Sequential([convolution, Flatten(), Dense(5)])


# A model of one order of channels is that of the other one, once its dense layer has the new order.
x = draw.standard_normal((3, 5, 6, 3))
first = np.transpose(x, (0, 3, 1, 2))
for source, target, before in (("channels_first", "channels_last", (2, 4, 2)),
                               ("channels_last", "channels_first", (2, 2, 4))):  # fmt: skip
    shapes = {"channels_first": ((3, 5, 6), first), "channels_last": ((5, 6, 3), x)}
    a, b = build(shapes[source][0], source), build(shapes[target][0], target)
    wanted = a.predict(shapes[source][1])
    layer_utils.convert_dense_weights_data_format(a.layers[2], before, target)
    b.set_weights(a.get_weights())
    np.testing.assert_allclose(b.predict(shapes[target][1]), wanted, atol=1e-5)

# A kernel that is turned around is a convolution: that of the picture turned around, turned around.
model = Sequential([Conv2D(2, (4, 3), input_shape=(5, 6, 3), use_bias=False)])
wanted = model.predict(x)
layer_utils.convert_all_kernels_in_model(model)
np.testing.assert_allclose(model.predict(x[:, ::-1, ::-1])[:, ::-1, ::-1], wanted, atol=1e-5)
assert not np.allclose(model.predict(x), wanted)

assert layer_utils.count_params([*model.weights, *model.weights]) == 4 * 3 * 3 * 2
lines: List[str] = []
shown: List[str] = []
layer_utils.print_summary(model, print_fn=lines.append)
model.summary(print_fn=shown.append)
assert lines == shown and any("72" in line for line in lines)
try:
    layer_utils.convert_dense_weights_data_format(Dense(2), (1, 1, 1), "channels")
except ValueError as error:
    assert "channels_first or channels_last" in str(error)
else:
    raise AssertionError("no error")
assert keras.utils.layer_utils is layer_utils
