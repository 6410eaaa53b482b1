import math
import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        self.heads = num_heads
        self.dim_head = hidden_dim // num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_kv = nn.Linear(hidden_dim, 2 * self.dim_head)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        q = self.to_q(x).unflatten(-1, (self.heads, self.dim_head))
        k, v = self.to_kv(x).chunk(2, dim=-1)
        scores = torch.einsum('bihd,bjd->bhij', q, k) / math.sqrt(self.dim_head)
        if attention_mask is not None:
            filler = scores.detach().amin()
            scores = scores.masked_fill(attention_mask.logical_not(), filler)
        attn = scores.softmax(dim=-1)
        out = torch.einsum('bhij,bjd->bihd', attn, v)
        return self.to_out(out.flatten(2))
