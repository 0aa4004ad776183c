# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""S3: a variable that no memory holds is an error that names it, and leaves the store to the others."""

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
    """What a checkpoint has of the others is saved and restored."""
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


run_tests([test_calls, test_files])
