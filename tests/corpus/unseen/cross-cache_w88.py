from __future__ import annotations
from typing import NamedTuple, Optional
import torch
from torch import Tensor, nn


class Memory(NamedTuple):
    keys: Tensor
    values: Tensor
    valid: Tensor


def valid_positions(lengths: Tensor, size: int) -> Tensor:
    """(batch,) -> (batch, size), True for what is really there"""
    steps = torch.arange(size, device=lengths.device)
    return steps.unsqueeze(0) <= lengths.unsqueeze(1)


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_kv = nn.Linear(hidden_dim, 2 * hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def read_memory(self, memory: Tensor, lengths: Tensor) -> Memory:
        kv = self.to_kv(memory).unflatten(-1, (2, self.num_heads, -1))
        keys, values = kv.unbind(dim=2)                     # (B, S, H, d)
        return Memory(keys, values, valid_positions(lengths, memory.size(1)))

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Optional[Memory] = None
    ) -> tuple[Tensor, Memory]:
        if cache is None:
            cache = self.read_memory(memory, memory_lengths)
        q = self.to_q(x).unflatten(-1, (self.num_heads, -1))
        logits = torch.einsum("bthd,bshd->bhts", q, cache.keys) * q.shape[-1] ** -0.5
        logits = torch.where(cache.valid[:, None, None], logits, float("-inf"))
        y = torch.einsum("bhts,bshd->bthd", logits.softmax(-1), cache.values)
        return self.to_out(y.flatten(2)), cache
