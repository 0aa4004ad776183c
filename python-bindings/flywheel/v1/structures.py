# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nested lists, tuples and dicts of tensors, as functions of loops and branches take and return them."""

from typing import Any, Iterator, List


def flatten(value: Any) -> List[Any]:
    """The leaves; those of a dict in the order of its keys."""
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in flatten(value[key])]
    if isinstance(value, (list, tuple)):
        return [leaf for one in value for leaf in flatten(one)]
    return [value]


def pack(form: Any, leaves: List[Any]) -> Any:
    """The leaves in another value's form."""
    return _pack(form, iter(leaves))


def _pack(form: Any, leaves: Iterator[Any]) -> Any:
    if isinstance(form, dict):
        made = {key: _pack(form[key], leaves) for key in sorted(form)}
        return {key: made[key] for key in form}
    if isinstance(form, (list, tuple)):
        parts = [_pack(one, leaves) for one in form]
        return type(form)(*parts) if hasattr(form, "_fields") else type(form)(parts)
    return next(leaves)


def describe(value: Any) -> str:
    """A form to be read: `(*, [*, *])`."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {describe(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, (list, tuple)):
        inner = ", ".join(describe(one) for one in value)
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    return "*"
