# wrong: mla
from typing import NamedTuple, Optional, Tuple

import torch
import torch.nn as nn
from torch import Tensor


class LatentState(NamedTuple):
    c_kv: Tensor
    k_rope: Tensor
    pos: int


class Head(nn.Module):
    def __init__(self, hidden_dim: int, head_dim: int, rope_dim: int, latent_dim: int):
        super().__init__()
        self.q = nn.Linear(hidden_dim, head_dim, bias=False)
        self.q_rope = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.k_up = nn.Linear(latent_dim, head_dim, bias=False)
        self.v_up = nn.Linear(latent_dim, head_dim, bias=False)
        self.div = (head_dim + rope_dim) ** 0.5

    def forward(self, x: Tensor, c: Tensor, k_rope: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        qr = rotate(self.q_rope(x), cos, sin)
        scores = self.q(x) @ self.k_up(c).mT
        scores = (scores + qr @ k_rope.mT) / self.div
        n, m = scores.shape[-2:]
        i = torch.arange(m - n, m, device=x.device)[:, None]
        j = torch.arange(m, device=x.device)[None, :]
        scores = torch.where(i >= j, scores, float("-inf"))
        return scores.softmax(-1) @ self.v_up(c)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int):
        super().__init__()
        self.rope_dim = rope_dim
        self.heads = nn.ModuleList(Head(hidden_dim, head_dim, rope_dim, latent_dim) for _ in range(num_heads))
        self.kv_down = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.k_rope = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.out = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, cache: Optional[LatentState] = None) -> Tuple[Tensor, LatentState]:
        seq_len = x.shape[1]
        start = cache.pos if cache is not None else 0

        t = torch.arange(start, start + seq_len, device=x.device, dtype=torch.float32)
        inv_freq = 1.0 / 10000 ** (torch.arange(0, self.rope_dim, 2, device=x.device).float() / self.rope_dim)
        angles = t[:, None] * inv_freq[None, :]
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)

        c = self.kv_down(x)
        k_rope = rotate(self.k_rope(x), cos, sin)
        if cache is not None:
            c = torch.cat([cache.c_kv, c], dim=1)
            k_rope = torch.cat([cache.k_rope, k_rope], dim=1)
        y = self.out(torch.cat([h(x, c, k_rope, cos, sin) for h in self.heads], dim=-1))
        return y, LatentState(c, k_rope, seq_len)
