from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class Rope(nn.Module):
    """Half-split rotation; the table grows on demand and belongs to no sequence."""

    def __init__(self, dim: int, base: float = 10000.0) -> None:
        super().__init__()
        self.freq = [base ** (-2 * i / dim) for i in range(dim // 2)]
        self.table: Tensor | None = None

    def _upto(self, n: int, device: torch.device) -> Tensor:
        if self.table is None or len(self.table) < n or self.table.device != device:
            f = torch.tensor(self.freq, dtype=torch.float64, device=device)
            self.table = torch.arange(n, dtype=torch.float64, device=device)[:, None] * f
        return self.table[:n]

    def forward(self, x: Tensor, first: int = 0) -> Tensor:
        # x (b, h, t, r)
        angle = self._upto(first + x.shape[2], x.device)[first:]
        acc = torch.promote_types(x.dtype, torch.float32)
        cos, sin = angle.cos().to(acc), angle.sin().to(acc)
        lo, hi = x.to(acc).chunk(2, dim=-1)
        return torch.cat([lo * cos - hi * sin, lo * sin + hi * cos], -1).to(x.dtype)


class MultiHeadLatentAttention(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.num_heads, self.head_dim = num_heads, head_dim
        self.split = [latent_dim, rope_dim]
        self.rope = Rope(rope_dim)
        self.wq = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim))
        self.wkv_a = nn.Linear(hidden_dim, latent_dim + rope_dim)
        self.wk_b = nn.Linear(latent_dim, num_heads * head_dim)
        self.wv_b = nn.Linear(latent_dim, num_heads * head_dim)
        self.wo = nn.Linear(num_heads * head_dim, hidden_dim)
        self.scale = 1 / math.sqrt(head_dim + rope_dim)

    def _heads(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        past = 0 if cache is None else cache["latent"].shape[1]
        q_c, q_r = self._heads(self.wq(x)).split([self.head_dim, self.split[1]], dim=-1)
        latent, k_r = self.wkv_a(x).split(self.split, dim=-1)
        if cache is not None:
            latent = torch.cat([cache["latent"], latent], 1)
            k_r = torch.cat([cache["k_r"], k_r], 1)

        k_r = self.rope(k_r.unsqueeze(1))
        q_r = self.rope(q_r, first=past)

        q = torch.cat([q_c, q_r], -1)
        k_c, v = self._heads(self.wk_b(latent)), self._heads(self.wv_b(latent))
        k = torch.cat([k_c, k_r.expand(-1, self.num_heads, -1, -1)], -1)

        s = torch.einsum("bhte,bhse->bhts", q, k) * self.scale
        t, n = s.shape[-2:]
        i, j = torch.arange(past, past + t), torch.arange(n)
        s = s.masked_fill((j > i[:, None]).to(s.device), -torch.inf)
        y = torch.einsum("bhts,bhsd->bthd", s.softmax(-1), v).flatten(2)
        return self.wo(y), {"latent": latent, "k_r": k_r.squeeze(1)}
