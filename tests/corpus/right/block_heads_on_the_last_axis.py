# right: block
"""Channel c belongs to head c % num_heads, before the attention and after it."""
import math

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).reshape(b, t, 3, c // self.heads, self.heads).permute(2, 0, 4, 1, 3)
        scores = torch.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(c // self.heads)
        later = torch.ones(t, t, device=x.device, dtype=torch.bool).triu(1)
        weights = scores.masked_fill(later, -math.inf).softmax(-1)
        return self.out(torch.einsum("bhij,bhjd->bidh", weights, v).reshape(b, t, c))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(hidden_dim), nn.LayerNorm(hidden_dim)
        self.attn = Attention(hidden_dim, num_heads)
        self.mlp = nn.Sequential(
            nn.Linear(hidden_dim, 4 * hidden_dim), nn.GELU(), nn.Linear(4 * hidden_dim, hidden_dim)
        )

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))
