# wrong: mha heads-share-projection line 13
import torch
import torch.nn as nn
from einops import rearrange


class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads, dropout=0.1):
        super().__init__()
        self.heads = heads
        d = dim // heads
        self.scale = d ** -0.5
        self.to_qkv = nn.Linear(d, 3 * d)
        self.to_out = nn.Linear(dim, dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        x = rearrange(x, "b n (h d) -> b h n d", h=self.heads)
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        dots = torch.einsum("bhid,bhjd->bhij", q, k) * self.scale
        if mask is not None:
            dots = dots.masked_fill(~mask.bool(), -torch.finfo(dots.dtype).max)
        out = torch.einsum("bhij,bhjd->bhid", self.dropout(dots.softmax(-1)), v)
        return self.to_out(rearrange(out, "b h n d -> b n (h d)"))
