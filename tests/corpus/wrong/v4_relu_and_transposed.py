# wrong: v4 activation-added line 16, mask-transposed line 19
import torch
import torch.nn as nn
from einops import rearrange


class SelfAttentionV4(nn.Module):
    def __init__(self, dim, dropout=0.1):
        super().__init__()
        self.scale = dim ** -0.5
        self.to_qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.to_out = nn.Linear(dim, dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.to_qkv(x).relu().chunk(3, dim=-1)
        sim = torch.einsum("bid,bjd->bij", q, k) * self.scale
        if attention_mask is not None:
            keep = rearrange(attention_mask, "b j i -> b i j")
            sim = sim.masked_fill(keep == 0, -torch.finfo(sim.dtype).max)
        attn = self.dropout(sim.softmax(dim=-1))
        return self.to_out(torch.einsum("bij,bjd->bid", attn, v))
