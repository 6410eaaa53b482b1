import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    # timm-flavoured, single head
    def __init__(self, hidden_dim):
        super().__init__()
        self.scale = hidden_dim ** -0.5
        self.qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=True)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, 3, N, C)
        q, k, v = qkv.unbind(1)

        attn = (q * self.scale) @ k.transpose(-2, -1)
        attn = attn.softmax(dim=-1)
        x = attn @ v
        x = self.proj(x)
        return x
