# wrong: mla position-on-self line 52
# fair: position-on-self 53
from __future__ import annotations

import abc
import math

import torch
from torch import Tensor, nn


class PositionalEncoder(abc.ABC):
    @abc.abstractmethod
    def encode(self, x: Tensor, start: int) -> Tensor: ...


class HalfSplitRope(PositionalEncoder):
    def __init__(self, dim: int, base: float = 10000.0) -> None:
        self.freqs = [base ** (-2 * i / dim) for i in range(dim // 2)]

    def encode(self, x: Tensor, start: int) -> Tensor:
        """x: (batch, length, heads, dim)"""
        pos = range(start, start + x.size(1))
        table = torch.tensor([[p * f for f in self.freqs] for p in pos], dtype=torch.float64, device=x.device)
        cos = table.cos().to(x.dtype).unsqueeze(1)
        sin = table.sin().to(x.dtype).unsqueeze(1)
        front, back = x.tensor_split(2, dim=-1)
        return torch.cat([front * cos - back * sin, back * cos + front * sin], dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = head_dim
        self.rope_dim = rope_dim
        self.encoder: PositionalEncoder = HalfSplitRope(rope_dim)
        self.query_content = nn.Linear(hidden_dim, num_heads * head_dim)
        self.query_rope = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.kv_down = nn.Linear(hidden_dim, latent_dim)
        self.key_rope = nn.Linear(hidden_dim, rope_dim)
        self.key_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.value_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.output = nn.Linear(num_heads * head_dim, hidden_dim)
        self.start = 0

    def forward(self, x: Tensor, cache: list[Tensor] | None = None) -> tuple[Tensor, list[Tensor]]:
        b, n, _ = x.shape
        if cache is None:
            self.start = 0
        # where do the new positions begin?
        start = self.start
        self.start = start + n

        heads = (b, n, self.num_heads)
        q = torch.cat(
            [
                self.query_content(x).view(*heads, self.head_dim),
                self.encoder.encode(self.query_rope(x).view(*heads, self.rope_dim), start),
            ],
            dim=-1,
        )
        latest = [self.kv_down(x), self.encoder.encode(self.key_rope(x).unsqueeze(2), start).squeeze(2)]
        if cache is not None:
            latest = [torch.cat([old, new], dim=1) for old, new in zip(cache, latest)]
        latent, rotary = latest
        m = latent.size(1)

        k = self.key_up(latent).view(b, m, self.num_heads, self.head_dim)
        k = torch.cat([k, rotary.unsqueeze(2).expand(b, m, self.num_heads, self.rope_dim)], dim=-1)
        v = self.value_up(latent).view(b, m, self.num_heads, self.head_dim)

        scores = torch.einsum("bihd,bjhd->bhij", q, k) / math.sqrt(self.head_dim + self.rope_dim)
        future = torch.ones(n, m, dtype=torch.bool, device=x.device).triu(m - n + 1)
        weights = scores.masked_fill(future, -math.inf).softmax(dim=-1)
        mixed = torch.einsum("bhij,bjhd->bihd", weights, v)
        return self.output(mixed.flatten(2)), latest
