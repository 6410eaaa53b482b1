# wrong: causal heads-not-split line 16
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        b, t, c = x.shape
        # Köpfe vergessen zu trennen
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        s = q @ k.mT / q.shape[-1] ** 0.5
        s = s.masked_fill(torch.ones_like(s, dtype=torch.bool).triu(1), float("-inf"))
        return self.o(s.softmax(-1) @ v)
