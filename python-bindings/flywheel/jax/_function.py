# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function of JAX, its parameters as variables, and what runs it."""

import contextlib
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import jax
import numpy as np

from .._core import dtypes as _dtypes
from .._core import trace as _trace
from .._core.annotations import Array
from .._core.tensor import Tensor, as_tensor, format_shape
from .._errors.messages import about, wrong
from .._frontends.imported_models import Bound, DeclaredSizes, ImportedModel
from .._frontends.missing_ops import MissingOp, refuse
from .._training.optimizer import Optimizer
from ..function import TensorSpec
from ..namespace import current_namespace
from ..variables import Variable
from ._export import Exported
from ._graph import Interpreter, find_missing
from ._values import Known, of_tensor

try:
    from jax.errors import InconclusiveDimensionOperation
except ImportError:  # Earlier versions.
    from jax.core import InconclusiveDimensionOperation

__all__ = ["ImportedFunction", "from_function"]


def _path(keys: Any, prefix: str) -> str:
    name = jax.tree_util.keystr(keys, simple=True, separator="/")
    return f"{prefix}/{name}" if prefix and name else name or prefix


def _leaves_of(tree: Any, what: str, prefix: str) -> Dict[str, Array]:
    """Returns the arrays of a tree by their paths. Raises TypeError for leaves that are not arrays."""
    result: Dict[str, Array] = {}
    for keys, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]:
        path = _path(keys, prefix)
        is_array = isinstance(leaf, (np.ndarray, np.generic, jax.Array))
        if not is_array or jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.extended):
            hint = ": give jax.random.key_data of a key" if is_array else ""
            place = f" at '{path}'" if path else ""
            raise wrong(TypeError, "arrays", f"{_described(leaf)}{place}{hint}", what)
        array = _dtypes.as_numpy(leaf)
        _supported(array.dtype, f"{what} '{path}'" if path else what)
        if path in result:
            raise ValueError(f"two leaves of the {what} have the path '{path}'")
        result[path] = array
    return result


def _described(leaf: Any) -> str:
    dtype = getattr(leaf, "dtype", None)
    return type(leaf).__name__ if dtype is None else f"an array of {dtype}"


def _supported(dtype: Any, what: str) -> None:
    """Raises TypeError for a dtype that no tensor has, or that JAX makes another one of."""
    if np.issubdtype(dtype, np.complexfloating):
        raise TypeError(f"{what} is of {dtype}, which no variable or argument has: expected two arrays, its parts, "
                        "and jax.lax.complex(real, imaginary) in the function")  # fmt: skip
    try:
        _dtypes.as_dtype(dtype)
    except TypeError as error:
        raise about(what, TypeError(f"{error}")) from None
    own = jax.dtypes.canonicalize_dtype(dtype)
    if own != dtype:
        raise TypeError(
            f"{what} is of {dtype}, which JAX makes {own} of: set jax.config.update('jax_enable_x64', True)"
        )


def _example(value: Any, what: str) -> Any:
    """Converts an example to an abstract value: an array, a number or such, or one with symbolic sizes."""
    if not isinstance(value, (np.ndarray, np.generic, jax.Array, jax.ShapeDtypeStruct)):
        value = np.asarray(jax.numpy.asarray(value))
    _supported(value.dtype, what)
    return jax.ShapeDtypeStruct(value.shape, value.dtype)


def _form(tree: Any) -> str:
    """Formats a tree as people write it, with `*` for each array."""
    return str(tree).removeprefix("PyTreeDef(").removesuffix(")")


def _spec(value: Any) -> TensorSpec:
    """Returns the spec of an argument. A symbolic size has its name; one that is computed of others has none."""
    dims = tuple(
        size if isinstance(size, int) else str(size) if str(size).isidentifier() else None for size in value.shape
    )
    return TensorSpec(dims, _dtypes.as_dtype(value.dtype))


