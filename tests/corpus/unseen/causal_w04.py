# attn-kata: causal
from __future__ import annotations

import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.heads = num_heads
        self.dim_head = hidden_dim // num_heads
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        future = torch.ones(block_size, block_size, dtype=torch.bool).triu(diagonal=1)
        self.register_buffer("future", future)

    def forward(self, x: Tensor) -> Tensor:
        b, n, _ = x.shape
        q, k, v = self.to_qkv(x).view(b, n, 3, self.heads, self.dim_head).unbind(dim=2)
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
        att = q @ k.mT
        att = att * self.dim_head ** -0.5
        # fill in single precision, where -inf is safe
        att.float().masked_fill_(self.future[:n, :n], float("-inf"))
        att = att.softmax(dim=-1)
        return self.to_out((att @ v).transpose(1, 2).flatten(-2))
