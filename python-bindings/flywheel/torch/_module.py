# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A module of PyTorch, its parameters as variables, and what runs it."""

import contextlib
import inspect
import re
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import torch

from .._core import dtypes as _dtypes
from .._core.annotations import Array
from .._core.tensor import Tensor, as_tensor, format_shape
from .._errors.messages import wrong
from .._frontends.imported_models import Bound, DeclaredSizes, ImportedModel
from .._frontends.layouts import Laid
from .._frontends.missing_ops import refuse
from .._functions.arguments import TensorSpec
from .._training.optimizer import Optimizer
from ..namespace import current_namespace
from ..variables import Variable, convert
from ._complex import Complex
from ._exporting import export
from ._graph import HANDLERS, Interpreter, as_dtype, find_missing
from ._own_functions import check_hooks, kept_derivatives

__all__ = ["ImportedModule", "from_module"]


def to_array(tensor: Any) -> Array:
    """A copy of a tensor of PyTorch; of complex numbers pairs [..., 2]."""
    tensor = torch.view_as_real(tensor.resolve_conj()) if tensor.is_complex() else tensor
    dtype = as_dtype(tensor.dtype)
    tensor = tensor.detach().cpu().contiguous()
    if tensor.dtype == torch.bfloat16:
        return np.array(tensor.view(torch.int16).numpy()).view(dtype)
    return np.array(tensor.numpy())


def to_tensor(array: Array) -> Any:
    """The other way."""
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(np.array(array.view(np.int16))).view(torch.bfloat16)
    return torch.from_numpy(np.array(array))


@contextmanager
def _mode(module: Any, training: bool) -> Iterator[None]:
    """The module in this mode. One that trains already stays as it is: parts of it may be
    frozen."""
    before = [(part, part.training) for part in module.modules()]
    try:
        if module.training != training:
            module.train(training)
        yield
    finally:
        for part, was_training in before:
            part.training = was_training


class _WithLoss(torch.nn.Module):  # type: ignore[misc]
    """A module and a loss of PyTorch as one module."""

    def __init__(self, module: Any, loss: Callable[..., Any], count: int):
        super().__init__()
        self.module = module
        self.loss = loss
        self.count = count
        if isinstance(loss, torch.nn.Module) and any(True for _ in loss.parameters()):
            raise ValueError(f"the loss {type(loss).__name__} has parameters, which nothing would train: expected them "
                             "in the module")  # fmt: skip

    def forward(self, *arguments: Any) -> Any:
        return self.loss(self.module(*arguments[: self.count]), *arguments[self.count :])


@contextmanager
def _assignments_in_place(module: Any) -> Iterator[None]:
    """A buffer that the module sets, `self.mean = ...`, is changed in place at the end, which is what an exported
    program keeps."""
    forward, is_own = module.forward, "forward" in module.__dict__

    def run(*args: Any, **kwargs: Any) -> Any:
        before = [(part, name, value) for part in module.modules() for name, value in part._buffers.items()]
        result = forward(*args, **kwargs)
        for part, name, old in before:
            new = part._buffers.get(name)
            if new is not old and old is not None and new is not None:
                part._buffers[name] = old
                old.copy_(new.detach())
        return result

    run.__signature__ = inspect.signature(forward)  # type: ignore[attr-defined]
    module.forward = run
    try:
        yield
    finally:
        if is_own:
            module.forward = forward
        else:
            del module.__dict__["forward"]


def _detach_without_gradient(graph_module: Any) -> None:
    """Detaches what parts of the graph without gradients, `with torch.no_grad()`, return or write to a buffer: the
    passes that follow forget where they were."""
    for owner in list(graph_module.modules()):
        for node in getattr(owner, "graph", torch.fx.Graph()).nodes:
            if node.op != "call_function" or str(node.target) != "wrap_with_set_grad_enabled" or node.args[0]:
                continue
            part = getattr(owner, node.args[1].target)
            for end in part.graph.find_nodes(op="output"):
                with part.graph.inserting_before(end):
                    end.args = torch.fx.map_arg(end.args, lambda value, graph=part.graph: _detached(graph, value))
            part.recompile()
            for place in _written_arguments(part.graph):
                _detach_later_uses(owner.graph, node, node.args[2 + place])
        if isinstance(owner, torch.fx.GraphModule):
            owner.recompile()


