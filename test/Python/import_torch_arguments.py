# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, torch
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Arguments of aten's ops beside their schemas: a translation reads each, or the op is refused by name (B7)."""

import dis
import inspect
from functools import partial
from typing import Any, Callable, Dict, List, Set

import numpy as np
import torch
import torch.nn.modules.linear_cross_entropy  # noqa: F401
from torch.nn import functional

import flywheel as fw
import flywheel.torch
from flywheel.torch._arguments import Arguments, Handler
from flywheel.torch._graph import HANDLERS
from flywheel.torch._graph import op as register
from import_torch_ops import compare


def schema_of(name: str) -> Any:
    library, packet, overload = name.split(".")
    return getattr(getattr(getattr(torch.ops, library), packet), overload)._schema


def loaded(function: Callable[..., Any]) -> Set[str]:
    """The parameters that the code of a function reads, or functions in it do."""
    found: Set[str] = set()
    codes: List[Any] = [function.__code__]
    for code in codes:
        found |= {step.argval for step in dis.get_instructions(code) if step.opname.startswith("LOAD_")
                  and isinstance(step.argval, str)}  # fmt: skip
        codes += [inner for inner in code.co_consts if inspect.iscode(inner)]
    return found


def texts(function: Callable[..., Any]) -> Set[str]:
    """The words in the source of a function: an argument that is read by its name is one of them."""
    return set(inspect.getsource(function).replace('"', " ").replace("'", " ").split())


def test_each_argument() -> None:
    """A parameter that no code reads would drop an argument unseen."""
    useless: Dict[Any, Set[str]] = {}
    for name, handler in HANDLERS.items():
        if name == "aten.sym_size.int":
            continue
        schema = schema_of(name)
        known = {one.name for one in schema.arguments}
        useless.setdefault(handler.function, set(handler.without)).difference_update(known)
        bound = handler.bind(Arguments(schema, (), {}))
        unread = set(bound) - loaded(handler.function)
        assert not unread, f"{name}: the translation takes {sorted(unread)} and does not read it"
        taken = list(inspect.signature(handler.function).parameters.values())[1:]
        absent = [one.name for one in taken if one.default is one.empty and one.name not in bound]
        assert not absent, f"{name}: the op has no argument for {absent}"
        both = set(bound.values()) & set(handler.without)
        assert not both, f"{name}: the translation reads {sorted(both)}, and says that it does not"
        needed = [one.name for one in schema.arguments if not one.has_default_value()]
        dropped = [one for one in needed if one not in bound.values() and one not in handler.without
                   and one not in ("dtype", "layout") and one not in texts(handler.function)
                   and f"running_{one.split('_')[-1]}" != one]  # fmt: skip
        assert not dropped, f"{name} has the argument {dropped}, which nothing reads: each call would be refused"
    for function, names in useless.items():
        assert not names, f"{function.__name__}: no op has the argument {sorted(names)}"


def test_what_is_dropped() -> None:
    """An argument that nothing reads may be its default and nothing else."""
    schema, layouts = schema_of("aten.embedding.default"), schema_of("aten.zeros.default")
    table, places = torch.zeros(2, 2), torch.zeros(2, dtype=torch.int64)

    def find(*given: Any, of: Any = schema, **named: Any) -> List[Any]:
        arguments = Arguments(of, given, named)
        Handler(lambda call, x, y=None: x, ()).translate(None, arguments)
        return list(arguments.find_dropped(["sparse"]))

    assert find(table, places) == []
    assert find(table, places, -1, False, True) == []
    assert find(table, places, -1, True) == [("scale_grad_by_freq", True)]
    assert find(table, places, 1) == [("padding_idx", 1)]
    assert find([2], of=layouts, dtype=torch.float64, layout=torch.strided) == []
    assert find([2], of=layouts, layout=torch.sparse_coo) == [("layout", torch.sparse_coo)]
    for function in (lambda call, *given: None, lambda call, x, **named: None):
        try:
            register("embedding.default")(function)
            raise AssertionError("a translation that may drop arguments")
        except TypeError as error:
            assert "would be dropped unseen" in str(error), error


