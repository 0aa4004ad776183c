# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %t %cc -- -I%src_root/include -- %runtime_libs
"""P14, T6: a program that is exported after training starts where training stands, slots and counters included."""

import contextlib
import io
import json
import os
import subprocess
import sys
import warnings
from typing import Any, List

import numpy as np

import flywheel as fw
from configurations import run_tests

FOLDER, *ARGUMENTS = sys.argv[1:]
CC, INCLUDES, LIBRARIES = (text.split() for text in " ".join(ARGUMENTS).split(" -- "))
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
    """Returns the numbers that the program prints."""
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
        assert not read_manifest(path)["variables"]
        # Numbers of the optimizer are only read, too.
        fw.export([model.predict, model.step], path, freeze=True)
        found = read_manifest(path)
        assert "Adam/lr" in found["constants"] and "Adam/lr" not in [one["name"] for one in found["variables"]]
        for given, kind, text in (([model.w], fw.CompileError, "cannot freeze variable 'w'"),):
            try:
                fw.export([model.predict, model.step], path, freeze=given)
            except kind as error:
                assert text in str(error), error
            else:
                raise AssertionError(text)


def test_frozen_initial_values() -> None:
    """freeze makes constants of the values that weights names: of the initial ones, those of the store's seed."""
    for weights in ("initial", "current"):
        with fw.Namespace(), fw.Store(seed=3):
            model = Model(fw.optimizers.Adam(0.1))
            first = model.predict(X)
            train(model)
            folder = os.path.join(FOLDER, f"frozen-{weights}")
            os.makedirs(folder)
            path = os.path.join(folder, "model.o")
            for freeze in (True, [model.w, model.big]):
                model.predict.export(path, freeze=freeze, weights=weights, model_name="model")
                wanted = first if weights == "initial" else model.predict(X)
                np.testing.assert_array_equal(np.array(run_c(f"frozen-{weights}", False), np.float32), wanted)
                assert read_manifest(path)["constants"] == ["w", "big"]
                assert "w and big are constants." in read_header(path)
                assert not read_manifest(path)["variables"]
            # Before the first step, numbers of optimizers that have no value yet too.
            fresh = Model(fw.optimizers.Adam(0.1))
            fresh.step.export(path, freeze=True, weights=weights)
            assert "Adam_1/lr" in read_manifest(path)["constants"]


def read_manifest(path: str) -> Any:
    with open(path[:-2] + ".json") as file:
        return json.load(file)


def read_header(path: str) -> str:
    with open(path[:-2] + ".h") as file:
        return file.read()


RESTORING = """
#include <flywheel/flywheel.h>
#include "model.h"
#include <stdio.h>
#include <stdlib.h>
static const float x[] = {%s}, y[] = {%s};
int main(int argc, char **argv) {
  char *memory = malloc(MODEL_STATE_BYTES + MODEL_STATE_ALIGN);
  model_state *s = (model_state *)(memory + MODEL_STATE_ALIGN - (size_t)memory %% MODEL_STATE_ALIGN);
  float loss = 0, out[6];
  unsigned char select[MODEL_NUM_VARIABLES] = {1};
  /* Without the file there are no weights, and init makes none. */
  if (argc != 2 || model_init(s, 3)) return 1;
  if (model_predict(s, x, out) != MODEL_E_UNINITIALIZED_VARIABLE) return 2;
  if (model_init_some(s, 3, select) != MODEL_E_UNINITIALIZED_VARIABLE) return 3;
  if (model_is_initialized(s, "w")) return 4;
  if (model_restore(s, argv[1])) return puts(model_last_error(s)), 5;
  if (model_predict(s, x, out)) return 6;
  for (int i = 0; i < 6; ++i) printf("%%a ", out[i]);
  for (int i = 0; i < 3; ++i) {
    if (model_step(s, x, y, &loss)) return 7;
    printf("%%a ", loss);
  }
  free(memory);
  return 0;
}
"""


