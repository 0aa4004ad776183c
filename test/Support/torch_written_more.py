# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""More modules of PyTorch as people write them; see `torch_written_models.py`."""

from typing import Any, Callable, List

import torch
import torch.nn.functional as F
from torch import nn

from torch_written_models import MODELS, Module, normal


def fnet() -> Any:
    class Fn(Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.f = nn.Linear(8, 8)
            self.w = nn.Parameter(normal(5, 8, 2) * 0.1)

        def forward(self, x: Any) -> Any:
            y = torch.fft.fft(torch.fft.fft(x, dim=-1), dim=-2).real
            z = torch.fft.irfft(
                torch.fft.rfft(x, dim=1, norm="ortho") * torch.view_as_complex(self.w),
                n=x.shape[1],
                dim=1,
                norm="ortho",
            )
            return self.f(x + y + z)

    return Fn(), (normal(2, 8, 8),), nn.L1Loss(), (normal(2, 8, 8),)


def einsum_moe() -> Any:
    class E(Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.g = nn.Linear(6, 4)
            self.w1 = nn.Parameter(normal(4, 6, 8) * 0.3)
            self.w2 = nn.Parameter(normal(4, 8, 6) * 0.3)

        def forward(self, x: Any) -> Any:
            p = self.g(x).softmax(-1)
            v, i = p.topk(2, -1)
            gate = torch.zeros_like(p).scatter(-1, i, v)
            gate = gate / gate.sum(-1, keepdim=True)
            h = F.gelu(torch.einsum("btd,edh->bteh", x, self.w1))
            y = torch.einsum("bteh,ehd,bte->btd", h, self.w2, gate)
            aux = (p.mean((0, 1)) * F.one_hot(i[..., 0], 4).to(x.dtype).mean((0, 1))).sum() * 4
            return y.pow(2).mean() + 0.01 * aux

    return E(), (normal(2, 5, 6),), None, ()


def scan_loop() -> Any:
    class S(Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.a = nn.Parameter(normal(4) * 0.1)
            self.b = nn.Linear(3, 4)
            self.c = nn.Linear(4, 2)
            self.cell = nn.LSTMCell(3, 4)

        def forward(self, x: Any) -> Any:
            h = x.new_zeros(x.shape[0], 4)
            c = torch.zeros_like(h)
            st = h
            ys = []
            for t in range(x.shape[1]):
                st = torch.sigmoid(self.a) * st + self.b(x[:, t])
                h, c = self.cell(x[:, t], (h, c))
                ys.append(self.c(st + h))
            return torch.stack(ys, 1)

    return S(), (normal(2, 6, 3),), nn.HuberLoss(), (normal(2, 6, 2),)


def custom_losses() -> Any:
    class C(Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.f = nn.Linear(6, 4)
            self.t = nn.Parameter(torch.tensor(1.0))

        def forward(self, a: Any, b: Any) -> Any:
            za = F.normalize(self.f(a), dim=1)
            zb = F.normalize(self.f(b), dim=1)
            logits = za @ zb.T * self.t.exp()
            y = torch.arange(a.shape[0])
            clip = (F.cross_entropy(logits, y) + F.cross_entropy(logits.T, y)) / 2
            trip = F.triplet_margin_loss(za, zb, zb.roll(1, 0))
            cos = F.cosine_embedding_loss(za, zb, torch.ones(a.shape[0]))
            dice = 1 - 2 * (za.sigmoid() * zb.sigmoid()).sum() / (za.sigmoid().sum() + zb.sigmoid().sum())
            kl = F.kl_div(za.log_softmax(-1), zb.softmax(-1), reduction="batchmean")
            focal = (
                (1 - torch.exp(-F.binary_cross_entropy_with_logits(za, (zb > 0).to(za.dtype), reduction="none"))) ** 2
            ).mean()
            bt = (za - za.mean(0)) / za.std(0)
            c = bt.T @ bt / a.shape[0]
            off = c.flatten()[:-1].view(3, 5)[:, 1:].pow(2).sum()
            sup = torch.logsumexp(logits.masked_fill(torch.eye(a.shape[0], dtype=torch.bool), float("-inf")), 1).mean()
            return clip + trip + cos + dice + kl + focal + 0.1 * off + 0.1 * sup

    return C(), (normal(5, 6), normal(5, 6)), None, ()


def kan_splines() -> Any:
    class K(Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("g", torch.linspace(-2, 2, 12))
            self.c = nn.Parameter(normal(3, 2, 8) * 0.1)

        def forward(self, x: Any) -> Any:
            x = x.clamp(-1.2, 1.2)[..., None]
            g = self.g
            b = ((x >= g[:-1]) & (x < g[1:])).to(x.dtype)
            for k in range(1, 4):
                b = (x - g[: -(k + 1)]) / (g[k:-1] - g[: -(k + 1)]) * b[..., :-1] + (g[k + 1 :] - x) / (
                    g[k + 1 :] - g[1:-k]
                ) * b[..., 1:]
            return torch.einsum("bik,iok->bo", b, self.c)

    return K(), (normal(5, 3),), nn.MSELoss(), (normal(5, 2),)


def rotary_kv() -> Any:
    class A(Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.q = nn.Linear(8, 8, bias=False)
            self.k = nn.Linear(8, 4, bias=False)
            self.v = nn.Linear(8, 4, bias=False)
            self.n = nn.RMSNorm(8)

        def rot(self, x: Any) -> Any:
            d = x.shape[-1]
            inv = 1 / (1e4 ** (torch.arange(0, d, 2, dtype=x.dtype) / d))
            t = torch.arange(x.shape[-2], dtype=x.dtype)
            f = torch.outer(t, inv)
            f = torch.cat([f, f], -1)
            x1, x2 = x[..., : d // 2], x[..., d // 2 :]
            return x * f.cos() + torch.cat([-x2, x1], -1) * f.sin()

        def forward(self, x: Any) -> Any:
            B, T, _ = x.shape
            h = self.n(x)
            q = self.q(h).view(B, T, 2, 4).transpose(1, 2)
            k = self.k(h).view(B, T, 1, 4).transpose(1, 2)
            v = self.v(h).view(B, T, 1, 4).transpose(1, 2)
            y = F.scaled_dot_product_attention(self.rot(q), self.rot(k), v, is_causal=True, enable_gqa=True)
            return x + y.transpose(1, 2).reshape(B, T, 8)

    return A(), (normal(2, 6, 8),), nn.MSELoss(), (normal(2, 6, 8),)


def rotary_complex() -> Any:
    class A(Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.q = nn.Linear(8, 8)
            self.register_buffer(
                "f", torch.polar(torch.ones(6, 4), torch.outer(torch.arange(6.0), torch.rand(4))), persistent=False
            )

        def forward(self, x: Any) -> Any:
            q = torch.view_as_complex(self.q(x).reshape(2, 6, 4, 2))
            return torch.view_as_real(q * self.f.to(q.dtype)).flatten(2)

    return A(), (normal(2, 6, 8),), nn.MSELoss(), (normal(2, 6, 8),)


def mdn() -> Any:
    class A(Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.f = nn.Linear(4, 9)

        def forward(self, x: Any, y: Any) -> Any:
            pi, mu, ls = self.f(x).chunk(3, -1)
            d = torch.distributions.MixtureSameFamily(
                torch.distributions.Categorical(logits=pi), torch.distributions.Normal(mu, ls.exp())
            )
            return -d.log_prob(y).mean()

    return A(), (normal(5, 4), normal(5)), None, ()


def gp() -> Any:
    class G(Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.ls = nn.Parameter(torch.zeros(3))
            self.n = nn.Parameter(torch.tensor(-1.0))

        def forward(self, x: Any, y: Any) -> Any:
            z = x / self.ls.exp()
            k = torch.exp(-0.5 * torch.cdist(z, z) ** 2) + (self.n.exp() + 1e-4) * torch.eye(x.shape[0], dtype=x.dtype)
            L = torch.linalg.cholesky(k)
            a = torch.cholesky_solve(y[:, None], L)
            return 0.5 * (y[:, None] * a).sum() + L.diagonal().log().sum()

    return G(), (normal(6, 3), normal(6)), None, ()


def mvn() -> Any:
    class G(Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.m = nn.Parameter(torch.zeros(3))
            self.l = nn.Parameter(normal(3, 3))

        def forward(self, x: Any) -> Any:
            L = torch.tril(self.l, -1) + torch.diag_embed(F.softplus(self.l.diagonal()))
            return -torch.distributions.MultivariateNormal(self.m, scale_tril=L, validate_args=False).log_prob(x).mean()

    return G(), (normal(6, 3),), None, ()


def deform() -> Any:
    class G(Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.loc = nn.Linear(2 * 25, 6)
            self.loc.weight.data.mul_(0.1)
            self.loc.bias.data.copy_(torch.tensor([1, 0, 0, 0, 1, 0.0]))
            self.c = nn.Conv2d(2, 3, 3, padding="same", padding_mode="reflect")

        def forward(self, x: Any) -> Any:
            th = self.loc(x.flatten(1)).view(-1, 2, 3)
            g = F.affine_grid(th, x.size(), align_corners=False)
            x = F.grid_sample(x, g, align_corners=False, padding_mode="border")
            return F.adaptive_avg_pool2d(F.unfold(self.c(x), 2).view(x.shape[0], -1, 4, 4), 1).flatten(1)

    return G(), (normal(2, 2, 5, 5),), nn.MSELoss(), (normal(2, 12),)


def tcn_mask_idx() -> Any:
    class G(Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.c = nn.Conv1d(3, 4, 3, dilation=2, padding=4)
            self.bn = nn.BatchNorm1d(4)
            self.p = nn.PReLU(4)

        def forward(self, x: Any, m: Any) -> Any:
            y = self.p(self.bn(self.c(x)[..., :-4]))
            y = y * m[:, None]
            return (y.sum(-1) / m.sum(-1, keepdim=True).clamp(min=1)), y.amax(-1)

    return (
        G(),
        (normal(3, 3, 7), (torch.rand(3, 7) > 0.3).float()),
        (lambda o, t: F.mse_loss(o[0], t) + o[1].mean()),
        (normal(3, 4),),
    )


def hyper_func() -> Any:
    class G(Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.h = nn.Linear(2, 20)
            self.ps = nn.ParameterList([nn.Parameter(normal(3)), nn.Parameter(normal(3))])
            self.d = nn.ModuleDict({"a": nn.Linear(5, 3)})

        def forward(self, x: Any, z: Any) -> Any:
            w = self.h(z).view(-1, 4, 5)
            y = torch.bmm(x.unsqueeze(1), w).squeeze(1)
            return self.d["a"](y) * sum(self.ps) + torch.vmap(lambda a: a.sum() * torch.ones(3, dtype=a.dtype))(y)

    return G(), (normal(3, 4), normal(3, 2)), nn.MSELoss(), (normal(3, 3),)


def checkpointed() -> Any:
    import torch.utils.checkpoint as ck

    class G(Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.l = nn.Linear(3, 3)

        def forward(self, x: Any) -> Any:
            return ck.checkpoint(lambda x: self.l(x).tanh(), x, use_reentrant=False)

    return G(), (normal(3, 3),), nn.MSELoss(), (normal(3, 3),)


def eig_whiten() -> Any:
    class G(Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.l = nn.Linear(4, 3)

        def forward(self, x: Any) -> Any:
            y = self.l(x)
            y = y - y.mean(0)
            c = y.T @ y / (x.shape[0] - 1) + 0.1 * torch.eye(3, dtype=x.dtype)
            e, v = torch.linalg.eigh(c)
            w = v @ torch.diag(e.rsqrt()) @ v.T
            return (y @ w).pow(3).mean() + torch.logdet(c) + torch.linalg.norm(c, "nuc")

    return G(), (normal(8, 4),), None, ()


ALL_MODELS: List[Callable[[], Any]] = [
    *MODELS,
    fnet,
    einsum_moe,
    scan_loop,
    custom_losses,
    kan_splines,
    rotary_kv,
    rotary_complex,
    mdn,
    gp,
    mvn,
    deform,
    tcn_mask_idx,
    hyper_func,
    checkpointed,
    eig_whiten,
]
