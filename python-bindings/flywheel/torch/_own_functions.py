# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derivatives that a module of PyTorch defines itself: `torch.autograd.Function`, and hooks of gradients.

An exported graph has the forward pass only: a function with a derivative of its own becomes one op of the graph, which
has the number of the call, and hooks are refused.
"""

import traceback
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Sequence, Tuple

import torch

from .._frontends.missing_ops import MissingOp, UnsupportedOpError, refuse

NAME = "flywheel::own_derivative.default"
_LIBRARY = torch.library.Library("flywheel", "FRAGMENT")
_LIBRARY.define("own_derivative(Tensor[] x, int number) -> Tensor[]")


class Context:
    """The `ctx` of `forward` and `backward` of a function."""

    def __init__(self, needed: Sequence[bool]):
        self.saved_tensors: Tuple[Any, ...] = ()
        self.needs_input_grad = tuple(needed)

    def save_for_backward(self, *tensors: Any) -> None:
        self.saved_tensors = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keeps nothing: there is no derivative in forward mode."""

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Changes nothing: `backward` returns no derivative by them."""

    def mark_dirty(self, *tensors: Any) -> None:
        raise refuse("PyTorch", [MissingOp("torch.autograd.Function that changes its argument (mark_dirty)", "")])

    def set_materialize_grads(self, value: bool) -> None:
        """Changes nothing: every cotangent is a tensor here."""


class OwnFunction:
    """A call of a `torch.autograd.Function`: its class, and the arguments that are not tensors."""

    def __init__(self, kind: Any, arguments: Sequence[Any]):
        self._kind = kind
        self.places = [place for place, one in enumerate(arguments) if isinstance(one, torch.Tensor)]
        self._others = [None if isinstance(one, torch.Tensor) else one for one in arguments]
        # The number of results, and true where the function returns a tuple of them.
        self.is_tuple = False
        self.shapes: List[Any] = []

    @property
    def name(self) -> str:
        return str(self._kind.__qualname__)

    def forward(self, tensors: Sequence[Any]) -> Tuple[List[Any], Context]:
        """Returns the results, and the context that `backward` reads."""
        arguments = list(self._others)
        for place, tensor in zip(self.places, tensors):
            arguments[place] = tensor
        context = Context([isinstance(one, torch.Tensor) and one.is_floating_point() for one in arguments])
        if torch.autograd.function._is_setup_context_defined(self._kind.setup_context):
            results = self._kind.forward(*arguments)
            self._kind.setup_context(context, tuple(arguments), results)
        else:
            results = self._kind.forward(context, *arguments)
        self.is_tuple = isinstance(results, (tuple, list))
        return [one.clone() for one in (results if self.is_tuple else [results])], context

    def backward(self, tensors: Sequence[Any], cotangents: Sequence[Any]) -> List[Any]:
        """Returns the derivatives by those tensors that are of floating point."""
        results, context = self.forward(tensors)
        rest = iter(cotangents)
        given = [next(rest) if one.is_floating_point() else None for one in results]
        found = self._kind.backward(context, *given)
        found = found if isinstance(found, (tuple, list)) else (found,)
        moving = [place for place, tensor in zip(self.places, tensors) if tensor.is_floating_point()]
        inputs = [tensor for tensor in tensors if tensor.is_floating_point()]
        return [torch.zeros_like(x) if found[place] is None else found[place].clone()
                for place, x in zip(moving, inputs)]  # fmt: skip


# The calls of all modules by their numbers, which graphs have.
FUNCTIONS: Dict[int, OwnFunction] = {}


def _run(x: Sequence[Any], number: int) -> List[Any]:
    return FUNCTIONS[number].forward(x)[0]


_LIBRARY.impl("own_derivative", _run, "CompositeExplicitAutograd")
torch.library.register_fake("flywheel::own_derivative", _run, lib=_LIBRARY)


def _own_line() -> str:
    """Returns file and line of the user's that calls."""
    frames = [one for one in traceback.extract_stack() if "/torch/" not in one.filename and one.filename[0] != "<"]
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""


@contextmanager
def kept_derivatives() -> Iterator[None]:
    """Within this, a call of a function with a derivative of its own is one op, and a hook of a gradient is refused."""
    apply, register_hook = torch.autograd.Function.__dict__["apply"], torch.Tensor.register_hook

    def own_apply(kind: Any, *arguments: Any) -> Any:
        if kind.__module__.split(".")[0] == "torch":
            return apply.__func__(kind, *arguments)
        others = [one for one in arguments if not isinstance(one, torch.Tensor)]
        if any(isinstance(one, torch.Tensor) for one in torch.utils._pytree.tree_leaves(others)):
            raise refuse("PyTorch", [MissingOp(f"{kind.__qualname__}.apply of a container of tensors", _own_line())])
        function = OwnFunction(kind, arguments)
        number = len(FUNCTIONS)
        FUNCTIONS[number] = function
        results = torch.ops.flywheel.own_derivative([arguments[place] for place in function.places], number)
        return tuple(results) if function.is_tuple else results[0]

    def refused(tensor: Any, *_: Any) -> None:
        raise _hook_error("a tensor", _own_line())

    torch.autograd.Function.apply = classmethod(own_apply)
    torch.Tensor.register_hook = refused
    try:
        yield
    finally:
        torch.autograd.Function.apply = apply
        torch.Tensor.register_hook = register_hook


def _hook_error(what: str, location: str) -> UnsupportedOpError:
    return refuse("PyTorch", [MissingOp(f"a hook of the gradient of {what}, which a step would not call", location)])


def check_hooks(module: Any) -> None:
    """Raises UnsupportedOpError for hooks that change gradients of a module or of its parameters."""
    for name, part in module.named_modules():
        if part._backward_hooks or part._backward_pre_hooks:
            raise _hook_error(f"the module '{name}'", type(part).__name__)
    for name, parameter in module.named_parameters():
        if parameter._backward_hooks or getattr(parameter, "_post_accumulate_grad_hooks", None):
            raise _hook_error(f"the parameter '{name}'", "Tensor.register_hook")
