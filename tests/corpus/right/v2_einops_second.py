# right: v2
import torch
from einops import rearrange, einsum
from torch import nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim: int):
        super().__init__()
        self.scale = hidden_dim ** -0.5
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        q, k, v = rearrange(self.to_qkv(x), "b n (three d) -> three b n d", three=3)
        sim = einsum(q, k, "b i d, b j d -> b i j") * self.scale
        attn = sim.softmax(dim=-1)
        return self.to_out(einsum(attn, v, "b i j, b j d -> b i d"))
