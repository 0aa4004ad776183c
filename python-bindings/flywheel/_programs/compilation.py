# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling traced modules once: in this process, and on disk."""

import contextlib
import os
import threading
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

from .. import _flywheel
from .._flywheel import ModuleOp, Program
from ._progress import announcing
from .options import StepOptions


class _Local(threading.local):
    def __init__(self) -> None:
        # Devices of the blocks of `device`, the innermost last.
        self.devices: List[str] = []


_local = _Local()

# Programs of this process by their key, the last used one last.
_programs: Dict[str, Program] = {}
_MOST_PROGRAMS = 256


def forget_programs() -> None:
    """Has modules compiled again, or read from the disk."""
    _programs.clear()


def cache_folder() -> Optional[Path]:
    """Returns the folder of compiled programs: FLYWHEEL_CACHE of the environment, or `flywheel` in the user's folder of
    caches. Returns None if FLYWHEEL_CACHE is empty, `0` or `off`."""
    given = os.environ.get("FLYWHEEL_CACHE")
    if given is not None:
        return None if given in ("", "0", "off") else Path(given)
    home = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(home) if home else Path.home() / ".cache") / "flywheel"
    except RuntimeError:
        return None


@contextlib.contextmanager
def device(name: str) -> Iterator[None]:
    """Functions and models of Keras that this thread creates in this block are compiled for a device: `/cpu:0`, or
    `/gpu:0`. FLYWHEEL_GPU_TARGET of the environment names the target of `/gpu:0`, by default `cuda`. A step that runs
    on a machine without the device fails with an error that names it."""
    target_of(name)
    _local.devices.append(name)
    try:
        yield
    finally:
        _local.devices.pop()


def target_of(name: str) -> str:
    """The target that a device is: empty for the CPU. Raises ValueError for one that there cannot be."""
    kind, _, number = name.rpartition("/")[2].lower().removeprefix("device:").partition(":")
    if kind not in ("cpu", "gpu") or (number or "0") != "0":
        raise ValueError(f"Cannot assign a device: it is to be '{name}', and devices are: /cpu:0, /gpu:0")
    return os.environ.get("FLYWHEEL_GPU_TARGET", "cuda") if kind == "gpu" else ""


def current_devices() -> List[str]:
    """The device of the innermost block of `device`, or nothing."""
    return _local.devices[-1:]


def current_target() -> str:
    """Returns the target of the innermost block of `device`, or ""."""
    return target_of(_local.devices[-1]) if _local.devices else ""


def compile_module(module: ModuleOp, options: StepOptions, name: str = "a graph") -> Program:
    """The program of a module: from this process, or the disk, or the compiler. `name` says in progress what it is.

    Modules that differ only in the locations of their ops share one program, which names those of the module at run
    time. Warnings of the compiler are repeated each time. They name locations, so that a module with other locations
    is compiled if there are warnings.
    """
    key = options.key(module)
    known = _programs.pop(key, None)
    found = None if known is None else _flywheel._reuse(known, module)
    if found is None:
        folder = cache_folder()
        with announcing(name):
            found = _flywheel._compile_traced(module, "" if folder is None else str(folder), options.given())
    _programs[key] = found
    if len(_programs) > _MOST_PROGRAMS:
        del _programs[next(iter(_programs))]
    return found


def compile_graph(graph: Any) -> Program:
    """The program of a graph that is finished."""
    return compile_module(graph.finish(), StepOptions())
