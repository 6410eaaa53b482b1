from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class LatentCache(NamedTuple):
    latent: Tensor
    rope_key: Tensor


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.heads, self.nope, self.rope, self.rank = num_heads, head_dim, rope_dim, latent_dim
        self.q_proj = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim))
        self.kv_a_proj = nn.Linear(hidden_dim, latent_dim + rope_dim)
        self.kv_b_proj = nn.Linear(latent_dim, num_heads * 2 * head_dim)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim)
        self._make_table(256)

    def _make_table(self, size):
        half = self.rope // 2
        inv = 1.0 / 10000 ** (torch.arange(half).double() / half)
        angle = torch.outer(torch.arange(size).double(), inv)
        self.table = (angle.cos(), angle.sin())

    def _rotate(self, t, past):
        n = t.size(-2)
        if n > self.table[0].size(0):
            self._make_table(2 * n)
        at = torch.arange(past, past + n).clamp_(max=self.table[0].size(0) - 1)
        cos, sin = (c[at].to(t) for c in self.table)
        a, b = t.chunk(2, dim=-1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)

    def forward(self, x, cache=None):
        past = 0 if cache is None else cache.latent.size(1)
        q = self.q_proj(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        q = torch.cat((q[..., : self.nope], self._rotate(q[..., self.nope :], past)), dim=-1)
        latent, rope_key = self.kv_a_proj(x).split((self.rank, self.rope), dim=-1)
        rope_key = self._rotate(rope_key, past)
        if cache is not None:
            latent = torch.cat((cache.latent, latent), dim=1)
            rope_key = torch.cat((cache.rope_key, rope_key), dim=1)
        kv = self.kv_b_proj(latent).unflatten(-1, (self.heads, 2 * self.nope)).transpose(1, 2)
        k, v = kv.chunk(2, dim=-1)
        k = torch.cat((k, rope_key.unsqueeze(1).expand(-1, self.heads, -1, -1)), dim=-1)
        att = q @ k.mT * (self.nope + self.rope) ** -0.5
        ahead = torch.ones(att.shape[-2:], dtype=torch.bool, device=x.device).triu(past + 1)
        att = F.softmax(att.masked_fill(ahead, float("-inf")), dim=-1)
        return self.o_proj((att @ v).transpose(1, 2).flatten(2)), LatentCache(latent, rope_key)
