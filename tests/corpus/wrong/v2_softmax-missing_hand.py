# wrong: v2 softmax-missing line 18
# fair: softmax-missing 17 18
import torch
from torch import nn, einsum


class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.scale = dim ** -0.5
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.attend = nn.Softmax(dim=-1)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x):
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        dots = einsum('b n d, b m d -> b n m', q, k) * self.scale
        out = einsum('b n m, b m d -> b n d', dots, v)
        return self.to_out(out)
