# wrong: v4 mask-transposed line 17
import torch
from torch import nn, einsum

class SelfAttentionV4(nn.Module):
    def __init__(self, dim, dropout = 0.1):
        super().__init__()
        self.scale = dim ** -0.5
        self.to_qkv = nn.Linear(dim, dim * 3)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask = None):
        q, k, v = self.to_qkv(x).chunk(3, dim = -1)
        sim = einsum('b i d, b j d -> b i j', q, k) * self.scale

        if attention_mask is not None:
            keep = attention_mask.bool().transpose(1, 2)
            sim = sim.masked_fill(~keep, -torch.finfo(sim.dtype).max)

        attn = self.dropout(sim.softmax(dim = -1))
        return einsum('b i j, b j d -> b i d', attn, v)