def test_no_weights() -> None:
    """weights="none": the object has none of the numbers, and the file beside it has all, slots and counters too."""
    for is_trained in (False, True):
        with fw.Namespace(), fw.Store(seed=3):
            model = Model(fw.optimizers.Adam(0.1))
            secret = np.linspace(1.25, 1.5, 400, dtype=np.float32)
            model.big.set(secret)
            if is_trained:
                train(model)
            folder = os.path.join(FOLDER, f"none-{is_trained}")
            os.makedirs(folder)
            path, source = os.path.join(folder, "model.o"), os.path.join(folder, "main.c")
            fw.export([model.predict, model.step], path, weights="none")
            with open(path, "rb") as file:
                data = file.read()
            for value in (model.big.numpy()[:8], model.w.numpy()):
                assert value.tobytes() not in data, "the object has weights"
            assert all(one["start"] == "restored" for one in read_manifest(path)["variables"])
            said = "Weights: w, big, Adam/iterations and 7 others have no value before model_restore."
            assert said in read_header(path), read_header(path)[:2000]
            numbers = [", ".join(map(str, map(float, array.reshape(-1)))) for array in (X, Y)]
            with open(source, "w") as text:
                text.write(RESTORING % tuple(numbers))
            program = source[:-2]
            subprocess.run([*CC, "-Wno-unused-value", *INCLUDES, source, path, *LIBRARIES, "-o", program], check=True)
            output = subprocess.run([program, path[:-2] + ".safetensors"], check=True, capture_output=True, text=True)
            wanted = [*model.predict(X), *[model.step(X, Y) for _ in range(3)]]
            found = np.array([float.fromhex(text) for text in output.stdout.split()], np.float32)
            np.testing.assert_array_equal(found, np.array(wanted, np.float32))


SUM = """
#include "%s.h"
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char *memory = malloc(MODEL_STATE_BYTES + MODEL_STATE_ALIGN);
  model_state *s = (model_state *)(memory + MODEL_STATE_ALIGN - (size_t)memory %% MODEL_STATE_ALIGN);
  float result;
  if (model_init(s, 9) || model_%s(s, &result)) return 1;
  printf("%%a", result);
  free(memory);
  return 0;
}
"""


def run_sum(path: str, entry: str = "add") -> float:
    """Returns the result of a function without arguments, called from C."""
    source = path[:-2] + "-main.c"
    with open(source, "w") as file:
        file.write(SUM % (os.path.basename(path)[:-2], entry))
    subprocess.run([*CC, source, path, "-o", source[:-2], "-lm"], check=True)
    return float.fromhex(subprocess.run([source[:-2]], check=True, capture_output=True, text=True).stdout)


def test_of_one_name() -> None:
    """A variable of another namespace, or of another optimizer, that has the name of one is not exported for it."""
    with fw.Namespace() as first, fw.Store(seed=3):
        w = fw.Variable(np.float32(1), name="w")
        with fw.Namespace():
            other, b = fw.Variable(np.float32(5), name="w"), fw.Variable(np.float32(2), name="b")
            values = [float(one.numpy()) for one in (w, other, b)]
            add = fw.function(lambda: w + b, name="add")
            for outer in (first, fw.current_namespace()):
                with outer:
                    fw.export(add, os.path.join(FOLDER, "names.o"), freeze=True)
                    assert values == [1, 5, 2] and run_sum(os.path.join(FOLDER, "names.o")) == 3
                    fw.export(add, os.path.join(FOLDER, "names.o"), weights="none")
                    with fw.Store() as store:
                        store.restore(os.path.join(FOLDER, "names.safetensors"))
                        assert values == [1, 5, 2] and store["w"] == 1 and store["b"] == 2
    # A stream alone is exported, too.
    with fw.Namespace(), fw.Store(seed=3):
        draw = fw.function(lambda: fw.random.uniform(()), name="draw", threads=1)
        draw()
        fw.export(draw, os.path.join(FOLDER, "draw.o"))
        assert [one["start"] for one in read_manifest(os.path.join(FOLDER, "draw.o"))["variables"]] == ["checkpoint"]
        found, following = run_sum(os.path.join(FOLDER, "draw.o"), "draw"), float(draw())
        assert found == following, (found, following)


