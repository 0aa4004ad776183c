# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, torch, onnx, jax
# RUN: rm -rf %t && mkdir %t
# RUN: env FLYWHEEL_CACHE= %peers_python %s %t %cc
"""P14: imported models of PyTorch, ONNX and JAX are exported with the options of functions."""

import json
import os
import subprocess
import sys
from typing import Any, Callable, Dict, List, Tuple

import jax
import jax.export
import jax.numpy as jnp
import numpy as np
import onnx
import torch

import flywheel as fw
import flywheel.jax
import flywheel.onnx
import flywheel.torch
from configurations import run_tests

FOLDER, *CC = sys.argv[1:]
rng = np.random.default_rng(1)
X, Y = rng.normal(size=(6, 3)).astype(np.float32), rng.normal(size=(6, 2)).astype(np.float32)
W = rng.normal(size=(3, 2)).astype(np.float32)

MAIN = """
#include "model.h"
#include <stdio.h>
#include <stdlib.h>
static const float x[] = {%s}, y[] = {%s};
int main(void) {
  char *memory = malloc(MODEL_STATE_BYTES + MODEL_STATE_ALIGN);
  model_state *s = (model_state *)(memory + MODEL_STATE_ALIGN - (size_t)memory %% MODEL_STATE_ALIGN);
  float loss, out[12];
  if (model_init(s, 3)) return 1;
  for (int i = 0; i < 3; ++i) {
    if (model_step(s, x, y, &loss)) return 2;
    printf("%%a ", loss);
  }
  if (model_forward(s, x, %s)) return 3;
  for (int i = 0; i < %d; ++i) printf("%%a ", out[i]);
  free(memory);
  return 0;
}
"""


def mse(a: Any, b: Any) -> Any:
    return fw.mean((a - b) ** 2)


def make_torch() -> Any:
    torch.manual_seed(1)
    return fw.torch.from_module(torch.nn.Linear(3, 2), (torch.tensor(X),), loss=mse, optimizer=fw.optimizers.Adam(0.1))


def make_onnx() -> Any:
    node = onnx.helper.make_node("MatMul", ["x", "w"], ["y"])
    graph = onnx.helper.make_graph(
        [node], "g", [onnx.helper.make_tensor_value_info("x", 1, [6, 3])],
        [onnx.helper.make_tensor_value_info("y", 1, [6, 2])], [onnx.numpy_helper.from_array(W, "w")])  # fmt: skip
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)])
    path = os.path.join(FOLDER, "model.onnx")
    onnx.save(model, path)
    return fw.onnx.load(path, loss=mse, optimizer=fw.optimizers.Adam(0.1))


def make_jax() -> Any:
    def loss(params: Any, x: Any, y: Any) -> Any:
        return jnp.mean((x @ params["w"] - y) ** 2)

    return fw.jax.from_function(loss, {"w": W}, (X, Y), optimizer=fw.optimizers.Adam(0.1))


MODELS: Dict[str, Tuple[Callable[[], Any], str, int]] = {
    "torch": (make_torch, "out", 12), "onnx": (make_onnx, "out", 12), "jax": (make_jax, "y, out", 1)}  # fmt: skip


def test_training_goes_on() -> None:
    for name, (make, arguments, count) in MODELS.items():
        with fw.Namespace(), fw.Store(seed=3):
            model = make()
            for _ in range(3):
                model.step(X, Y)
            folder = os.path.join(FOLDER, name)
            os.makedirs(folder)
            path, source = os.path.join(folder, "model.o"), os.path.join(folder, "main.c")
            model.export(path)
            numbers: List[str] = [", ".join(map(str, map(float, array.reshape(-1)))) for array in (X, Y)]
            with open(source, "w") as file:
                file.write(MAIN % (*numbers, arguments, count))
            subprocess.run([*CC, source, path, "-o", source[:-2], "-lm"], check=True)
            output = subprocess.run([source[:-2]], check=True, capture_output=True, text=True).stdout
            steps = [model.step(X, Y) for _ in range(3)]
            last = model(X, Y) if name == "jax" else model(X)
            wanted = np.array([*steps, *np.reshape(last, -1)], np.float32)
            np.testing.assert_array_equal(np.array([float.fromhex(t) for t in output.split()], np.float32), wanted)


