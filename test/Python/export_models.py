# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %t %cc -- -I%src_root/include -- %runtime_libs
"""P14: models of Keras are exported with the options of functions, and go on in C where training stands."""

import json
import os
import subprocess
import sys
from typing import Any, Dict, List

import numpy as np

import flywheel as fw
import flywheel.keras as keras
from configurations import run_tests
from flywheel.keras import backend as K

FOLDER, *ARGUMENTS = sys.argv[1:]
CC, INCLUDES, LIBRARIES = (text.split() for text in " ".join(ARGUMENTS).split(" -- "))
rng = np.random.default_rng(1)
X, Y = rng.normal(size=(6, 3)).astype(np.float32), rng.normal(size=(6, 2)).astype(np.float32)

MAIN = """
#include <flywheel/flywheel.h>
#include "model.h"
#include <stdio.h>
#include <stdlib.h>
static const float x[] = {%s}, y[] = {%s};
int main(int argc, char **argv) {
  char *memory = malloc(MODEL_STATE_BYTES + MODEL_STATE_ALIGN);
  model_state *s = (model_state *)(memory + MODEL_STATE_ALIGN - (size_t)memory %% MODEL_STATE_ALIGN);
  float loss, mae, out[12];
  if (argc == 2 ? model_restore(s, argv[1]) : model_init(s, 3)) return puts(model_last_error(s)) ? 1 : 1;
  for (int i = 0; i < 3; ++i) {
    if (model_fit(s, x, 6, y, &loss, &mae)) return 2;
    printf("%%a %%a ", loss, mae);
  }
  if (model_predict(s, x, 6, out)) return 3;
  for (int i = 0; i < 12; ++i) printf("%%a ", out[i]);
  free(memory);
  return 0;
}
"""


def make_model(optimizer: Any, rate: float = 0.0) -> Any:
    model = keras.models.Sequential([
        keras.layers.Dense(4, activation="relu", input_shape=(3,)), keras.layers.BatchNormalization(),
        keras.layers.Dropout(rate), keras.layers.Dense(2),
    ])  # fmt: skip
    model.compile(optimizer, "mse", metrics=["mae"])
    return model


def list_numbers(*given: Any) -> List[str]:
    return [", ".join(map(str, map(float, array.reshape(-1)))) for array in given]


def run_c(path: str, *arguments: str) -> Any:
    folder = os.path.dirname(path)
    source, program = os.path.join(folder, "main.c"), os.path.join(folder, "main")
    with open(source, "w") as file:
        file.write(MAIN % tuple(list_numbers(X, Y)))
    subprocess.run([*CC, *INCLUDES, source, path, *LIBRARIES, "-o", program], check=True)
    output = subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout
    return np.array([float.fromhex(text) for text in output.split()], np.float32)


def test_training_goes_on() -> None:
    entries = {"fit": "train", "predict": "predict"}
    for name in ("SGD", "Adam", "RMSprop", "Nadam"):
        for weights in ("current", "none"):
            K.clear_session()
            model = make_model(getattr(keras.optimizers, name)(0.05))
            for _ in range(4):
                model.train_on_batch(X, Y)
            K.set_value(model.optimizer.lr, 0.02)
            folder = os.path.join(FOLDER, f"{name}-{weights}")
            os.makedirs(folder)
            path = os.path.join(folder, "model.o")
            model.export(path, entries=entries, weights=weights)
            found = run_c(path, *([path[:-2] + ".safetensors"] if weights == "none" else []))
            wanted = np.concatenate([np.reshape([model.train_on_batch(X, Y) for _ in range(3)], -1),
                                     model.predict(X).reshape(-1)])  # fmt: skip
            np.testing.assert_allclose(found, wanted, 2e-5, 1e-6, err_msg=name)


def read_manifest(path: str) -> Dict[str, Any]:
    with open(path[:-2] + ".json") as file:
        found: Dict[str, Any] = json.load(file)
        return found


def test_options() -> None:
    K.clear_session()
    model, path = make_model("sgd", 0.5), os.path.join(FOLDER, "options.o")
    model.predict(X)
    model.export(path)
    assert [one["name"] for one in read_manifest(path)["entries"]] == ["predict", "train", "init"]
    model.export(path, entries=["predict"], freeze=True, max_batch=3, model_name="net", opt_level=0)
    found = read_manifest(path)
    assert not found["variables"] and len(found["constants"]) == 8 and found["max_dim_size"] == 3
    model.export(path, entries=["test"], weights="initial")
    assert {one["start"] for one in read_manifest(path)["variables"]} == {"program"}
    # As functions have it, the values of the session are as before.
    before = model.get_weights()
    model.export(path, weights="none")
    for a, b in zip(before, model.get_weights()):
        np.testing.assert_array_equal(a, b)
    bare = keras.models.Sequential([keras.layers.Dense(2, input_shape=(3,))])
    bare.export(path)
    for given, kind, text in (
        ({"entries": ["fit"]}, ValueError, "expected entries among predict, train, test, found 'fit'"),
        ({"entries": "train"}, TypeError, "expected a list of entries, or a dict"),
        ({"entries": []}, ValueError, "expected at least one function to export"),
        ({"entries": {"a-b": "train"}}, ValueError, "expected names of C as entries, found 'a-b'"),
        ({"weights": "old"}, ValueError, "expected weights"), ({"freeze": "w"}, TypeError, "expected freeze to be"),
        ({"opt_level": 9}, ValueError, "expected opt_level 0 to 3, found 9"),
        ({"max_batch": -1}, ValueError, "expected max_batch within"),
    ):
        try:
            model.export(path, **given)
        except kind as error:
            assert text in str(error), (given, error)
        else:
            raise AssertionError(f"expected {kind.__name__}: {text}")
    try:
        bare.export(path, entries=["train"])
    except ValueError as error:
        assert "expected entries among predict, found 'train'" in str(error), error
    else:
        raise AssertionError("a model that is not compiled has no training")
    try:
        fw.export(model, path)
    except TypeError as error:
        assert "method `export` of its own" in str(error), error
    else:
        raise AssertionError("a model is no function")


run_tests([test_training_goes_on, test_options])
