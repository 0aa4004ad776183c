# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling traced modules once: in this process, and on disk."""

import contextlib
import dataclasses
import hashlib
import operator
import os
import threading
from collections.abc import Sequence, Set
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

from . import _flywheel
from ._flywheel import Module, Program


class _Local(threading.local):
    def __init__(self) -> None:
        # Devices of the blocks of `device`, the innermost last.
        self.devices: List[str] = []


_local = _Local()

# Programs of this process by their key, the last used one last.
_programs: Dict[str, Program] = {}
_MOST_PROGRAMS = 256


def cache_folder() -> Optional[Path]:
    """Where compiled programs are kept: FLYWHEEL_CACHE of the environment, or
    `flywheel` in the user's folder of caches; None where FLYWHEEL_CACHE is empty."""
    given = os.environ.get("FLYWHEEL_CACHE")
    if given is not None:
        return Path(given) if given else None
    home = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(home) if home else Path.home() / ".cache") / "flywheel"
    except RuntimeError:
        return None


@contextlib.contextmanager
def device(name: str) -> Iterator[None]:
    """Functions that are made in this block, by this thread, and models of Keras, are for a device: `/cpu:0`, or
    `/gpu:0`. What that is a target of, FLYWHEEL_GPU_TARGET of the environment says: by default
    `cuda`. A step that runs on a machine without it fails, and says so."""
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
    """That of the innermost block of `device`."""
    return target_of(_local.devices[-1]) if _local.devices else ""


@dataclasses.dataclass(frozen=True)
class StepOptions:
    """How a traced module is compiled; see `function`. Raises TypeError for what is of another kind."""

    threads: Optional[int] = None
    target: str = ""
    winograd: bool = False
    check_numerics: bool = False
    memory_budget: Optional[int] = None

    def __post_init__(self) -> None:
        check_kinds(threads=self.threads, winograd=self.winograd, check_numerics=self.check_numerics,
                    memory_budget=self.memory_budget, target=self.target)  # fmt: skip
        for name in ("threads", "memory_budget"):
            number = getattr(self, name)
            object.__setattr__(self, name, None if number is None else operator.index(number))

    def key(self, module: Module) -> str:
        """Of a module, equal for what is the same program in this process."""
        workers = os.environ.get("FLYWHEEL_NUM_THREADS", "") if self.threads is None else str(self.threads)
        options = [self.target, self.winograd, self.check_numerics, self.memory_budget]
        parts = [workers, *map(str, options), str(module)]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


# Of each option what it is, in code and in words, and whether it may be left out.
_NUMBER, _TRUTH, _TEXT = int, bool, str
_KINDS = {
    "threads": (_NUMBER, "a number of threads", True),
    "memory_budget": (_NUMBER, "a number of bytes", True),
    "min_shared_work": (_NUMBER, "a number of operations", False),
    "max_dim_size": (_NUMBER, "a number, or a dict from sizes to numbers,", True),
    "size_bound": (_NUMBER, "a number", False),
    "opt_level": (_NUMBER, "0 to 3", False),
    "winograd": (_TRUTH, "True or False", False),
    "check_numerics": (_TRUTH, "True or False", False),
    "profile": (_TRUTH, "True or False", False),
    "target": (_TEXT, "a string such as 'cuda:sm_90a'", True),
    "cpu": (_TEXT, "a string such as 'x86-64-v3'", True),
    "features": (_TEXT, "a string such as '+avx2,-fma'", True),
    "lowering": (_TEXT, "'optimized' or 'reference'", True),
    "model_name": (_TEXT, "a string", True),
    "name": (_TEXT, "a string", True),
    "size_name": (_TEXT, "the name of a size", False),
}


def check_kinds(**options: Any) -> None:
    """Raises TypeError for an option that is of another kind than it is to be, ValueError for a number
    that is none of 64 bits. None is one that is not given."""
    for name, value in options.items():
        kind, expected, is_optional = _KINDS[name]
        if value is None and is_optional:
            continue
        if kind is _NUMBER and not isinstance(value, bool):
            try:
                number = operator.index(value)
            except TypeError:
                raise TypeError(f"expected {expected} as {name}, found {value!r}") from None
            if not -(2**63) <= number < 2**63:
                raise ValueError(f"expected {expected} as {name}, found {value!r}, which has more than 64 bits")
        elif not isinstance(value, kind) or kind is _NUMBER:
            raise TypeError(f"expected {expected} as {name}, found {value!r}")


def check_names(**lists: Any) -> None:
    """Raises TypeError for what is no list of strings."""
    for name, given in lists.items():
        is_list = isinstance(given, (Sequence, Set)) and not isinstance(given, (str, bytes))
        if not is_list or not all(isinstance(one, str) for one in given):
            raise TypeError(f"expected a list of strings as {name}, found {given!r}")


def compile_module(module: Module, options: StepOptions) -> Program:
    """The program of a module: from this process, or the disk, or the compiler.

    A program with warnings is not kept on disk, so that they are heard each time. One that checks
    numbers has places of the source in its messages, and is not kept at all.
    """
    given = dataclasses.asdict(options)
    if options.check_numerics:
        return _flywheel._compile_traced(module, cache_folder="", **given)
    key = options.key(module)
    found = _programs.pop(key, None)
    if found is None:
        folder = cache_folder()
        found = _flywheel._compile_traced(module, cache_folder="" if folder is None else str(folder), **given)
    _programs[key] = found
    if len(_programs) > _MOST_PROGRAMS:
        del _programs[next(iter(_programs))]
    return found


def compile_graph(graph: Any) -> Program:
    """The program of a graph that is finished."""
    return compile_module(graph.finish(), StepOptions())