def test_options() -> None:
    for name, (make, _, _) in MODELS.items():
        with fw.Namespace(), fw.Store():
            model, path = make(), os.path.join(FOLDER, f"{name}.o")
            model.export(path, entries={"run": "forward"}, freeze=True, max_batch=4, opt_level=1)
            with open(path[:-2] + ".json") as file:
                found = json.load(file)
            assert found["entries"][0]["name"] == "run" and found["constants"] and not found["variables"], found
            model.export(path, entries=["forward"], weights="initial")
            model.export(path, entries=["forward"], weights="none")
            assert os.path.exists(path[:-2] + ".safetensors")
            try:
                model.export(path, entries=["backward"])
            except ValueError as error:
                assert "expected entries among forward, " in str(error) or "among forward" in str(error), error
            else:
                raise AssertionError("there is no such entry")


SIZES = """
#include "model.h"
#include <stdio.h>
#include <stdlib.h>
static const float x[] = {%s};
int main(void) {
  char *memory = malloc(MODEL_STATE_BYTES + MODEL_STATE_ALIGN);
  model_state *s = (model_state *)(memory + MODEL_STATE_ALIGN - (size_t)memory %% MODEL_STATE_ALIGN);
  float out[12];
  if (model_init(s, 3)) return 1;
  for (int batch = 2; batch < 6; batch += 3) {
    if (model_forward(s, x, batch, out)) return 2;
    for (int i = 0; i < 2 * batch; ++i) printf("%%a ", out[i]);
  }
  if (!model_forward(s, x, 6, out)) return 3;
  free(memory);
  return 0;
}
"""


def make_open_torch(**given: Any) -> Any:
    torch.manual_seed(1)
    batch = torch.export.Dim("rows", min=2, max=5)
    return fw.torch.from_module(torch.nn.Linear(3, 2), (torch.tensor(X)[:4],), dynamic_shapes=({0: batch},), **given)


def make_open_jax(**given: Any) -> Any:
    rows = jax.export.symbolic_shape("rows, 3", constraints=["rows >= 2", "rows <= 5"])
    return fw.jax.from_function(lambda params, x: x @ params["w"], {"w": W},
                                (jax.ShapeDtypeStruct(rows, np.float32),), **given)  # fmt: skip


def make_open_onnx(**given: Any) -> Any:
    node = onnx.helper.make_node("MatMul", ["x", "w"], ["y"])
    graph = onnx.helper.make_graph(
        [node], "g", [onnx.helper.make_tensor_value_info("x", 1, ["rows", 3])],
        [onnx.helper.make_tensor_value_info("y", 1, ["rows", 2])], [onnx.numpy_helper.from_array(W, "w")])  # fmt: skip
    return fw.onnx.load(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)]), **given)


OPEN: Dict[str, Callable[..., Any]] = {"torch": make_open_torch, "jax": make_open_jax, "onnx": make_open_onnx}


def read_entries(path: str) -> Dict[str, Tuple[List[str], List[int], List[Any]]]:
    with open(path[:-2] + ".json") as file:
        found = json.load(file)["entries"]
    return {one["name"]: (one["dim_sizes"], one["max_dim_sizes"], one["feeds"][-1]["shape"])
            for one in found if one["name"] != "init"}  # fmt: skip


def test_sizes_of_calls() -> None:
    """P14: a size that the import declares to be a call's choice is one of the exported program, whatever was called
    before, and has the bound of the import; ONNX has no bounds."""
    for name, make in OPEN.items():
        for calls in ((), (3,), (4, 2)):
            with fw.Namespace(), fw.Store(seed=3):
                model, path = make(), os.path.join(FOLDER, f"open_{name}.o")
                for count in calls:
                    model(X[:count])
                options = {"max_dim_sizes": {"rows": 5}} if name == "onnx" else {}
                model.export(path, model_name="model", **options)
                assert read_entries(path) == {"forward": (["rows"], [5], ["rows", 3])}, read_entries(path)
        with fw.Namespace(), fw.Store(seed=3):
            model = make()
            model.export(path, model_name="model", max_dim_sizes={"rows": 7})
            assert read_entries(path)["forward"][1] == [7]
            model.export(path, model_name="model", **options)
            folder = os.path.join(FOLDER, f"open_{name}")
            os.makedirs(folder)
            for kind in (".o", ".h"):
                os.rename(path[:-2] + kind, os.path.join(folder, "model" + kind))
            source = os.path.join(folder, "main.c")
            with open(source, "w") as file:
                file.write(SIZES % ", ".join(map(str, map(float, X.reshape(-1)))))
            subprocess.run([*CC, source, os.path.join(folder, "model.o"), "-o", source[:-2], "-lm"], check=True)
            output = subprocess.run([source[:-2]], check=True, capture_output=True, text=True).stdout
            found = np.array([float.fromhex(t) for t in output.split()], np.float32).reshape(7, 2)
            weights = model.variables["weight"].numpy().T if name == "torch" else W
            bias = model.variables["bias"].numpy() if name == "torch" else 0.0
            np.testing.assert_allclose(found, X[[0, 1, 0, 1, 2, 3, 4]] @ weights + bias, 1e-5, 1e-6)


