# Causal multi-head self-attention, as in GPT.
# The mask is a buffer: it moves with the module, and it is not trained.

import math

import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):

    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        assert hidden_dim % num_heads == 0, "hidden_dim must be divisible by num_heads"
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        # q, k, v in one go
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim)
        # output projection
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)
        # lower triangle: row = query, column = key
        mask = torch.tril(torch.ones(block_size, block_size, dtype=torch.bool))
        self.register_buffer("mask", mask, persistent=False)

    def forward(self, x):
        B, T, C = x.size()
        # (B, T, C) -> three times (B, H, T, head_dim)
        q, k, v = self.c_attn(x).split(C, dim=2)
        q = q.view(B, T, self.num_heads, self.head_dim).transpose(1, 2)
        k = k.view(B, T, self.num_heads, self.head_dim).transpose(1, 2)
        v = v.view(B, T, self.num_heads, self.head_dim).transpose(1, 2)
        # (B, H, T, T)
        att = (q @ k.transpose(-2, -1)) / math.sqrt(self.head_dim)
        # only the corner for this length is needed
        visible = self.mask[-T:, :T]
        att = att.masked_fill(~visible, float("-inf"))
        att = torch.softmax(att, dim=-1)
        # (B, H, T, head_dim) -> (B, T, C)
        y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
        return self.c_proj(y)
