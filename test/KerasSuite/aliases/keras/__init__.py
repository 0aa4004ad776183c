# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`keras` is `flywheel.keras`, for the tests of Keras 2.1.6. `keras.utils.test_utils`, which only tests use, is that of
the package, whose folder KERAS_SUITE_SOURCE of the environment names."""

import builtins
import importlib
import importlib.abc
import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

import h5py  # type: ignore[import-not-found]
import numpy
import six  # type: ignore[import-untyped]

TEST_UTILS = "keras.utils.test_utils"


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `keras.x` as `flywheel.keras.x`."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name.partition(".")[0] != "keras":
            return None
        if name == TEST_UTILS:
            file = Path(os.environ["KERAS_SUITE_SOURCE"]) / "keras" / "utils" / "test_utils.py"
            return importlib.util.spec_from_file_location(name, file)
        if importlib.util.find_spec(f"flywheel.{name}") is None:
            return None
        return importlib.util.spec_from_loader(name, self, is_package=True)

    def create_module(self, spec: Any) -> Any:
        return importlib.import_module(f"flywheel.{spec.name}")

    def exec_module(self, module: Any) -> None:
        pass


sys.meta_path.insert(0, Finder())
sys.modules["keras"] = importlib.import_module("flywheel.keras")
importlib.import_module("flywheel.keras.utils").test_utils = importlib.import_module(TEST_UTILS)  # type: ignore[attr-defined]

# Keras loads the code of a Lambda from any file; here a program says that it trusts its files.
importlib.import_module("flywheel.keras.config").enable_unsafe_deserialization()
# A name of the NumPy of that time.
numpy.alltrue = numpy.all  # type: ignore[attr-defined]
# Tests answer a question in place of `six.moves.input`, by which Keras asks.
six.moves.input = builtins.input
builtins.input = lambda *prompt: six.moves.input(*prompt)
# The h5py of that time opened a file to write, too, unless told otherwise, and had a second name of `id`.
h5py.File.__init__.__defaults__ = ("a", *h5py.File.__init__.__defaults__[1:])
h5py.File.fid = property(lambda self: self.id)
# Functions inside of Keras that its tests import: the tests that call them are listed in reasons.txt.
INTERNAL = {"engine.topology": ("_object_list_uid",)}
# Layers of GPUs: the tests name them where they are collected.
_layers = importlib.import_module("flywheel.keras.layers")
for _name in ("CuDNNGRU", "CuDNNLSTM"):
    setattr(_layers, _name, type(_name, (), {}))
# The backend is the only one there is, and sees no GPU.
_backend: Any = importlib.import_module("flywheel.keras.backend")
_backend.tensorflow_backend, _backend._get_available_gpus = _backend, lambda: []
for _module, _names in INTERNAL.items():
    for _name in _names:
        setattr(importlib.import_module(f"flywheel.keras.{_module}"), _name, None)
importlib.import_module("flywheel.keras.engine.topology")._to_list = importlib.import_module(  # type: ignore[attr-defined]
    "flywheel.keras.engine.topology").to_list  # fmt: skip
