# right: v2
from einops import rearrange
from einops.layers.torch import Rearrange
from torch import nn, einsum


class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.scale = dim ** -0.5
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.split = Rearrange("b n (three d) -> three b n d", three=3)
        self.to_out = nn.Sequential(nn.Linear(dim, dim), nn.Identity())

    def forward(self, x):
        q, k, v = self.split(self.to_qkv(x))
        sim = einsum("b i d, b j d -> b i j", q, k) * self.scale
        attn = sim.softmax(dim=-1)
        out = einsum("b i j, b j d -> b i d", attn, v)
        out = rearrange(out, "b n d -> b n d")
        return self.to_out(out)