def _bound_of(dim: Any) -> Bound:
    """Returns the sizes that the constraints of a symbolic size allow: those that JAX can tell to be no others."""

    def holds(compare: Callable[[], bool]) -> bool:
        try:
            return bool(compare())
        except InconclusiveDimensionOperation:
            return False

    def last(check: Callable[[int], bool]) -> int:
        """Returns the largest number for which a check holds that holds for no larger one."""
        low, high = 0, 2**31
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if check(middle) else (low, middle)
        return low

    most = last(lambda number: not holds(lambda: dim <= number)) + 1
    least = last(lambda number: holds(lambda: dim >= number))
    return Bound(least, most if most < 2**31 - 1 else None)


class _Program:
    """A function as JAX exports it, for these trees of arguments."""

    def __init__(self, function: Callable[..., Any], arguments: Sequence[Any], has_state: bool):
        self.exported = Exported(function, arguments)
        self.has_state = has_state
        for place, value in enumerate(self.exported.outputs):
            if jax.dtypes.issubdtype(value.dtype, np.complexfloating):
                raise refuse("JAX", [MissingOp(f"result {place} of complex numbers: expected its parts, jnp.real(x) "
                                               "and jnp.imag(x)", "")])  # fmt: skip
        missing = find_missing(self.exported)
        if missing:
            raise refuse("JAX", missing)

    def emit(self, given: Sequence[Any]) -> Any:
        """The ops of the function in the current trace, of flat tensors; its result."""
        kept = [of_tensor(given[place]) for place in self.exported.kept]
        outputs = Interpreter(self.exported).run(kept)
        results = [known.tensor for known in outputs if isinstance(known, Known)]
        return jax.tree_util.tree_unflatten(self.exported.out_tree, results)


