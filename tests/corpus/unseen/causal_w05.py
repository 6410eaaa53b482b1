import math
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.register_buffer('tril', torch.tril(torch.ones(block_size, block_size)))

    def split(self, t):
        return t.view(*t.shape[:2], self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x):
        B, T, _ = x.shape
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        wei = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        wei = wei.masked_fill(self.tril[-T:, :T] == 0, float('-inf'))
        wei = wei.softmax(dim=-1)
        return self.o_proj((wei @ v).transpose(1, 2).reshape(B, T, -1))
