# attn-kata: causal
from __future__ import annotations

from typing import Final

import torch
from torch import Tensor, nn

MASK_VALUE: Final = torch.finfo(torch.float32).min


def causal_mask(length: int, device: torch.device) -> Tensor:
    """True above the diagonal: what must not be seen."""
    row = torch.arange(length, device=device).unsqueeze(1)
    col = torch.arange(length, device=device).unsqueeze(0)
    return col > row


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        if hidden_dim % num_heads != 0:
            raise ValueError("hidden_dim must be divisible by num_heads")
        self.n_heads = num_heads
        self.block_size = block_size
        self.projection = nn.ModuleDict(
            {name: nn.Linear(hidden_dim, hidden_dim) for name in ("q", "k", "v", "o")}
        )

    def heads_of(self, name: str, x: Tensor) -> Tensor:
        y = self.projection[name](x)
        return y.unflatten(-1, (self.n_heads, -1)).transpose(-3, -2)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (self.heads_of(name, x) for name in ("q", "k", "v"))
        scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
        scores = scores.masked_fill(causal_mask(x.shape[-2], x.device), MASK_VALUE)
        weights = torch.softmax(scores, dim=-1)
        context = (weights @ v).transpose(-3, -2).flatten(-2)
        return self.projection["o"](context)
