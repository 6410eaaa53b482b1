import torch
from torch import nn, Tensor


class SelfAttentionV2(nn.Module):
    """Fused qkv, timm flavoured."""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.dim = hidden_dim
        self.scale = hidden_dim ** -0.5
        self.in_proj = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        B, N, C = x.shape
        qkv = self.in_proj(x).reshape(3, B, N, C)
        q, k, v = qkv.unbind(0)
        attn = (q * self.scale) @ k.transpose(-2, -1)
        attn = attn.softmax(dim=-1)
        return self.out(attn @ v)