def _written_arguments(graph: Any) -> List[int]:
    """Returns the arguments that a part of a graph changes in place."""
    arguments = graph.find_nodes(op="placeholder")
    found: List[int] = []
    for node in graph.nodes:
        schema = getattr(node.target, "_schema", None)
        for place, argument in enumerate(schema.arguments if schema is not None else ()):
            given = node.args[place] if place < len(node.args) else node.kwargs.get(argument.name)
            if argument.alias_info is not None and argument.alias_info.is_write and given in arguments:
                found.append(arguments.index(given))
    return sorted(set(found))


def _detach_later_uses(graph: Any, node: Any, value: Any) -> None:
    """Replaces a value by its detached form in its uses after a node."""
    places = {one: place for place, one in enumerate(graph.nodes)}
    later = [user for user in value.users if places[user] > places[node] and user.op != "output"]
    if later:
        with graph.inserting_after(node):
            found = _detached(graph, value)
        for user in later:
            user.replace_input_with(value, found)


def _detached(graph: Any, value: Any) -> Any:
    found = graph.call_function(torch.ops.aten.detach.default, (value,))
    found.meta = dict(value.meta)
    return found


class Program:
    """A module as PyTorch exports it, in one mode."""

    def __init__(self, module: Any, example: Sequence[Any], dynamic_shapes: Any):
        with _assignments_in_place(module), kept_derivatives():
            exported = export(module, example, dynamic_shapes)
        _detach_without_gradient(exported.graph_module)
        table = torch.export.default_decompositions()
        kept = {name: rule for name, rule in table.items() if str(name) not in HANDLERS}
        self.exported = exported.run_decompositions(kept)
        self.graph = self.exported.graph
        missing = find_missing(self.graph)
        if missing:
            raise refuse("PyTorch", missing)

    def inputs(self, given: Sequence[Any]) -> Tuple[List[TensorSpec], DeclaredSizes]:
        """Returns the arguments, with names for the sizes that a call chooses, and what is declared of these sizes.
        `given` has the dynamic shapes of each argument."""
        metas = {node.name: node.meta.get("val") for node in self.graph.nodes if node.op == "placeholder"}
        values = [metas[one.arg.name] for one in self.exported.graph_signature.input_specs
                  if one.kind.name == "USER_INPUT"]  # fmt: skip
        names: Dict[str, str] = {}
        bounds: Dict[str, Bound] = {}
        for value, dims in zip(values, given):
            for axis, dim in dims.items() if isinstance(dims, Mapping) else enumerate(dims or ()):
                name, dim_size = getattr(dim, "__name__", ""), value.shape[axis]
                if isinstance(dim_size, int) or not name.isidentifier():
                    continue
                names[str(dim_size.node.expr)] = name
                bounds[name] = Bound(_finite(getattr(dim, "min", 0)) or 0, _finite(getattr(dim, "max", None)))
        for symbol, known in self.exported.range_constraints.items():
            name, most = names.setdefault(str(symbol), str(symbol)), _finite(known.upper)
            if most is not None and (name not in bounds or bounds[name].most is None):
                bounds[name] = Bound(bounds[name].least if name in bounds else 0, most)
        specs, declared = [], []
        for value in values:
            sizes = [one if isinstance(one, int) else str(one.node.expr) for one in value.shape]
            dims = tuple(one if isinstance(one, int) else names.get(one) for one in sizes)
            specs.append(TensorSpec(dims, as_dtype(value.dtype)))
            texts = [re.sub(r"[A-Za-z_]\w*", lambda symbol: names.get(symbol[0], symbol[0]), str(one)) for one in sizes]
            declared.append([one if isinstance(one, int) else text for one, text in zip(sizes, texts)])
        return specs, DeclaredSizes(declared, {name: one for name, one in bounds.items() if one != Bound(0, None)})

    def emit(
        self, inputs: Sequence[Tensor], variables: Mapping[str, Variable], orders: Mapping[int, Sequence[int]]
    ) -> Any:
        """The ops of the module in the current trace, which set its buffers; its outputs."""
        signature = self.exported.graph_signature
        constants = {**self.exported.constants, **self.exported.state_dict}
        metas = {node.name: node.meta.get("val") for node in self.graph.nodes if node.op == "placeholder"}
        count = sum(spec.kind.name == "USER_INPUT" for spec in signature.input_specs)
        if count != len(inputs):
            raise ValueError(f"the module was exported for {count} argument{'s'[: count != 1]}, found {len(inputs)}")
        given = iter(inputs)
        placeholders: Dict[str, Union[Laid, Complex]] = {}
        for spec in signature.input_specs:
            name = spec.arg.name
            if spec.kind.name == "USER_INPUT":
                placeholders[name] = Laid(_check(next(given), name, metas[name]))
            elif spec.kind.name == "TOKEN":
                # The order of checks, which a step here does not need.
                continue
            elif spec.target in variables:
                if metas[name].is_complex():
                    placeholders[name] = Complex.of_pairs(variables[spec.target].read())
                    continue
                placeholders[name] = Laid(variables[spec.target].read(), orders.get(id(variables[spec.target])))
            else:
                constant = as_tensor(to_array(constants[spec.target]))
                placeholders[name] = Complex.of_pairs(constant) if metas[name].is_complex() else Laid(constant)
        outputs = Interpreter(self.graph, placeholders).run()
        results = []
        for output, spec in zip(outputs, signature.output_specs):
            if spec.kind.name in ("BUFFER_MUTATION", "PARAMETER_MUTATION"):
                changed = variables[spec.target]
                if changed.trainable:
                    raise NotImplementedError(f"a module that changes its parameter '{spec.target}', which is trained, "
                                              "is not imported: expected a buffer, or requires_grad=False")
                if isinstance(output, Complex):
                    changed.assign(output.pairs())
                    continue
                changed.assign(output.arranged(tuple(orders.get(id(changed), range(output.ndim)))))
            elif spec.kind.name == "TOKEN":
                continue
            elif spec.kind.name == "USER_OUTPUT":
                if isinstance(output, Complex):
                    raise NotImplementedError("a module with complex results is not imported: expected "
                                              "torch.view_as_real of them, or another real tensor")  # fmt: skip
                results.append(output.plain() if isinstance(output, Laid) else output)
            else:
                raise NotImplementedError(f"a module that changes its argument '{spec.target}' is not imported")
        return torch.utils._pytree.tree_unflatten(results, self.exported.call_spec.out_spec)


