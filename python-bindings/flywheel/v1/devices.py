# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of devices, such as `/job:ps/task:0/gpu:1`, and whether the machine has them."""

import warnings
from typing import Any, Dict, Iterable

from .. import _flywheel
from .._programs.compilation import target_of


def split_device(text: str) -> Dict[str, str]:
    """The fields of the name of a device, `/job:ps/task:0/gpu:1`."""
    fields: Dict[str, str] = {}
    for part in filter(None, text.split("/")):
        key, _, rest = part.partition(":")
        if key.lower() in ("cpu", "gpu"):
            fields["device"] = f"{key.upper()}:{rest or 0}"
        elif key in ("job", "replica", "task"):
            fields[key] = rest
        elif key == "device":
            kind, _, number = rest.partition(":")
            fields["device"] = f"{kind.upper()}:{number or 0}"
        else:
            raise ValueError(f"Unknown attribute: '{key}' in '{text}'")
    return fields


def join_device(fields: Dict[str, str]) -> str:
    return "".join(f"/{key}:{fields[key]}" for key in ("job", "replica", "task", "device") if key in fields)


def choose_target(ops: Iterable[Any], config: Any) -> str:
    """Returns the target of a step with these ops (D2): a GPU if an op is placed on one, else "" for the CPU. One
    device executes the whole step; jobs and tasks are names of parts of this process (D5). Raises InvalidArgumentError
    for a device that the machine does not have, or warns of it if `config` allows soft placement."""
    wanted = {split_device(op.device).get("device", "CPU:0"): op for op in ops}
    others = sorted(name for name in wanted if not name.startswith("CPU"))
    if not others:
        return ""
    has_gpu = _flywheel._has_gpu()
    available = "/cpu:0, /gpu:0" if has_gpu else "/cpu:0"
    for name in others:
        if name == "GPU:0" and has_gpu:
            continue
        op = wanted[name]
        text = (f"Cannot assign a device for operation '{op.name}': it was explicitly assigned to {op.device}, and the "
                f"available devices are: {available}")  # fmt: skip
        if not getattr(config, "allow_soft_placement", False):
            raise _flywheel.InvalidArgumentError(text)
        warnings.warn(f"{text}; it is placed there", stacklevel=4)
    return target_of("/gpu:0") if "GPU:0" in others and has_gpu else ""
