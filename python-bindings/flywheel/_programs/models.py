# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that are written in MLIR: read, compiled and counted."""

import json
import os
from typing import Any, Dict, Mapping, Optional, Sequence, Union

from .. import _flywheel
from .._core.annotations import Path
from .._errors.messages import wrong
from .._flywheel import ModuleOp, Program, parse
from ._progress import announcing
from .compilation import forget_programs
from .options import bounds_of, bytes_of, check_bounds, check_kinds

__all__ = ["compile", "cost", "load", "load_dialect_plugin", "load_pass_plugin"]

Source = Union[ModuleOp, Path]


def load(path: Path) -> ModuleOp:
    """Parses the model in a file.

    Raises FileNotFoundError and other OSErrors; CompileError.
    """
    with open(path, "rb"):  # For Python's own errors.
        pass
    return _flywheel._load(path)


def load_dialect_plugin(path: Path) -> None:
    """Loads a plugin of MLIR, a shared library, whose dialects modules that are parsed later may use.

    See docs/HowTo/AddDialect.md. Raises FileNotFoundError and other OSErrors; ValueError for a file that is no plugin
    of dialects or needs a symbol that does not exist, and in a wheel, whose LLVM and MLIR plugins cannot use.
    """
    _load_plugin(path, has_dialects=True)


def load_pass_plugin(path: Path) -> None:
    """Loads a plugin of MLIR whose passes `compile(passes=...)` may name. Raises what `load_dialect_plugin` does."""
    _load_plugin(path, has_dialects=False)


def _load_plugin(path: Path, has_dialects: bool) -> None:
    with open(os.fspath(path), "rb"):
        pass
    _flywheel._load_plugin(path, has_dialects)
    # Programs of the same modules may be others now.
    forget_programs()


def _read(source: Source) -> ModuleOp:
    if isinstance(source, str) and ("\n" in source or "{" in source):
        return parse(source)
    if not isinstance(source, (ModuleOp, str, bytes, os.PathLike)):
        raise wrong(TypeError, "a module, its text or a path", repr(source))
    return source if isinstance(source, ModuleOp) else load(source)


