# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""T65: plugins in Python: a model with an op of another project is trained as NumPy trains it; passes run before the
first stage; what is no plugin is refused by its name."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import flywheel as fw
from configurations import raises, run_tests

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "Inputs"))

from reference import X, Y, train  # noqa: E402

LIBRARIES = Path(fw.__file__).resolve().parent.parent.parent / "lib"
TOY, PASSES = LIBRARIES / "libFlywheelToyPlugin.so", LIBRARIES / "libFlywheelTestPlugin.so"
MODEL = HERE / "Inputs/toy.mlir"
RELU = """func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = nn.relu %x : tensor<3xf32>
  return %y : tensor<3xf32>
}"""


def test_errors() -> None:
    raises(fw.CompileError, "toy", lambda: fw.compile(MODEL))
    raises(FileNotFoundError, "none.so", lambda: fw.load_dialect_plugin("none.so"))
    raises(ValueError, "libFlywheelTestPlugin.so': it does not define 'mlirGetDialectPluginInfo'",
           lambda: fw.load_dialect_plugin(PASSES))  # fmt: skip
    raises(ValueError, "libFlywheelToyPlugin.so': it does not define 'mlirGetPassPluginInfo'",
           lambda: fw.load_pass_plugin(TOY))  # fmt: skip
    raises(ValueError, "passes: expected a pipeline of passes, found 'test-rename-activations'",
           lambda: fw.compile(RELU, passes="test-rename-activations"))  # fmt: skip
    raises(TypeError, "passes", lambda: fw.compile(RELU, passes=3))  # type: ignore[arg-type]


def test_dialect() -> None:
    fw.load_dialect_plugin(TOY)
    losses, w = train(5)
    for lowering in ("optimized", "reference"):
        session = fw.Session(fw.compile(MODEL, lowering=lowering))
        session.initialize(seed=1)
        step = session.entry("train_step")
        np.testing.assert_allclose([step(X, Y) for _ in range(5)], losses, rtol=1e-5)
        np.testing.assert_allclose(session["w"], w, rtol=1e-5)
    # Loaded once more, it is the same.
    fw.load_dialect_plugin(str(TOY))
    fw.parse(MODEL.read_text(encoding="utf-8"))


CHANGED = """
import os
import sys

import flywheel as fw

fw.load_dialect_plugin(sys.argv[1])
fw.load_dialect_plugin(sys.argv[1])
os.utime(sys.argv[1], (0, 0))
try:
    fw.load_dialect_plugin(sys.argv[1])
except ValueError as error:
    print(error)
"""


def test_changed() -> None:
    """A plugin that is built again is not the one in memory, and programs of the one are not kept as the other's."""
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copy(TOY, folder)
        done = subprocess.run([sys.executable, "-c", CHANGED, copy], capture_output=True, text=True, check=True)
    assert f"{copy}': it has been loaded, and its file has changed since then" in done.stdout, done.stdout


def test_passes() -> None:
    x = np.array([-1.0, 0.0, 2.0], np.float32)
    plain = fw.Session(fw.compile(RELU)).entry("f")
    np.testing.assert_array_equal(plain(x), np.maximum(x, 0))
    fw.load_pass_plugin(PASSES)
    other = fw.Session(fw.compile(RELU, passes="test-rename-activations,cse")).entry("f")
    np.testing.assert_allclose(other(x), np.log1p(np.exp(x)) / 2, rtol=1e-6)


def test_cache() -> None:
    """A program that was compiled with another file of a plugin is not taken from the cache."""
    with tempfile.TemporaryDirectory() as folder:
        plugin = Path(folder) / "plugin.so"
        command = ["flywheel-run", f"--load-pass-plugin={plugin}", "--passes=test-rename-activations", "-", "--list",
                   "--time-stages", f"--cache-dir={folder}/cache"]  # fmt: skip
        found = []
        for copy in (True, False, True):
            if copy:
                plugin.unlink(missing_ok=True)
                plugin.write_bytes(PASSES.read_bytes())
            said = subprocess.run(command, input=RELU, text=True, capture_output=True, check=True).stderr
            found.append("flywheel-expand" in said)
        assert found == [True, False, True], found


run_tests([test_errors, test_dialect, test_passes, test_cache])
