# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, torch
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""G20: derivatives of further functions imported from PyTorch at zeros, ties, equal rows and large numbers are
PyTorch's eager ones, as odd_points_torch.py compares those of the most used ones."""

from typing import Any, Callable, Dict, List

import torch
import torch.nn.functional as F

from odd_points_torch import ODD, ROWS, SATURATED, SIGNS, Function, bind, compare
from selection import choose

PLACES = torch.tensor([[0, 1, 0, 1], [1, 1, 0, 0], [2, 2, 2, 2]])
MASK = torch.tensor([[True, False, True], [True, True, True], [False, True, False]])
GRID = torch.tensor([[[[-1.0, -1.0], [0.0, 0.0]], [[1.0, 1.0], [0.3, -0.2]]]])
INFINITY = float("inf")


def image(function: Callable[[Any], Any]) -> Function:
    return lambda x: function(x.view(1, 1, 3, 4))


def positive(x: Any) -> Any:
    return x[:3, :3] @ x[:3, :3].T + torch.eye(3)


def reduced(how: str, of_self: bool, include: bool = True) -> Function:
    if of_self:
        return lambda x: x.scatter_reduce(1, PLACES, ODD, how)
    return lambda x: torch.zeros(3, 4).scatter_reduce(1, PLACES, x, how, include_self=include)


def attention(**named: Any) -> Function:
    return lambda x: F.scaled_dot_product_attention(x[None], x[None], x[None], **named)


def cases() -> Dict[str, Function]:
    found: Dict[str, Function] = {
        name: getattr(torch.special, name)
        for name in "erfcx i0 i1 i0e i1e ndtr ndtri digamma entr expit logit erfinv expm1 log1p psi".split()
    }
    found.update({f"scatter_reduce {how}": reduced(how, False) for how in "sum prod mean amax amin".split()})
    found.update({f"scatter_reduce of x {how}": reduced(how, True) for how in "prod mean amax amin".split()})
    found.update({f"scatter_reduce alone {how}": reduced(how, False, False) for how in ("prod", "mean")})
    for p in (1.0, 2.0, 3.0, INFINITY):
        found[f"dist {p}"] = bind(torch.dist, ODD, p)
        found[f"cdist {p}"] = bind(torch.cdist, ODD, p)
        found[f"pdist {p}"] = bind(F.pdist, p)
        found[f"normalize {p}"] = bind(F.normalize, p, 1)
    found.update({
        "addcdiv": lambda x: torch.addcdiv(ODD, SATURATED, x, value=0.5), "addcmul": lambda x: torch.addcmul(x, x, ODD),
        "addcdiv of it": lambda x: torch.addcdiv(ODD, x, SATURATED + 1), "angle": torch.angle, "sgn": torch.sgn,
        "cdist of itself": lambda x: torch.cdist(x, x), "cummax": lambda x: torch.cummax(x, 1)[0],
        "cummin": lambda x: torch.cummin(x, 1)[0], "logcumsumexp": lambda x: torch.logcumsumexp(x, 1),
        "lerp": lambda x: torch.lerp(x, ODD, 0.3), "lerp by weights": lambda x: torch.lerp(SATURATED, ODD, x),
        "mvlgamma": lambda x: torch.mvlgamma(x, 2), "nanmean": lambda x: torch.nanmean(x, 1),
        "median": lambda x: torch.median(x, 1)[0], "median of all": torch.median, "msort": torch.msort,
        "aminmax": lambda x: torch.stack(torch.aminmax(x, dim=1)), "group_norm": lambda x: F.group_norm(x, 2),
        "instance_norm": lambda x: F.instance_norm(x.view(1, 3, 4)),
        "local_response_norm": lambda x: F.local_response_norm(x.view(1, 3, 4), 2),
        "batch_norm": lambda x: F.batch_norm(x, None, None, training=True), "softmin": lambda x: F.softmin(x, 1),
        "attention": attention(), "causal attention": attention(is_causal=True),
        "masked attention": attention(attn_mask=MASK),
        "bilinear": image(lambda x: F.interpolate(x, scale_factor=2, mode="bilinear")),
        "bicubic": image(lambda x: F.interpolate(x, scale_factor=2, mode="bicubic")),
        "max_pool": image(lambda x: F.max_pool2d(x, 2, 1)), "avg_pool": image(lambda x: F.avg_pool2d(x, 2, 1)),
        "adaptive_max_pool": image(lambda x: F.adaptive_max_pool2d(x, 2)),
        "lp_pool": image(lambda x: F.lp_pool2d(x, 3, 2)), "lp_pool 1": image(lambda x: F.lp_pool2d(x, 1, 2)),
        "xlog1py": lambda x: torch.special.xlog1py(x, x), "trapezoid": lambda x: torch.trapezoid(x, dim=1),
        "matrix_exp": lambda x: torch.matrix_exp(x[:3, :3] * 0.1), "logdet": lambda x: torch.logdet(positive(x)),
        "slogdet": lambda x: torch.linalg.slogdet(positive(x))[1],
        "matrix_norm": torch.linalg.matrix_norm, "matrix_norm 1": lambda x: torch.linalg.matrix_norm(x, 1),
        "matrix_norm inf": lambda x: torch.linalg.matrix_norm(x, INFINITY),
        "threshold": lambda x: F.threshold(x, 0.0, 0.5), "prelu": lambda x: F.prelu(x, torch.tensor([0.25])),
        "prelu by weights": lambda x: F.prelu(ODD, x[0]),
        "multilabel_margin": lambda x: F.multilabel_margin_loss(
            x, torch.tensor([[0, -1, 1, 2], [1, 2, -1, 0], [3, 0, 1, -1]])),
        "pairwise_distance": lambda x: F.pairwise_distance(x, x.flip(0)),
        "triplet": lambda x: F.triplet_margin_with_distance_loss(x, ODD, x.flip(0)),
        "grid_sample": image(lambda x: F.grid_sample(x, GRID, align_corners=True)),
        "fmod": lambda x: torch.fmod(x, 1.5), "remainder": lambda x: torch.remainder(x, 1.5),
        "floor": lambda x: torch.div(x, 1.5, rounding_mode="floor"), "reciprocal": lambda x: ODD / x,
        "float_power": lambda x: torch.float_power(x, 1.5), "var_mean": lambda x: torch.var_mean(x, 1)[0],
        "std_mean": lambda x: torch.std_mean(x)[0], "renorm 1": lambda x: torch.renorm(x, 1, 0, 1.0),
        "cross_entropy smooth": lambda x: F.cross_entropy(x, ROWS, label_smoothing=0.1),
        "cross_entropy ignored": lambda x: F.cross_entropy(x, torch.tensor([-100] * 3), reduction="sum"),
        "cross_entropy weighted": lambda x: F.cross_entropy(x, ROWS, weight=torch.tensor([0.0, 1.0, 2.0, 0.0])),
        "smooth_l1 of 0": lambda x: F.smooth_l1_loss(x, ODD, beta=0.0), "huber": lambda x: F.huber_loss(x, ODD),
        "bce weighted": lambda x: F.binary_cross_entropy_with_logits(x, (SIGNS + 1) / 2, pos_weight=torch.tensor(3.0)),
    })  # fmt: skip
    return found


if __name__ == "__main__":
    chosen = dict(choose("more odd points of PyTorch", list(cases().items()), 0.3))
    names = list(chosen)
    wrong: List[str] = []
    for start in range(0, len(names), 20):
        wrong += compare({name: chosen[name] for name in names[start : start + 20]})
    assert not wrong, "\n".join(wrong)
