# right: v2
import torch
from torch import nn, einsum

from einops import rearrange

# helpers

def exists(val):
    return val is not None

def default(val, d):
    return val if exists(val) else d

# attention

class SelfAttentionV2(nn.Module):
    def __init__(self, dim, dim_inner = None):
        super().__init__()
        dim_inner = default(dim_inner, dim)
        self.scale = dim_inner ** -0.5
        self.to_qkv = nn.Linear(dim, dim_inner * 3, bias = False)

    def forward(self, x):
        q, k, v = rearrange(self.to_qkv(x), 'b n (qkv d) -> qkv b n d', qkv = 3)

        q = q * self.scale
        sim = einsum('b i d, b j d -> b i j', q, k)
        sim = sim - sim.amax(dim = -1, keepdim = True).detach()
        attn = sim.softmax(dim = -1)

        return einsum('b i j, b j d -> b i d', attn, v)
