from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class Kept:
    latent: Tensor
    rotary: Tensor

    def __len__(self):
        return self.latent.shape[1]

    def then(self, other: "Kept") -> "Kept":
        return Kept(torch.cat([self.latent, other.latent], 1), torch.cat([self.rotary, other.rotary], 1))


class Rotary(nn.Module):
    """a table of angles, which grows when it has to"""

    def __init__(self, width: int):
        super().__init__()
        self.rate = [10000.0 ** (-2 * i / width) for i in range(width // 2)]
        self.table = torch.empty(0, width // 2, dtype=torch.float64)

    def forward(self, x: Tensor, start: int) -> Tensor:
        stop = start + x.shape[1]
        if len(self.table) < stop:
            places = torch.arange(2 * stop, dtype=torch.float64)
            self.table = places[:, None] * torch.tensor(self.rate, dtype=torch.float64)
        angle = self.table[start:stop].to(x.device)
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        a, b = x.tensor_split(2, dim=-1)
        return torch.cat((a * cos - b * sin, a * sin + b * cos), dim=-1)


class LatentHead(nn.Module):
    def __init__(self, hidden: int, head: int, rope: int, latent: int):
        super().__init__()
        self.content, self.position = nn.Linear(hidden, head), nn.Linear(hidden, rope)
        self.key, self.value = nn.Linear(latent, head), nn.Linear(latent, head)
        self.turn = Rotary(rope)
        self.scale = (head + rope) ** -0.5

    def forward(self, x: Tensor, kept: Kept, start: int, hidden: Tensor) -> Tensor:
        far = torch.bmm(self.turn(self.position(x), start), kept.rotary.transpose(1, 2))
        near = torch.bmm(self.content(x), self.key(kept.latent).transpose(1, 2))
        scores = ((near + far) * self.scale).masked_fill(hidden, -torch.inf)
        return torch.bmm(scores.softmax(-1), self.value(kept.latent))


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.to_latent = nn.Linear(hidden_dim, latent_dim)
        self.to_rotary = nn.Linear(hidden_dim, rope_dim)
        self.turn = Rotary(rope_dim)
        self.heads = nn.ModuleList(LatentHead(hidden_dim, head_dim, rope_dim, latent_dim) for _ in range(num_heads))
        self.mix = nn.Linear(num_heads * head_dim, hidden_dim)

    def forward(self, x, cache=None):
        start = len(cache) if cache is not None else 0
        new = Kept(self.to_latent(x), self.turn(self.to_rotary(x), start))
        kept = new if cache is None else cache.then(new)
        own = start + torch.arange(x.shape[1], device=x.device)
        hidden = torch.arange(len(kept), device=x.device) > own[:, None]
        return self.mix(torch.cat([h(x, kept, start, hidden) for h in self.heads], -1)), kept