def _finite(number: Any) -> Optional[int]:
    """Returns a bound of a size; None for one that is infinite."""
    try:
        found = int(number)
    except (TypeError, ValueError, OverflowError, AttributeError):
        return None
    return found if abs(found) < 2**31 - 1 else None


def _check(x: Tensor, name: str, meta: Any) -> Tensor:
    """Checks that the module was exported for an argument."""
    wanted = tuple(dim_size if isinstance(dim_size, int) else None for dim_size in meta.shape)
    fits = len(wanted) == x.ndim and all(w is None or w == s for w, s in zip(wanted, x._dims))
    if not fits or as_dtype(meta.dtype) != x.dtype:
        raise ValueError(
            f"the module was exported for {_dtypes.name_of(as_dtype(meta.dtype))}{format_shape(wanted)} as '{name}', "
            f"found {_dtypes.name_of(x.dtype)}{format_shape(x._dims)}: give example inputs like this one, or "
            "dynamic_shapes"
        )
    return x


class ImportedModule(ImportedModel):
    """A module that `from_module` imported.

    Called with arrays it runs the module for inference, with tensors in a traced function
    it is part of that; there `training=True` runs it as in training, which updates
    statistics of batches and drops elements.
    """

    _maker = "from_module"

    def __init__(
        self, module: Any, example: Sequence[Any], targets: Optional[Sequence[Any]], dynamic_shapes: Any,
        loss: Optional[Callable[..., Any]], optimizer: Optional[Optimizer], name: str,
    ):  # fmt: skip
        if not isinstance(module, torch.nn.Module):
            raise wrong(TypeError, "a torch.nn.Module", type(module).__name__)
        for what, values in (("inputs", example), ("targets", targets)):
            if values is not None and not isinstance(values, (tuple, list)):
                raise wrong(TypeError, f"a tuple of example {what}", type(values).__name__)
        if loss is not None and not callable(loss):
            raise TypeError("expected a function of outputs and targets as loss, such as flywheel.nn.mean_squared_error"
                            f" or, with example_targets, torch.nn.MSELoss(), found {loss!r}")  # fmt: skip
        super().__init__(loss, optimizer)
        self._module = module
        self._example = [_as_torch(value) for value in example]
        self._targets = None if targets is None else [_as_torch(value) for value in targets]
        for place, value in enumerate([*self._example, *(self._targets or [])]):
            if value.is_complex():
                raise NotImplementedError(f"the argument {place} of complex numbers is not imported: expected their "
                                          "parts, and torch.view_as_complex in the module")  # fmt: skip
        self._dynamic_shapes = dynamic_shapes
        self._programs: Dict[bool, Program] = {}
        self._program(optimizer is not None)
        self._orders: Dict[int, Tuple[int, ...]] = {}
        self.variables = _make_variables(module, name, self._orders)
        # If all sizes are those of the example, another size is an error that names both.
        dynamic: Any = "auto" if dynamic_shapes is not None else False
        if dynamic_shapes is not None:
            declared, self._sizes = self._programs[optimizer is not None].inputs(tuple(dynamic_shapes))
            self._inputs = declared[: len(self._example)]
            self._own_targets = None if self._targets is None else declared[len(self._example) :]
        fed = [[self._as_fed(value) for value in part] for part in (self._example, self._targets or [])]
        self._build(fed[0], None if self._targets is None else fed[1], dynamic)

    def _program(self, training: bool) -> Program:
        if training not in self._programs:
            module, example = self._module, list(self._example)
            if training:
                check_hooks(module)
            if training and self._targets is not None:
                assert self._loss is not None
                module = _WithLoss(module, self._loss, len(example))
                # Not `train`: parts of it may be in another mode.
                module.training = self._module.training
                example += self._targets
            with _mode(module, training):
                shapes = self._dynamic_shapes
                if shapes is not None and len(example) != len(self._example) and len(shapes) != len(example):
                    raise ValueError(f"dynamic_shapes has {len(shapes)} parts for {len(example)} inputs and targets")
                if isinstance(module, _WithLoss) and shapes is not None:
                    shapes = (tuple(shapes),)
                elif shapes is not None:
                    shapes = tuple(shapes)[: len(example)]
                self._programs[training] = Program(module, example, shapes)
        return self._programs[training]

    def _emit(self, inputs: Sequence[Any], training: bool) -> Any:
        self._check_sizes(inputs)
        program = self._program(training)
        variables: Mapping[str, Variable] = self.variables
        if training and self._targets is not None:
            variables = {f"module.{name}": variable for name, variable in self.variables.items()}
        return program.emit([as_tensor(x) for x in inputs], variables, self._orders)

    def _emit_loss(self, arguments: Sequence[Any]) -> Tensor:
        if self._targets is not None:
            return self._emit(arguments, True)  # type: ignore[no-any-return]
        assert self._loss is not None
        count = len(self._example)
        return self._loss(self._emit(arguments[:count], True), *arguments[count:])  # type: ignore[no-any-return]

    def _as_fed(self, value: Any) -> Any:
        """NumPy's protocols have no bfloat16, and do not take what requires a gradient."""
        is_odd = isinstance(value, torch.Tensor) and (value.dtype == torch.bfloat16 or value.requires_grad)
        return to_array(value) if is_odd else value

    def state_dict(self) -> Dict[str, Any]:
        """The values of parameters and buffers, for the module's `load_state_dict`."""
        result = {}
        for name, own in self._module.state_dict().items():
            variable = self.variables[name]
            array, order = variable.numpy(), self._orders.get(id(variable))
            tensor = to_tensor(array if order is None else array.transpose(np.argsort(order)))
            result[name] = torch.view_as_complex(tensor) if own.is_complex() else tensor
        return result

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Sets parameters and buffers. Raises ValueError where names or shapes differ, TypeError for other dtypes;
        then none is set."""
        wanted = list(self._module.state_dict())
        absent = [name for name in wanted if name not in state]
        unknown = [name for name in state if name not in wanted]
        if absent or unknown:
            raise ValueError(f"the state is not that of this module: it lacks {absent}, and has {unknown} besides")
        arrays: List[Array] = []
        for name in wanted:
            variable, array = self.variables[name], to_array(torch.as_tensor(state[name]))
            array = np.array(_arrange(array, self._orders.get(id(variable))), order="C")
            if array.shape != variable.shape:
                expected = tuple(self._module.state_dict()[name].shape)
                raise ValueError(
                    f"'{name}' of the module has the shape {expected}, found {tuple(np.shape(state[name]))}"
                )
            try:
                arrays.append(convert(array, variable.dtype))
            except TypeError as error:
                raise TypeError(f"'{name}': {error}") from None
        for name, array in zip(wanted, arrays):
            self.variables[name].set(array)


def _as_torch(value: Any) -> Any:
    return value if isinstance(value, torch.Tensor) else torch.as_tensor(value)


def _arrange(array: Array, order: Optional[Sequence[int]]) -> Array:
    return array if order is None or array.ndim != len(order) else array.transpose(order)


def _make_variables(module: Any, name: str, orders: Dict[int, Tuple[int, ...]]) -> Dict[str, Variable]:
    """Makes a variable for each parameter and buffer; one for those that are one tensor. Adds the order of dimensions
    that some have, by the variable's id, to `orders`."""
    images = (torch.nn.Conv2d, torch.nn.ConvTranspose2d)
    # To read `part.weight` would run its parametrization, which may change buffers, as spectral norm does.
    filters = {id(part._parameters.get("weight")) for part in module.modules() if isinstance(part, images)}
    found: List[Tuple[str, Any, bool]] = [
        *[(key, value, value.requires_grad) for key, value in module.named_parameters(remove_duplicate=False)],
        *[(key, value, False) for key, value in module.named_buffers(remove_duplicate=False)],
    ]
    known: Dict[int, Variable] = {}
    result: Dict[str, Variable] = {}
    with current_namespace().name_scope(name) if name else contextlib.nullcontext():
        for key, value, trainable in found:
            if id(value) not in known:
                # As convolutions have them here: else each step would transpose them, and their gradients back.
                order = (2, 3, 1, 0) if id(value) in filters else None
                array = np.array(_arrange(to_array(value), order), order="C")
                variable = known[id(value)] = Variable(array, name=key, trainable=trainable)
                if order is not None:
                    orders[id(variable)] = order
            result[key] = known[id(value)]
    return result


