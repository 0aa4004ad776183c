# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, torch, expecttest
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Each op of PyTorch with each of the arguments that PyTorch tests it with: what is imported has PyTorch's results and
derivatives, and what is not is refused by name (B7)."""

import argparse
import collections
import sys
import warnings
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np
import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_flatten, tree_unflatten

import flywheel as fw
import flywheel.torch
from flywheel.torch import UnsupportedOpError
from selection import choose, takes_all

# The ops of which a run without FLYWHEEL_TEST_ALL takes some, and how many of the samples of each.
SHARE, FEW = 0.04, 6
# Results that are random, that no order of operations defines, or that no graph has.
LEFT_OUT = {
    "empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided", "bernoulli",
    "multinomial", "rand_like", "randn_like", "randint_like", "randint", "randn", "normal", "uniform", "exponential",
    "cauchy", "geometric", "log_normal", "nn.functional.dropout", "nn.functional.dropout2d", "nn.functional.dropout3d",
    "nn.functional.alpha_dropout", "nn.functional.feature_alpha_dropout", "nn.functional.rrelu",
    "nn.functional.fractional_max_pool2d", "nn.functional.fractional_max_pool3d", "pca_lowrank", "svd_lowrank",
    "nn.functional.multi_head_attention_forward", "torch.ops.aten._safe_softmax.default"}  # fmt: skip


class Samples(torch.nn.Module):  # type: ignore[misc]
    """Calls of an op; tensors that have derivatives are parameters, others buffers."""

    def __init__(self, op: Any, samples: Sequence[Any]):
        super().__init__()
        self.op = op
        self.defined = [sample.output_process_fn_grad for sample in samples]
        self.forms: List[Tuple[Any, List[Any]]] = []
        for number, sample in enumerate(samples):
            leaves, form = tree_flatten((sample.input, sample.args, sample.kwargs))
            names: List[Any] = []
            for place, leaf in enumerate(leaves):
                if not isinstance(leaf, torch.Tensor):
                    names.append((None, leaf))
                    continue
                name = f"x{number}_{place}"
                held = leaf.detach().clone()
                if leaf.requires_grad:
                    self.register_parameter(name, torch.nn.Parameter(held))
                else:
                    self.register_buffer(name, held)
                names.append((name, None))
            self.forms.append((form, names))

    def value(self, name: str) -> Any:
        """A copy, which an op may change in place."""
        held = getattr(self, name)
        return held * 1 if held.is_floating_point() else held.clone()

    def forward(self, one: Any) -> Any:
        results: List[Any] = [one]
        for number, (form, names) in enumerate(self.forms):
            leaves = [leaf if name is None else self.value(name) for name, leaf in names]
            given, args, kwargs = tree_unflatten(leaves, form)
            # The part of the result that is defined: vectors are, but for their signs.
            found, _ = tree_flatten(self.defined[number](self.op(given, *args, **kwargs)))
            tensors = [one for one in found if isinstance(one, torch.Tensor)]
            results += [torch.view_as_real(one.resolve_conj()) if one.is_complex() else one for one in tensors]
        # Each parameter is a result, and so has a derivative.
        return [*results, *(parameter * 1 for parameter in self._parameters.values())]


def weights_of(shape: Sequence[int]) -> Any:
    """Factors that differ from element to element."""
    count = int(np.prod(shape))
    return (0.5 + np.arange(count, dtype=np.float64) % 7 / 7).reshape(tuple(shape))


def ours_loss(dtype: Any) -> Any:
    name = str(dtype).split(".")[1]

    def loss(outputs: Sequence[Any]) -> Any:
        return sum(fw.sum(out * fw.constant(weights_of(out.shape).astype(name)))
                   for out in outputs if str(out.dtype) == name)  # fmt: skip

    return loss


def theirs_loss(outputs: Sequence[Any], dtype: Any) -> Any:
    return sum((out * torch.from_numpy(weights_of(out.shape)).to(dtype)).sum() for out in outputs
               if out.dtype == dtype)  # fmt: skip


# Bessel functions of PyTorch have an error of 1e-6 from 5 on, also in float64.
INEXACT = {getattr(torch.special, f"bessel_{kind}{order}"): 1e-6 for kind in "jy" for order in (0, 1)}

# The tolerances of results and derivatives; a sum of float32 in another order differs by more than its last bit.
TOLERANCES = {torch.float64: (1e-6, 1e-9), torch.float32: (2e-4, 2e-5)}


class Reference:
    """The results of PyTorch for some samples, and the derivatives of parameters by their names."""

    def __init__(self, module: Any, dtype: Any):
        self.results = module(torch.ones((), dtype=dtype))
        if module._parameters:
            theirs_loss(self.results, dtype).backward()
        self.gradients = {name: torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
                          for name, parameter in module.named_parameters()}  # fmt: skip


def as_array(tensor: Any) -> Any:
    """Returns the elements; NumPy itself has no bfloat16."""
    tensor = tensor.detach()
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()


def exact_reference(op: Any, samples: Sequence[Any]) -> Any:
    """As `Reference`, of the same numbers in float64; None where PyTorch does not compute that."""
    try:
        return Reference(Samples(op, samples).double(), torch.float64)
    except Exception:
        return None


def expect_near(found: Any, wanted: Any, exact: Any, rtol: float, atol: float, what: str) -> None:
    """Raises AssertionError where a result is neither PyTorch's nor, where PyTorch's own rounding is larger than the
    tolerance, that of float64."""
    try:
        np.testing.assert_allclose(found, wanted, rtol, atol, err_msg=what)
    except AssertionError:
        if exact is None or exact.shape != found.shape or exact.dtype != np.float64 or found.dtype != np.float32:
            raise
        np.testing.assert_allclose(found, exact, rtol, atol, err_msg=what)


def compare(op: Any, samples: Sequence[Any], dtype: Any = torch.float64) -> None:
    """Raises AssertionError where a result or a derivative differs, UnsupportedOpError where one is refused."""
    module, one = Samples(op, samples), torch.ones((), dtype=dtype)
    rtol, atol = TOLERANCES[dtype]
    atol = max(atol, INEXACT.get(op, 0.0))
    reference = Reference(module, dtype)
    exact = exact_reference(op, samples) if dtype == torch.float32 else None
    wanted = reference.results
    with fw.Namespace(), fw.Store():
        training: Any = {"loss": ours_loss(dtype), "optimizer": fw.optimizers.SGD(lr=1.0)} if module._parameters else {}
        ours = flywheel.torch.from_module(module, (one,), **training)
        for place, (found, result) in enumerate(zip(ours(one), wanted)):
            found = np.asarray(found)
            assert str(found.dtype) == str(result.dtype).split(".")[1], f"result {place}: {found.dtype}"
            found = found.astype(np.float32) if str(found.dtype) == "bfloat16" else found
            near = None if exact is None else as_array(exact.results[place])
            expect_near(found, as_array(result), near, rtol, atol, f"result {place}")
        if not module._parameters:
            return
        ours.step(one)
        state = ours.state_dict()
        for name, parameter in module.named_parameters():
            gradient = reference.gradients[name]
            if not bool(torch.isfinite(parameter).all()):
                # No difference says by how much it has moved.
                continue
            found = parameter.detach().numpy() - state[name].numpy()
            # The difference of two numbers of the parameter's size.
            largest = max(1.0, float(np.abs(parameter.detach().numpy()).max(initial=0.0)))
            least = 10 * atol if dtype == torch.float64 else 1e-5 * largest
            near = None if exact is None else exact.gradients[name].numpy()
            expect_near(found, gradient.numpy(), near, rtol, least, f"derivative of {name}")


def _runs(op: Any, sample: Any, dtype: Any) -> bool:
    """Returns true if PyTorch itself runs it, and its derivative, as a part of a module."""
    try:
        theirs_loss(Samples(op, [sample])(torch.ones((), dtype=dtype)), dtype).backward()
        return True
    except Exception:
        return False


def outcome(op: Any, sample: Any, dtype: Any = torch.float64) -> Tuple[str, str]:
    """Returns the outcome of a sample: a word, and why."""
    try:
        compare(op, [sample], dtype)
        return "same", ""
    except UnsupportedOpError as error:
        # The exporter's own error is the cause of one about an op that it refuses.
        return "refused" if error.__cause__ is None else "not exported", str(error)
    except Exception as error:
        lines = [line for line in str(error).splitlines() if line.strip()]
        text = f"{type(error).__name__}: {' | '.join(lines[:8])}"
        if type(error).__module__.startswith("torch") or not _runs(op, sample, dtype):
            return "not exported", text
        return "wrong" if isinstance(error, AssertionError) else "failed", text


def describe(sample: Any) -> str:
    def shown(leaf: Any) -> str:
        return f"{leaf.dtype}{tuple(leaf.shape)}" if isinstance(leaf, torch.Tensor) else repr(leaf)

    leaves, _ = tree_flatten((sample.input, sample.args))
    return f"{', '.join(map(shown, leaves))} {({key: shown(leaf) for key, leaf in sample.kwargs.items()})}"[:300]


def samples_of(info: Any, dtype: Any) -> List[Any]:
    """The arguments that PyTorch tests an op with, of those that a graph may have."""
    torch.manual_seed(3)
    derives = dtype.is_floating_point and info.supports_autograd
    try:
        samples = list(info.sample_inputs("cpu", dtype, requires_grad=derives))
    except Exception:
        return []
    samples = [one for one in samples if not any(
        isinstance(leaf, torch.Tensor) and (leaf.layout != torch.strided or leaf.is_complex() or leaf.numel() > 2000)
        for leaf in tree_flatten((one.input, one.args, one.kwargs))[0])]  # fmt: skip
    # Dropped elements are others here.
    return [one for one in samples if not one.kwargs.get("dropout_p")]


# The outcomes of samples; an op counts as the last one of those of its samples.
OUTCOMES = ("same", "not exported", "refused", "failed", "wrong")


class Counts:
    """The numbers of samples, and of ops, that had each outcome."""

    def __init__(self) -> None:
        self.samples = dict.fromkeys(OUTCOMES, 0)
        self.ops: Dict[str, str] = {}

    def add(self, op: str, found: str, number: int = 1) -> None:
        self.samples[found] += number
        self.ops[op] = max(self.ops.get(op, OUTCOMES[0]), found, key=OUTCOMES.index)

    def __str__(self) -> str:
        of_ops = collections.Counter(self.ops.values())
        lines = [(f"of {sum(self.samples.values())} samples", self.samples), (f"of {len(self.ops)} ops", of_ops)]
        return "\n".join(f"{what}: {', '.join(f'{found[one]} {one}' for one in OUTCOMES)}" for what, found in lines)


def check(info: Any, counts: Counts, dtype: Any, most: int) -> List[str]:
    """The failures of an op in its first `most` samples."""
    dtype = dtype if dtype in info.dtypes else torch.int64
    samples = samples_of(info, dtype)[:most]
    if not takes_all():
        samples = [samples[place] for place in np.random.default_rng(len(samples)).permutation(len(samples))[:FEW]]
    reference = dtype if dtype.is_floating_point else torch.float64
    failures: List[str] = []
    try:
        compare(info.op, samples, reference)
        counts.add(info.name, "same", len(samples))
        return []
    except Exception:
        pass
    for sample in samples:
        found, why = outcome(info.op, sample, reference)
        counts.add(info.name, found)
        if found in ("wrong", "failed"):
            failures.append(f"{info.name} of {describe(sample)}: {found}: {why}")
    return failures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="only these ops")
    parser.add_argument("--dtype", default="float64", choices=("float32", "float64"), help="of what has derivatives")
    parser.add_argument("--differentiable", action="store_true", help="only ops that have derivatives")
    parser.add_argument("--most", type=int, default=sys.maxsize, help="samples of an op: the first ones")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    infos = [info for info in op_db if info.name not in LEFT_OUT]
    if options.differentiable:
        infos = [info for info in infos if info.supports_autograd]
    if options.names:
        infos = [info for info in op_db if info.name in options.names]
    else:
        infos = choose("import_torch_samples", infos, SHARE)
    counts = Counts()
    failures: List[str] = []
    for info in infos:
        for failure in check(info, counts, getattr(torch, options.dtype), options.most):
            failures.append(failure)
            print(failure, flush=True)
    print(counts)
    sys.exit(bool(failures))
