# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""S3: a variable that no memory holds is an error that names it, and leaves the store to the others."""

import json
import resource
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import flywheel as fw
from configurations import run_tests

SIZE = 2**50
TEXT = f"'huge' has {4 * SIZE}"

small = fw.Variable(np.ones(3, np.float32), name="small")
other = fw.Variable(fw.initializers.Ones(), shape=(2,), name="other")
huge = fw.Variable(fw.initializers.Zeros(), shape=(SIZE,), name="huge")


@fw.function
def add(x: Any) -> Any:
    small.assign(small + x)
    return small + 0


@fw.function
def read() -> Any:
    return huge[3]


@fw.function
def both() -> Any:
    small.assign(small * 2)
    return huge[3]


def expect_no_memory(action: Any, text: str = TEXT) -> None:
    try:
        action()
    except MemoryError as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"expected a MemoryError: {text}")


def test_calls() -> None:
    for store in (fw.Store(), fw.Store(seed=3)):
        with store:
            assert (add(np.ones(3, np.float32)) == 2).all()
            for action in (read, both, huge.numpy, store.initialize):
                expect_no_memory(action)
                assert not huge.is_initialized()
                assert (small.numpy() == 2).all() and (other.numpy() == 1).all()
            assert (add(np.ones(3, np.float32)) == 3).all()
            store.reset(["huge", "small"])
            assert (add(np.ones(3, np.float32)) == 2).all()


def test_files() -> None:
    """The other variables of a checkpoint are saved and restored."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "small.safetensors")
        with fw.Store() as store:
            add(np.ones(3, np.float32))
            expect_no_memory(read)
            expect_no_memory(lambda: fw.save(path))
            fw.save(path, [small, other])
            assert not Path(folder, "checkpoint").exists()
            saved = store.save_step(fw.CheckpointManager(), Path(folder, "step"), 4, [small])
            add(np.ones(3, np.float32))
            fw.restore(path, [small])
            assert (small.numpy() == 2).all()
        with fw.Store() as store:
            expect_no_memory(lambda: fw.restore(path, [huge]), f"no memory for the {4 * SIZE} bytes of variable 'huge'")
            try:
                fw.restore(path)
            except fw.NotFoundError as error:
                assert "huge" in str(error), error
            else:
                raise AssertionError("the checkpoint does not have 'huge'")
            fw.restore(path, [other, small])
            assert (small.numpy() == 2).all() and (other.numpy() == 1).all()
            assert store.restore_latest(folder, [small]) and Path(saved).exists()
            assert (add(np.ones(3, np.float32)) == 3).all()


def write_checkpoint(path: Path, shapes: dict[str, list[int]]) -> None:
    """A checkpoint of ours with holes for data: zeros, which take no room on a disk."""
    header: dict[str, Any] = {"__metadata__": {"flywheel_format": "1"}}
    end = 0
    for name, shape in shapes.items():
        begin, end = end, end + 4 * int(np.prod(shape))
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        file.truncate(8 + len(text) + end)


def expect_unchanged(action: Any, kind: type[Exception], text: str) -> None:
    with fw.Store() as store:
        add(np.ones(3, np.float32))
        try:
            action()
        except kind as error:
            assert text in str(error), error
        else:
            raise AssertionError(f"expected a {kind.__name__}: {text}")
        assert not {"late", "vast"} & set(store.names), store.names
        assert (small.numpy() == 2).all()
        store.declare("late", "int32", [5])  # It is as free as before.


def test_failed_restores() -> None:
    """S3: a restore that fails adds no variable that only the checkpoint has."""
    with tempfile.TemporaryDirectory() as folder:
        vast, other_shape = Path(folder, "vast-1"), Path(folder, "shape")
        write_checkpoint(vast, {"late": [2], "small": [3], "vast": [2**30]})
        write_checkpoint(other_shape, {"late": [2], "small": [4]})
        Path(folder, "checkpoint").write_text(f'model_checkpoint_path: "{vast.name}"\n')
        expect_unchanged(lambda: fw.restore(other_shape), ValueError, "small")
        limits = resource.getrlimit(resource.RLIMIT_AS)
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 2**31, limits[1]))
        try:
            text = "no memory for the 4294967296 bytes of variable 'vast'"
            expect_unchanged(lambda: fw.restore(vast), MemoryError, text)
            expect_unchanged(lambda: fw.current_store().restore_latest(folder), MemoryError, text)
        finally:
            resource.setrlimit(resource.RLIMIT_AS, limits)


def test_failed_bind() -> None:
    """S3: nor does a program whose variables do not fit the existing ones."""
    source = "".join(f"train.variable @{name} : tensor<3xf32> = #train.zeros\n" for name in "ab")
    source += "func.func @f() -> tensor<3xf32> {\n"
    source += "  %a = train.read @a : tensor<3xf32>\n  %b = train.read @b : tensor<3xf32>\n"
    source += "  %0 = nn.add %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>\n  return %0 : tensor<3xf32>\n}\n"
    store = fw.Store()
    store.declare("b", "float32", [4])
    try:
        store.bind(fw.Session(fw.compile(fw.parse(source))), ["a", "b"])
    except ValueError as error:
        assert "variable 'b' is float32[4] here" in str(error), error
    else:
        raise AssertionError("expected a ValueError")
    assert store.names == ["b"]


run_tests([test_calls, test_files, test_failed_restores, test_failed_bind])