def from_module(
    module: Any,
    example_inputs: Sequence[Any],
    *,
    loss: Optional[Callable[..., Any]] = None,
    optimizer: Optional[Optimizer] = None,
    example_targets: Optional[Sequence[Any]] = None,
    dynamic_shapes: Any = None,
    name: str = "",
) -> ImportedModule:
    """Imports a module of PyTorch through `torch.export`.

    `example_inputs` are tensors or arrays of the shapes and dtypes of its arguments.
    `dynamic_shapes` is torch.export's, a tuple with an entry for each argument (and
    target): what sizes a call may choose. `loss` is a function of the module's output
    and of targets, of this package's ops, whose result `optimizer` minimizes in `step`;
    with `example_targets` it is one of PyTorch's, such as `torch.nn.CrossEntropyLoss()`.
    Names of variables begin with `name/` where that is given.

    Raises UnsupportedOpError, before anything is compiled, where ops have no
    translation: `missing` lists all of them with their lines. An op that PyTorch does not
    export is one of these, with the exporter's error as the cause.
    """
    if (optimizer is None) != (loss is None):
        raise ValueError("expected both a loss and an optimizer, or neither")
    with current_namespace().all_or_nothing():
        return ImportedModule(module, example_inputs, example_targets, dynamic_shapes, loss, optimizer, name)
