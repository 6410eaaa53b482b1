from __future__ import annotations

import torch
from torch import Tensor, nn


def drop_sink(probs: Tensor) -> Tensor:
    return probs[..., 1:]


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.heads = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.sink = nn.Parameter(torch.empty(num_heads).normal_())

    def with_sink(self, logits: Tensor) -> Tensor:
        column = self.sink[:, None, None].expand(*logits.shape[:-1], 1)
        return torch.cat((logits, column), dim=-1)

    def forward(self, x: Tensor) -> Tensor:
        n = x.shape[1]
        q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, -1)).unbind(2)
        logits = torch.einsum("bihd,bjhd->bhij", q, k) * q.shape[-1] ** -0.5
        future = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        logits = logits.masked_fill(future, torch.finfo(logits.dtype).min)
        probs = drop_sink(self.with_sink(logits).softmax(dim=-1))
        return self.out(torch.einsum("bhij,bjhd->bihd", probs, v).flatten(2))
