# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of graphs: ops, their results, and the branches and loops that ops are in."""

from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from .._core import trace as _trace
from . import _operators
from .dtypes import as_dtype
from .shapes import TensorShape, plain_shape

if TYPE_CHECKING:
    from .emission import Emitter
    from .graph import Graph
    from .host_calls import HostCall
    from .variables import Variable

# Emits the results of an op that has branches or a body.
Region = Callable[["Emitter", "Operation"], Any]


class Context:
    """A branch or the body of a loop, whose ops run only there."""

    def __init__(self, kind: str, parent: Optional["Context"]):
        self.kind = kind
        self.parent = parent


class Loops(NamedTuple):
    """The loops without a bound that an op is, or has in its branches or body."""

    ops: List["Operation"]
    # Emits the numbers of iterations of these, and then the results of the op.
    counted: Region
    # Returns sizes that are at least these numbers, which a part of the run finds before. None in a branch or body.
    bounded: Optional[Callable[[], List["Tensor"]]] = None


class Gradient(NamedTuple):
    """The arguments of the gradient that an op is."""

    roots: List["Tensor"]
    wrt: List["Tensor"]
    weights: List[Any]
    stops: List["Tensor"]


class Scaled(NamedTuple):
    """The tensor of which an op's result is a multiple: the same rows of a table."""

    of: Any
    scale: Any


class Fields(NamedTuple):
    """Properties that some ops have. Each is given by one module, which the comment names."""

    # `conversion`: the elements of a constant; the place and the value of an operand that is an integer.
    literal: Optional["np.ndarray[Any, Any]"] = None
    scalar: Optional[Tuple[int, int]] = None
    # `variables`: the variable of an op that reads or initializes one; true for the op that is the variable, whose last
    # version it yields; the function that assigns an initial value.
    variable: Optional["Variable"] = None
    is_ref: bool = False
    assign: Optional[Callable[[Any], Any]] = None
    # The variables that an op assigns, also in its branches and its body.
    writes: Sequence["Variable"] = ()
    # `initialization`, `conversion`: the value, a function of the session. `summary`: the value, a function of those of
    # the inputs.
    host: Optional[Callable[[Any], Any]] = None
    on_host: Optional[Callable[[Sequence[Any]], Any]] = None
    # `host_calls`: the function of Python that computes the result. `sizes`: true if programs are compiled for it.
    host_call: Optional["HostCall"] = None
    is_known: bool = False
    # `printing`: tensors, and what prints their values at the end of a run.
    prints: Optional[Tuple[List["Tensor"], Callable[[List[Any]], None]]] = None
    # `random_ops`.
    is_random: bool = False
    # `control_flow` and what else has branches or a body: the tensors from outside that they take.
    region: Optional[Region] = None
    captures: Sequence["Tensor"] = ()
    loops: Optional[Loops] = None
    # A vector with at least as many elements as a loop has iterations, if a gradient propagates through the loop.
    bound: Optional["Tensor"] = None
    # `derivatives`: the gradient that an op is; true if something is differentiated with respect to its results.
    gradient: Optional[Gradient] = None
    is_wrt: bool = False
    # `own_gradients`: the name of the gradient that the program has registered.
    own_gradient: Optional[str] = None
    # `norms`; and lookups in tables: true if rows of the first input are the result.
    scaled: Optional[Scaled] = None
    looks_up: bool = False
    # Keras: the inputs that an op takes in a phase that is known; true if the phase is that of learning; the variables
    # of a moving average, by their names in files.
    chosen: Optional[Callable[["Operation"], Sequence["Tensor"]]] = None
    is_learning_phase: bool = False
    hidden: Optional[Mapping[str, "Variable"]] = None


NO_FIELDS = Fields()


class Operation:
    """A node of a graph. `emit` makes tensors of a trace of those of the inputs."""

    def __init__(
        self, graph: "Graph", kind: str, name: str, inputs: Sequence["Tensor"], emit: Optional[Callable[..., Any]],
        types: Sequence[Tuple[Any, Optional[_trace.Shape]]], fields: Fields = NO_FIELDS,
    ):  # fmt: skip
        self.graph = graph
        self.type = kind
        self.name = name
        self.inputs = list(inputs)
        self.emit = emit
        self.fields = fields
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
    def operands(self) -> List["Tensor"]:
        """The inputs, and the tensors from outside that branches and bodies take."""
        return [*self.inputs, *self.fields.captures]

    @property
    def variable(self) -> "Variable":
        """The variable that the op reads or initializes."""
        assert self.fields.variable is not None
        return self.fields.variable

    def value_on_host(self, session: Any) -> Any:
        """The value in a session of an op that has one without a program, as an array."""
        assert self.fields.host is not None
        return np.asarray(self.fields.host(session))

    @property
    def node_def(self) -> "Operation":
        return self

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Runs the op in a session, by default the default one."""
        from .session import default_session

        default_session(session, "execute operation").run(self, feed_dict)

    def __repr__(self) -> str:
        return f"<flywheel.v1.Operation '{self.name}' type={self.type}>"


def value_in(session: Any, fetch: Any, feed_dict: Any) -> Any:
    """Returns the value of a fetch in a session, by default the default one."""
    from .session import default_session

    return default_session(session, "evaluate tensor").run(fetch, feed_dict)


class Tensor(_operators.Operators):
    """A result of an op, which has elements while a session runs."""

    __array_ufunc__ = None
    # Keras gives these to inputs and results of layers: the shape; the layer, the number of its call, and that of the
    # result; true if it is another one in training; the mask.
    _keras_shape: _trace.Shape
    _keras_history: Tuple[Any, int, int]
    _uses_learning_phase: bool
    _keras_mask: Any

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
        return value_in(session, self, feed_dict)

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
