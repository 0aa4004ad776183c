# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, torch
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""G20: modules of PyTorch at odd points, at zeros, ties, bounds, saturated and large numbers: values, gradients,
directional derivatives and second derivatives beside PyTorch's own, wherever those are numbers."""

from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy as np
import torch
from torch.nn import functional as F

import flywheel as fw
import flywheel.torch
from selection import choose

torch.set_default_dtype(torch.float64)

Function = Callable[[Any], Any]

ODD = torch.tensor([0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 1e-4, 3.0, -2.0, 6.0, -3.0]).view(3, 4)
SATURATED = torch.tensor([0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0]).view(3, 4)
POINTS = {
    "odd": ODD,
    "zeros": torch.zeros(3, 4),
    "equal": torch.full((3, 4), 0.75),
    "saturated": SATURATED,
    "rows": torch.tensor([[0.0, 0.0, 0.0, 0.0], [3.0, 4.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]]),
    "large": torch.tensor([40.0, -40.0, 50.0, -50.0, 100.0, -100.0, 800.0, -800.0, 1e5, -1e5, 20.0, -20.0]).view(3, 4),
}  # fmt: skip
SIGNS = torch.where(ODD > 0, 1.0, -1.0)
ROWS = torch.tensor([0, 1, 2])

UNARY = ("abs acos asin asinh atan atanh cos cosh erf erfc exp exp2 expm1 log log10 log1p log2 neg reciprocal "
         "relu rsqrt sigmoid sin sinh sqrt tan tanh square sinc lgamma logit frac nan_to_num").split()  # fmt: skip
ACTIVATIONS = ("logsigmoid hardswish hardsigmoid mish silu gelu elu selu leaky_relu relu6 hardtanh softsign celu "
               "softplus tanhshrink hardshrink softshrink glu").split()  # fmt: skip
BINARY = ("maximum minimum fmax fmin atan2 hypot logaddexp logaddexp2 xlogy copysign").split()
POWERS = (0, 1, 2, 3, 4, 0.5, 1.5, 2.5, -1, -2)
INFINITY = float("inf")


def bind(function: Callable[..., Any], *args: Any, **named: Any) -> Function:
    return lambda x: function(x, *args, **named)


def lead(function: Callable[..., Any], other: Any) -> Function:
    return lambda x: function(other, x)


def flipped(function: Callable[..., Any]) -> Function:
    return lambda x: function(x, x.flip(0))


def first(function: Function) -> Function:
    return lambda x: function(x)[0]


