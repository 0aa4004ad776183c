# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of devices, such as `/job:ps/task:0/gpu:1`, and whether they are there."""

import warnings
from typing import Any, Dict, Iterable


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


def check_placement(ops: Iterable[Any], is_soft: bool) -> None:
    """Checks that ops are where they want to be: jobs and tasks are names of parts of this process, and its
    device is the CPU (D2, D5). Raises InvalidArgumentError for another one, or warns of it where placement is
    soft."""
    from .._flywheel import InvalidArgumentError

    for op in ops:
        if split_device(op.device).get("device", "CPU").startswith("CPU"):
            continue
        text = (f"Cannot assign a device for operation '{op.name}': it was explicitly assigned to {op.device}, and "
                "the available devices are: /cpu:0")  # fmt: skip
        if not is_soft:
            raise InvalidArgumentError(text)
        warnings.warn(f"{text}; it is placed there", stacklevel=4)
