from __future__ import annotations

import logging
from types import MappingProxyType
from typing import Mapping

import torch
from torch import Tensor, nn

logger = logging.getLogger("decoder")


class HeadWithMemory(nn.Module):
    def __init__(self, wide: int, narrow: int) -> None:
        super().__init__()
        self.q = nn.Linear(wide, narrow)
        self.kv = nn.Linear(wide, 2 * narrow)
        self.o = nn.Linear(narrow, wide, bias=False)

    def remember(self, memory: Tensor, lengths: list[int]) -> tuple[tuple[Tensor, Tensor], ...]:
        """Keys and values of each sample, without the padding: nothing is left to be hidden."""
        return tuple(tuple(kv[:n].chunk(2, -1)) for kv, n in zip(self.kv(memory), lengths))

    def forward(self, x: Tensor, known: tuple[tuple[Tensor, Tensor], ...]) -> Tensor:
        rows = []
        for q, (k, v) in zip(self.q(x), known, strict=True):
            s = torch.addmm(q.new_zeros(()), q, k.T, alpha=k.shape[-1] ** -0.5)
            rows.append(s.softmax(-1) @ v)
        return self.o(torch.stack(rows))


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError(f"{num_heads} does not divide {hidden_dim}")
        for i in range(num_heads):
            self.register_module(f"reader_{i}", HeadWithMemory(hidden_dim, hidden_dim // num_heads))
        self.offset = nn.Parameter(torch.zeros(hidden_dim))

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Mapping[str, tuple] | None = None
    ) -> tuple[Tensor, Mapping[str, tuple]]:
        if cache is None:
            lengths = memory_lengths.tolist()
            logger.debug("memory of %s positions", lengths)
            cache = MappingProxyType({n: head.remember(memory, lengths) for n, head in self.named_children()})
        return sum((head(x, cache[n]) for n, head in self.named_children()), start=self.offset), cache