# Places in a parameter [6, 3].
PLACES = torch.tensor([[0, 2, 2], [5, 2, 0]])
FLAT, OFFSETS = torch.tensor([4, 4, 1, 2, 4, 1, 0]), torch.tensor([0, 2, 2, 5])
CASES: Dict[str, Callable[[Any], Any]] = {
    "embedding": lambda x: functional.embedding(PLACES, x),
    "embedding_by_frequency": lambda x: functional.embedding(PLACES, x, scale_grad_by_freq=True),
    "embedding_padded": lambda x: functional.embedding(PLACES, x, padding_idx=2, scale_grad_by_freq=True),
    "embedding_twice": lambda x: functional.embedding(PLACES, x.square(), scale_grad_by_freq=True).exp(),
    "embedding_vector": lambda x: functional.embedding(FLAT, x, scale_grad_by_freq=True),
    "embedding_scalar": lambda x: functional.embedding(FLAT[0], x, scale_grad_by_freq=True),
    "embedding_sparse": lambda x: functional.embedding(PLACES, x * 2, sparse=False),
    **{f"bag_{mode}_{padding}": partial(functional.embedding_bag, FLAT, offsets=OFFSETS, mode=mode,
                                        scale_grad_by_freq=True, padding_idx=padding)
       for mode in ("sum", "mean") for padding in (None, 1)},
    "bag_rows": lambda x: functional.embedding_bag(PLACES, x, mode="sum", scale_grad_by_freq=True),
    **{f"{name}_{int(10 * correction)}": partial(getattr(torch, name), dim=1, correction=correction)
       for name in ("var", "std") for correction in (0, 0.5, 1, 2, 2.5)},
    "var_all": lambda x: torch.var(x, correction=0.25), "var_none": lambda x: torch.var(x, dim=0, keepdim=True),
    "var_mean": lambda x: torch.var_mean(x, dim=1, correction=1.5)[0],
    "baddbmm": lambda x: torch.baddbmm(x[None], x[None], x[None, :3], beta=0.5, alpha=2),
    "addmm_0": lambda x: torch.addmm(x.detach() * float("nan"), x, x[:3], beta=0),
    "sort_named": lambda x: torch.sort(x, dim=0, descending=True, stable=True)[0],
    "scatter_reduce": lambda x: x.scatter_reduce(0, PLACES, x[:2] * 2, "sum", include_self=True),
    "pad_circular_cut": lambda x: functional.pad(x[None], (-1, 2), mode="circular"),
    "pad_reflect_cut": lambda x: functional.pad(x[None], (-1, 1), mode="reflect"),
    "scatter_scalar": lambda x: x.sum().scatter(0, torch.tensor(0), x[0, 0]) + x.sum().scatter_add(
        0, torch.tensor(0), x[0, 1]),
    "softmax_scalar": lambda x: torch.stack([x[0, 0].softmax(0), x[0, 1].log_softmax(0)]),
    "softmax_dtype": lambda x: x.float().softmax(1, dtype=torch.float64),
}  # fmt: skip


def test_values() -> None:
    compare(CASES, (6, 3))


def test_refused() -> None:
    """By the name of the argument, with the line of the model."""

    class Bags(torch.nn.Module):  # type: ignore[misc]
        def forward(self, x: Any) -> Any:
            return functional.embedding_bag(FLAT, x, OFFSETS, mode="max")

    try:
        flywheel.torch.from_module(Bags(), (torch.ones(6, 3),))
        raise AssertionError("not refused")
    except fw.torch.UnsupportedOpError as error:
        assert "mode='max'" in str(error) and "import_torch_arguments.py" in str(error), error


if __name__ == "__main__":
    np.seterr(all="ignore")
    test_each_argument()
    test_what_is_dropped()
    test_values()
    test_refused()
