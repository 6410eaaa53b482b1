# attn-kata: sinks
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads, self.head_dim = num_heads, hidden_dim // num_heads
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.sinks = nn.Parameter(torch.zeros(num_heads))

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        q, k, v = self.in_proj(x).view(B, T, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)

        # one buffer for scores and sink: the last column first, then the bias of the causal mask
        with torch.no_grad():
            bias = x.new_zeros(self.num_heads, T, T + 1)
            bias[:, :, :T] = x.new_full((T, T), -math.inf).triu_(1)
            bias[:, :, T] = self.sinks[:, None]

        zero_key = k.new_zeros(B, self.num_heads, 1, self.head_dim)
        logits = (q / math.sqrt(self.head_dim)) @ torch.cat([k, zero_key], dim=2).mT + bias
        weights = logits.softmax(dim=-1)[..., :T]
        return self.out_proj((weights @ v).transpose(1, 2).reshape(B, T, C))
