# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.export, and the error where it refuses a module: which op of which module does so, and why."""

import traceback
from typing import Any, List, Optional, Sequence, Tuple

import torch
from torch.nn.utils.rnn import PackedSequence

from .._frontends.missing_ops import MissingOp, UnsupportedOpError

# Errors about what the caller gave, whose own words say what to change.
_OF_CALLER = ("UserError", "ConstraintViolationError")
# By the name of an error of the exporter: the reason for it.
_REASONS = {
    "DataDependentOutputException": "reads elements of a tensor, which only a call has",
    "DynamicOutputShapeException": "has a result whose size depends on elements of a tensor, which only a call has",
    "GuardOnDataDependentSymNode": "takes a way that depends on elements of a tensor, which only a call has",
    "PendingUnbackedSymbolNotFound": "has a size that depends on elements of a tensor, which only a call has",
}


def export(module: Any, example: Sequence[Any], dynamic_shapes: Any) -> Any:
    """Returns the program that PyTorch exports. Raises UnsupportedOpError, with the exporter's error as its cause,
    where the exporter refuses an op; errors of the module itself, which a call has too, are raised as they are."""
    try:
        return torch.export.export(module, tuple(example), dynamic_shapes=dynamic_shapes)
    except Exception as error:
        is_own = not type(error).__module__.startswith("torch") and not _runs(module, example)
        if is_own or isinstance(error, UnsupportedOpError) or type(error).__name__ in _OF_CALLER:
            raise
        raise _refusal(module, error) from error


def _runs(module: Any, example: Sequence[Any]) -> bool:
    """Returns true if the module itself runs. Its buffers and PyTorch's random numbers are as before."""
    tensors = [*module.parameters(), *module.buffers()]
    before = [tensor.detach().clone() for tensor in tensors]
    try:
        with torch.no_grad(), torch.random.fork_rng(devices=[]):
            module(*example)
        return True
    except Exception:  # noqa: BLE001  # The user's module may raise anything.
        return False
    finally:
        with torch.no_grad():
            for tensor, old in zip(tensors, before):
                tensor.copy_(old)


def _refusal(module: Any, error: Exception) -> UnsupportedOpError:
    frames = list(traceback.walk_tb(error.__traceback__))
    files = [frame.f_code.co_filename for frame, _ in frames]
    own = [place for place, file in enumerate(files) if not _is_of_packages(file)]
    location, called = "at an unknown line", None
    if own:
        line = frames[own[-1]][1]
        path = _module_of(module, [frame for frame, _ in frames])
        location = f"{files[own[-1]]}:{line}{path}"
        called = _called([frame for frame, _ in frames[own[-1] + 1 :]])
    function = getattr(error, "func", None)
    names = [str(one) for one in (called, function) if one is not None]
    name = f"{names[0]} ({names[1]})" if len(names) == 2 else names[0] if names else "an op"
    reason = _REASONS.get(type(error).__name__, "is not one that PyTorch exports")
    if any(isinstance(one, PackedSequence) for frame, _ in frames for one in frame.f_locals.values()):
        name = "a PackedSequence"
        reason = ("has sizes that depend on elements of a tensor: expected padded sequences, of which "
                  "x.gather(1, lengths - 1) reads the last outputs")  # fmt: skip
    return UnsupportedOpError(f"PyTorch does not export this module: {name}, {location}, {reason}",
                              [MissingOp(name, location)])  # fmt: skip


def _is_of_packages(file: str) -> bool:
    """Returns true for a file of PyTorch, or of this package, which calls it."""
    return "/torch/" in file or file.startswith("<")


def _called(frames: List[Any]) -> Optional[str]:
    """Returns the name of the function of PyTorch that the module's line calls."""
    for frame in frames:
        name = frame.f_code.co_name
        if name in ("__torch_function__", "__torch_dispatch__"):
            found = getattr(frame.f_locals.get("func"), "__name__", None)
            return None if found is None else str(found)
        if not name.startswith(("_", "<")) and name not in ("wrapped", "inner", "wrapper", "module_call_wrapper"):
            return str(name)
    return None


def _module_of(module: Any, frames: List[Any]) -> str:
    """Returns the innermost part of the module that was running, for messages."""
    names = {id(part): name for name, part in module.named_modules()}
    parts: List[Tuple[str, Any]] = []
    for frame in frames:
        one = frame.f_locals.get("self")
        if isinstance(one, torch.nn.Module) and id(one) in names:
            parts.append((names[id(one)], one))
    if not parts:
        return ""
    path, part = parts[-1]
    return f" (module '{path}' of {type(part).__name__})" if path else f" (module {type(part).__name__})"
