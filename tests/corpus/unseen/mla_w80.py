import math
from typing import Any

import torch
from torch import Tensor, nn


def rotate(t: Tensor, start: int) -> Tensor:
    """t is (..., length, rope_dim)."""
    half = t.size(-1) // 2
    position = torch.arange(start, start + t.size(-2), device=t.device, dtype=torch.float64)
    angle = position[:, None] * 10000 ** (-torch.arange(half, device=t.device, dtype=torch.float64) / half)
    cos, sin = angle.cos().to(t.dtype), angle.sin().to(t.dtype)
    a, b = t[..., :half], t[..., half:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()
        self.h, self.d, self.r, self.c = num_heads, head_dim, rope_dim, latent_dim
        self.query = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.down = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.key_up = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.value_up = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.out = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)
        self.scale = 1 / math.sqrt(head_dim + rope_dim)

    def _full(self, q_c, q_r, latent, k_r):
        key, value = (up(latent).unflatten(-1, (self.h, self.d)).transpose(1, 2) for up in (self.key_up, self.value_up))
        scores = (q_c @ key.mT + q_r @ k_r.unsqueeze(1).mT) * self.scale
        n, total = scores.shape[-2:]
        seen = torch.ones(n, total, dtype=torch.bool, device=scores.device).tril(total - n)
        return scores.masked_fill(~seen, -math.inf).softmax(-1) @ value

    def _step(self, q_c, q_r, latent, k_r):
        """One new position: key_up goes to the query's side, value_up behind the sum."""
        up_k = self.key_up.weight.view(self.h, self.d, self.c)
        up_v = self.value_up.weight.view(self.h, self.d, self.c)
        content = torch.einsum("bhnd,hdc,bmc->bhnm", q_c, up_k, latent)
        scores = content / math.sqrt(self.d) + (q_r @ k_r.unsqueeze(1).mT) * self.scale
        return torch.einsum("bhnm,bmc,hdc->bhnd", scores.softmax(-1), latent, up_v)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        start = 0 if cache is None else cache[0].size(1)
        q_c, q_r = self.query(x).unflatten(-1, (self.h, -1)).transpose(1, 2).split([self.d, self.r], -1)
        latent, k_r = self.down(x).split([self.c, self.r], -1)
        q_r, k_r = rotate(q_r, start), rotate(k_r, start)
        if cache is not None:
            latent, k_r = torch.cat([cache[0], latent], 1), torch.cat([cache[1], k_r], 1)
        attend = self._step if x.size(1) == 1 and start > 0 else self._full
        context = attend(q_c, q_r, latent, k_r)
        return self.out(context.transpose(1, 2).flatten(2)), (latent, k_r)