def cases() -> Dict[str, Function]:
    found: Dict[str, Function] = {name: getattr(torch, name) for name in UNARY}
    found.update({name: getattr(F, name) for name in ACTIVATIONS})
    found.update({f"pow {p}": bind(torch.pow, p) for p in POWERS})
    found.update({f"{p} pow": lead(torch.pow, p) for p in (0.0, 1.0, 2.0)})
    for name in BINARY:
        function = getattr(torch, name)
        found.update({
            f"{name} of a constant": bind(function, ODD), f"{name} by it": lead(function, ODD),
            f"{name} and 0": bind(function, torch.zeros(())), f"{name} and 1": bind(function, torch.ones(())),
            f"{name} of two": flipped(function),
        })  # fmt: skip
    bounds = ((0, 1), (None, 1), (0, None), (-1, 2), (1, 0), (-0.5, 0.5))
    found.update({f"clamp {b}": bind(torch.clamp, *b) for b in bounds})
    orders = (0, 1, 2, 3, 0.5, 1.5, INFINITY, -INFINITY, -1)
    found.update({f"norm {p}": bind(torch.linalg.vector_norm, p, -1) for p in orders})
    found.update({f"matrix norm {p}": bind(torch.linalg.matrix_norm, p) for p in (1, -1, "fro", INFINITY)})
    found.update({f"normalize {p}": bind(F.normalize, p, -1) for p in (1, 2, 3)})
    for correction in (0, 1):
        found.update({
            f"std {correction}": bind(torch.std, 1, correction=correction),
            f"var {correction}": bind(torch.var, 1, correction=correction),
            f"std_mean {correction}": first(bind(torch.std_mean, 1, correction=correction)),
        })
    found.update({
        "pow of a constant": lambda x: torch.pow(ODD, x), "pow by it": lambda x: torch.pow(x, ODD),
        "pow of itself": lambda x: torch.pow(x, x), "float_power": lambda x: torch.float_power(x, 2),
        "max": lambda x: torch.max(x, ODD), "xlog1py": lambda x: torch.special.xlog1py(x, x),
        "entr": torch.special.entr, "logit by eps": lambda x: torch.logit(x, 1e-3),
        "gelu tanh": lambda x: F.gelu(x, approximate="tanh"), "elu 0.5": lambda x: F.elu(x, 0.5),
        "celu 2": lambda x: F.celu(x, 2.0), "softplus 2": lambda x: F.softplus(x, 2.0),
        "prelu": lambda x: F.prelu(x, torch.tensor([0.25])), "threshold": lambda x: F.threshold(x, 0.5, 0.25),
        "clamp tensors": lambda x: torch.clamp(x, torch.zeros(3, 4), torch.ones(3, 4)),
        "clamp min tensor": lambda x: torch.clamp(x, min=ODD), "clamp max tensor": lambda x: torch.clamp(x, max=ODD),
        "clamp by bound": lambda x: torch.clamp(ODD, min=x), "clamp_min": lambda x: torch.clamp_min(x, 0.0),
        "clamp_max": lambda x: torch.clamp_max(x, 1.0), "hardtanh 0 1": lambda x: F.hardtanh(x, 0.0, 1.0),
        "norm of all": lambda x: x.norm(), "linalg norm": torch.linalg.norm, "old norm": lambda x: x.norm(3, 1),
        "normalize by eps": lambda x: F.normalize(x, 2, -1, eps=1e-3),
        "cosine": lambda x: F.cosine_similarity(x, ODD, -1),
        "cosine of two": lambda x: F.cosine_similarity(x, x.flip(0), -1),
        "distance": lambda x: F.pairwise_distance(x, ODD), "cdist": lambda x: torch.cdist(x, x.detach()),
        "cdist 1": lambda x: torch.cdist(x, x.detach(), 1.0), "renorm": lambda x: torch.renorm(x, 2, 0, 1.5),
        "renorm 1": lambda x: torch.renorm(x, 1, 0, 1.5), "weight_norm": lambda x: torch._weight_norm(ODD, x[:, :1], 0),
        "prod": lambda x: x.prod(1), "prod of all": lambda x: x.prod(), "cumprod": lambda x: x.cumprod(1),
        "amax": lambda x: x.amax(1), "amin": lambda x: x.amin(1), "max of all": lambda x: x.max(),
        "logsumexp": lambda x: x.logsumexp(1), "softmax": lambda x: x.softmax(1),
        "log_softmax": lambda x: x.log_softmax(1), "fmod": lambda x: torch.fmod(x, ODD + 0.25),
        "remainder": lambda x: torch.remainder(x, ODD + 0.25), "div": lambda x: x / ODD, "rdiv": lambda x: ODD / x,
        "sign": lambda x: torch.sign(x) * x, "where": lambda x: torch.where(x > 0, x, 2 * x),
        "bce": lambda x: F.binary_cross_entropy(torch.sigmoid(x * 100), SATURATED),
        "bce sum": lambda x: F.binary_cross_entropy(torch.sigmoid(x * 100), 1 - SATURATED, reduction="sum"),
        "bce weight": lambda x: F.binary_cross_entropy(torch.sigmoid(x), SATURATED, ODD.abs(), reduction="none"),
        "bce target": lambda x: F.binary_cross_entropy(SATURATED, x.sigmoid()),
        "bce logits": lambda x: F.binary_cross_entropy_with_logits(x, SATURATED),
        "bce pos_weight": lambda x: F.binary_cross_entropy_with_logits(x, SATURATED, pos_weight=torch.full((4,), 2.0)),
        "smooth_l1": lambda x: F.smooth_l1_loss(x, ODD, reduction="none"),
        "huber": lambda x: F.huber_loss(x, ODD, reduction="none", delta=0.5),
        "l1": lambda x: F.l1_loss(x, ODD, reduction="none"), "mse": lambda x: F.mse_loss(x, ODD, reduction="none"),
        "kl": lambda x: F.kl_div(F.log_softmax(x, 1), SATURATED, reduction="batchmean"),
        "kl target": lambda x: F.kl_div(ODD, x, reduction="sum"),
        "kl log": lambda x: F.kl_div(ODD, x, reduction="sum", log_target=True),
        "poisson": lambda x: F.poisson_nll_loss(x, SATURATED, full=True),
        "hinge": lambda x: F.hinge_embedding_loss(x, SIGNS), "margin": lambda x: F.margin_ranking_loss(x, ODD, SIGNS),
        "soft margin": lambda x: F.soft_margin_loss(x, SIGNS), "multi margin": lambda x: F.multi_margin_loss(x, ROWS),
        "triplet": lambda x: F.triplet_margin_loss(x, ODD, x.flip(0)),
        "cosine loss": lambda x: F.cosine_embedding_loss(x, ODD, torch.ones(3)),
        "soft multi": lambda x: F.multilabel_soft_margin_loss(x, SATURATED),
        "cross_entropy": lambda x: F.cross_entropy(x, ROWS), "layer_norm": lambda x: F.layer_norm(x, (4,)),
        "rms_norm": lambda x: F.rms_norm(x, (4,)), "lp_pool": lambda x: F.lp_pool1d(x.view(1, 3, 4), 2, 2),
        "det 2": lambda x: torch.linalg.det(x[:2, :2]), "det 3": lambda x: torch.linalg.det(x[:3, :3]),
    })  # fmt: skip
    return found


