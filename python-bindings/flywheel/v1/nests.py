# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.nest`: lists, tuples and dicts in each other."""

from typing import Any, Callable, List

from .structures import describe, pack
from .structures import flatten as flatten


def is_nested(seq: Any) -> bool:
    """Returns true for a list, a tuple or a dict."""
    return isinstance(seq, (list, tuple, dict))


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False) -> None:
    """Raises ValueError for two that have not one form, and TypeError if a list stands for a tuple.
    `expand_composites` has no effect: no tensor is made of others."""
    one, other = describe(nest1), describe(nest2)
    if one.replace("[", "(").replace("]", ")") != other.replace("[", "(").replace("]", ")"):
        raise ValueError(f"The two structures don't have the same nested structure: {one} and {other}")
    if check_types and one != other:
        raise TypeError(f"The two structures don't have the same sequence type: {one} and {other}")


def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """The leaves of a list in the form of a structure. `expand_composites` has no effect: no tensor is made of
    others."""
    leaves: List[Any] = list(flat_sequence)
    if len(flatten(structure)) != len(leaves):
        raise ValueError(f"Could not pack sequence. Structure had {len(flatten(structure))} elements, but "
                         f"flat_sequence had {len(leaves)} elements.")  # fmt: skip
    return pack(structure, leaves)


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """The results of a function of the leaves of structures of one form."""
    if not structure:
        raise ValueError("Must provide at least one structure")
    for other in structure[1:]:
        assert_same_structure(structure[0], other, kwargs.get("check_types", True))
    return pack(structure[0], [func(*leaves) for leaves in zip(*map(flatten, structure))])


NAMES = {
    "assert_same_structure": assert_same_structure, "flatten": flatten, "is_nested": is_nested,
    "map_structure": map_structure, "pack_sequence_as": pack_sequence_as,
}  # fmt: skip
