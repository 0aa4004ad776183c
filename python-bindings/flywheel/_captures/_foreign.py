# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of other packages, whose elements change in place: tensors of PyTorch, and columns of pandas."""

import functools
import sys
import weakref
from typing import Any, Iterator, List, Optional

import numpy as np

from .. import _flywheel
from .places import Result


class Foreign(Result):
    """The elements of an array of another package, which is not kept alive."""

    # The number of bytes.
    size: int


def is_foreign(kind: type) -> bool:
    """Returns true for the classes of tensors, series and data frames."""
    return _is_a(kind, "torch", "Tensor") or _is_of_pandas(kind)


def place_of_foreign(value: Any, label: str, most: int) -> Optional[Foreign]:
    """Returns the place of the elements of a value of such a class. Returns None for others, and for more than `most`
    bytes."""
    if not is_foreign(type(value)):
        return None
    if _is_of_pandas(type(value)):
        size = sum(one.nbytes for one in _columns_of(value))
        contents = _contents_of_pandas
    else:
        size = value.numel() * value.element_size()
        contents = _contents_of_tensor
    if size > most:
        return None
    # No object has the id of another one while both are looked at.
    made = Foreign(functools.partial(contents, weakref.ref(value)), None, id(value), label)
    made.size = size
    return made


def parts_of_foreign(value: Any) -> Iterator[Any]:
    """Yields the dicts of a module of PyTorch, which has no attributes for what is in them."""
    if _is_a(type(value), "torch.nn.modules.module", "Module"):
        names = vars(value)
        yield from (names[name] for name in ("_parameters", "_buffers", "_modules") if name in names)


def _is_a(kind: type, module: str, name: str) -> bool:
    return module in sys.modules and any(base.__name__ == name and base.__module__ == module for base in kind.__mro__)


def _is_of_pandas(kind: type) -> bool:
    return "pandas" in sys.modules and issubclass(kind, (sys.modules["pandas"].Series, sys.modules["pandas"].DataFrame))


def _contents_of_tensor(reference: "weakref.ref[Any]") -> Any:
    tensor = reference()
    if tensor is None:
        return None
    torch: Any = sys.modules["torch"]
    plain = tensor.detach().resolve_conj().resolve_neg().cpu()
    if plain.dtype == torch.bfloat16:
        # NumPy knows of no such type: the bits.
        plain = plain.view(torch.int16)
    return str(tensor.dtype), tuple(tensor.shape), _flywheel._digest_of(plain.numpy())


def _columns_of(value: Any) -> List[Any]:
    if value.ndim == 1:
        return [np.asarray(value)]
    return [np.asarray(value.iloc[:, place]) for place in range(value.shape[1])]


def _contents_of_pandas(reference: "weakref.ref[Any]") -> Any:
    value = reference()
    return None if value is None else tuple(map(_contents_of_column, _columns_of(value)))


def _contents_of_column(column: Any) -> Any:
    if column.dtype.hasobject:
        return tuple(one if isinstance(one, (int, float, str, bytes, type(None))) else id(one) for one in column)
    return column.dtype.str, column.shape, _flywheel._digest_of(column)
