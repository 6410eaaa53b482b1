import torch
from torch import nn, einsum


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        # half of the scale goes to q and half to k, so products never get large
        self.half_scale = hidden_dim ** -0.25
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)

    def forward(self, x):
        qkv = self.to_qkv(x) * self.half_scale
        q, k, v = qkv.chunk(3, dim=-1)

        sim = einsum('b i d, b j d -> b i j', q, k)
        sim = sim - sim.amax(dim=-1, keepdim=True).detach()
        attn = sim.softmax(dim=-1)

        return einsum('b i j, b j d -> b i d', attn, v)
