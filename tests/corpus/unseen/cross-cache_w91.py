from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn


class Memory(NamedTuple):
    key: Tensor
    value: Tensor
    pad: Tensor


def lengths_to_padding(lengths: Tensor, total: int) -> Tensor:
    """(batch,) -> (batch, total), True on padding"""
    steps = torch.arange(total, device=lengths.device).expand(lengths.shape[0], total)
    return ~(steps <= lengths.unsqueeze(1))


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.heads = num_heads
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.memory_proj = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)

    def read(self, memory: Tensor, lengths: Tensor) -> Memory:
        key, value = (
            t.unflatten(-1, (self.heads, -1)) for t in self.memory_proj(memory).chunk(2, dim=-1)
        )
        return Memory(key, value, lengths_to_padding(lengths, memory.shape[1]))

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Memory | None = None
    ) -> tuple[Tensor, Memory]:
        kept = self.read(memory, memory_lengths) if cache is None else cache
        query = self.query_proj(x).unflatten(-1, (self.heads, -1))
        scores = torch.einsum("bqhd,bkhd->bhqk", query, kept.key) / query.shape[-1] ** 0.5
        scores = scores.masked_fill(kept.pad[:, None, None], torch.finfo(scores.dtype).min)
        context = torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), kept.value)
        return self.output_proj(context.flatten(2)), kept