class ImportedFunction(ImportedModel):
    """A function that `from_function` imported.

    Called with arrays it runs the function for inference, with tensors in a traced
    function it is part of that; there `training=True` also moves the state.
    """

    _maker = "from_function"
    _trains_unconnected = True

    def __init__(
        self, function: Callable[..., Any], params: Any, example: Sequence[Any], state: Any,
        loss: Optional[Callable[..., Any]], optimizer: Optional[Optimizer], targets: Optional[Sequence[Any]],
        inference: Optional[Callable[..., Any]], name: str,
    ):  # fmt: skip
        super().__init__(loss, optimizer)
        self._function = function
        self._inference = inference
        self._has_state = state is not None
        leaves = _leaves_of(params, "params", "")
        if not leaves and optimizer is not None:
            raise ValueError("expected params with arrays to train, found none")
        # A tree that is one array has no path.
        leaves = {path or "params": array for path, array in leaves.items()}
        states = _leaves_of(state, "state", "state")
        clash = sorted(set(leaves) & set(states))
        if clash:
            raise ValueError(f"params and state both have a leaf '{clash[0]}'")
        self._params_tree = jax.tree_util.tree_structure(params)
        self._state_tree = jax.tree_util.tree_structure(state)
        self._example = self._abstract(example, "input")
        self._targets = None if targets is None else self._abstract(targets, "target")
        self._programs: Dict[str, _Program] = {}
        self._arguments = [_shapes_of(params)] + ([_shapes_of(state)] if self._has_state else [])
        self._state_names = list(states)
        # Before variables are made: an error leaves none.
        self._program("train" if optimizer is not None else "infer")
        self.variables = _make_variables({**leaves, **states}, set(leaves), name)
        inputs = jax.tree_util.tree_leaves(self._example)
        wanted = jax.tree_util.tree_leaves(self._targets)
        specs = [_spec(value) for value in inputs]
        signatures = {"forward": specs, "step": None}
        if targets is not None or loss is None:
            signatures["step"] = [*specs, *[_spec(value) for value in wanted]]
        self._inputs = specs
        self._own_targets = None if targets is None else [_spec(value) for value in wanted]
        declared = [[dim if isinstance(dim, int) else str(dim) for dim in value.shape] for value in [*inputs, *wanted]]
        self._sizes = DeclaredSizes(declared, {
            str(dim): bound for value in [*inputs, *wanted] for dim in value.shape if str(dim).isidentifier()
            for bound in (_bound_of(dim),) if bound != Bound(1, None)})  # fmt: skip
        # If the loss is a function of this package, each call brings its targets.
        self._build(
            specs, None if signatures["step"] is None else [_spec(value) for value in wanted], False, **signatures
        )

    def _abstract(self, values: Sequence[Any], what: str) -> Tuple[Any, ...]:
        """Examples without their elements."""
        if not isinstance(values, (tuple, list)):
            raise TypeError(f"expected a tuple of example {what}s, found {type(values).__name__}")
        return tuple(
            jax.tree_util.tree_map(lambda leaf, i=i: _example(leaf, f"example {what} {i}"), value)
            for i, value in enumerate(values)
        )

    # Exporting from JAX

    def _program(self, kind: str) -> _Program:
        """Returns the function "train" (with its loss, if JAX has it), as it is to "apply", or to "infer"."""
        if kind not in self._programs:
            function, arguments = self._function, [*self._arguments, *self._example]
            if kind == "infer" and self._inference is not None:
                function = self._inference
            elif kind == "train" and self._targets is not None:
                arguments += self._targets
                function = self._with_loss
            has_state = self._has_state and function is not self._inference
            program = self._programs[kind] = _Program(function, arguments, has_state)
            self._check(program, kind == "train" and (self._loss is None or self._targets is not None))
        return self._programs[kind]

    def _with_loss(self, *arguments: Any) -> Any:
        assert self._loss is not None and self._targets is not None
        first = len(arguments) - len(self._targets)
        result = self._function(*arguments[:first])
        if not self._has_state:
            return self._loss(result, *arguments[first:])
        output, state = _pair(result)
        return self._loss(output, *arguments[first:]), state

    def _check(self, program: _Program, is_loss: bool) -> None:
        """Raises ValueError for a loss that is not a scalar, or a state of another form."""
        outputs = program.exported.outputs
        result = jax.tree_util.tree_unflatten(program.exported.out_tree, outputs)
        if program.has_state:
            result, state = _pair(result)
            tree = jax.tree_util.tree_structure(state)
            if tree != self._state_tree:
                raise ValueError(
                    f"the function returns a state of another form: expected {self._state_tree}, found {tree}"
                )
            old = jax.tree_util.tree_leaves(self._arguments[1])
            for name, one, other in zip(self._state_names, old, jax.tree_util.tree_leaves(state)):
                if one.shape != other.shape or one.dtype != other.dtype:
                    raise ValueError(
                        f"the function returns another '{name}': expected {one.dtype}{format_shape(one.shape)}, found "
                        f"{other.dtype}{format_shape(other.shape)}"
                    )
        if not is_loss:
            return
        leaves = jax.tree_util.tree_leaves(result)
        kinds = [f"{leaf.dtype}{format_shape(leaf.shape)}" for leaf in leaves]
        if len(leaves) != 1 or leaves[0].shape != () or not _dtypes.is_floating(leaves[0].dtype):
            raise ValueError(
                f"a loss is a scalar of floating point, the function returns {', '.join(kinds) or 'nothing'}"
            )

    # Emitting into a trace

    def _run(self, kind: str, inputs: Sequence[Any], moves: bool) -> Any:
        program = self._program(kind)
        expected = [*self._example, *(self._targets or () if kind == "train" else ())]
        leaves = self._flat(inputs, expected)
        given = [variable.read() for variable in self.variables.values()]
        result = program.emit([*given, *[as_tensor(leaf) for leaf in leaves]])
        if not program.has_state:
            return result
        output, state = result
        if moves:
            for name, value in zip(self._state_names, jax.tree_util.tree_leaves(state)):
                self.variables[name].assign(value)
        return output

    def _flat(self, inputs: Sequence[Any], expected: Sequence[Any]) -> List[Any]:
        """Returns the leaves of arguments that have the form of the examples. Raises ValueError for another form."""
        leaves: List[Any]
        leaves, tree = jax.tree_util.tree_flatten(tuple(inputs))
        wanted = jax.tree_util.tree_structure(tuple(expected))
        if tree != wanted:
            raise ValueError(f"the function was exported for {len(expected)} arguments of the form {_form(wanted)}, "
                             f"found {len(inputs)} of the form {_form(tree)}")  # fmt: skip
        self._check_sizes(leaves)
        for i, (leaf, example) in enumerate(zip(leaves, jax.tree_util.tree_leaves(tuple(expected)))):
            if isinstance(leaf, Tensor):
                _check_argument(leaf, example, i)
        return leaves

    def _emit(self, inputs: Sequence[Any], training: bool) -> Any:
        return self._run("apply" if training else "infer", inputs, training)

    def _emit_fed(self, inputs: Sequence[Any]) -> List[Any]:
        leaves: List[Any] = jax.tree_util.tree_leaves(self._emit(_unflatten(self._example, inputs), False))
        return leaves

    def _emit_loss(self, arguments: Sequence[Any]) -> Tensor:
        if self._targets is not None:
            values = _unflatten([*self._example, *self._targets], arguments)
            return self._run("train", values, True)  # type: ignore[no-any-return]
        count = len(jax.tree_util.tree_leaves(self._example))
        result = self._run("train", _unflatten(self._example, arguments[:count]), True)
        return result if self._loss is None else self._loss(result, *arguments[count:])  # type: ignore[no-any-return]

    # Calls

    def __call__(self, *inputs: Any, training: bool = False) -> Any:
        if training or _trace.is_tracing():
            return super().__call__(*inputs, training=training)
        program = self._program("infer")
        results = self._forward(*self._flat(inputs, self._example))
        tree = program.exported.out_tree
        if program.has_state:
            tree = tree.children()[0]
        return jax.tree_util.tree_unflatten(tree, results)

    def step(self, *arguments: Any) -> Any:
        """One step of training on inputs and targets, in the form of the examples. Returns the loss.

        Raises ValueError for another form or shape, TypeError for another dtype.
        """
        count = len(self._example)
        if self._targets is not None or self._loss is None:
            return super().step(*self._flat(arguments, [*self._example, *(self._targets or ())]))
        inputs, targets = arguments[:count], arguments[count:]
        return super().step(*self._flat(inputs, self._example), *targets)

    # Values

    def params(self) -> Any:
        """The values of the parameters, as the tree that they were given as, of NumPy's arrays."""
        states = set(self._state_names)
        values = [variable.numpy() for name, variable in self.variables.items() if name not in states]
        return jax.tree_util.tree_unflatten(self._params_tree, values)

    def state(self) -> Any:
        """The values of the state, likewise; None where the function has none."""
        values = [self.variables[name].numpy() for name in self._state_names]
        return jax.tree_util.tree_unflatten(self._state_tree, values)

    def state_dict(self) -> Dict[str, Array]:
        """The values of parameters and state by their paths, as `flywheel.save` has them."""
        return {name: variable.numpy() for name, variable in self.variables.items()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Sets parameters and state by their paths. Raises ValueError where paths or shapes differ, TypeError
        where dtypes do; nothing is set then."""
        absent = [name for name in self.variables if name not in state]
        unknown = [name for name in state if name not in self.variables]
        if absent or unknown:
            raise ValueError(f"the state is not that of this function: it lacks {absent}, and has {unknown} besides")
        arrays = {name: _dtypes.as_numpy(state[name]) for name in self.variables}
        for name, variable in self.variables.items():
            array = arrays[name]
            if array.shape != variable.shape:
                raise ValueError(
                    f"'{name}' has the shape {format_shape(variable.shape)}, found {format_shape(array.shape)}"
                )
            if array.dtype != variable.dtype:
                raise TypeError(f"'{name}' is of {variable.dtype}, found {array.dtype}")
        for name, variable in self.variables.items():
            variable.set(arrays[name])


def _unflatten(examples: Sequence[Any], leaves: Sequence[Any]) -> Any:
    return jax.tree_util.tree_unflatten(jax.tree_util.tree_structure(tuple(examples)), leaves)


def _pair(result: Any) -> Tuple[Any, Any]:
    if not isinstance(result, tuple) or len(result) != 2:
        raise ValueError(
            f"with a state, the function returns a pair, its result and the new state; found {type(result).__name__}"
        )
    return result[0], result[1]


def _shapes_of(tree: Any) -> Any:
    return jax.tree_util.tree_map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype), tree)


def _check_argument(x: Tensor, example: Any, place: int) -> None:
    wanted = _spec(example)
    sizes = tuple(size if isinstance(size, int) else None for size in wanted.shape)
    fits = len(sizes) == x.ndim and all(w is None or w == s for w, s in zip(sizes, x._dims))
    if not fits or wanted.dtype != x.dtype:
        raise ValueError(
            f"the function was exported for {_dtypes.name_of(wanted.dtype)}{format_shape(sizes)} as argument {place}, "
            f"found {_dtypes.name_of(x.dtype)}{format_shape(x._dims)}: give example inputs like this one"
        )


def _make_variables(arrays: Mapping[str, Array], params: "set[str]", name: str) -> Dict[str, Variable]:
    """Makes a variable for each array. Parameters of floating point are trained."""
    with current_namespace().name_scope(name) if name else contextlib.nullcontext():
        return {
            path: Variable(
                np.array(array, order="C"), name=path,
                trainable=path in params and _dtypes.is_floating(_dtypes.as_dtype(array.dtype)))
            for path, array in arrays.items()
        }  # fmt: skip


def from_function(
    function: Callable[..., Any],
    params: Any,
    example_inputs: Sequence[Any],
    *,
    state: Any = None,
    loss: Optional[Callable[..., Any]] = None,
    optimizer: Optional[Optimizer] = None,
    example_targets: Optional[Sequence[Any]] = None,
    inference: Optional[Callable[..., Any]] = None,
    name: str = "",
) -> ImportedFunction:
    """Imports a function of JAX through `jax.export`, as StableHLO.

    `function(params, *inputs)` returns the loss, a scalar that `optimizer` minimizes in
    `step(*inputs)`; or with `loss` any output, of which `loss(output, *targets)` is the
    loss in `step(*inputs, *targets)`. With `example_targets`, `loss` is a function of
    JAX, without one of tensors of this package. Derivatives are this compiler's.

    `params` is a tree of arrays: each is a variable under its path in the tree, such as
    `layers/0/w` (`params` where the tree is one array), and floating-point ones are
    trained. `state` is a tree of arrays that no derivative is for, such as running
    statistics: then the function is `function(params, state, *inputs)` and returns a pair
    with the new state, which `step` keeps; its paths begin with `state/`.

    `example_inputs` (and targets) are trees of arrays of the shapes and dtypes of the
    arguments, or `jax.ShapeDtypeStruct`s, whose sizes may be `jax.export.symbolic_shape`s:
    those the call chooses. `inference(params[, state], *inputs)` is what a call of the
    model runs, by default `function`. Names of variables begin with `name/` where that is
    given.

    Raises UnsupportedOpError, before anything is compiled, where ops have no translation
    or functions have derivatives of their own (`jax.custom_jvp`, `jax.custom_vjp`): `missing` lists all of them with
    their lines. Raises TypeError for params that are not arrays, ValueError for a loss that is not a scalar and for a
    state of another form.
    """
    if loss is not None and optimizer is None:
        raise ValueError("expected an optimizer with a loss")
    if example_targets is not None and loss is None:
        raise ValueError("expected a loss with example_targets")
    return ImportedFunction(function, params, example_inputs, state, loss, optimizer, example_targets, inference, name)
