from __future__ import annotations

import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    bias: Tensor

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.num_heads, self.block_size = num_heads, block_size
        self.head_dim = hidden_dim // num_heads
        lower = torch.ones(block_size, block_size, dtype=torch.bool).tril_()
        self.register_buffer("bias", lower[None, None], persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        query, key, value = self.c_attn(x).split(width, dim=2)

        shape = (batch, length, self.num_heads, self.head_dim)
        query = query.reshape(shape).transpose(1, 2)
        key = key.reshape(shape).transpose(1, 2)
        value = value.reshape(shape).transpose(1, 2)

        weights = torch.matmul(query, key.transpose(-1, -2))
        weights = weights * self.head_dim**-0.5

        start = self.block_size - length
        visible = self.bias[:, :, start:, :length]
        weights = torch.where(visible, weights, torch.finfo(weights.dtype).min)
        weights = weights.softmax(dim=-1)

        context = torch.matmul(weights, value)
        context = context.permute(0, 2, 1, 3).contiguous()
        return context.view(batch, length, width)