def test_names_of_entries() -> None:
    """Functions have other names in C where the program says so, as a dict or a list, and two traces of one too."""
    path = os.path.join(FOLDER, "entries.o")
    with fw.Namespace(), fw.Store():
        w = fw.Variable(np.float32(2), name="w")
        scale = fw.function(lambda x: x * w, name="scale", dynamic=False)
        small, large = scale.trace(np.ones(2, np.float32)), scale.trace(np.ones(3, np.float32))
        for given, more in (({"two": small, "three": large}, {}), ([small, large], {"entries": ["two", "three"]})):
            fw.export(given, path, **more, opt_level=1, max_batch=7)  # type: ignore[arg-type]
            assert [one["name"] for one in read_manifest(path)["entries"]][:2] == ["two", "three"]
            assert "int32_t model_two(" in read_header(path) and read_manifest(path)["max_dim_size"] == 7
        any_size = fw.function(lambda x: fw.sum(x * w), name="total", signature=[fw.spec("batch")])
        any_size.export(path, model_name="sizes", max_batch=12)
        assert "#define SIZES_MAX_BATCH 12" in read_header(path)


def test_said_on_the_screen() -> None:
    path = os.path.join(FOLDER, "said.o")
    with fw.Namespace(), fw.Store():
        w = fw.Variable(np.float32(2), name="w")
        add = fw.function(lambda: w + 1, name="add")
        for options, text in (({}, "add_init gives w the values of a checkpoint"),
                              ({"weights": "initial"}, "add_init gives variables the initial values of the program"),
                              ({"weights": "none"}, "w has no value before add_restore"),
                              ({"freeze": True}, "w is a constant")):  # fmt: skip
            w.numpy()
            with contextlib.redirect_stdout(io.StringIO()) as said:
                add.export(path, **options)
            assert said.getvalue().startswith(f"{path}: {text}"), said.getvalue()
            assert f" * Weights: {text}." in read_header(path)


def test_remark_on_bounds() -> None:
    """The cost of a default bound is reported if the target is another machine."""
    path = os.path.join(FOLDER, "far.o")
    with fw.Namespace(), fw.Store():
        w = fw.Variable(np.ones((64, 64), np.float32), name="w")
        net = fw.function(lambda x: fw.tanh(x @ w) @ w, name="net", signature=[fw.spec("batch", 64)])
        for options, expected in (({}, 1), ({"max_batch": 1024}, 0), ({"max_dim_sizes": {"batch": 1024}}, 0)):
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                net.export(path, target="aarch64-linux-gnu", **options)
            found = [str(one.message) for one in said if "that 'batch' may be by default" in str(one.message)]
            assert len(found) == expected and all("max_batch or max_dim_sizes={'batch': N}" in x for x in found), found


