# attn-kata: cross
# x-transformers flavoured: h = heads, i = query pos, j = context pos
import torch
from torch import nn, einsum


def exists(v):
    return v is not None


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.heads = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.attn_dropout = nn.Dropout(dropout)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, query, key, value, mask=None):
        h = self.heads
        q, k, v = self.to_q(query), self.to_k(key), self.to_v(value)
        q, k, v = (t.unflatten(-1, (h, -1)) for t in (q, k, v))
        dots = einsum("b i h d, b j h d -> b h i j", q, k) * self.scale
        if exists(mask):
            mask_value = -torch.finfo(dots.dtype).max
            dots = dots.masked_fill(~(mask.bool())[:, None], mask_value)
        attn = self.attn_dropout(dots.softmax(dim=-1))
        out = einsum("b h i j, b j h d -> b i h d", attn, v)
        return self.to_out(out.flatten(2))
