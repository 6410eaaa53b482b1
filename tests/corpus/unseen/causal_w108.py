import math

import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.key_query_value = nn.ModuleList([nn.Linear(hidden_dim, hidden_dim) for _ in range(3)])
        self.output = nn.Linear(hidden_dim, hidden_dim)
        mask = torch.tril(torch.ones(block_size, block_size))
        self.register_buffer("mask", mask.view(1, 1, block_size, block_size))

    def forward(self, x):
        b, t, c = x.size()
        query, key, value = [
            layer(x).view(b, t, self.num_heads, c // self.num_heads).transpose(1, 2)
            for layer in self.key_query_value
        ]
        scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(c // self.num_heads)
        size = scores.size(-1)
        scores = scores.masked_fill(self.mask[..., -size:, :size] == 0, float("-inf"))
        context = torch.matmul(torch.softmax(scores, dim=-1), value)
        context = context.transpose(1, 2).contiguous().view(b, t, c)
        return self.output(context)
