from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn


class Angles(NamedTuple):
    cos: Tensor
    sin: Tensor

    def turn(self, x: Tensor) -> Tensor:
        """x (B, T, heads, d): a 2 x 2 block matrix for each position, built from two diagonals."""
        c, s = torch.diag_embed(self.cos.to(x.dtype)), torch.diag_embed(self.sin.to(x.dtype))
        matrix = torch.cat([torch.cat([c, -s], -1), torch.cat([s, c], -1)], -2)     # (T, d, d)
        return torch.einsum("tij,bthj->bthi", matrix, x)


class Scale(nn.Module):
    def __init__(self, n: int, eps: float) -> None:
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(n)), eps

    def forward(self, x: Tensor) -> Tensor:
        mean_square = x.var(-1, correction=0, keepdim=True) + x.mean(-1, keepdim=True) ** 2
        return x / torch.sqrt(mean_square + self.eps) * self.weight


class Group(nn.Module):
    """One kv head with its query heads, and their share of Wo."""

    def __init__(self, c: int, d: int, queries: int) -> None:
        super().__init__()
        self.d = d
        self.kv_q = nn.Linear(c, (2 + queries) * d, bias=False)
        self.o = nn.Linear(queries * d, c, bias=False)

    def forward(self, u: Tensor, angles: Angles) -> Tensor:
        k, v, *q = self.kv_q(u).split(self.d, -1)
        turned = angles.turn(torch.stack([k, *q], 2))
        s = torch.einsum("bthd,bsd->bhts", turned[:, :, 1:], turned[:, :, 0]) * self.d**-0.5
        t = torch.arange(u.shape[1], device=u.device)
        w = s.masked_fill(t.unsqueeze(-1) < t, -torch.inf).softmax(-1)
        return self.o(torch.einsum("bhts,bsd->bthd", w, v).flatten(2))


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        d, per = hidden_dim // num_heads, num_heads // num_kv_heads
        self.norms = nn.ModuleList([Scale(hidden_dim, 1e-5) for _ in range(2)])
        self.groups = nn.ModuleList(Group(hidden_dim, d, per) for _ in range(num_kv_heads))
        self.up, self.gate, self.down = (
            nn.Linear(*s, bias=False) for s in ((hidden_dim, mlp_dim), (hidden_dim, mlp_dim), (mlp_dim, hidden_dim)))

    def branches(self, angles: Angles):
        yield self.norms[0], lambda u: sum(g(u, angles) for g in self.groups)
        yield self.norms[1], lambda u: self.down((z := self.gate(u)) * torch.sigmoid(z) * self.up(u))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        for norm, branch in self.branches(Angles(cos, sin)):
            x = x + branch(norm(x))
        return x
