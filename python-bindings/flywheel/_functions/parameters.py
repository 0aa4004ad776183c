# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parameters of traced functions: specs of a signature, static ones, and what a call of modules depends on."""

import collections.abc
from typing import Any, Dict, FrozenSet, Hashable, List, Optional, Sequence, Set, Tuple, Union

import numpy as np

from .._core import dtypes as _dtypes
from .._core import tree as _tree
from .._core.identity import identity
from .._core.tensor import Tensor, as_tensor, format_shape, traced_variable
from .._errors.messages import wrong
from ..store import current_store
from ..variables import Variable
from .arguments import Leaf, TensorSpec, as_array, format_shape_of

# Static arguments whose values are a part of the form of a call.
_STATIC_KINDS = (bool, int, float, str, type(None))


def check_specs(signature: Sequence[Any]) -> Tuple[Any, ...]:
    """Returns the arguments of a signature. Raises TypeError for other values."""
    if isinstance(signature, (str, bytes)) or not isinstance(signature, collections.abc.Iterable):
        raise wrong(TypeError, "a list of flywheel.spec", repr(signature), "signature")
    specs = tuple(signature)
    for leaf in _tree.flatten(specs)[0]:
        if not hasattr(leaf, "dtype") or not hasattr(leaf, "shape"):
            raise wrong(TypeError, "a list of flywheel.spec", f"{leaf!r} in {signature!r}", "signature")
    return specs


def static_places(
    function: Any, names: Sequence[str], static: Union[str, int, Sequence[Union[str, int]]]
) -> FrozenSet[Union[str, int]]:
    """Returns names of parameters, or their numbers, as both. Raises ValueError for an unknown one."""
    found: Set[Union[str, int]] = set()
    if not isinstance(static, (str, int, collections.abc.Iterable)):
        raise wrong(TypeError, "names of parameters, or their numbers,", repr(static), "static")
    for one in [static] if isinstance(static, (str, int)) else static:
        if isinstance(one, bool) or not isinstance(one, (str, int)):
            raise wrong(TypeError, "names of parameters, or their numbers,", repr(one), "static")
        if one not in names if isinstance(one, str) else not -len(names) <= one < len(names):
            own = getattr(function, "__qualname__", repr(function))
            there = f"only {', '.join(names)}" if names else "and no other one"
            raise ValueError(f"'{own}' has no parameter {one!r} to be static, {there}")
        place = names.index(one) if isinstance(one, str) else one % len(names)
        found |= {place, names[place]}
    return frozenset(found)


def convert_by_specs(name: str, wanted: Sequence[TensorSpec], given: Sequence[Any]) -> List[Any]:
    """Returns the arguments of a call of the function `name` as arrays of the specs. Raises TypeError for another
    number or dtype, ValueError for another shape."""
    _check_count(name, wanted, given)
    converted = []
    for value, one in zip(given, wanted):
        if isinstance(value, TensorSpec):
            converted.append(one)
            continue
        value = as_array(value)
        if not isinstance(value, (np.ndarray, np.generic)):
            value = _dtypes.literal(value, one.dtype)
        _check_form(name, one, value.dtype, value.shape)
        converted.append(value)
    return converted


def _check_count(name: str, wanted: Sequence[TensorSpec], given: Sequence[Any]) -> None:
    if len(wanted) != len(given):
        raise TypeError(f"'{name}' has a signature of {len(wanted)} tensors, found {len(given)} arguments "
                        "(each element of a list is one: np.array(x) makes an array of it)")  # fmt: skip


def _check_form(name: str, one: TensorSpec, dtype: Any, dims: Sequence[Optional[int]]) -> None:
    """Raises TypeError for another dtype, ValueError for another shape; a size that is not known, None, may be any."""
    if _dtypes.as_dtype(dtype) != one.dtype:
        raise TypeError(f"'{name}' takes {one.dtype}{format_shape_of(one)}, found an array of {dtype}")
    if len(dims) != len(one.shape) or any(
        isinstance(d, int) and n is not None and d != n for d, n in zip(one.shape, dims)
    ):
        raise ValueError(f"Cannot feed value of shape {format_shape(dims)} to '{name}', which takes "
                         f"{format_shape_of(one)}")  # fmt: skip


def convert_traced(name: str, signature: Any, given: Any) -> Any:
    """Returns the arguments of a call of the function `name` in another traced function: tensors as they are, others as
    arrays of the specs. Raises as `convert_by_specs` does, and ValueError for two sizes of one name."""
    wanted, (leaves, tree) = _tree.flatten(signature)[0], _tree.flatten(given)
    _check_count(name, wanted, leaves)
    sizes: Dict[str, int] = {}
    converted: List[Any] = []
    for value, one in zip(map(traced_variable, leaves), wanted):
        if isinstance(value, Tensor) and value._weak is not None:
            value = as_tensor(value, one.dtype)
        elif not isinstance(value, (Tensor, Variable)):
            (value,) = convert_by_specs(name, [one], [value])
        dims = value._dims if isinstance(value, Tensor) else value.shape
        _check_form(name, one, value.dtype, dims)
        for d, n in zip(one.shape, dims):
            if isinstance(d, str) and n is not None and sizes.setdefault(d, n) != n:
                raise ValueError(f"'{name}' takes one size as '{d}', found {sizes[d]} and {n}")
        converted.append(value)
    return _tree.unflatten(tree, converted)


def form_of_call(args: Tuple[Any, ...], static: FrozenSet[Union[str, int]]) -> Optional[Hashable]:
    """Returns what an entry of a call with modules depends on: the store, the modules by address, the types of dense
    arrays and numbers, and the values of static arguments that are numbers or strings. Returns None without a module,
    and for other arguments."""
    form: List[Hashable] = [id(current_store())]
    has_module = False
    for place, arg in enumerate(args):
        kind = type(arg)
        if place in static:
            if kind not in _STATIC_KINDS:
                return None
            form.append(identity(arg))
        elif kind is np.ndarray:
            flags = arg.flags
            if not (flags.c_contiguous and flags.aligned and arg.dtype.isnative):
                return None
            form += [arg.dtype, arg.shape]
        elif kind is float or kind is int or kind is bool:
            form.append(_dtypes.of_number(arg))
        elif isinstance(arg, _tree.Whole):
            form.append(id(arg))
            has_module = True
        else:
            return None
    return tuple(form) if has_module else None


def refuse_objects(function: str, names: Sequence[str], leaves: Sequence[Leaf], values: Sequence[Any]) -> None:
    """Raises TypeError for arrays of objects that are not strings: NumPy makes arrays of objects of anything."""
    for name, leaf, value in zip(names, leaves, values):
        if leaf.dtype != _dtypes.string or not isinstance(value, np.ndarray) or value.dtype != object:
            continue
        odd = {type(one).__name__ for one in value.reshape(-1) if not isinstance(one, (str, bytes))}
        if odd:
            raise TypeError(f"'{function}' takes an array of numbers or of strings as '{name}', found one of objects: "
                            f"{', '.join(sorted(odd))}")  # fmt: skip
