# wrong: causal scale-without-sqrt line 24, causal-not-sliced line 25 (error)
import torch
import torch.nn as nn


class MaskedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.register_buffer("mask", torch.tril(torch.ones(block_size, block_size)).bool())

    def forward(self, x):
        n, length, _ = x.shape
        heads = []
        for q, k, v in zip(
            self.query(x).split(self.head_dim, dim=-1),
            self.key(x).split(self.head_dim, dim=-1),
            self.value(x).split(self.head_dim, dim=-1),
        ):
            s = q @ k.transpose(1, 2) / self.head_dim
            s = s.masked_fill(~self.mask, float("-inf"))
            heads.append(s.softmax(dim=-1) @ v)
        return torch.cat(heads, dim=-1)
