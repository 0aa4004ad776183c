# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, torch
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""N21, V8: captured tensors of PyTorch that change in place, of modules of it too, are seen, as are columns of pandas;
a variable keeps a copy of a tensor. A tensor that is the negative or the conjugate of what lies in memory has its own
elements."""

import gc
import weakref
from typing import Any, Callable, Dict, List

import numpy as np
import torch

import flywheel as fw
from configurations import run_tests

x = np.float32(1)


def check(function: Callable[[Any], Any], change: Callable[[], Any], wanted: Callable[[], Any]) -> None:
    """Checks the result before a change and behind it, and the traces."""
    traces: List[int] = []

    def traced(x: Any) -> Any:
        traces.append(1)
        return function(x)

    f = fw.function(traced)
    for count in (1, 1):
        assert np.allclose(f(x), wanted()) and len(traces) == count
    old = np.array(wanted())
    change()
    assert not np.array_equal(old, wanted()), "a change that is none tests nothing"
    assert np.allclose(f(x), wanted()) and np.allclose(f(x), wanted()), (f(x), wanted())
    assert len(traces) == 2


def each_use(t: Any, size: int) -> None:
    check(lambda x: x * t, lambda: t.fill_(3), t.numpy)
    t.fill_(1)
    check(lambda x: x * t.numpy(), lambda: t[-1:].fill_(5), t.numpy)
    t.fill_(1)
    check(lambda x: x * float(t[size // 2]), lambda: t.mul_(7), lambda: float(t[size // 2]))
    check(lambda x: x * t, lambda: t.numpy().__setitem__(size - 1, 9), t.numpy)


def test_tensors() -> None:
    for size in (1, 3, 5000):
        each_use(torch.ones(size), size)
    base = torch.zeros(4, 5)
    view = base.t()[1:]
    check(lambda x: x * view, lambda: base[2, 3].fill_(4), view.numpy)
    held: Dict[str, Any] = {"t": torch.ones(3), "list": [torch.ones(2)]}
    check(lambda x: x * held["t"], lambda: held["t"].add_(1), held["t"].numpy)
    check(lambda x: x * held["list"][0], lambda: held["list"][0].add_(1), held["list"][0].numpy)
    check(lambda x: x * held["t"], lambda: held.update(t=torch.full((3,), 6.0)), lambda: held["t"].numpy())
    narrow = torch.ones(3, dtype=torch.bfloat16)
    check(lambda x: x * narrow.float(), lambda: narrow.fill_(3), lambda: narrow.float().numpy())


def test_parameters() -> None:
    """Parameters and buffers of modules, reached by any name."""
    linear = torch.nn.Linear(3, 2)
    nested = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))

    class Own(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.inner = torch.nn.Linear(3, 2)

    own = Own()

    def weight(module: Any) -> Any:
        return module.weight.detach().numpy()

    check(lambda x: x * linear.weight.detach().numpy(), lambda: linear.weight.data.fill_(3), lambda: weight(linear))
    check(lambda x: x * weight(nested[0]), lambda: nested[0].weight.data.fill_(3), lambda: weight(nested[0]))
    check(lambda x: x * nested[1].running_mean.numpy(), lambda: nested[1].running_mean.fill_(3),
          lambda: nested[1].running_mean.numpy())  # fmt: skip
    check(lambda x: x * weight(own.inner), lambda: own.inner.weight.data.fill_(3), lambda: weight(own.inner))
    check(lambda x: x * weight(linear), lambda: setattr(linear, "weight", torch.nn.Parameter(torch.zeros(2, 3))),
          lambda: weight(linear))  # fmt: skip
    # An optimizer of PyTorch writes in place.
    sgd = torch.optim.SGD(linear.parameters(), 0.5)

    def train() -> None:
        sgd.zero_grad()
        (linear(torch.ones(1, 3)) ** 2 + 1).sum().backward()
        sgd.step()

    linear.weight.data.fill_(1)
    check(lambda x: x * weight(linear), train, lambda: weight(linear))


def test_kept_alive() -> None:
    held = [torch.ones(5000)]
    f = fw.function(lambda x: x * held[0])
    f(x)
    gone = weakref.ref(held[0])
    held[0] = torch.zeros(5000)
    gc.collect()
    assert gone() is None
    assert (f(x) == 0).all()


def test_variables() -> None:
    """V8: a copy, when the variable is made."""
    for size in (2, 2000):
        t = torch.ones(size)
        made = [fw.Variable(t), fw.Variable(fw.initializers.Constant(t), shape=(size,))]
        t.fill_(7)
        assert all((v.numpy() == 1).all() for v in made)
    # Weights that are trained beside it, before the first use.
    linear = torch.nn.Linear(2, 1)
    linear.weight.data.fill_(1)
    v = fw.Variable(linear.weight.detach())
    linear.weight.data.fill_(7)
    assert (v.numpy() == 1).all()


def test_pandas() -> None:
    try:
        import pandas  # type: ignore[import-untyped]
    except ImportError:
        return
    frame = pandas.DataFrame({"a": [1.0, 1.0, 1.0], "b": [1, 1, 1]})
    series = pandas.Series(np.ones(3, np.float32))

    def change(value: float) -> None:
        frame.loc[1, "a"] = value

    check(lambda x: x * frame["a"].to_numpy(), lambda: change(3.0), lambda: frame["a"].to_numpy())
    check(lambda x: x * frame.b.to_numpy().astype(np.float32), lambda: frame.__setitem__("b", [4, 5, 6]),
          lambda: frame["b"].to_numpy())  # fmt: skip
    check(lambda x: x * series.to_numpy(), lambda: series.__setitem__(2, 9), lambda: series.to_numpy())


def test_negative_and_conjugate() -> None:
    """As an argument, in a signature, captured, in a variable and to one."""
    t = torch.complex(torch.ones(2), torch.tensor([1.0, 2.0])).conj().imag
    assert t.is_neg()
    wanted = t.resolve_neg().numpy()
    assert (wanted == [-1, -2]).all()
    f = fw.function(lambda a: a * 2)
    assert (f(t) == 2 * wanted).all() and (f(wanted) == 2 * wanted).all() and (f(t) == 2 * wanted).all()
    g = fw.function(lambda a: a * 2, signature=[fw.spec(2)])
    assert (g(t) == 2 * wanted).all()
    assert (fw.function(lambda x: x * t)(x) == wanted).all()
    assert (fw.function(lambda x: x * fw.constant(t))(x) == wanted).all()
    v = fw.Variable(t)
    assert (v.numpy() == wanted).all()
    v.set(np.zeros(2, np.float32))
    v.set(t)
    assert (v.numpy() == wanted).all()
    wide = t.double()
    assert (fw.function(lambda a: a * 2)(torch.complex(wide, wide).conj().imag) == -2 * wide.numpy()).all()
    half = torch.complex(torch.ones(2), torch.ones(2)).conj().imag.to(torch.bfloat16)
    assert (fw.function(lambda a: fw.cast(a, "float32"))(half) == -1).all()


run_tests([
    test_tensors, test_parameters, test_kept_alive, test_variables, test_pandas, test_negative_and_conjugate,
])  # fmt: skip
