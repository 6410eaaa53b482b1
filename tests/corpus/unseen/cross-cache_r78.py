import functools

import torch
from torch import nn


def read_memory(query, *, keys, values, bias):
    """query b t h d -> b t h d"""
    scores = torch.einsum("bthd,bshd->bhts", query, keys) * query.shape[-1] ** -0.5
    return torch.einsum("bhts,bshd->bthd", (scores + bias).softmax(dim=-1), values)


class CachedCrossAttention(nn.Module):
    """The cache is a function: give it queries, and it reads the memory that it was made of."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        head_dim = hidden_dim // num_heads
        self.w = nn.ParameterDict({
            role: nn.Parameter(torch.randn(hidden_dim, num_heads, head_dim) / hidden_dim ** 0.5)
            for role in ("q", "k", "v", "o")
        })

    def project(self, role, t):
        return torch.einsum("btm,mhd->bthd", t, self.w[role])

    def remember(self, memory, lengths):
        source = memory.shape[1]
        padding = torch.arange(source, device=memory.device).expand(len(memory), -1) >= lengths.unsqueeze(-1)
        bias = torch.zeros_like(padding, dtype=memory.dtype).masked_fill(padding, float("-inf"))
        return functools.partial(
            read_memory,
            keys=self.project("k", memory),
            values=self.project("v", memory),
            bias=bias[:, None, None],
        )

    def forward(self, x, memory, memory_lengths, cache=None):
        read = self.remember(memory, memory_lengths) if cache is None else cache
        out = torch.einsum("bthd,mhd->btm", read(self.project("q", x)), self.w["o"])
        return out, read
