# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sparse tensors: the indices and the values of the elements that are not 0, and a shape. Their number is a size that a
run has."""

from typing import Any, List, NamedTuple, Optional, Tuple

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .conversion import as_tensor, dtype_of, make
from .graph import get_default_graph
from .host_calls import host_call
from .operation import Tensor
from .ops import convert_to_tensor, placeholder, placeholder_with_default
from .shapes import TensorShape, plain_shape
from .sizes import as_known

_i64 = _dtypes.int64


class SparseTensorValue(NamedTuple):
    """The value of a sparse tensor: indices [count, rank], values [count], and the shape [rank]."""

    indices: Any
    values: Any
    dense_shape: Any


def _from(kind: str) -> Any:
    """Returns an operator of a sparse tensor and a dense one."""

    def operator(self: Any, other: Any) -> Any:
        from . import sparse_ops

        return sparse_ops.with_dense(kind, self, other)

    return operator


class SparseTensor:
    """A tensor of which only some elements are there: `values` at `indices` [count, rank], and zeros elsewhere."""

    __array_ufunc__ = None
    # The marks of Keras: see those of `Tensor`.
    _keras_shape: Any
    _keras_history: Tuple[Any, int, int]
    _keras_mask: Any
    _uses_learning_phase: bool

    def __init__(self, indices: Any, values: Any, dense_shape: Any):
        with get_default_graph().name_scope("SparseTensor"):
            self._indices = convert_to_tensor(_as_int64(indices), _i64)
            self._values = as_tensor(values)
            self._dense_shape = convert_to_tensor(_as_int64(dense_shape), _i64)
        for what, x, count in (("indices", self._indices, 2), ("values", self._values, 1),
                               ("dense_shape", self._dense_shape, 1)):  # fmt: skip
            if x.static_shape is not None and len(x.static_shape) != count:
                raise ValueError(f"SparseTensor: expected {what} of {count} dimension{'s' * (count > 1)}, found shape "
                                 f"{x.shape}")  # fmt: skip
        for a, b, what in ((self._at(self._indices, 0), self._at(self._values, 0), "values"),
                           (self._at(self._indices, 1), self._at(self._dense_shape, 0), "sizes in dense_shape")):
            if None not in (a, b) and a != b:
                raise ValueError(f"SparseTensor: indices of shape {self._indices.shape} and {b} {what} do not fit: "
                                 f"expected {a}")  # fmt: skip
        literal = self._dense_shape.op.fields.literal
        known = None if literal is None else tuple(int(n) for n in np.asarray(literal))
        if known is not None and any(n < 0 for n in known):
            raise ValueError(f"SparseTensor: expected a dense_shape of sizes, found {list(known)}")
        rank = self._at(self._dense_shape, 0)
        rank = self._at(self._indices, 1) if rank is None else rank
        # The sizes that are known before a run; None if the rank is not.
        self.static_shape: Any = known if known is not None else None if rank is None else (None,) * rank
        self._sizes: Optional[List[Any]] = None

    @staticmethod
    def _at(x: Tensor, axis: int) -> Optional[int]:
        return None if x.static_shape is None else x.static_shape[axis]

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> "SparseTensor":
        """Returns the sparse tensor of a `SparseTensorValue`."""
        if isinstance(sparse_tensor_value, SparseTensor):
            return sparse_tensor_value
        if not isinstance(sparse_tensor_value, SparseTensorValue):
            raise TypeError(f"Neither a SparseTensor nor SparseTensorValue: {sparse_tensor_value!r}.")
        return cls(*sparse_tensor_value)

    @property
    def indices(self) -> Tensor:
        return self._indices

    @property
    def values(self) -> Tensor:
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        return self._dense_shape

    @property
    def op(self) -> Any:
        return self._values.op

    @property
    def graph(self) -> Any:
        return self._values.graph

    @property
    def dtype(self) -> Any:
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self.static_shape)

    def get_shape(self) -> TensorShape:
        return self.shape

    @property
    def parts(self) -> List[Tensor]:
        """The three tensors that it is made of."""
        return [self._indices, self._values, self._dense_shape]

    def with_sizes(self, sizes: Any) -> "SparseTensor":
        """Says which sizes of the shape are known, or what the compiler knows as them; returns self."""
        if sizes is not None:
            self.static_shape = tuple(n if isinstance(n, int) else None for n in sizes)
            self._sizes = list(sizes)
        return self

    def of_rank(self, rank: int) -> "SparseTensor":
        """Says the rank, where an op takes only that one; returns self."""
        if self.static_shape is None:
            self.static_shape = (None,) * rank
        return self

    def sizes(self) -> Any:
        """Returns the sizes of the shape: numbers, or tensors that the compiler knows as sizes. If the rank is not
        known, one tensor that holds them as numbers where it is emitted; each shape then has a program."""
        if self.static_shape is None:
            return as_known(self._dense_shape)
        if self._sizes is None or any(one is None for one in self._sizes):
            measured = [] if None not in self.static_shape else _measured(self._dense_shape, len(self.static_shape))
            self._sizes = [measured[axis] if n is None else n for axis, n in enumerate(self.static_shape)]
        return list(self._sizes)

    def eval(self, feed_dict: Any = None, session: Any = None) -> SparseTensorValue:
        """The value, in a session, by default the default one."""
        from .session import default_session

        found: SparseTensorValue = default_session(session, "evaluate tensor").run(self, feed_dict)
        return found

    def __repr__(self) -> str:
        return (f"SparseTensor(indices={self._indices!r}, values={self._values!r}, "
                f"dense_shape={self._dense_shape!r})")  # fmt: skip

    __mul__, __truediv__ = _from("mul"), _from("truediv")
    __div__ = __truediv__

    __hash__ = object.__hash__


def _as_int64(value: Any) -> Any:
    """Returns integers that are not a tensor as int64, as they are for indices."""
    if hasattr(value, "op") or hasattr(value, "_as_graph_tensor"):
        return value
    if isinstance(value, (list, tuple)) and any(hasattr(one, "op") for one in np.asarray(value, object).reshape(-1)):
        return as_tensor(value, _i64)
    if isinstance(value, TensorShape):
        value = value.as_list()
    array = np.asarray(value)
    if array.size and array.dtype.kind not in "iub":
        raise TypeError(f"SparseTensor: expected integers, found {array.dtype}")
    return array.astype(np.int64)


def _measured(shape: Tensor, rank: int) -> List[Tensor]:
    """Returns the sizes that a vector has, which Python makes feeds of that length of before the program runs."""

    def vectors(_: Any, sizes: Any) -> Any:
        if len(sizes) != rank or (np.asarray(sizes) < 0).any():
            raise ValueError(f"expected the {rank} sizes of a sparse tensor, found {np.asarray(sizes).tolist()}: feed "
                             "all of a tf.sparse_placeholder")  # fmt: skip
        return [np.empty(int(n), np.int8) for n in sizes]

    graph = get_default_graph()
    own = graph._open
    contexts = own.contexts
    if shape.op.context is None:
        # Also for a branch or a loop: what they take from outside is made before they run.
        own.contexts = []
    try:
        with graph.control_dependencies(None):
            made = [op.outputs[0] for op in host_call("SizeOf", vectors, [shape], [(_dtypes.int8, (None,))] * rank)]
            return [make("SizeOf", lambda v: _ops.cast(_ops.shape(v)[0], _i64), one) for one in made]
    finally:
        own.contexts = contexts


def sparse_placeholder(dtype: Any, shape: Any = None, name: Optional[str] = None) -> SparseTensor:
    """A sparse tensor that runs are fed: a `SparseTensorValue`, or its three parts. Sizes of `shape` may be None."""
    kind, full = dtype_of(dtype), name or "SparsePlaceholder"
    if hasattr(shape, "op"):
        rank = shape.static_shape[0] if shape.static_shape else None
        sizes: Any = (None,) * rank if rank is not None else None
        given = shape
    else:
        sizes = None if shape is None else plain_shape(shape)
        sizes = None if sizes is None else tuple(None if n == -1 else n for n in sizes)
        rank = None if sizes is None else len(sizes)
        given = None if sizes is None else np.array([-1 if n is None else n for n in sizes], np.int64)
    values = placeholder(kind, [None], f"{full}/values")
    indices = placeholder(_i64, [None, rank], f"{full}/indices")
    whole = (placeholder(_i64, [None], f"{full}/shape") if given is None
             else placeholder_with_default(given, [rank], f"{full}/shape"))  # fmt: skip
    return SparseTensor(indices, values, whole).with_sizes(sizes)


def as_sparse(value: Any, what: str = "sp_input") -> SparseTensor:
    """Returns a sparse tensor, also of its value. Raises TypeError for others."""
    if isinstance(value, SparseTensor):
        return value
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    raise TypeError(f"Input must be a SparseTensor: {what} is {type(value).__name__}")


def convert_to_tensor_or_sparse_tensor(value: Any, dtype: Any = None, name: Optional[str] = None) -> Any:
    """A sparse tensor of one or of its value; else see `convert_to_tensor`."""
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        found = as_sparse(value)
        if dtype is not None and found.dtype != dtype_of(dtype):
            raise RuntimeError(f"Sparse dtype: requested = {_dtypes.name_of(dtype_of(dtype))}, actual = "
                               f"{_dtypes.name_of(found.dtype)}")  # fmt: skip
        return found
    return convert_to_tensor(value, dtype, name)


def feeds_of(key: SparseTensor, value: Any) -> List[Any]:
    """Returns the feeds of the parts of a sparse tensor. Raises TypeError for what is not the value of one, and
    ValueError for another shape than its own."""
    if isinstance(value, SparseTensor) or not isinstance(value, (list, tuple)) or len(value) != 3:
        raise TypeError("The value of a feed of a SparseTensor is a tf.SparseTensorValue, or a tuple of indices, "
                        f"values and shape: found {type(value).__name__}")  # fmt: skip
    sizes = [int(n) for n in np.asarray(value[2]).reshape(-1)]
    known = key.static_shape
    if known is not None and (len(known) != len(sizes) or any(n not in (None, m) for n, m in zip(known, sizes))):
        raise ValueError(f"Cannot feed a sparse value of shape {tuple(sizes)} for SparseTensor '{key.values.name}', "
                         f"which has shape '{key.shape}'")  # fmt: skip
    counts = [len(np.asarray(one)) for one in value[:2]]
    if counts[0] != counts[1]:
        raise ValueError(f"Cannot feed {counts[0]} indices and {counts[1]} values for SparseTensor '{key.values.name}'")
    indices = np.asarray(value[0])
    if not indices.size:
        indices = np.empty((0, len(sizes)), np.int64)
    given = [(key.indices, indices), (key.values, value[1]), (key.dense_shape, value[2])]
    return [(x, array) for x, array in given if x.op.fields.literal is None or x is not key.dense_shape]


__all__ = [
    "SparseTensor", "SparseTensorValue", "convert_to_tensor_or_sparse_tensor", "sparse_placeholder",
]  # fmt: skip
