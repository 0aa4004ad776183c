# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of devices, such as `/job:ps/task:0/gpu:1`."""

from typing import Dict


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
