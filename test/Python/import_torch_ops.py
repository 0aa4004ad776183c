# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, torch
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Ops of PyTorch one by one: results, and derivatives by one step of gradient descent. All of them are one module,
which is exported and compiled once."""

from typing import Any, Callable, Dict, Sequence

import numpy as np
import torch
from torch.nn import functional

import flywheel as fw
import flywheel.torch

Function = Callable[[Any], Any]

UNARY = ("abs acosh asinh atan ceil cos cosh erf exp exp2 expm1 floor neg reciprocal relu round sigmoid sign sin sinh "
         "tan tanh trunc square log_softmax softmax softplus logsigmoid hardswish hardsigmoid mish silu gelu elu selu "
         "leaky_relu relu6 hardtanh softsign celu isfinite isinf isnan logical_not").split()  # fmt: skip
POSITIVE = "log log10 log1p log2 sqrt rsqrt".split()
SMALL = "acos asin atanh".split()


def _by_name(name: str) -> Function:
    function = getattr(torch, name, None) or getattr(functional, name)
    if name in POSITIVE:
        return lambda x: function(x.square() + 0.5)
    if name in SMALL:
        return lambda x: function(x.tanh() * 0.9)
    if name == "acosh":
        return lambda x: function(x.square() + 1.5)
    return lambda x: function(x, -1) if name.endswith("softmax") else function(x)


INDICES = torch.tensor([[0, 2, 1, 1], [3, 3, 0, 2], [1, 0, 2, 3]])
ROWS = torch.tensor([2, 0, 2])
OTHER = torch.linspace(-1.7, 2.1, 12, dtype=torch.float64).view(3, 4)
INTEGERS = torch.tensor([[7, -7, 5, 0], [3, -2, 9, 1], [-9, 4, 6, -1]])

# Functions of a parameter [3, 4].
CASES: Dict[str, Function] = {
    **{name: _by_name(name) for name in [*UNARY, *POSITIVE, *SMALL]},
    "add_alpha": lambda x: torch.add(x, OTHER, alpha=3), "sub": lambda x: x - OTHER, "rsub": lambda x: 2 - x,
    "rsub_alpha": lambda x: torch.rsub(x, OTHER, alpha=2), "mul": lambda x: x * OTHER, "div": lambda x: x / OTHER,
    "div_scalar": lambda x: 3 / x, "div_floor": lambda x: torch.div(x, OTHER, rounding_mode="floor"),
    "div_trunc": lambda x: torch.div(x, OTHER, rounding_mode="trunc"), "floor_divide": lambda x: x.detach() // 0.7,
    "fmod": lambda x: torch.fmod(x, OTHER.detach()[0]), "fmod_scalar": lambda x: torch.fmod(x, 0.7),
    "remainder": lambda x: torch.remainder(x, 0.7), "pow_2": lambda x: x**2, "pow_3": lambda x: x**3,
    "pow_half": lambda x: (x.square() + 1) ** 0.5, "pow_minus": lambda x: x**-1, "pow_scalar": lambda x: 2.0**x,
    "pow_tensor": lambda x: (x.square() + 1) ** OTHER, "pow_0": lambda x: x**0,
    "maximum": lambda x: torch.maximum(x, OTHER), "minimum": lambda x: torch.minimum(x, OTHER),
    "atan2": lambda x: torch.atan2(x, OTHER), "lerp": lambda x: torch.lerp(x, OTHER, 0.3),
    "lerp_tensor": lambda x: torch.lerp(x, OTHER, OTHER * x), "where": lambda x: torch.where(x > 0, x * 2, OTHER),
    "where_scalar": lambda x: torch.where(x > 0, x * 2, 0.5), "masked_fill": lambda x: x.masked_fill(OTHER > 0, -3.0),
    "clamp": lambda x: x.clamp(-0.5, 0.5), "clamp_low": lambda x: x.clamp(min=0.1),
    "clamp_high": lambda x: x.clamp(max=0.1),
    "clamp_min": lambda x: torch.clamp_min(x, 0.2), "clamp_max": lambda x: torch.clamp_max(x, 0.2),
    "clamp_tensor": lambda x: torch.clamp(x, OTHER - 1, OTHER + 1),
    "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "softplus_beta": lambda x: functional.softplus(x, 2.0), "elu_alpha": lambda x: functional.elu(x, 0.5),
    "comparisons": lambda x: ((x > OTHER) ^ (x <= 0.3)) | ((x >= OTHER) & (x < 1)) | (x == 0) | (x != OTHER),
    "logical": lambda x: torch.logical_and(x, x > 0) | torch.logical_xor(x > 0, OTHER > 0) | torch.logical_or(x > 1, x),
    "bitwise": lambda x: (INTEGERS & 3) + (INTEGERS | 8) + (INTEGERS ^ 5) + ~INTEGERS,
    "integers": lambda x: INTEGERS // 2 + INTEGERS % 4 * 10 + torch.fmod(INTEGERS, 4) * 100,
    "integer_trunc": lambda x: torch.div(INTEGERS, 2, rounding_mode="trunc"),
    "promote": lambda x: INTEGERS * x + INTEGERS / 2,
    "to": lambda x: (x * 10).to(torch.int32) + x.float().long(), "bool_sum": lambda x: (x > 0).sum(0),
    # Order, shapes.
    "view": lambda x: x.t().reshape(2, 6), "infer": lambda x: x.view(-1, 2), "flatten": lambda x: x.t().flatten(),
    "unflatten": lambda x: x.unflatten(1, (2, 2)).transpose(0, 2),
    "permute": lambda x: x[None].permute(2, 0, 1) + x.t()[:, None],
    "movedim": lambda x: x.view(3, 2, 2).movedim(0, 2),
    "squeeze": lambda x: x[:, None].squeeze(1) + x[None].squeeze(),
    "expand": lambda x: x[:, None].expand(-1, 2, 4), "expand_as": lambda x: x[:1].expand_as(OTHER),
    "repeat": lambda x: x.repeat(2, 1, 3), "cat": lambda x: torch.cat([x.t(), x.t() * 2], 1),
    "stack": lambda x: torch.stack([x, x.exp()], -1),
    "split": lambda x: torch.cat([p * (i + 1) for i, p in enumerate(x.split([1, 3], 1))], 1),
    "chunk": lambda x: torch.cat([p * (i + 1) for i, p in enumerate(x.chunk(3, 1))], 1),
    "unbind": lambda x: sum(p * (i + 1) for i, p in enumerate(x.t().unbind(1))), "slice": lambda x: x.t()[1:3, ::2],
    "negative_slice": lambda x: x[:, -3:-1], "narrow": lambda x: x.narrow(1, 1, 2),
    "select": lambda x: x.t()[:, -1] * x.t()[1, 0],
    "flip": lambda x: x.flip([0, 1]), "roll": lambda x: x.roll([1, -1], [0, 1]) + x.t().roll(5).t(),
    "pad": lambda x: functional.pad(x, (1, 2, 0, 1), value=0.5),
    "crop": lambda x: functional.pad(x, (-1, 1)), "tril": lambda x: x.tril(1), "triu": lambda x: x.triu(-1),
    "index_select": lambda x: x.index_select(0, ROWS), "gather": lambda x: x.gather(1, INDICES),
    "embedding": lambda x: functional.embedding(ROWS, x),
    "one_hot": lambda x: functional.one_hot(ROWS, 4) * x,
    "full": lambda x: x + torch.full((3, 1), 2.5) + torch.ones_like(x) + x.new_zeros(4),
    "arange": lambda x: x * torch.arange(1, 9, 2),
    # Reductions.
    "sum": lambda x: x.sum() + x.t().sum(0), "sum_keep": lambda x: x.t().sum(1, keepdim=True) * x.t(),
    "mean": lambda x: x.mean(-1) + x.mean(),
    "amax": lambda x: x.amax(1) + x.amin((0, 1)), "max": lambda x: x.max() - x.min(),
    "prod": lambda x: x.prod() + x.prod(1), "any": lambda x: (x > 1).any(0),
    "logsumexp": lambda x: x.logsumexp(0), "var": lambda x: x.var(1) + x.var(0, keepdim=True, correction=0).sum(),
    "std": lambda x: x.std(1),
    "var_mean": lambda x: torch.var_mean(x, 1)[0] + torch.var_mean(x, 1)[1],
    "argmax": lambda x: x.argmax(1) + x.argmin(0, keepdim=True).sum() + x.argmax(),
    "cumsum": lambda x: x.cumsum(1), "softmax_0": lambda x: x.softmax(0) + x.t().log_softmax(1).t(),
    "norm": lambda x: x.norm(),
    "number_norm": lambda x: torch.linalg.vector_norm(x[0, 0], float("inf"), 0, True) + x[0, 1].var(-1, correction=0),
    # Products, images, norms, losses.
    "mm": lambda x: x @ x.t(), "mm_t": lambda x: x.t() @ x,
    "bmm": lambda x: x.view(3, 2, 2) @ x.view(3, 2, 2).transpose(1, 2),
    "mv": lambda x: x @ x[0], "dot": lambda x: torch.dot(x[0], x[1]),
    "addmm": lambda x: torch.addmm(x[:, :3], x, x.t(), beta=2, alpha=0.5),
    "matmul_3": lambda x: x.view(3, 2, 2) @ x[:2, :2],
    "linear": lambda x: functional.linear(x.view(3, 2, 2), x[:, :2], x[:, 0]),
    "baddbmm": lambda x: torch.baddbmm(x.view(3, 2, 2), x.view(3, 2, 2), x.view(3, 2, 2)),
    "einsum": lambda x: torch.einsum("ij,kj->ik", x, OTHER),
    "conv": lambda x: functional.conv2d(OTHER.view(1, 1, 3, 4) * x, x.view(3, 1, 2, 2), x[:, 0], 1, (1, 0)),
    "conv_same": lambda x: functional.conv2d(x.view(1, 1, 3, 4), x.view(3, 1, 2, 2), padding="same"),
    "conv_groups": lambda x: functional.conv2d(x.view(1, 2, 2, 3), x.view(4, 1, 1, 3), None, 1, (0, 1), 1, 2),
    "conv_dilated": lambda x: functional.conv2d(x.view(1, 1, 3, 4), x[:2, :2].reshape(1, 1, 2, 2), None, 1, 0, 2),
    "conv_1d": lambda x: functional.conv1d(x[None], x.view(2, 3, 2)),
    "conv_transpose": lambda x: functional.conv_transpose2d(x.view(1, 1, 3, 4), x.view(1, 3, 2, 2), x[:, 0], 2, 1),
    "max_pool": lambda x: functional.max_pool2d(x[None, None], 2, 1, 1),
    "avg_pool": lambda x: functional.avg_pool2d(x[None, None], 2, 1, 1),
    "avg_pool_inside": lambda x: functional.avg_pool2d(x[None, None], 2, 1, 1, count_include_pad=False),
    "adaptive": lambda x: functional.adaptive_avg_pool2d(x[None, None], (3, 2)),
    "nearest": lambda x: functional.interpolate(x[None, None], scale_factor=2),
    "layer_norm": lambda x: functional.layer_norm(x, (4,), x[0], x[1]),
    "group_norm": lambda x: functional.group_norm(x.view(1, 4, 3), 2, x[0], x[1]),
    "instance_norm": lambda x: functional.instance_norm(x.view(1, 2, 6)),
    "batch_norm": lambda x: functional.batch_norm(x, None, None, training=True),
    "attention": lambda x: functional.scaled_dot_product_attention(x[None], x[None], OTHER[None], is_causal=True),
    "attention_shared": lambda x: functional.scaled_dot_product_attention(
        x.view(1, 3, 1, 4), x[None, None], OTHER[None, None]),
    "attention_mask": lambda x: functional.scaled_dot_product_attention(
        x[None], x[None], OTHER[None], OTHER[:, :3] > -1.2, scale=0.3),
    "cross_entropy": lambda x: functional.cross_entropy(x, ROWS), "mse": lambda x: functional.mse_loss(x, OTHER),
    "l1": lambda x: functional.l1_loss(x, OTHER, reduction="sum"),
    "bce": lambda x: functional.binary_cross_entropy_with_logits(x, OTHER.sigmoid()),
    "smooth": lambda x: functional.smooth_l1_loss(x, OTHER),
    "kl": lambda x: functional.kl_div(x.log_softmax(1), OTHER.softmax(1)),
    "huber": lambda x: functional.huber_loss(x, OTHER),
    "nll": lambda x: functional.nll_loss(x.log_softmax(1), ROWS), "glu": lambda x: functional.glu(x),
}  # fmt: skip


class All(torch.nn.Module):  # type: ignore[misc]
    def __init__(self, cases: Dict[str, Function], shape: Sequence[int]):
        super().__init__()
        self.cases = cases
        self.x = torch.nn.ParameterDict({f"p_{name}": torch.randn(*shape, dtype=torch.float64) for name in cases})

    def forward(self, one: Any) -> Any:
        return [function(self.x[f"p_{name}"] * one) for name, function in self.cases.items()]


def penalty(outputs: Any) -> Any:
    """A sum whose derivatives differ from element to element."""
    floats = [out for out in outputs if "float" in str(out.dtype)]
    return sum((out * out * 0.5 + out).sum() for out in floats)


def compare(cases: Dict[str, Function], shape: Sequence[int] = (3, 4)) -> None:
    """Results and derivatives of functions of a parameter of this shape."""
    torch.manual_seed(7)
    module = All(cases, shape)
    one = torch.ones((), dtype=torch.float64)
    with fw.Namespace(), fw.Store():
        ours = flywheel.torch.from_module(
            module, (one,), loss=lambda outputs: sum(fw.sum(out * out * 0.5 + out) for out in outputs
                                                     if "float" in str(out.dtype)),
            optimizer=fw.optimizers.SGD(lr=0.1))  # fmt: skip
        expected = module(one)
        for name, found, wanted in zip(cases, ours(one), expected):
            found = np.asarray(found)
            assert torch.from_numpy(np.array(found)).dtype == wanted.dtype, f"{name}: {found.dtype}, not {wanted.dtype}"
            np.testing.assert_allclose(found, wanted.detach().numpy(), rtol=1e-6, atol=1e-9, err_msg=name)
        ours.step(one)
        loss = penalty(expected)
        loss.backward()
        state = ours.state_dict()
        for name in cases:
            parameter = module.x[f"p_{name}"]
            gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
            found = (parameter.detach() - state[f"x.p_{name}"]) / 0.1
            np.testing.assert_allclose(found, gradient, rtol=1e-6, atol=1e-7, err_msg=f"the derivative of {name}")


if __name__ == "__main__":
    compare(CASES)

    # PyTorch has numbers of its own here, in 32 bits.
    given = torch.tensor([5.0, 1e6, 4.0, 0.5, 3.0, float("nan"), -1.0])

    class Extremes(torch.nn.Module):  # type: ignore[misc]
        def forward(self, x: Any) -> Any:
            by = torch.tensor([float("inf"), 0.3, 1.0, 0.1, -0.4, 1.0, float("inf")])
            return (torch.fmod(x, by), torch.special.erfc(x), torch.sign(x), functional.softplus(x, threshold=1.0),
                    torch.lgamma(x), torch.div(x, by, rounding_mode="floor"))  # fmt: skip

    for found, wanted in zip(flywheel.torch.from_module(Extremes(), (given,))(given), Extremes()(given)):
        np.testing.assert_allclose(found, wanted.numpy(), rtol=1e-5)

    # X18: out of range of an integer type, and the sign of a remainder that is 0, as PyTorch has them here.
    beyond = torch.tensor([300.0, -1.0, -129.0, 255.9, 3e9, -3e9, 2.0**31, 2.0**32 + 512, 2.0**63, 1e19, -1e19,
                           float("inf"), -float("inf"), float("nan"), -0.0, -4.0, 4.0])  # fmt: skip
    INTEGER = (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.bool)

    class Casts(torch.nn.Module):  # type: ignore[misc]
        def forward(self, x: Any) -> Any:
            return [x.to(kind) for kind in INTEGER] + [torch.sum(x[:3], dtype=torch.int8), torch.remainder(x, 2.0),
                                                       torch.remainder(x, -2.0)]  # fmt: skip

    for kind in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        x = beyond.to(kind)
        for found, wanted in zip(flywheel.torch.from_module(Casts(), (x,))(x), Casts()(x)):
            array = np.array(found)
            found = torch.from_numpy(array.astype(np.float64) if wanted.is_floating_point() else array)
            assert torch.equal(found.nan_to_num(), wanted.to(found.dtype).nan_to_num()), (kind, found, wanted)
            signs = [torch.signbit(y.double().nan_to_num()) for y in (found, wanted)]
            assert torch.equal(*signs), (kind, found, wanted)

    # 2 to the exponent is infinite or 0 where the result is neither.
    class Scaled(torch.nn.Module):  # type: ignore[misc]
        def forward(self, x: Any, exponent: Any) -> Any:
            return torch.ldexp(x, exponent)

    for dtype, top in ((torch.float32, 128), (torch.float64, 1024)):
        x = torch.tensor([2.0**-100, 1.5, 0.0, -3.0, 2.0**100, 1.0, 0.75], dtype=dtype)
        exponent = torch.tensor([top + 12, 3, top + 72, -5, 2 - top, 2 - top, top])
        found = np.asarray(flywheel.torch.from_module(Scaled(), (x, exponent))(x, exponent))
        np.testing.assert_array_equal(found, np.ldexp(x.numpy(), exponent.numpy()), err_msg=str(dtype))