def test_sizes_of_steps() -> None:
    """The targets that a loss of this package takes have the sizes of the inputs by name."""
    for name, make in OPEN.items():
        with fw.Namespace(), fw.Store(seed=3):
            model, path = make(loss=mse, optimizer=fw.optimizers.SGD(0.1)), os.path.join(FOLDER, f"step_{name}.o")
            model.step(X[:3], Y[:3])
            model.export(path, model_name="model", entries=["step"])
            sizes = [1024] if name == "onnx" else [5]
            assert read_entries(path) == {"step": (["rows"], sizes, ["rows", 2])}, read_entries(path)
    # A target of as many weights of classes as the only batch has rows keeps its size.
    with fw.Namespace(), fw.Store(seed=3):
        model = make_open_torch(loss=lambda out, y, weights: mse(out * weights, y), optimizer=fw.optimizers.SGD(0.1))
        model.step(X[:2], Y[:2], np.ones(2, np.float32))
        model.export(path, model_name="model", entries=["step"])
        with open(path[:-2] + ".json") as file:
            shapes = [feed["shape"] for feed in json.load(file)["entries"][0]["feeds"]]
        assert shapes == [["rows", 3], ["rows", 2], [2]], shapes
    batch = torch.export.Dim("rows", max=5)
    with fw.Namespace(), fw.Store(seed=3):
        model = fw.torch.from_module(
            torch.nn.Linear(3, 2), (torch.tensor(X)[:4],), loss=torch.nn.MSELoss(), optimizer=fw.optimizers.SGD(0.1),
            example_targets=(torch.tensor(Y)[:4],), dynamic_shapes=({0: batch}, {0: batch}))  # fmt: skip
        model.export(path, model_name="model")
        assert read_entries(path) == {"forward": (["rows"], [5], ["rows", 3]), "step": (["rows"], [5], ["rows", 2])}


def test_bounds() -> None:
    """A call with a size out of the bounds of the import is an error: the model may do something else there."""
    for name, make in OPEN.items():
        if name == "onnx":
            continue
        with fw.Namespace(), fw.Store():
            model = make(loss=mse, optimizer=fw.optimizers.SGD(0.1))
            inside = fw.function(lambda x, model=model: model(x))
            for count in (1, 6):
                for call in (model, inside, lambda x, model=model: model.step(x, Y[: len(x)])):
                    try:
                        call(X[:count])
                    except ValueError as error:
                        assert f"for sizes of 2 to 5 as 'rows', found {count}" in str(error), error
                    else:
                        raise AssertionError((name, count))


def test_bounds_of_calls() -> None:
    """The same where the call chooses the size, as after two of them: the step fails."""
    for name, make in OPEN.items():
        if name == "onnx":
            continue
        with fw.Namespace(), fw.Store():
            model = make(loss=mse, optimizer=fw.optimizers.SGD(0.1))
            inside = fw.function(lambda x, model=model: model(x), dynamic=True)
            for call in (model, inside, lambda x, model=model: model.step(x, Y[: len(x)])):
                for count in (3, 4, 5, 2):
                    call(X[:count])
                for count in (1, 6):
                    try:
                        call(X[:count])
                    except (ValueError, fw.InvalidArgumentError) as error:
                        assert "imported for" in str(error) and f"found {count}" in str(error), error
                    else:
                        raise AssertionError((name, count))


run_tests([test_training_goes_on, test_options, test_sizes_of_calls, test_sizes_of_steps, test_bounds,
           test_bounds_of_calls])
