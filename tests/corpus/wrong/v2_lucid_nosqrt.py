# wrong: v2 scale-without-sqrt line 9
import torch
from torch import nn, einsum
from einops import rearrange

class SelfAttentionV2(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.scale = dim ** -1
        self.to_qkv = nn.Linear(dim, dim * 3, bias = False)

    def forward(self, x):
        q, k, v = self.to_qkv(x).chunk(3, dim = -1)
        sim = einsum('b i d, b j d -> b i j', q, k) * self.scale
        attn = sim.softmax(dim = -1)
        return einsum('b i j, b j d -> b i d', attn, v)