def compile(
    source: Source,
    *,
    lowering: Optional[str] = None,
    model_name: Optional[str] = None,
    cpu: Optional[str] = None,
    features: Optional[str] = None,
    opt_level: int = 3,
    passes: Optional[str] = None,
    entries: Sequence[str] = (),
    freeze: Optional[Path] = None,
    freeze_variables: Sequence[str] = (),
    target: Optional[str] = None,
    memory_budget: Union[int, str, None] = None,
    max_dim_size: Union[int, Mapping[str, int], None] = None,
    winograd: bool = False,
    check_numerics: bool = False,
    profile: bool = False,
    threads: Optional[int] = None,
    min_shared_work: int = 4_000_000,
) -> Program:
    """Compiles a model for this machine.

    `source` is a module, its text (which has braces, or more than one line) or a path.
    `lowering` is "optimized" (fused, tiled, vectorized; the default) or
    "reference" (one plain scalar loop nest an op). `model_name` is by default the module's name,
    or else the stem of its file, or "model". `cpu` (an LLVM name, such as
    "x86-64-v3") and `features` ("+avx2,-fma") limit the instructions that are
    used. `opt_level`, 0 to 3, is the effort of LLVM. `target` is where steps are executed:
    "cpu", or "cuda" and "cuda:sm_90a" for a GPU with at least that architecture.

    `passes` is a pipeline of passes that run before the first stage, "cse,func.func(canonicalize)": of MLIR, of
    Flywheel, or of a plugin (`load_pass_plugin`).

    `entries` names the entries to keep: of variables, only what they use stays.
    With `freeze`, the path of a checkpoint, every variable that no entry assigns
    is a constant with its value there; `freeze_variables` limits that to some,
    which then must not be assigned.

    With `memory_budget`, the workspace of an entry is at most that number of bytes if no dynamic dimension size (the
    batch) exceeds `max_dim_size` (by default 1024): values that the backward part of a step would find in memory are
    recomputed if they do not fit. Results are the same, bit for bit. A budget that cannot be reached is a CompileError
    that names the smallest workspace; `EntryInfo.workspace_bytes` gives the size of one.

    `max_dim_size` may also bound single dimension sizes, {"batch": 4, "time": 256}, by the
    names that the program gives them (`train.dims`) or that they have: `batch`,
    and `x_dim1` for another of the feed `x`. The program then refuses feeds with
    more, and compares sizes at these bounds; the others count as 1024.

    With `winograd` convolutions with filters of 3 x 3 and their gradients by the
    input are computed by Winograd's method where that is faster, on a CPU and with
    "optimized": with larger errors, which docs/Precision.md bounds.

    With `check_numerics` a step fails at the first op whose result has a NaN or an
    infinity, with an InvalidArgumentError that names it; variables keep their
    values. See docs/Guides/Health.md.

    With `profile`, `Session.profile` measures how long each kernel takes. See
    docs/Guides/CostAndProfile.md.

    `threads` is how many threads may execute a step together, by default
    FLYWHEEL_NUM_THREADS of the environment, or else as many as there are processors that
    the process may use; `Session.threads` limits it for the calls of a session. Results
    do not depend on it, to the last bit. A step of less than
    `min_shared_work` scalar operations is executed by one.

    A module that `lower` made, or that was parsed from the output of a stage, goes
    on from there: options that its stages have read need not be given again, and
    must not differ.

    Raises CompileError with every error and its location; FileNotFoundError; ValueError for a wrong argument. A warning
    of the compiler is a Python warning of the category CompileWarning, a remark (a copy that a step needs) one of its
    subclass CompileRemark: `warnings.filterwarnings("ignore", category=flywheel.CompileRemark)`.
    """
    options: Dict[str, Any] = dict(
        lowering=lowering, model_name=model_name, cpu=cpu, features=features, passes=passes, entries=entries,
        freeze_variables=freeze_variables, target=target, memory_budget=bytes_of(memory_budget), winograd=winograd,
        check_numerics=check_numerics, profile=profile, threads=threads, min_shared_work=min_shared_work,
    )  # fmt: skip
    check_kinds(**options, opt_level=opt_level)
    if isinstance(max_dim_size, Mapping):
        bounds = bounds_of(None, check_bounds("max_dim_size", max_dim_size))
    else:
        check_kinds(max_dim_size=max_dim_size)
        bounds = bounds_of(max_dim_size, {})
    with announcing("a module"):
        return _flywheel._compile(_read(source), {**options, "freeze": freeze, "max_dim_size": bounds}, opt_level)


def cost(
    source: Source,
    *,
    bindings: Optional[Mapping[str, int]] = None,
    entries: Sequence[str] = (),
    fetches: Sequence[str] = (),
    whole_graph: bool = False,
) -> Dict[str, Any]:
    """Counts what each entry of a model takes: see docs/Guides/CostAndProfile.md.

    `source` is as for `compile`. The result has what `flywheel-compile
    --cost=json` prints: `before` and `after` optimization, for each entry the
    floating-point operations and bytes of the forward pass, the backward pass and
    the update, by op and in total, and the most memory that its tensors take.
    Numbers are ints, or strings (`7200*batch`) where they depend on a size that
    `bindings`, {"batch": 32}, does not give. `fetches` names results: only what
    they depend on counts, and there is no `after`. With `whole_graph` what nothing
    uses counts too, and the initial values of variables.

    Raises CompileError for an unknown name, and for a model that `compile` refuses; ValueError for a size that is
    negative.
    """
    text = _flywheel._cost(_read(source), check_bounds("bindings", bindings), entries, fetches, whole_graph)
    result: Dict[str, Any] = json.loads(text)
    return result
