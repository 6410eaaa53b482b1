# wrong: gqa-rope rope-base-ignored line 29
# fair: rope-base-ignored 32
from dataclasses import dataclass
from typing import Optional, Tuple

import torch
from torch import Tensor, nn


@dataclass
class AttentionConfig:
    dim: int
    heads: int
    kv_heads: int
    rope_base: float = 10000.0

    @property
    def head_dim(self) -> int:
        return self.dim // self.heads


def rope_frequencies(head_dim: int, base: float = 10000.0) -> Tensor:
    return base ** (-2.0 * torch.arange(head_dim // 2, dtype=torch.float64) / head_dim)


class RotaryEmbedding:
    def __init__(self, config: AttentionConfig) -> None:
        self.config = config
        self.frequencies = rope_frequencies(config.head_dim)

    def __call__(self, begin: int, end: int, like: Tensor) -> Tuple[Tensor, Tensor]:
        angle = torch.arange(begin, end, dtype=torch.float64).outer(self.frequencies)
        return angle.cos().to(like), angle.sin().to(like)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    a, b = x.unflatten(-1, (2, -1)).unbind(-2)
    return torch.stack((a * cos - b * sin, b * cos + a * sin), dim=-2).flatten(-2)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000) -> None:
        super().__init__()
        self.config = config = AttentionConfig(hidden_dim, num_heads, num_kv_heads, base)
        self.rotary = RotaryEmbedding(config)
        self.o = nn.Linear(config.heads * config.head_dim, config.dim)
        self.qkv = nn.Linear(config.dim, (config.heads + 2 * config.kv_heads) * config.head_dim)

    def forward(self, x: Tensor, cache: Optional[Tuple[Tensor, Tensor]] = None):
        c = self.config
        b, n, _ = x.shape
        q, k, v = self.qkv(x).unflatten(-1, (-1, c.head_dim)).split((c.heads, c.kv_heads, c.kv_heads), dim=2)
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
        past = 0 if cache is None else cache[0].shape[2]
        cos, sin = self.rotary(past, past + n, x)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        if cache is not None:
            k = torch.cat((cache[0], k), dim=2)
            v = torch.cat((cache[1], v), dim=2)
        q = q.unflatten(1, (c.kv_heads, -1))
        score = q @ k.unsqueeze(2).mT * c.head_dim**-0.5
        allowed = torch.ones(score.shape[-2:], dtype=torch.bool, device=x.device).tril(past)
        weight = torch.where(allowed, score, torch.finfo(score.dtype).min).softmax(-1)
        y = (weight @ v.unsqueeze(2)).flatten(1, 2).transpose(1, 2).flatten(2)
        return self.o(y), (k, v)
