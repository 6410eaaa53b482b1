from __future__ import annotations

from typing import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def to_freqs_cis(cos: Tensor, sin: Tensor) -> Tensor:
    """Meta's form: one complex number for each position and pair."""
    full = torch.float64 if cos.dtype == torch.float64 else torch.float32
    cos, sin = cos.to(full), sin.to(full)
    angle = torch.atan2(sin, cos)
    return torch.polar(torch.ones_like(angle), angle)


def rotate(u: Tensor, freqs_cis: Tensor) -> Tensor:
    """u is (batch, heads, length, head_dim)."""
    full = torch.float64 if u.dtype == torch.float64 else torch.float32
    real, imaginary = u.to(full).chunk(2, dim=-1)
    turned = torch.complex(real.contiguous(), imaginary.contiguous()) * freqs_cis
    return torch.cat([turned.real, turned.imag], dim=-1).to(u.dtype)


class Residual(nn.Module):
    def __init__(self, width: int, branch: nn.Module) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(width, eps=1e-5)
        self.branch = branch

    def forward(self, x: Tensor, *rest: Tensor) -> Tensor:
        return x + self.branch(self.norm(x), *rest)


class GroupedAttention(nn.Module):
    def __init__(self, width: int, heads: int, kv_heads: int) -> None:
        super().__init__()
        self.head_dim: int = width // heads
        self.widths: list[int] = [width, kv_heads * self.head_dim, kv_heads * self.head_dim]
        self.group: int = heads // kv_heads
        self.qkv = nn.Linear(width, sum(self.widths), bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, u: Tensor, freqs_cis: Tensor) -> Tensor:
        heads: Callable[[Tensor], Tensor] = lambda t: t.unflatten(-1, (-1, self.head_dim)).transpose(1, 2)
        q, k, v = map(heads, self.qkv(u).split(self.widths, dim=-1))
        q, k = rotate(q, freqs_cis), rotate(k, freqs_cis)
        k, v = (t.repeat_interleave(self.group, dim=1) for t in (k, v))
        scores = (q @ k.mT) * self.head_dim**-0.5
        future = torch.ones(scores.shape[-2:], dtype=torch.bool, device=u.device).triu(1)
        weights = scores.masked_fill(future, float("-inf")).softmax(dim=-1)
        return self.out((weights @ v).transpose(1, 2).flatten(2))


class SwiGLU(nn.Module):
    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.gate_up = nn.Linear(width, 2 * inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)

    def forward(self, u: Tensor) -> Tensor:
        gate, up = self.gate_up(u).chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.attend = Residual(hidden_dim, GroupedAttention(hidden_dim, num_heads, num_kv_heads))
        self.think = Residual(hidden_dim, SwiGLU(hidden_dim, mlp_dim))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        freqs_cis = to_freqs_cis(cos, sin)
        return self.think(self.attend(x, freqs_cis))
