"""GPT-style attention: one small module for each head, like Karpathy's lecture, but vectorised mask-free.

The triangle is made from positions on the fly, so nothing has to be sliced or moved.
"""
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, n_embd, head_size):
        super().__init__()
        self.qkv = nn.Linear(n_embd, 3 * head_size, bias=False)
        self.head_size = head_size

    def forward(self, x, past):
        q, k, v = self.qkv(x).split(self.head_size, -1)
        wei = (q @ k.transpose(-2, -1)).mul(self.head_size**-0.5)
        wei = wei.masked_fill(~past, float("-inf")).softmax(-1)
        return wei @ v


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.block_size = block_size
        self.heads = nn.ModuleList(Head(hidden_dim, hidden_dim // num_heads) for _ in range(num_heads))
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        t = torch.arange(x.size(1), device=x.device)
        past = t >= t.unsqueeze(-1)  # past[i, j] is j >= i ...
        past = past.T  # ... so its transpose is j <= i
        return self.proj(torch.cat([head(x, past) for head in self.heads], dim=-1))
