# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One model in several configurations, behind one interface.

A numeric test says once what a model must compute and runs it as

* `reference`: plain scalar loops, in this process,
* `optimized`: fused, tiled and vectorized, in this process,
* `avx2`: the same with the instructions of x86-64-v3 only,
* `object`: an object file of flywheel-compile, linked to a shared library and
  called through ctypes.

* `workers`: the same object file for three workers, which share all that can be shared
  and run in any order between barriers (teams.py),
* `gpu`: kernels of a GPU, which a simulator executes on the host.

`threads`, for tests that ask for it, is `optimized` by two threads that share as much.
"""

import copy
import ctypes
import json
import os
import platform
import re
import subprocess
import tempfile
import warnings
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Type

import numpy as np
from numpy.typing import NDArray

import flywheel
import selection
from teams import Team

Array = NDArray[Any]

ALL = ("reference", "optimized", "avx2", "object", "workers", "gpu")
IN_PROCESS = ("reference", "optimized", "avx2", "gpu")
# The target that the simulator executes.
GPU_TARGET = "cuda:sm_90a:bitcode"

# True if tests run their models on a GPU only.
ONLY_GPU = bool(os.environ.get("FLYWHEEL_TEST_ONLY_GPU"))

# Relative and absolute tolerance of results that no rounding mode explains.
TOLERANCES = {"float64": (1e-9, 1e-12), "float32": (1e-5, 1e-6)}


class Failure(Exception):
    """The error that a call of an object file reports."""


def dtype_of(name: str) -> "np.dtype[Any]":
    if name == "bfloat16":
        import ml_dtypes

        name = ml_dtypes.bfloat16
    if name == "string":  # In a block, its number.
        name = "int64"
    return np.dtype(name)


class Model:
    """The variables and entries of a compiled model."""

    def initialize(self, seed: int = 1, names: Optional[Sequence[str]] = None,
                   collection: Optional[str] = None) -> None:
        raise NotImplementedError

    def is_initialized(self, name: str) -> bool:
        raise NotImplementedError

    def run(self, entry: str, *feeds: Array) -> Any:
        """None, the array of the only result, or a tuple of arrays."""
        raise NotImplementedError

    def workspace_bytes(self, entry: str) -> int:
        """The bytes of a call whose dimension sizes are the largest that the model is made for."""
        raise NotImplementedError

    def variables(self) -> List[str]:
        raise NotImplementedError

    def another(self) -> "Model":
        """The same code with variables of its own, which have no values."""
        raise NotImplementedError

    def __getitem__(self, name: str) -> Array:
        raise NotImplementedError

    def __setitem__(self, name: str, value: Any) -> None:
        raise NotImplementedError

    def snapshot(self) -> Dict[str, Array]:
        """Copies of all variables, which must have values."""
        return {name: self[name] for name in self.variables()}


class SessionModel(Model):
    """A session of this process."""

    def __init__(
        self,
        text: str,
        lowering: str,
        cpu: Optional[str],
        entries: Sequence[str],
        freeze: Optional[str],
        memory_budget: Optional[int],
        max_dim_size: int,
        threads: int = 1,
        target: Optional[str] = None,
    ) -> None:
        # Steps of tests are small: threads share them only if told so.
        shared: Dict[str, Any] = {"min_shared_work": 0} if threads > 1 else {}
        with warnings.catch_warnings():
            # A configuration with an option that its back end does not read would be another's twin.
            warnings.filterwarnings("error", ".*has no effect", flywheel.CompileWarning)
            self.program = flywheel.compile(text, lowering=lowering, cpu=cpu, entries=entries, freeze=freeze,
                                            memory_budget=memory_budget, max_dim_size=max_dim_size, threads=threads,
                                            target=target, **shared)
        self.session = flywheel.Session(self.program)
        self.max_dim_size = max_dim_size

    def another(self) -> Model:
        other = copy.copy(self)
        other.session = flywheel.Session(self.program)
        return other

    def workspace_bytes(self, entry: str) -> int:
        info = next(info for info in self.program.entries if info.name == entry)
        return info.workspace_bytes(**{symbol: self.max_dim_size for symbol in info.symbols})

    def initialize(self, seed: int = 1, names: Optional[Sequence[str]] = None,
                   collection: Optional[str] = None) -> None:
        self.session.initialize(seed, names, collection)

    def is_initialized(self, name: str) -> bool:
        return self.session.is_initialized(name)

    def run(self, entry: str, *feeds: Array) -> Any:
        return self.session.run(entry, *feeds)

    def variables(self) -> List[str]:
        return self.session.variables

    def __getitem__(self, name: str) -> Array:
        return self.session[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self.session[name] = value


class ObjectModel(Model):
    """An object file, through its C interface and its manifest."""

    INITIALIZED = 64  # Offset of the byte of each variable, in layout order.

    def __init__(
        self,
        text: str,
        max_dim_size: int = 1024,
        entries: Sequence[str] = (),
        freeze: Optional[str] = None,
        memory_budget: Optional[int] = None,
        lowering: str = "optimized",
        threads: int = 1,
    ) -> None:
        # Removed at the end; the loaded library stays mapped.
        with tempfile.TemporaryDirectory() as folder:
            stem = os.path.join(folder, "model")
            with open(stem + ".mlir", "w") as file:
                file.write(text)
            command = ["flywheel-compile", stem + ".mlir", "-o", stem + ".o", f"--max-batch={max_dim_size}",
                       f"--lowering={lowering}"]
            if entries:
                command.append("--entries=" + ",".join(entries))
            if freeze is not None:
                command.append("--freeze=" + freeze)
            if memory_budget is not None:
                command.append(f"--memory-budget={memory_budget}")
            if threads > 1:
                command += [f"--threads={threads}", "--min-shared-work=0"]
            subprocess.run(command, check=True)
            # Not by a compiler, whose start takes longer than all of this.
            subprocess.run(["ld", "-shared", stem + ".o", "-o", stem + ".so", "-lm"], check=True)
            self.library = ctypes.CDLL(stem + ".so")
            with open(stem + ".json") as file:
                self.manifest = json.load(file)
        self.prefix = self.manifest["model"]
        # Entries of an object file for several threads take a team; none is one worker.
        self.takes_team = threads > 1
        self.team: Optional[Team] = None
        self.block = self.make_block()
        self.entries = {entry["name"]: entry for entry in self.manifest["entries"]}
        self.infos = {info["name"]: (index, info) for index, info in enumerate(self.manifest["variables"])}

    def another(self) -> Model:
        other = copy.copy(self)
        other.block = self.make_block()
        return other

    def make_block(self) -> Array:
        """A block of state that is not initialized."""
        block = self.allocate_block(self.manifest["c_state_bytes"])
        # It may have any content. If its workspace is for dimension sizes that no test has, most of it is never
        # touched.
        block[:1 << 26] = 0xA5
        return block

    def allocate_block(self, size: int) -> Array:
        """Bytes aligned to 64."""
        storage = np.empty(size + 64, np.uint8)
        offset = -storage.ctypes.data % 64
        return storage[offset:offset + size]

    def allocate(self, shape: Sequence[int], dtype: "np.dtype[Any]") -> Array:
        """Room for a result."""
        return np.empty(shape, dtype)

    def call(self, symbol: str, *arguments: Any) -> None:
        function = getattr(self.library, symbol)
        function.restype = ctypes.c_int32
        if function(ctypes.c_void_p(self.block.ctypes.data), *arguments):
            last_error = getattr(self.library, self.prefix + "_last_error")
            last_error.restype = ctypes.c_char_p
            raise Failure(last_error(ctypes.c_void_p(self.block.ctypes.data)).decode())

    def initialize(self, seed: int = 1, names: Optional[Sequence[str]] = None,
                   collection: Optional[str] = None) -> None:
        if names is None and collection is None:
            return self.call(self.prefix + "_init", ctypes.c_uint64(seed))
        select = np.zeros(len(self.infos), np.uint8)
        for name, (index, info) in self.infos.items():
            select[index] = name in names if names is not None else collection in info["collections"]
        return self.call(self.prefix + "_init_some", ctypes.c_uint64(seed),
                         ctypes.c_void_p(select.ctypes.data))

    def is_initialized(self, name: str) -> bool:
        return bool(self.block[self.INITIALIZED + self.infos[name][0]])

    def run(self, entry: str, *feeds: Array) -> Any:
        spec = self.entries[entry]
        dim_sizes: Dict[str, int] = {}
        arguments: List[Any] = []
        if self.takes_team:
            arguments.append(ctypes.c_void_p(self.team.pointer if self.team else None))
        for feed, info in zip(feeds, spec["feeds"]):
            arguments.append(ctypes.c_void_p(feed.ctypes.data))
            for dim_size, symbol in zip(feed.shape, info["shape"]):
                if isinstance(symbol, str) and symbol not in dim_sizes:
                    dim_sizes[symbol] = dim_size
                    arguments.append(ctypes.c_int64(dim_size))
        results = []
        for info in spec["results"]:
            shape = [dim_sizes[dim_size] if isinstance(dim_size, str) else dim_size for dim_size in info["shape"]]
            results.append(self.allocate(shape, dtype_of(info["dtype"])))
            arguments.append(ctypes.c_void_p(results[-1].ctypes.data))
        self.call(spec["symbol"], *arguments)
        return None if not results else results[0] if len(results) == 1 else tuple(results)

    def workspace_bytes(self, entry: str) -> int:
        size: int = self.entries[entry]["workspace_bytes"]
        return size

    def variables(self) -> List[str]:
        return list(self.infos)

    def view(self, name: str) -> Array:
        info = self.infos[name][1]
        dtype = dtype_of(info["dtype"])
        count = int(np.prod(info["shape"], dtype=int))
        data = self.block[info["offset"]:info["offset"] + count * dtype.itemsize]
        view: Array = data.view(dtype).reshape(info["shape"])
        return view

    def __getitem__(self, name: str) -> Array:
        return np.array(self.view(name))

    def __setitem__(self, name: str, value: Any) -> None:
        self.view(name)[...] = value
        self.block[self.INITIALIZED + self.infos[name][0]] = 1


def make(
    text: str,
    configuration: str,
    entries: Sequence[str] = (),
    freeze: Optional[str] = None,
    memory_budget: Optional[int] = None,
    max_dim_size: int = 1024,
) -> Model:
    """The model with the `entries` of that name (all by default), and with its
    variables frozen to the values of the checkpoint `freeze`, if there is one.
    Its workspaces have at most `memory_budget` bytes for dimension sizes up to
    `max_dim_size`."""
    if configuration == "object":
        return ObjectModel(text, max_dim_size, entries, freeze, memory_budget)
    if configuration == "workers" and memory_budget is None:
        model = ObjectModel(text, max_dim_size, entries, freeze, threads=3)
        model.team = Team(3, seed=len(text))
        return model
    target = GPU_TARGET if configuration == "gpu" else None
    lowering = "reference" if configuration == "reference" else "optimized"
    cpu = "x86-64-v3" if configuration == "avx2" else None
    # A budget is for one worker: each has buffers of its own.
    threads = 2 if configuration == "threads" and memory_budget is None else 1
    return SessionModel(text, lowering, cpu, entries, freeze, memory_budget, max_dim_size, threads, target)


def resumed(model: Model) -> Model:
    """A model of the same code that goes on from where `model` is."""
    other = model.another()
    if isinstance(model, SessionModel) and isinstance(other, SessionModel):
        with tempfile.TemporaryDirectory() as folder:
            model.session.save(os.path.join(folder, "state"))
            other.session.restore(os.path.join(folder, "state"))
        return other
    other.initialize()
    for name in model.variables():
        other[name] = model[name]
    return other


def is_available(name: str) -> bool:
    """Returns true if this machine has the configuration."""
    if name == "avx2":
        return platform.machine() == "x86_64"
    return name != "gpu" or bool(os.environ.get("FLYWHEEL_LIBCUDA"))


def configurations(
    text: str,
    names: Sequence[str] = ALL,
    entries: Sequence[str] = (),
    freeze: Optional[str] = None,
) -> Iterator[Tuple[str, Model]]:
    """The model `text` in the configurations that this machine has: in `reference`, `optimized` and one of the others,
    another one for other models; in each of them where all cases are taken. If ONLY_GPU is set, all models in `gpu`,
    those too that are compared in `reference` and `optimized` otherwise, and in `reference`."""
    if ONLY_GPU:
        if "gpu" in names or {"reference", "optimized"} <= set(names):
            for name in ("reference", "gpu") if "reference" in names else ("gpu",):
                yield name, make(text, name, entries, freeze)
        return
    for name in selection.choose_configurations(text, [name for name in names if is_available(name)]):
        yield name, make(text, name, entries, freeze)


def share_out(number: int, names: Sequence[str]) -> Dict[str, List[int]]:
    """Returns the functions, of that number, that each configuration has: all are in the first one, which is the
    optimized one if there is one, and each is in one of the others."""
    first = "optimized" if "optimized" in names else names[0]
    others = [name for name in names if name != first]
    return {name: list(range(number)) if name == first else list(range(others.index(name), number, len(others)))
            for name in names}


def configurations_of(functions: Sequence[str], names: Sequence[str] = ALL) -> Iterator[Tuple[str, Model, List[int]]]:
    """A model of the functions in each configuration that this machine has, and which of them it has: all in
    `optimized`, a part in each of the others; all where all cases are taken."""
    if ONLY_GPU or selection.takes_all():
        for configuration, model in configurations("".join(functions), names):
            yield configuration, model, list(range(len(functions)))
        return
    for configuration, taken in share_out(len(functions), [name for name in names if is_available(name)]).items():
        if taken:
            yield configuration, make("".join(functions[number] for number in taken), configuration), taken


def expect_close(what: str, found: Any, expected: Any, tolerance: Optional[float] = None) -> None:
    """Compares with the tolerance of the found dtype, or a relative one."""
    found = np.asarray(found)
    expected = np.asarray(expected)
    if found.shape != expected.shape:
        raise AssertionError(f"{what}: expected shape {expected.shape}, found {found.shape}")
    relative, absolute = TOLERANCES.get(str(found.dtype), (0.0, 0.0))
    if tolerance is not None:
        relative, absolute = tolerance, tolerance
    np.testing.assert_allclose(found.astype(np.float64), expected.astype(np.float64), rtol=relative,
                               atol=absolute, err_msg=what)


def expect_equal(what: str, found: Any, expected: Any) -> None:
    """Compares dtype, shape and every bit that counts."""
    found = np.asarray(found)
    expected = np.asarray(expected)
    if found.dtype != expected.dtype:
        raise AssertionError(f"{what}: expected dtype {expected.dtype}, found {found.dtype}")
    np.testing.assert_array_equal(found, expected, err_msg=what)


def expect_error(what: str, pattern: str, action: Callable[[], Any], kind: type = Exception) -> None:
    """Checks that `action` fails with a text in which `pattern` is found."""
    try:
        action()
    except Exception as error:
        text = str(error)
        if not re.search(pattern, text):
            raise AssertionError(f"{what}: expected an error like '{pattern}', found '{text}'") from error
        if not isinstance(error, (kind, Failure)):
            raise AssertionError(f"{what}: expected {kind.__name__}, found {type(error).__name__}") from error
        return
    raise AssertionError(f"{what}: expected an error like '{pattern}', found none")


def raises(kind: Type[BaseException], words: str, action: Callable[[], Any]) -> None:
    """Checks that `action` raises an error of this class that has these words."""
    try:
        action()
    except kind as error:
        assert words in str(error), (words, str(error))
    else:
        raise AssertionError(f"expected {kind.__name__} '{words}'")


def run_tests(tests: Sequence[Callable[[], None]]) -> None:
    """Runs each test, and fails at the end where one failed."""
    import traceback

    failures = 0
    for test in tests:
        try:
            test()
        except Exception:
            failures += 1
            print(f"FAIL {test.__name__}")
            traceback.print_exc()
        else:
            print(f"ok   {test.__name__}", flush=True)
    if failures:
        raise SystemExit(f"{failures} of {len(tests)} tests failed")
