from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Rotary(nn.Module):
    def __init__(self, dim: int, base: int = 10000) -> None:
        super().__init__()
        self.dim, self.base = dim, base

    def forward(self, offset: int, length: int, like: Tensor) -> tuple[Tensor, Tensor]:
        t = torch.arange(offset, offset + length, device=like.device, dtype=like.dtype)
        exponents = torch.arange(0, self.dim, 2, device=like.device, dtype=torch.float32) / self.dim
        inv_freq = 1.0 / self.base**exponents
        freqs = torch.einsum("i,j->ij", t.float(), inv_freq)
        return freqs.cos().to(like.dtype), freqs.sin().to(like.dtype)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat([x1 * cos - x2 * sin, x1 * sin + x2 * cos], dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.n_heads = num_heads
        self.sizes = (head_dim, rope_dim)
        self.wq = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim))
        self.wkv_a = nn.Linear(hidden_dim, latent_dim)
        self.wk_r = nn.Linear(hidden_dim, rope_dim)
        self.wk_b = nn.Linear(latent_dim, num_heads * head_dim)
        self.wv_b = nn.Linear(latent_dim, num_heads * head_dim)
        self.wo = nn.Linear(num_heads * head_dim, hidden_dim)
        self.rotary = Rotary(rope_dim)
        self.softmax_scale = (head_dim + rope_dim) ** -0.5

    def heads(self, t: Tensor) -> Tensor:
        return t.view(t.size(0), t.size(1), self.n_heads, -1).permute(0, 2, 1, 3)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        seqlen = x.size(1)
        start_pos = cache[0].size(1) if cache is not None else 0
        cos, sin = self.rotary(start_pos, seqlen, x)
        q_nope, q_pe = self.heads(self.wq(x)).split(self.sizes, dim=-1)
        q_pe = rotate(q_pe, cos, sin)
        kv, k_pe = self.wkv_a(x), rotate(self.wk_r(x), cos, sin)
        if cache is not None:
            kv = torch.cat([cache[0], kv], dim=1)
            k_pe = torch.cat([cache[1], k_pe], dim=1)
        k_nope, v = self.heads(self.wk_b(kv)), self.heads(self.wv_b(kv))
        scores = torch.einsum("bhsd,bhtd->bhst", q_nope, k_nope)
        scores = scores + torch.einsum("bhsr,btr->bhst", q_pe, k_pe)
        scores = scores * self.softmax_scale
        end_pos = start_pos + seqlen
        mask = torch.full((seqlen, end_pos), float("-inf"), device=x.device, dtype=x.dtype)
        scores = scores + mask.triu(start_pos + 1)
        weights = F.softmax(scores, dim=-1)
        out = torch.einsum("bhst,bhtd->bshd", weights, v).flatten(2)
        return self.wo(out), (kv, k_pe)
