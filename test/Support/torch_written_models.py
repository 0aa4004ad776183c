# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of PyTorch as people write them, for `import_torch_written.py`: each function returns a module, its inputs,
a loss (None where the module returns its loss) and targets."""

import copy
import math
from typing import Any, Callable, List

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import parametrizations

Module: Any = nn.Module


def normal(*shape: int) -> Any:
    return torch.randn(*shape)


def masked_attention() -> Any:
    class A(Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.e = nn.Embedding(20, 16, padding_idx=0)
            self.a = nn.MultiheadAttention(16, 4, batch_first=True)
            self.n = nn.LayerNorm(16)
            self.o = nn.Linear(16, 20, bias=False)
            self.o.weight = self.e.weight

        def forward(self, t: Any) -> Any:
            m = t.eq(0)
            x = self.e(t) * math.sqrt(16)
            L = t.shape[1]
            causal = torch.triu(torch.ones(L, L, dtype=torch.bool), 1)
            y, _ = self.a(x, x, x, key_padding_mask=m, attn_mask=causal, need_weights=False)
            return self.o(self.n(x + y)).transpose(1, 2)

    t = torch.randint(1, 20, (3, 7))
    t[0, 5:] = 0
    return A(), (t,), nn.CrossEntropyLoss(ignore_index=0, label_smoothing=0.1), (torch.randint(0, 20, (3, 7)),)


def attention_by_hand() -> Any:
    class A(Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.qkv = nn.Linear(16, 48)
            self.o = nn.Linear(16, 16)
            self.register_buffer("mask", torch.tril(torch.ones(1, 1, 9, 9)))
            self.d = nn.Dropout(0.0)
            self.bias = nn.Parameter(torch.zeros(4, 17))

        def forward(self, x: Any, lens: Any) -> Any:
            B, T, C = x.shape
            q, k, v = [z.view(B, T, 4, 4).transpose(1, 2) for z in self.qkv(x).chunk(3, -1)]
            w = q @ k.transpose(-2, -1) / math.sqrt(4)
            idx = torch.arange(T)[:, None] - torch.arange(T)[None] + 8
            w = w + self.bias[:, idx]
            w = w.masked_fill(self.mask[:, :, :T, :T] == 0, float("-inf"))
            w = w.masked_fill((torch.arange(T)[None] >= lens[:, None])[:, None, None, :], -1e9)
            w = self.d(w.softmax(-1))
            return self.o((w @ v).transpose(1, 2).contiguous().view(B, T, C))

    return A(), (normal(2, 9, 16), torch.tensor([5, 9])), nn.MSELoss(), (normal(2, 9, 16),)


def gnn() -> Any:
    class G(Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.m = nn.Linear(16, 8)
            self.u = nn.GRUCell(8, 8)
            self.o = nn.Linear(8, 3)
            self.bn = nn.BatchNorm1d(8)

        def forward(self, x: Any, ei: Any, batch: Any) -> Any:
            src, dst = ei
            for _ in range(2):
                msg = F.relu(self.m(torch.cat([x[src], x[dst]], -1)))
                agg = torch.zeros_like(x).index_add_(0, dst, msg)
                deg = (
                    torch.zeros(x.size(0), dtype=x.dtype)
                    .scatter_add_(0, dst, torch.ones_like(dst, dtype=x.dtype))
                    .clamp(min=1)
                )
                x = self.u(agg / deg[:, None], x)
                x = self.bn(x)
            pooled = torch.zeros(2, 8, dtype=x.dtype).index_add(0, batch, x)
            mx = torch.full((2, 8), -1e9, dtype=x.dtype).scatter_reduce(0, batch[:, None].expand(-1, 8), x, "amax")
            return self.o(pooled + mx)

    return (
        G(),
        (normal(6, 8), torch.randint(0, 6, (2, 10)), torch.tensor([0, 0, 0, 1, 1, 1])),
        nn.CrossEntropyLoss(),
        (torch.tensor([0, 2]),),
    )


def gat() -> Any:
    class G(Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.w = nn.Linear(8, 8, bias=False)
            self.a = nn.Parameter(normal(16) * 0.3)

        def forward(self, x: Any, ei: Any) -> Any:
            h = self.w(x)
            src, dst = ei[0], ei[1]
            e = F.leaky_relu((torch.cat([h[src], h[dst]], 1) * self.a).sum(-1), 0.2)
            m = torch.full((x.shape[0],), float("-inf"), dtype=x.dtype).scatter_reduce(
                0, dst, e, reduce="amax", include_self=False
            )
            e = (e - m[dst]).exp()
            z = torch.zeros(x.shape[0], dtype=x.dtype).index_add(0, dst, e)
            al = e / (z[dst] + 1e-16)
            return F.elu(torch.zeros_like(h).index_add(0, dst, al[:, None] * h[src]))

    ei = torch.stack([torch.randint(0, 6, (12,)), torch.cat([torch.arange(6), torch.randint(0, 6, (6,))])])
    return G(), (normal(6, 8), ei), nn.MSELoss(), (normal(6, 8),)


def unet() -> Any:
    class U(Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()

            def c(i: int, o: int) -> Any:
                return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.GroupNorm(2, o), nn.SiLU())

            self.d1 = c(3, 8)
            self.d2 = c(8, 16)
            self.up = nn.ConvTranspose2d(16, 8, 2, stride=2)
            self.u1 = c(16, 8)
            self.o = nn.Conv2d(8, 1, 1)
            self.t = nn.Linear(6, 16)

        def forward(self, x: Any, t: Any) -> Any:
            f = torch.exp(-math.log(1e4) * torch.arange(3, dtype=x.dtype) / 3)
            emb = torch.cat([torch.sin(t[:, None] * f), torch.cos(t[:, None] * f)], -1)
            a = self.d1(x)
            b = self.d2(F.max_pool2d(a, 2)) + self.t(emb)[:, :, None, None]
            u = self.up(b)
            if u.shape[-2:] != a.shape[-2:]:
                u = F.interpolate(u, a.shape[-2:], mode="bilinear", align_corners=False)
            return self.o(self.u1(torch.cat([u, a], 1)))

    return (
        U(),
        (normal(2, 3, 9, 9), torch.rand(2)),
        nn.BCEWithLogitsLoss(pos_weight=torch.tensor([2.0])),
        (torch.rand(2, 1, 9, 9),),
    )


def flow_slogdet() -> Any:
    class Fl(Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.w = nn.Parameter(torch.linalg.qr(normal(4, 4))[0].contiguous())
            self.net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 4))
            self.mu = nn.Parameter(torch.zeros(4))
            self.ls = nn.Parameter(torch.zeros(4))

        def forward(self, x: Any) -> Any:
            ld = torch.zeros(x.shape[0], dtype=x.dtype)
            x = (x - self.mu) * torch.exp(-self.ls)
            ld = ld - self.ls.sum()
            x = x @ self.w.T
            ld = ld + torch.linalg.slogdet(self.w)[1]
            a, b = x.chunk(2, 1)
            sc, t = self.net(a).chunk(2, 1)
            sc = torch.tanh(sc)
            x = torch.cat([a, b * sc.exp() + t], 1)
            ld = ld + sc.sum(1)
            p = torch.distributions.Normal(0.0, 1.0)
            return -(p.log_prob(x).sum(1) + ld).mean()

    return Fl(), (normal(5, 4),), None, ()


def lstm_masked() -> Any:
    class L(Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.l = nn.LSTM(6, 8, num_layers=2, proj_size=5, batch_first=True)
            self.o = nn.Linear(5, 1)

        def forward(self, x: Any, lens: Any) -> Any:
            o, _ = self.l(x)
            i = (lens - 1).view(-1, 1, 1).expand(-1, 1, o.size(2))
            return self.o(o.gather(1, i).squeeze(1)).squeeze(-1)

    return L(), (normal(3, 6, 6), torch.tensor([6, 3, 4])), nn.SmoothL1Loss(), (normal(3),)


def ema_module() -> Any:
    class E(Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.net = nn.Linear(4, 4)
            self.tgt = copy.deepcopy(self.net)
            for p in self.tgt.parameters():
                p.requires_grad_(False)

        def forward(self, x: Any) -> Any:
            if self.training:
                with torch.no_grad():
                    for a, b in zip(self.net.parameters(), self.tgt.parameters()):
                        b.mul_(0.9).add_(a, alpha=0.1)
            with torch.no_grad():
                t = self.tgt(x)
            return F.mse_loss(F.normalize(self.net(x), dim=-1), F.normalize(t, dim=-1).detach() + 1)

    return E(), (normal(5, 4),), None, ()


def ema_buffers() -> Any:
    class E(Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.net = nn.Linear(4, 4)
            self.register_buffer("center", torch.zeros(4))
            self.register_buffer("n", torch.zeros((), dtype=torch.long))

        def forward(self, x: Any) -> Any:
            y = self.net(x)
            if self.training:
                self.center.mul_(0.9).add_(y.detach().mean(0), alpha=0.1)
                self.n += 1
            return ((y - self.center) ** 2).mean() / self.n.clamp(min=1)

    return E(), (normal(5, 4),), None, ()


def vq() -> Any:
    class V(Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.enc = nn.Linear(6, 4)
            self.dec = nn.Linear(4, 6)
            self.cb = nn.Embedding(8, 4)

        def forward(self, x: Any) -> Any:
            z = self.enc(x)
            d = torch.cdist(z, self.cb.weight)
            i = d.argmin(-1)
            q = self.cb(i)
            loss = F.mse_loss(q, z.detach()) + 0.25 * F.mse_loss(z, q.detach())
            q = z + (q - z).detach()
            oh = F.one_hot(i, 8).to(x.dtype).mean(0)
            perp = torch.exp(-(oh * (oh + 1e-10).log()).sum())
            return F.mse_loss(self.dec(q), x) + loss + 0 * perp

    return V(), (normal(5, 6),), None, ()


def weight_norm_new() -> Any:
    return (
        nn.Sequential(
            parametrizations.weight_norm(nn.Linear(4, 5)),
            nn.ReLU(),
            parametrizations.weight_norm(nn.Conv1d(1, 3, 2))
            if False
            else parametrizations.weight_norm(nn.Linear(5, 2), dim=None),
        ),
        (normal(3, 4),),
        nn.MSELoss(),
        (normal(3, 2),),
    )


def weight_norm_old() -> Any:
    return (
        nn.Sequential(nn.utils.weight_norm(nn.Linear(4, 5)), nn.Tanh(), nn.utils.weight_norm(nn.Linear(5, 2))),
        (normal(3, 4),),
        nn.MSELoss(),
        (normal(3, 2),),
    )


def spectral_norm_new() -> Any:
    return (
        nn.Sequential(
            parametrizations.spectral_norm(nn.Conv2d(1, 4, 3)),
            nn.LeakyReLU(0.1),
            nn.Flatten(),
            parametrizations.spectral_norm(nn.Linear(36, 2)),
        ),
        (normal(3, 1, 5, 5),),
        nn.MSELoss(),
        (normal(3, 2),),
    )


def spectral_norm_old() -> Any:
    return (
        nn.Sequential(nn.utils.spectral_norm(nn.Linear(4, 5)), nn.Tanh(), nn.Linear(5, 2)),
        (normal(3, 4),),
        nn.MSELoss(),
        (normal(3, 2),),
    )


def orthogonal() -> Any:
    return (
        nn.Sequential(
            parametrizations.orthogonal(nn.Linear(4, 4)),
            nn.Tanh(),
            parametrizations.orthogonal(nn.Linear(4, 4), orthogonal_map="cayley"),
        ),
        (normal(3, 4),),
        nn.MSELoss(),
        (normal(3, 4),),
    )


MODELS: List[Callable[[], Any]] = [
    masked_attention,
    attention_by_hand,
    gnn,
    gat,
    unet,
    flow_slogdet,
    lstm_masked,
    ema_module,
    ema_buffers,
    vq,
    weight_norm_new,
    weight_norm_old,
    spectral_norm_new,
    spectral_norm_old,
    orthogonal,
]
