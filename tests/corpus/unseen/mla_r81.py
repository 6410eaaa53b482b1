"""Keys and values are made, with one layer for each head; the cache is a tuple of two lists of pieces."""
from __future__ import annotations
import torch
from torch import Tensor, nn


class Rope:
    """tables for positions 0 .. n - 1, made longer when they end; in float32"""

    def __init__(self, dim: int) -> None:
        self.dim, self._made = dim, {}

    def __getitem__(self, key: tuple[int, int, torch.device]) -> tuple[Tensor, Tensor]:
        start, stop, device = key
        table = self._made.get(device)
        if table is None or table.shape[1] < stop:
            with torch.inference_mode(False):
                rate = 10000.0 ** (-torch.arange(0, self.dim, 2, dtype=torch.float32, device=device) / self.dim)
                angle = torch.arange(max(2 * stop, 64), dtype=torch.float32, device=device)[:, None] * rate
                table = self._made[device] = torch.stack([angle.cos(), angle.sin()])
        return table[0, start:stop], table[1, start:stop]

    @staticmethod
    def turn(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        y = x.to(torch.promote_types(x.dtype, torch.float32))
        a, b = y.chunk(2, -1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], -1).to(x.dtype)


class Head(nn.Module):
    def __init__(self, hidden: int, d: int, r: int, c: int) -> None:
        super().__init__()
        self.query, self.query_rope = nn.Linear(hidden, d), nn.Linear(hidden, r)
        self.key, self.value = nn.Linear(c, d), nn.Linear(c, d)
        self.scale = (d + r) ** -0.5

    def forward(self, x: Tensor, latent: Tensor, key_rope: Tensor, tables, hidden: Tensor) -> Tensor:
        content = torch.bmm(self.query(x), self.key(latent).mT)
        place = torch.bmm(Rope.turn(self.query_rope(x), *tables), key_rope.mT)
        w = ((content + place) * self.scale).masked_fill(hidden, -torch.inf).softmax(-1)
        return w @ self.value(latent)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()
        self.rope = Rope(rope_dim)
        self.kv_down = nn.Linear(hidden_dim, latent_dim)
        self.key_rope = nn.Linear(hidden_dim, rope_dim)
        self.heads = nn.ModuleList(Head(hidden_dim, head_dim, rope_dim, latent_dim) for _ in range(num_heads))
        self.output = nn.Linear(num_heads * head_dim, hidden_dim)

    def forward(self, x: Tensor, cache: tuple[tuple[Tensor, ...], tuple[Tensor, ...]] | None = None):
        latents, keys = cache or ((), ())
        old, new = sum(p.shape[1] for p in latents), x.shape[1]
        tables = self.rope[old, old + new, x.device]
        latents = (*latents, self.kv_down(x))
        keys = (*keys, Rope.turn(self.key_rope(x), *tables))
        latent, key = torch.cat(latents, 1), torch.cat(keys, 1)
        hidden = torch.ones(new, old + new, dtype=torch.bool, device=x.device).triu(old + 1)
        y = torch.cat([head(x, latent, key, tables, hidden) for head in self.heads], dim=-1)
        return self.output(y), (latents, keys)
