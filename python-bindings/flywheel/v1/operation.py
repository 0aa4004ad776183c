# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of graphs: ops, their results, and the branches and loops that ops are in."""

from typing import TYPE_CHECKING, Any, Callable, Iterator, Optional, Sequence, Tuple

from .. import _trace
from . import _operators
from .dtypes import as_dtype
from .shapes import TensorShape, plain_shape

if TYPE_CHECKING:
    from .graph import Graph


class Context:
    """A branch or the body of a loop, whose ops run only there."""

    def __init__(self, kind: str, parent: Optional["Context"]):
        self.kind = kind
        self.parent = parent


class Operation:
    """A node of a graph. `emit` makes tensors of a trace of those of the inputs."""

    def __init__(
        self, graph: "Graph", kind: str, name: str, inputs: Sequence["Tensor"], emit: Optional[Callable[..., Any]],
        types: Sequence[Tuple[Any, Optional[_trace.Shape]]], **attrs: Any,
    ):  # fmt: skip
        self.graph = graph
        self.type = kind
        self.name = name
        self.inputs = list(inputs)
        self.emit = emit
        self.attrs = attrs
        contexts = graph._open.contexts
        self.context = contexts[-1] if contexts else None
        self.control_inputs = [op for op in graph._open.control if not self._is_under(op)]
        self.device = graph._device_of(self)
        self.id = graph.next_id()
        self.outputs = [Tensor(self, i, dtype, shape) for i, (dtype, shape) in enumerate(types)]
        graph.add(self)

    def _is_under(self, op: "Operation") -> bool:
        return any(op is x.op for x in self.inputs)

    @property
    def node_def(self) -> "Operation":
        return self

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Runs the op in a session, by default the default one."""
        from .session import default_session

        default_session(session, "execute operation").run(self, feed_dict)

    def __repr__(self) -> str:
        return f"<flywheel.v1.Operation '{self.name}' type={self.type}>"


class Tensor(_operators.Operators):
    """A result of an op, which has elements while a session runs."""

    __array_ufunc__ = None

    def __init__(self, op: Operation, index: int, dtype: Any, shape: Optional[_trace.Shape]):
        self.op = op
        self.index = index
        self.dtype = as_dtype(dtype)
        self.static_shape = shape

    @property
    def graph(self) -> "Graph":
        return self.op.graph

    @property
    def name(self) -> str:
        return f"{self.op.name}:{self.index}"

    @property
    def device(self) -> str:
        return self.op.device

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self.static_shape)

    def get_shape(self) -> TensorShape:
        return self.shape

    def set_shape(self, shape: Any) -> None:
        self.static_shape = plain_shape(shape)

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """The elements, in a session, by default the default one."""
        from .session import default_session

        return default_session(session, "evaluate tensor").run(self, feed_dict)

    def numpy(self) -> Any:
        raise NotImplementedError(f"'{self.name}' has elements while a session runs: session.run(x), or x.eval()")

    def __len__(self) -> int:
        raise TypeError(f"len of '{self.name}': use x.shape[0], or tf.shape(x)[0]")

    def __bool__(self) -> bool:
        raise TypeError("Using a `tf.Tensor` as a Python `bool` is not allowed: use tf.cond")

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError(f"'{self.name}' has no elements before it is run: use sess.run({self.op.name}), or eval()")

    def __iter__(self) -> Iterator["Tensor"]:
        if not self.static_shape or self.static_shape[0] is None:
            raise TypeError("Tensor objects are only iterable where the size of the first dimension is known")
        return iter([self[i] for i in range(self.static_shape[0])])

    def __repr__(self) -> str:
        return f"<flywheel.v1.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name}>"

    __hash__ = object.__hash__
