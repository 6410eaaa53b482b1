from __future__ import annotations

from typing import NamedTuple, Optional

import torch
from torch import Tensor, nn


class EncoderKV(NamedTuple):
    key: Tensor
    value: Tensor
    pad: Tensor


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_kv = nn.Linear(hidden_dim, 2 * hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self._pad: Optional[Tensor] = None

    def _padding(self, lengths: Tensor, width: int) -> Tensor:
        shape = (lengths.shape[0], 1, 1, width)
        if self._pad is None or self._pad.shape != shape:
            slots = torch.arange(width, device=lengths.device)
            self._pad = (slots >= lengths.unsqueeze(-1)).view(shape)
        return self._pad

    def _remember(self, memory: Tensor, lengths: Tensor) -> EncoderKV:
        packed = self.to_kv(memory).unflatten(-1, (2, self.num_heads, self.head_dim))
        key, value = packed.permute(2, 0, 3, 1, 4)
        return EncoderKV(key, value, self._padding(lengths, memory.shape[1]).to(memory.device))

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Optional[EncoderKV] = None
    ) -> tuple[Tensor, EncoderKV]:
        cache = cache or self._remember(memory, memory_lengths)
        query = self.to_q(x).unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)
        logits = query @ cache.key.transpose(-2, -1) / self.head_dim**0.5
        logits = torch.where(cache.pad, float("-inf"), logits)
        context = logits.softmax(dim=-1) @ cache.value
        return self.to_out(context.transpose(1, 2).flatten(-2)), cache
