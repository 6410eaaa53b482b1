# wrong: v2 not-fused line 13, scale-missing line 21
# fair: not-fused 13 14 15 18 19 20
import torch
from torch import nn


class FusedAttention(nn.Module):
    """Self-attention for short sequences."""

    def __init__(self, dim, bias=True):
        super().__init__()
        self.scale = dim ** -0.5
        self.to_q = nn.Linear(dim, dim, bias=bias)
        self.to_k = nn.Linear(dim, dim, bias=bias)
        self.to_v = nn.Linear(dim, dim, bias=bias)

    def forward(self, x):
        q = self.to_q(x)
        k = self.to_k(x)
        v = self.to_v(x)
        attn = torch.softmax(torch.einsum('b n c, b m c -> b n m', q, k), dim=-1)
        return torch.einsum('b n m, b m c -> b n c', attn, v)
