# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of tensors, which loops write an element at a time."""

from typing import Any, Callable, List, Optional

from .. import _ops
from .. import nn as traced
from .._core import dtypes as _dtypes
from .._errors.messages import about
from .conversion import as_tensor, make
from .dtypes import as_dtype
from .graph import get_default_graph
from .operation import Tensor
from .ops import concat, reshape, shape, split, zeros
from .shapes import plain_shape
from .sizes import as_size


class TensorArray:
    """An array of `size` tensors of one shape. A write gives a new array.

    `flow` is a tensor of all elements, [size, ...], which loops carry. The shape of elements is that of
    `element_shape`, or of the first one that is written. `clear_after_read`, `infer_shape`, `tensor_array_name` and
    `colocate_with_first_write_call` have no effect: elements can be read more than once. Raises NotImplementedError
    for `handle`.
    """

    def __init__(
        self, dtype: Any, size: Any = None, dynamic_size: Any = None, clear_after_read: Any = None,
        tensor_array_name: Any = None, handle: Any = None, flow: Any = None, infer_shape: bool = True,
        element_shape: Any = None, colocate_with_first_write_call: bool = True, name: Optional[str] = None,
    ):  # fmt: skip
        if handle is not None:
            raise about("flywheel.v1.TensorArray", NotImplementedError("handle; give flow"))
        self.dtype = as_dtype(dtype)
        self._size: Any = 0 if size is None else size
        self._grows = bool(dynamic_size)
        self._shape = None if element_shape is None else plain_shape(element_shape)
        self._flow: Optional[Tensor] = flow
        # A tensor of the shape of elements, if it is known that way.
        self._like: Optional[Tensor] = None

    # The tensor of all elements

    def _with(self, flow: Optional[Tensor], element: Any = None) -> "TensorArray":
        made = TensorArray(self.dtype, self._size, self._grows)
        made._shape = self._shape if element is None else element
        made._flow = flow
        return made

    def _of_elements(self, like: Tensor) -> "TensorArray":
        """Returns an array of no elements yet, which will be of the shape of a tensor."""
        made = self._with(None, like.static_shape)
        made._like = like
        return made

    def _with_room(self, room: Tensor) -> "TensorArray":
        """Returns the array with room for as many elements as a vector has, if it has none yet."""
        if self._like is None or self._flow is not None:
            return self

        def emit(n: Any, x: Any) -> Any:
            return _ops.zeros([_ops.dim(n, 0), *[_ops.dim(x, axis) for axis in range(x.ndim)]], self.dtype.dtype)

        return self._with(make("zeros", emit, room, self._like), self._shape)

    def _all(self, element: Any = None) -> Tensor:
        """[size, ...], zeros where nothing was written."""
        if self._flow is not None:
            return self._flow
        known = self._shape if element is None else element
        if known is None:
            raise ValueError("the shape of the elements of a TensorArray is not known yet: nothing was written to it; "
                             "give element_shape=")  # fmt: skip
        if self._grows and isinstance(self._size, int) and self._size == 0:
            raise about("flywheel.v1.TensorArray", NotImplementedError("dynamic_size from 0; give the size"))
        sizes = [0 if n is None else n for n in known]
        if None in known:
            raise about("flywheel.v1.TensorArray", NotImplementedError(
                f"of elements of shape {list(known)}: sizes must be known"), " ")  # fmt: skip
        found: Tensor = zeros([as_size(self._size), *sizes], self.dtype)
        return found

    @property
    def flow(self) -> Tensor:
        return self._all()

    handle = None

    def identity(self) -> "TensorArray":
        return self

    def size(self, name: Optional[str] = None) -> Any:
        """The number of elements."""
        return shape(self._flow)[0] if self._flow is not None else as_tensor(self._size)

    # Elements

    def write(self, index: Any, value: Any, name: Optional[str] = None) -> "TensorArray":
        """The array with another element at a place."""
        x = as_tensor(value, self.dtype)
        if x.dtype != self.dtype:
            raise about("TensorArray", TypeError(f"dtype is {_dtypes.name_of(self.dtype)} but the value is of dtype "
                                                 f"{_dtypes.name_of(x.dtype)}"), " ")  # fmt: skip
        own = x.static_shape if self._shape is None else self._shape
        whole = self._all(own)

        def emit(all_: Any, i: Any, v: Any) -> Any:
            place = _ops.reshape(_ops.cast(i, _dtypes.int64), [1])
            return traced.scatter(all_, place, _ops.expand_dims(v, 0), 0)

        new = make("TensorArrayWrite", emit, whole, as_tensor(index), x, name=name,
                   types=[(whole.dtype, whole.static_shape)])  # fmt: skip
        return self._with(new, own)

    def read(self, index: Any, name: Optional[str] = None) -> Tensor:
        """The element at a place."""
        found: Tensor = make("TensorArrayRead", lambda x, i: _ops.take(x, i, 0), self._all(), as_tensor(index),
                             name=name)  # fmt: skip
        return found

    def gather(self, indices: Any, name: Optional[str] = None) -> Tensor:
        """The elements at places, as one tensor."""
        found: Tensor = make("TensorArrayGather", lambda x, i: _ops.take(x, i, 0), self._all(), as_tensor(indices),
                             name=name)  # fmt: skip
        return found

    def stack(self, name: Optional[str] = None) -> Tensor:
        """All elements as one tensor, [size, ...]."""
        return self._all()

    def unstack(self, value: Any, name: Optional[str] = None) -> "TensorArray":
        """The array of the slices of a tensor."""
        x = as_tensor(value, self.dtype)
        made = self._with(x, None if x.static_shape is None else x.static_shape[1:])
        made._size = shape(x)[0]
        return made

    def scatter(self, indices: Any, value: Any, name: Optional[str] = None) -> "TensorArray":
        """The array with slices of a tensor at places."""
        x = as_tensor(value, self.dtype)
        own = None if x.static_shape is None else x.static_shape[1:]
        new = make("TensorArrayScatter", lambda a, i, v: traced.scatter(a, i, v, 0), self._all(own),
                   as_tensor(indices), x)  # fmt: skip
        return self._with(new, own)

    def concat(self, name: Optional[str] = None) -> Tensor:
        """The elements in a row, along their first dimension."""
        x = self._all()
        found: Tensor = reshape(x, [-1, *[n or -1 for n in (x.static_shape or ())[2:]]])
        return found

    def split(self, value: Any, lengths: Any, name: Optional[str] = None) -> "TensorArray":
        """The array of pieces of a tensor, which are equally long."""
        parts = split(value, [int(n) for n in lengths], 0)
        return self.unstack(concat([reshape(p, [1, *p.shape.as_list()]) for p in parts], 0))

    def close(self, name: Optional[str] = None) -> Any:
        from .ops import no_op

        return no_op(name)


def with_shapes(arrays: List[TensorArray], body: Callable[[], Any]) -> None:
    """Finds out the shapes of elements that arrays do not have before a loop by what its body writes to them: `body`
    makes ops that are thrown away, and gives the arrays after them."""
    if all(a._flow is not None or a._shape is not None for a in arrays):
        return
    graph = get_default_graph()
    kept = ["_operations", "_variable_store", "_scope_counts", "_slots"]
    before = {key: dict(getattr(graph, key)) for key in kept}
    used = {name: list(last) for name, last in graph._used.items()}
    lists = {key: list(members) for key, members in graph._collections.items()}
    variables = set(graph.namespace.variables)
    try:
        after = body()
    finally:
        for key, value in before.items():
            setattr(graph, key, value)
        graph._used, graph._collections = used, lists
        made = [name for name in graph.namespace.variables if name not in variables]
    if made:
        raise NotImplementedError(f"a TensorArray without element_shape in a loop that creates variables: '{made[0]}'; "
                                  "give element_shape=")  # fmt: skip
    for array, new in zip(arrays, after):
        if array._shape is None and isinstance(new, TensorArray):
            array._shape = new._shape
