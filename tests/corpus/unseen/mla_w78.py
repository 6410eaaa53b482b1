from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def rotate(t: Tensor, start: int) -> Tensor:
    """RoPE in halves on the last axis, positions on the one before."""
    half = t.shape[-1] // 2
    freq = 10000.0 ** (-torch.arange(half, device=t.device, dtype=torch.float64) / half)
    p = torch.arange(start, start + t.shape[-2], device=t.device, dtype=torch.float64)
    angle = p[:, None] * freq
    cos, sin = angle.cos().to(t.dtype), angle.sin().to(t.dtype)
    a, b = t.chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.h, self.d, self.r = num_heads, head_dim, rope_dim
        self.query = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim))
        self.kv_down = nn.Linear(hidden_dim, latent_dim)
        self.key_rope = nn.Linear(hidden_dim, rope_dim)
        self.key_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.value_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.output = nn.Linear(num_heads * head_dim, hidden_dim)
        self.scale = 1 / math.sqrt(head_dim + rope_dim)

    def forward(self, x, cache=None):
        n = x.shape[1]
        start = 0 if cache is None else cache[0].shape[1]
        q = self.query(x).unflatten(-1, (self.h, -1)).transpose(1, 2)
        q_c, q_r = q.split([self.d, self.r], dim=-1)
        q_r = rotate(q_r, start)
        latent, k_r = self.kv_down(x), rotate(self.key_rope(x), start)
        if cache is not None:
            latent = torch.cat([cache[0], latent], dim=1)
            k_r = torch.cat([cache[1], k_r], dim=1)
        step = cache is not None and n == 1
        context = (self._absorbed if step else self._expanded)(q_c, q_r, latent, k_r)
        return self.output(context.transpose(1, 2).flatten(2)), (latent, k_r)

    def _expanded(self, q_c, q_r, latent, k_r):
        k = self.key_up(latent).unflatten(-1, (self.h, self.d)).transpose(1, 2)
        v = self.value_up(latent).unflatten(-1, (self.h, self.d)).transpose(1, 2)
        scores = (q_c @ k.mT + q_r @ k_r[:, None].mT) * self.scale
        n, total = scores.shape[-2:]
        seen = torch.ones(n, total, dtype=torch.bool, device=q_c.device).tril(total - n)
        return scores.masked_fill(~seen, float("-inf")).softmax(-1) @ v

    def _absorbed(self, q_c, q_r, latent, k_r):
        # neither keys nor values are made; the key's bias adds the same to a whole row
        w_k = self.key_up.weight.unflatten(0, (self.h, self.d))
        w_v = self.value_up.weight.unflatten(0, (self.h, self.d))
        q_l = torch.einsum("bhnd,hdc->bhnc", q_c, w_k)
        c = latent[:, None]
        weights = ((q_l @ c.mT + q_r @ k_r[:, None].mT) * self.scale).softmax(-1)
        return torch.einsum("bhnc,hdc->bhnd", weights @ c, w_v)
