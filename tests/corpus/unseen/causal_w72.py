from __future__ import annotations

import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query_dense = nn.Linear(hidden_dim, hidden_dim)
        self.key_dense = nn.Linear(hidden_dim, hidden_dim)
        self.value_dense = nn.Linear(hidden_dim, hidden_dim)
        self.output_dense = nn.Linear(hidden_dim, hidden_dim)

        # same as tf.linalg.band_part(tf.ones(...), -1, 0)
        lower = torch.tril(torch.ones((block_size, block_size)))
        self.register_buffer("lower", lower.bool()[None, None])

    def split_heads(self, inputs: Tensor) -> Tensor:
        batch, length = inputs.shape[:2]
        outputs = torch.reshape(inputs, (batch, length, self.num_heads, self.head_dim))
        return torch.permute(outputs, (0, 2, 1, 3))

    def masked_softmax(self, logits: Tensor) -> Tensor:
        length = logits.shape[-1]
        smallest = torch.finfo(logits.dtype).tiny
        mask = self.lower[:, :, :length, :length]
        logits = torch.where(mask, logits, torch.full_like(logits, smallest))
        return torch.softmax(logits, dim=-1)

    def forward(self, x: Tensor) -> Tensor:
        query = self.split_heads(self.query_dense(x))
        key = self.split_heads(self.key_dense(x))
        value = self.split_heads(self.value_dense(x))

        logits = torch.matmul(query, torch.permute(key, (0, 1, 3, 2))) / self.head_dim**0.5
        context = torch.matmul(self.masked_softmax(logits), value)
        context = torch.permute(context, (0, 2, 1, 3))
        return self.output_dense(torch.reshape(context, x.shape))
