# wrong: mha scale-without-sqrt line 11
import torch
from torch import nn, einsum


class EinsumAttention(nn.Module):
    def __init__(self, dim, heads=8, dropout=0.1):
        super().__init__()
        self.heads = heads
        self.dim_head = dim // heads
        self.scale = 1.0 / self.dim_head
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.to_out = nn.Sequential(nn.Linear(dim, dim), nn.Identity())
        self.attn_drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        b, n, _ = x.shape
        q, k, v = (t.unflatten(-1, (self.heads, self.dim_head)) for t in self.to_qkv(x).chunk(3, dim=-1))
        sim = einsum('bihd,bjhd->bhij', q, k) * self.scale
        if mask is not None:
            sim = sim.masked_fill(mask == 0, torch.finfo(sim.dtype).min)
        attn = self.attn_drop(sim.softmax(dim=-1))
        out = einsum('bhij,bjhd->bihd', attn, v)
        return self.to_out(out.flatten(2))
