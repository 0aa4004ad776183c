# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the package as a user has it: a first call, training, saving and restoring, and every tool. Prints what it
found. `scripts/test-wheel` runs it with a wheel in an empty environment, and test/Tools/python-m-flywheel.test with the
package of the build tree, which has no programs of the tools.

usage: wheel_checks.py [--installed]
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Dict, List

import numpy as np

import flywheel as fw

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/digits"
MODEL, DATA = str(EXAMPLE / "digits.mlir"), str(EXAMPLE / "digits.safetensors")
TRAIN = [MODEL, f"--data={DATA}", "--train=train_step", "--eval=eval", "--batch-size=64", "--holdout=0.2"]
INITIALIZE = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"processId":1,"rootPath":"","capabilities":{}}}'
REST = ['{"jsonrpc":"2.0","id":1,"method":"shutdown"}', '{"jsonrpc":"2.0","method":"exit"}']

# The command of each tool.
Tools = Dict[str, List[str]]


def close(actual: object, expected: object) -> None:
    np.testing.assert_allclose(np.asarray(actual), np.asarray(expected), rtol=1e-5)


def check_training() -> None:
    """A regression by gradient descent against NumPy's, and its checkpoint."""
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(16, 3)).astype("float32"), rng.normal(size=(16, 2)).astype("float32")
    w = fw.Variable(np.zeros((3, 2), "float32"), name="w")
    sgd = fw.optimizers.SGD(lr=0.1)

    @fw.function
    def step(x, y):  # type: ignore[no-untyped-def]
        loss = fw.mean((x @ w - y) ** 2)
        sgd.minimize(loss)
        return loss

    weights = np.zeros((3, 2))
    for _ in range(5):
        error = x @ weights - y
        close(step(x, y), np.mean(error**2))
        weights -= 0.1 * 2 * x.T @ error / error.size
    close(w.numpy(), weights)
    fw.save("regression.ckpt")
    w.assign(np.ones((3, 2), "float32"))
    fw.restore("regression.ckpt")
    close(w.numpy(), weights)


def check_no_other_llvm() -> None:
    """All code of LLVM and MLIR is the module's own."""
    maps = Path("/proc/self/maps").read_text(encoding="utf-8")
    found = set(re.findall(r"/\S*(?:libLLVM|libMLIR)\S*", maps))
    assert not found, found
    assert Path(fw.__file__).is_relative_to(sys.prefix), fw.__file__


def run(command: List[str], status: int = 0, text: str = "") -> "subprocess.CompletedProcess[str]":
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == status, (command, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return done


def check_tools(tool: Tools) -> None:
    """Each tool reads, computes, writes, and has the exit status that it should."""
    done = run([*tool["run"], *TRAIN, "--epochs=20", "--seed=7", "--save=digits.ckpt"])
    accuracy = re.search(r"^test: loss \S+  correct \d+/359 \((\S+) %\)$", done.stdout, re.M)
    assert accuracy and float(accuracy[1]) > 95, done.stdout
    assert "epoch 20/20" in done.stderr, done.stderr
    assert re.search(r"^\S+ +float32 +\S*64", run([*tool["checkpoint"], "digits.ckpt"]).stdout, re.M)
    run([*tool["compile"], MODEL, "-o", "digits.o"])
    for name, begin in (("digits.o", b"\x7fELF"), ("digits.h", b"/"), ("digits.json", b"{")):
        assert Path(name).read_bytes().startswith(begin), name
    assert "func.func @train_step" in run([*tool["opt"], "--flywheel-expand", MODEL]).stdout
    # A pass of upstream's.
    assert "func.func @f(" in run([*tool["opt"], "--canonicalize"], text="func.func @f() { return }").stdout
    done = run([*tool["lsp-server"], "-lit-test"], text="\n// -----\n".join([INITIALIZE, *REST]))
    assert '"capabilities"' in done.stdout, done.stdout
    # A name that is not text in UTF-8.
    name = os.fsdecode(b"digits-\xe9.mlir")
    shutil.copy(MODEL, name)
    assert "train_step" in run([*tool["run"], name, "--list"]).stdout


def check_ends(tool: Tools) -> None:
    """A tool ends as a program of its own: by its options, its errors, and signals."""
    for name, command in tool.items():
        assert f"flywheel-{name}" in run([*command, "--help"]).stdout
        assert run([*command, "--no-such-option"], status=1).stderr
    assert "error" in run([*tool["run"], "no-such-file.mlir", "--list"], status=1).stderr
    # A shell has its background ignore interrupts, which programs inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    training = subprocess.Popen([*tool["run"], *TRAIN, "--epochs=1000000000"], stderr=subprocess.PIPE)
    assert training.stderr and training.stderr.read(1)
    training.send_signal(signal.SIGINT)
    assert training.wait(60) == -signal.SIGINT
    training.stderr.close()
    # A reader that has enough.
    reader = subprocess.Popen(["head", "-c", "1"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    listing = subprocess.Popen([*tool["checkpoint"], "--values", DATA], stdout=reader.stdin)
    assert reader.stdin
    reader.stdin.close()
    assert listing.wait(60) == -signal.SIGPIPE
    reader.wait()


def main() -> None:
    is_installed = "--installed" in sys.argv[1:]
    names = ("run", "compile", "opt", "checkpoint", "lsp-server")
    by_module: Tools = {name: [sys.executable, "-m", "flywheel", name] for name in names}
    by_program: Tools = {name: [str(Path(sys.executable).parent / f"flywheel-{name}")] for name in names}
    os.environ["FLYWHEEL_CACHE"] = ""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        start = time.perf_counter()
        check_training()
        if is_installed:
            check_no_other_llvm()
        for tools in (by_module, by_program) if is_installed else (by_module,):
            check_tools(tools)
            check_ends(tools)
        os.chdir("/")
    print(f"flywheel {fw.__version__} in Python {sys.version.split()[0]} with NumPy {np.__version__}: "
          f"passed in {time.perf_counter() - start:.0f} s")  # fmt: skip


if __name__ == "__main__":
    main()
