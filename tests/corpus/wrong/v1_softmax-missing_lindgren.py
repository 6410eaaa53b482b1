# wrong: v1 softmax-missing line 19
import torch
from torch import nn, einsum


class SelfAttention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.scale = dim ** -0.5
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_k = nn.Linear(dim, dim, bias=False)
        self.to_v = nn.Linear(dim, dim, bias=False)

    def forward(self, x):
        q = self.to_q(x)
        k = self.to_k(x)
        v = self.to_v(x)
        sim = einsum('b i d, b j d -> b i j', q, k) * self.scale
        return einsum('b i j, b j d -> b i d', sim, v)
