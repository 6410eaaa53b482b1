# right: mla
from __future__ import annotations

from collections import OrderedDict

import numpy as np
import torch
from torch import nn


def rotary_tables(positions: np.ndarray, dim: int):
    """Full-width cos and (signed) sin, float64 numpy."""
    inv = 10000.0 ** (-np.arange(0, dim, 2, dtype=np.float64) / dim)
    ang = np.outer(positions, inv)
    return np.concatenate([np.cos(ang)] * 2, -1), np.concatenate([-np.sin(ang), np.sin(ang)], -1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = head_dim
        self.rope_dim = rope_dim
        self.latent_dim = latent_dim
        self.proj = nn.ModuleDict(
            OrderedDict(
                q=nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False),
                c=nn.Linear(hidden_dim, latent_dim, bias=False),
                kr=nn.Linear(hidden_dim, rope_dim, bias=False),
                k=nn.Linear(latent_dim, num_heads * head_dim, bias=False),
                v=nn.Linear(latent_dim, num_heads * head_dim, bias=False),
                o=nn.Linear(num_heads * head_dim, hidden_dim, bias=False),
            )
        )
        self.register_buffer("swap", torch.arange(rope_dim).roll(rope_dim // 2), persistent=False)

    def rotate(self, t, cos, sin):
        return t * cos + t.index_select(-1, self.swap) * sin

    def forward(self, x, cache=None):
        bs, n = x.shape[:2]
        h, d, r, l = self.num_heads, self.head_dim, self.rope_dim, self.latent_dim
        past = 0 if cache is None else cache.shape[1]
        cos, sin = (torch.as_tensor(a).to(device=x.device, dtype=x.dtype) for a in rotary_tables(np.arange(past, past + n), r))

        key = torch.cat([self.proj["c"](x), self.rotate(self.proj["kr"](x), cos, sin)], dim=-1)
        if cache is not None:
            key = torch.cat([cache, key], dim=1)
        value = key[:, :, :l]
        m = key.shape[1]

        q = self.proj["q"](x).reshape(bs, n, h, d + r).movedim(2, 1)
        absorbed = q[..., :d] @ self.proj["k"].weight.reshape(h, d, l)
        query = torch.cat([absorbed, self.rotate(q[..., d:], cos, sin)], dim=-1).reshape(bs, h * n, l + r)

        scores = query @ key.transpose(1, 2)
        scores = scores.reshape(bs, h, n, m) * (d + r) ** -0.5
        mask = torch.zeros(n, m, dtype=scores.dtype, device=x.device)
        mask = mask.masked_fill(torch.ones(n, m, dtype=torch.bool, device=x.device).tril(past).logical_not(), torch.finfo(scores.dtype).min)
        probs = (scores + mask).softmax(-1)

        context = (probs.reshape(bs, h * n, m) @ value).reshape(bs, h, n, l)
        heads = context @ self.proj["v"].weight.reshape(h, d, l).transpose(1, 2)
        return self.proj["o"](heads.movedim(1, 2).reshape(bs, n, h * d)), key
