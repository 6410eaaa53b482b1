# attn-kata: cross-cache
from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class CrossCache:
    keys: Tensor
    values: Tensor
    lengths: Tensor

    @property
    def source_length(self) -> int:
        return self.keys.shape[-2]


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.heads, self.width = num_heads, hidden_dim // num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_kv = nn.Linear(hidden_dim, hidden_dim * 2, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.register_buffer("padding", None, persistent=False)

    def padding_mask(self, cache: CrossCache) -> Tensor:
        wanted = (cache.lengths.shape[0], 1, 1, cache.source_length)
        if self.padding is None or self.padding.shape != wanted:
            places = torch.arange(cache.source_length, device=cache.lengths.device)
            self.padding = (places >= cache.lengths[:, None])[:, None, None, :]
        return self.padding

    def start(self, memory: Tensor, lengths: Tensor) -> CrossCache:
        k, v = self.to_kv(memory).view(*memory.shape[:2], 2, self.heads, self.width).permute(2, 0, 3, 1, 4)
        return CrossCache(k, v, lengths.to(memory.device).clone())

    def forward(self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: CrossCache | None = None):
        if cache is None:
            cache = self.start(memory, memory_lengths)
        q = self.to_q(x).view(*x.shape[:2], self.heads, self.width).transpose(1, 2)
        logits = q @ cache.keys.mT * self.width ** -0.5
        attn = logits.masked_fill(self.padding_mask(cache), float("-inf")).softmax(dim=-1)
        out = (attn @ cache.values).transpose(1, 2).flatten(2)
        return self.to_out(out), cache