def test_errors() -> None:
    """Errors are reported by name, before anything is compiled."""
    path = os.path.join(FOLDER, "wrong.o")
    with fw.Namespace(), fw.Store():
        w, other = fw.Variable(np.float32(2), name="w"), fw.Variable(np.float32(2), name="other")
        f = fw.function(lambda: w + 1, name="f")
        g = fw.function(lambda x: x + w, name="g")
        named = fw.function(lambda x: x + w, name="w", signature=[fw.spec(2)])
        plain = lambda x: x  # noqa: E731
        takes: List[Any] = [
            ([], {}, ValueError, "expected at least one function to export, found none"),
            ({}, {}, ValueError, "expected at least one function to export, found none"),
            (None, {}, TypeError, "expected functions of flywheel.function to export, or a list of them, found None"),
            (3, {}, TypeError, "or a list of them, found 3"), ("f", {}, TypeError, "or a list of them, found 'f'"),
            (plain, {}, TypeError, "decorate it with @flywheel.function"),
            ([f, plain], {}, TypeError, "decorate it with"),
            ([f, None], {}, TypeError, "expected functions of flywheel.function to export, found None"),
            ([f, f], {}, ValueError, "expected each function once, found 'f' twice"),
            (g, {}, ValueError, "'g' was not called yet"),
            ([f], {"weights": "old"}, ValueError, 'expected weights "current", "initial" or "none", found \'old\''),
            ([f], {"freeze": w}, TypeError, "found one variable: write freeze=[w]"),
            ([f], {"freeze": ["w"]}, TypeError, "True, False or a list of variables, found 'w' in the list"),
            ([f], {"freeze": "w"}, TypeError, "True, False or a list of variables, found 'w'"),
            ([f], {"freeze": None}, TypeError, "True, False or a list of variables, found None"),
            ([f], {"freeze": 2}, TypeError, "True, False or a list of variables, found 2"),
            ([f], {"freeze": []}, ValueError, "found an empty one: freeze=False freezes none"),
            ([f], {"freeze": [other]}, ValueError, "expected variables of these functions to freeze, found 'other'"),
            ([f], {"freeze": True, "weights": "none"}, ValueError, "with freeze, found \"none\""),
            ([f], {"entries": ["a", "b"]}, ValueError, "a name for each of 1 functions, found 2: a, b"),
            ([f], {"entries": "a"}, TypeError, "expected a list of strings as entries"),
            ([f], {"entries": ["a-b"]}, ValueError, "expected names of C as entries, found 'a-b'"),
            ([f], {"entries": ["1a"]}, ValueError, "expected names of C as entries, found '1a'"),
            ([f], {"entries": [""]}, ValueError, "expected names of C as entries, found ''"),
            ([f], {"entries": ["init"]}, ValueError, "another name than that of the initializer"),
            ([f], {"entries": ["w"]}, ValueError, "expected entries to have other names than variables, found 'w'"),
            ({"a": f}, {"entries": ["a"]}, ValueError, "as keys of the functions or as entries, found both"),
            ([f, named], {"entries": ["a", "a"]}, ValueError, "a name for each entry, found 'a' 2 times"),
            ([f], {"opt_level": 4}, ValueError, "expected opt_level 0 to 3, found 4"),
            ([f], {"opt_level": "O2"}, TypeError, "as opt_level, found 'O2'"),
            ([f], {"max_batch": 0}, ValueError, "expected max_batch within [1, 16777216], found 0"),
            ([f], {"max_batch": 2.0}, TypeError, "as max_batch, found 2.0"),
            ([f], {"max_dim_sizes": {"rows": 3}}, fw.CompileError, "rows"),
            ([f], {"model_name": ""}, ValueError, "expected a model_name, found an empty one"),
            ([f], {"model_name": 3}, TypeError, "as model_name, found 3"),
        ]  # fmt: skip
        for given, options, kind, text in takes:
            try:
                fw.export(given, path, **options)
            except kind as error:
                assert text in str(error), (given, options, error)
            else:
                raise AssertionError(f"expected {kind.__name__}: {text}")
            assert not os.path.exists(path) and not os.path.exists(path[:-2] + ".safetensors"), (given, options)
        try:
            f.export(path, wieghts="none")
        except TypeError as error:
            assert "wieghts" in str(error)
        else:
            raise AssertionError("there is no such option")


run_tests([test_current_values, test_initial_values, test_frozen, test_frozen_initial_values, test_no_weights,
           test_of_one_name, test_names_of_entries, test_said_on_the_screen,
           test_remark_on_bounds, test_errors])  # fmt: skip