class All(torch.nn.Module):  # type: ignore[misc]
    def __init__(self, functions: Sequence[Function]):
        super().__init__()
        self.functions = functions

    def forward(self, *xs: Any) -> Any:
        return [function(x) for function, x in zip(self.functions, xs)]


def weights_of(shape: Sequence[int]) -> Any:
    count = int(np.prod(shape))
    return np.linspace(1, 2, count).reshape(shape) if count > 1 else np.ones(shape)


DIRECTION = np.linspace(1.0, -1.5, 12).reshape(3, 4)


def reference(function: Function, x: Any) -> Tuple[Any, ...]:
    """Value, gradient and second derivative along a direction, by PyTorch."""
    x = x.clone().requires_grad_()
    y = function(x)
    zeros = torch.zeros(3, 4)
    if not y.requires_grad:
        return y, zeros, zeros
    weights = torch.from_numpy(weights_of(y.shape))
    (slope,) = torch.autograd.grad((y * weights).sum(), x, create_graph=True, materialize_grads=True)
    if not slope.requires_grad:
        return y.detach(), slope, zeros
    try:
        (second,) = torch.autograd.grad((slope * torch.from_numpy(DIRECTION)).sum(), x, allow_unused=True)
    except RuntimeError:
        # PyTorch has none.
        second = torch.full((3, 4), float("nan"))
    return y.detach(), slope.detach(), zeros if second is None else second


def differ(found: Any, wanted: Any, is_first: bool) -> bool:
    """Returns true if they differ where PyTorch has a number, or an infinite slope."""
    found, wanted = np.asarray(found), wanted.numpy(force=True)
    finite = np.isfinite(wanted)
    largest = np.max(np.abs(wanted), initial=0.0, where=finite)
    near = np.isclose(found, wanted, rtol=1e-6, atol=1e-8 + 1e-12 * largest)
    return bool(np.any(~near & (finite | (is_first & np.isinf(wanted)))))


def compare(part: Dict[str, Function]) -> List[str]:
    """Returns the differences of functions that are one module."""
    module = All(list(part.values()))
    wrong: List[str] = []
    with fw.Namespace(), fw.Store():
        ours = flywheel.torch.from_module(module, tuple(ODD.clone() for _ in part))

        def total(stacked: Any, outputs: Any) -> Any:
            return [fw.sum(out * weights_of(out.shape)) for out in outputs]

        @fw.function
        def program(stacked: Any) -> Any:
            outputs = ours(*[stacked[i] for i in range(len(part))], training=True)

            def loss(values: Any) -> Any:
                return sum(total(values, ours(*[values[i] for i in range(len(part))], training=True)))

            slope = fw.grad(loss)

            def along(values: Any) -> Any:
                return fw.sum(slope(values) * DIRECTION)

            moved = fw.jvp(slope, (stacked,), (fw.broadcast_to(DIRECTION, stacked.shape),))[1]
            return outputs, slope(stacked), fw.grad(along)(stacked), moved

        for kind, x in POINTS.items():
            outputs, slopes, seconds, moved = program(np.stack([x.numpy()] * len(part)))
            for i, (name, function) in enumerate(part.items()):
                y, slope, second = reference(function, x)
                if y.shape == x.shape:
                    # Outside the domain, and at poles, there is nothing to derive.
                    outside = ~torch.isfinite(y)
                    slope, second = (torch.where(outside, float("nan"), z) for z in (slope, second))
                for what, found, wanted in (
                    ("value", outputs[i], y), ("gradient", slopes[i], slope), ("second derivative", seconds[i], second),
                    ("forward over reverse", moved[i], second),
                ):  # fmt: skip
                    is_excepted = {(name, what.split()[0]), (name.split()[0], what.split()[0])} & set(EXCEPT)
                    if not is_excepted and differ(found, wanted, what in ("value", "gradient")):
                        wrong.append(f"{name}, {what} at '{kind}': found\n{np.asarray(found)}\nPyTorch\n{wanted}")
    return wrong


# Intended differences, by the first word of a name, and the derivative that differs.
EXCEPT: Dict[Tuple[str, str], str] = {
    **{(name, what): "the derivative from the left, as that of first order; PyTorch's is 0"
       for name in ("elu", "selu", "celu") for what in ("second", "forward")},
    **{("bce", what): "PyTorch's formula rounds where the sigmoid saturates" for what in ("second", "forward")},
    ("bce target", "gradient"): "PyTorch's is infinite where its value is finite",
}  # fmt: skip

if __name__ == "__main__":
    chosen = dict(choose("odd points of PyTorch", list(cases().items()), 0.3))
    names = list(chosen)
    wrong = [text for i in range(0, len(names), 30) for text in compare({n: chosen[n] for n in names[i : i + 30]})]
    assert not wrong, "\n".join(wrong)
