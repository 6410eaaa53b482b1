from __future__ import annotations

import torch
from torch import Tensor, nn


class RotaryEmbedding(nn.Module):
    READY = 512  # positions worked out beforehand; longer sequences get their angles on the fly

    def __init__(self, dim: int, base: float):
        super().__init__()
        self.exponents = [-2 * i / dim for i in range(dim // 2)]
        self.base = base
        self.register_buffer("angles", self.work_out(0, self.READY), persistent=False)

    def work_out(self, start: int, end: int) -> Tensor:
        inv_freq = self.base ** torch.tensor(self.exponents, dtype=torch.float32)
        return torch.outer(torch.arange(start, end, dtype=torch.float32), inv_freq)

    def forward(self, offset: int, length: int, device: torch.device) -> tuple[Tensor, Tensor]:
        end = offset + length
        angles = self.angles[offset:end] if end <= self.READY else self.work_out(offset, end)
        angles = angles.to(device).float()  # float32, always
        return angles.cos(), angles.sin()


def rotate(u: Tensor, table: tuple[Tensor, Tensor]) -> Tensor:
    cos, sin = table
    left, right = u.float().chunk(2, dim=-1) if u.dtype.itemsize < 4 else u.chunk(2, dim=-1)
    return torch.cat([left * cos - right * sin, right * cos + left * sin], dim=-1).to(u.dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000):
        super().__init__()
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, num_heads * self.head_dim)
        self.key_value = nn.Linear(hidden_dim, 2 * num_kv_heads * self.head_dim)
        self.output = nn.Linear(num_heads * self.head_dim, hidden_dim)
        self.rotary = RotaryEmbedding(self.head_dim, base)

    def forward(self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None):
        batch, length, _ = x.shape
        offset = cache[0].size(-2) if cache is not None else 0
        table = self.rotary(offset, length, x.device)

        q = self.query(x).unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)
        k, v = self.key_value(x).unflatten(-1, (2, self.num_kv_heads, self.head_dim)).permute(2, 0, 3, 1, 4)
        q, k = rotate(q, table), rotate(k, table)
        if cache is not None:
            k, v = (torch.cat(pair, dim=-2) for pair in zip(cache, (k, v)))

        grouped = q.unflatten(1, (self.num_kv_heads, -1))
        scores = grouped @ k.unsqueeze(2).mT * self.head_dim**-0.5
        ahead = torch.ones(length, offset + length, dtype=torch.bool, device=x.device).triu(offset + 1)
        weights = scores.masked_fill(ahead, float("-inf")).softmax(-1)
        heads = (weights @ v.unsqueeze(2)).flatten(1, 2)
        return self.output(heads.transpose(1, 2).flatten(2)), (k, v)
