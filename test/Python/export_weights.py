# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %t %cc
"""P14, T6: a program that is exported after training starts where training stands, slots and counters included."""

import os
import subprocess
import sys
from typing import Any, List

import numpy as np

import flywheel as fw
from configurations import run_tests

FOLDER, CC = sys.argv[1], sys.argv[2:]
X = np.random.default_rng(1).normal(size=(6, 4)).astype(np.float32)
Y = X.sum(1)

MAIN = """
#include "model.h"
#include <stdio.h>
#include <stdlib.h>
static const float x[] = {%s}, y[] = {%s};
int main(void) {
  char *memory = malloc(MODEL_STATE_BYTES + MODEL_STATE_ALIGN);
  model_state *s = (model_state *)(memory + MODEL_STATE_ALIGN - (size_t)memory %% MODEL_STATE_ALIGN);
  float loss = 0 * y[0], out[6];
  if (model_init(s, 3)) return 1;
  if (model_predict(s, x, out)) return 2;
  for (int i = 0; i < 6; ++i) printf("%%a ", out[i]);
%s
  free(memory);
  return loss != loss;
}
"""
TRAIN = """
  for (int i = 0; i < 3; ++i) {
    if (model_step(s, x, y, &loss)) return 3;
    printf("%a ", loss);
  }
"""


def run_c(name: str, is_trained: bool) -> List[float]:
    """What the program prints."""
    folder = os.path.join(FOLDER, name)
    source = os.path.join(folder, "main.c")
    numbers = [", ".join(map(str, map(float, array.reshape(-1)))) for array in (X, Y)]
    with open(source, "w") as file:
        file.write(MAIN % (*numbers, TRAIN if is_trained else ""))
    program = os.path.join(folder, "main")
    subprocess.run([*CC, source, os.path.join(folder, "model.o"), "-o", program, "-lm"], check=True)
    output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return [float.fromhex(text) for text in output.split()]


class Model:
    def __init__(self, optimizer: Any):
        self.w = fw.Variable(fw.initializers.GlorotUniform(), shape=(4,), name="w")
        self.words = fw.Variable(np.array(["a", "bc"]), name="words")
        self.big = fw.Variable(np.zeros(400, np.float32), name="big")
        self.optimizer = optimizer
        self.predict = fw.function(lambda x: x @ self.w + self.big[399], name="predict",
                                   signature=[fw.spec(6, 4)], results=["out"], threads=1)  # fmt: skip
        self.step = fw.function(self._step, name="step", signature=[fw.spec(6, 4), fw.spec(6)], threads=1)

    def _step(self, x: Any, y: Any) -> Any:
        loss = fw.mean((x @ self.w + self.big[399] - y) ** 2)
        self.optimizer.minimize(loss)
        return loss


def train(model: Model) -> None:
    for _ in range(5):
        model.step(X, Y)
    model.optimizer.lr.set(0.02)


def test_current_values() -> None:
    """The C program goes on as Python does, bit by bit."""
    for make in (lambda: fw.optimizers.Adam(0.1), lambda: fw.optimizers.SGD(0.05, momentum=0.9)):
        with fw.Namespace(), fw.Store(seed=3):
            model = Model(make())
            train(model)
            name = f"current-{model.optimizer.name}"
            os.makedirs(os.path.join(FOLDER, name))
            # Wherever it is exported: another variable of its name is another one.
            with fw.Namespace():
                other = fw.Variable(np.float32(111), name="w")
                other.numpy()
                fw.export([model.predict, model.step], os.path.join(FOLDER, name, "model.o"))
            found = run_c(name, True)
            wanted = [*model.predict(X), *[model.step(X, Y) for _ in range(3)]]
            np.testing.assert_array_equal(np.array(found, np.float32), np.array(wanted, np.float32))


def test_initial_values() -> None:
    """On request the C program starts anew, and one of which nothing has a value does too."""
    with fw.Namespace(), fw.Store(seed=3):
        model = Model(fw.optimizers.Adam(0.1))
        os.makedirs(os.path.join(FOLDER, "untrained"))
        fw.export([model.predict, model.step], os.path.join(FOLDER, "untrained", "model.o"))
        first = model.predict(X)
        train(model)
        os.makedirs(os.path.join(FOLDER, "initial"))
        fw.export([model.predict, model.step], os.path.join(FOLDER, "initial", "model.o"), weights="initial")
        for name in ("untrained", "initial"):
            np.testing.assert_array_equal(np.array(run_c(name, False), np.float32), first)


def test_frozen() -> None:
    """Constants take the place of variables that are only read; a list that has another one is an error."""
    with fw.Namespace(), fw.Store(seed=3):
        model = Model(fw.optimizers.Adam(0.1))
        train(model)
        os.makedirs(os.path.join(FOLDER, "frozen"))
        path = os.path.join(FOLDER, "frozen", "model.o")
        model.predict.export(path, freeze=True, model_name="model")
        np.testing.assert_array_equal(np.array(run_c("frozen", False), np.float32), model.predict(X))
        with open(os.path.join(FOLDER, "frozen", "model.json")) as file:
            assert '"w"' not in file.read()
        # Numbers of the optimizer are only read, too.
        fw.export([model.predict, model.step], path, freeze=True)
        with open(os.path.join(FOLDER, "frozen", "model.json")) as file:
            assert "Adam/lr" not in file.read()
        for given, kind, text in (([model.w], fw.CompileError, "cannot freeze variable 'w'"),):
            try:
                fw.export([model.predict, model.step], path, freeze=given)
            except kind as error:
                assert text in str(error), error
            else:
                raise AssertionError(text)
        try:
            model.predict.export(path, weights="none")
        except ValueError as error:
            assert "expected weights \"current\" or \"initial\", found 'none'" in str(error), error
        else:
            raise AssertionError("there is no such choice")


run_tests([test_current_values, test_initial_values, test_frozen])
