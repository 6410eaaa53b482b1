# attn-kata: causal
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        later = torch.triu(torch.ones(block_size, block_size), diagonal=2)
        self.register_buffer("later", later.bool())

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        att = (q * self.scale) @ k.transpose(-2, -1)
        att = att.masked_fill(self.later[:t, :t], float("-inf"))
        att = att.softmax(dim=-1)
        return self.proj((att @ v).transpose(1, 2).reshape(b, t, d))
