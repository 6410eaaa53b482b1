# right: mla
# One product with x makes everything: rotary queries, latents, the shared key, content queries.
from functools import partial

import torch
from torch import nn


def turn(x, cos, sin):
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1).to(x.dtype)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.heads, self.head_dim = num_heads, head_dim
        self.parts = [num_heads * rope_dim, latent_dim, rope_dim, num_heads * head_dim]
        self.in_proj = nn.Linear(hidden_dim, sum(self.parts))
        self.kv_up = nn.Linear(latent_dim, 2 * num_heads * head_dim)
        self.out_proj = nn.Linear(num_heads * head_dim, hidden_dim)
        self.scale = (head_dim + rope_dim) ** -0.5
        speeds = torch.logspace(0, -4 * (1 - 2 / rope_dim), rope_dim // 2, dtype=torch.float64)
        self.register_buffer("speeds", speeds, persistent=False)

    def forward(self, x, cache=None):
        past = 0 if cache is None else cache.shape[1]
        angles = torch.arange(past, past + x.shape[1], device=x.device)[:, None] * self.speeds.double()
        rotate = partial(turn, cos=angles.cos(), sin=angles.sin())
        qr, latent, kr, qc = self.in_proj(x).split(self.parts, dim=-1)
        new = torch.cat([rotate(kr), latent], dim=-1)
        cache = new if cache is None else torch.cat([cache, new], dim=1)
        kr, latent = cache.tensor_split([kr.shape[-1]], dim=-1)
        by_head = lambda t: t.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        value, key = map(by_head, self.kv_up(latent).chunk(2, dim=-1))
        scores = by_head(qc) @ key.mT + rotate(by_head(qr)) @ kr.mT.unsqueeze(1)
        hidden = torch.ones_like(scores[0, 0], dtype=torch.bool).triu(1 + past)
        weights = torch.softmax((scores * self.scale).masked_fill(hidden, float("-inf")), -1)
        return self.out_proj((weights @ value).transpose(1, 2).flatten(2)), cache
