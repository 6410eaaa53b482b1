from __future__ import annotations

import torch
from torch import Tensor, nn


class MultiHeadLatentAttention(nn.Module):
    """Up-projections absorbed: scores are taken against the latent, and so are the sums."""

    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()
        self.h, self.d, self.r, self.c = num_heads, head_dim, rope_dim, latent_dim
        self.wq = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.wdkv = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.wkr = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.wuk = nn.Parameter(torch.randn(num_heads, head_dim, latent_dim) * latent_dim**-0.5)
        self.wuv = nn.Parameter(torch.randn(num_heads, head_dim, latent_dim) * latent_dim**-0.5)
        self.wo = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def _rope(self, t: Tensor, start: int) -> Tensor:
        """t: (batch, length, ..., rope_dim)"""
        n, half = t.shape[1], self.r // 2
        freq = 10000.0 ** -(torch.arange(half, device=t.device, dtype=torch.float64) / half)
        angle = torch.arange(start, start + n, device=t.device, dtype=torch.float64)[:, None] * freq
        angle = angle.view(n, *(1,) * (t.ndim - 3), half)
        cos, sin = angle.cos().to(t.dtype), angle.sin().to(t.dtype)
        a, b = t[..., :half], t[..., half:]
        return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)

    def forward(self, x: Tensor, cache: Tensor | None = None) -> tuple[Tensor, Tensor]:
        start = 0 if cache is None else cache.shape[1]
        qc, qr = self.wq(x).unflatten(-1, (self.h, -1)).split([self.d, self.r], dim=-1)
        new = torch.cat((self.wdkv(x), self._rope(self.wkr(x), start)), dim=-1)
        cache = new if cache is None else torch.cat((cache, new), dim=1)
        latent = cache[..., : self.c]
        # one query of latent_dim + rope_dim a head, against the cache as it lies there
        q = torch.cat((torch.einsum("bthd,hdc->bthc", qc, self.wuk), self._rope(qr, start)), dim=-1)
        scores = torch.einsum("bthe,bse->bhts", q, cache) / (self.d + self.r) ** 0.5
        t, s = scores.shape[-2:]
        ahead = torch.ones(t, s, device=x.device, dtype=torch.bool).triu(s - t + 1)
        weights = scores.masked_fill(ahead, float("-inf")).softmax(-1)
        out = torch.einsum("bhts,bsc,hdc->bthd", weights, latent, self.wuv)
        return self.wo(out.flatten(2)), cache
