# attn-kata: causal
import math
import torch
from torch import nn


def make_mask(n, offset=0):
    """True where a query must not look. offset moves the border to the right."""
    return torch.ones(n, n, dtype=torch.bool).triu(offset)


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.nh = num_heads
        self.hd = hidden_dim // num_heads
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)
        self.register_buffer("hidden", make_mask(block_size))

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.c_attn(x).view(B, T, 3, self.nh, self.hd).permute(2, 0, 3, 1, 4)
        s = (q @ k.mT) / math.sqrt(self.hd)
        s = s.masked_fill(self.hidden[:T, :T], torch.finfo(s.dtype).min)
        y = s.softmax(-1) @ v
        return self.c_proj(y.transpose(1, 2).flatten(2))
