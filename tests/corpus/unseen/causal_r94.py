"""Causal attention in nanoGPT's manner, one query block at a time."""
import math

import torch
import torch.nn as nn
from torch.nn import functional as F


class CausalSelfAttention(nn.Module):

    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.n_head = num_heads
        self.n_embd = hidden_dim
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        hidden = torch.ones(block_size, block_size, dtype=torch.bool).triu(1)
        self.register_buffer("hidden", hidden, persistent=False)

    def heads(self, t):
        return t.unflatten(-1, (self.n_head, -1)).transpose(1, 2)

    def rows(self, q, k, v, step=64):
        T = q.size(2)
        for lo in range(0, T, step):
            hi = min(lo + step, T)
            att = q[:, :, lo:hi] @ k[:, :, :hi].transpose(-2, -1) / math.sqrt(k.size(-1))
            att = att.masked_fill(self.hidden[lo:hi, :hi], float("-inf"))
            yield F.softmax(att, dim=-1) @ v[:, :, :hi]

    def forward(self, x):
        q, k, v = map(self.heads, self.c_attn(x).split(self.n_embd, dim=-1))
        y = torch.cat(list(self.rows(q, k, v)), dim=2)
        return self.c_proj(y.transpose(1, 2).flatten(2))
