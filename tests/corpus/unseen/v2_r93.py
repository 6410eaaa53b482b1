import torch
from torch import nn, einsum
from einops import rearrange


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.scale = hidden_dim ** -0.5
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias = False)
        self.attend = nn.Softmax(dim = -1)

    def forward(self, x):
        q, k, v = rearrange(self.to_qkv(x), 'b n (qkv d) -> qkv b n d', qkv = 3)

        sim = einsum('b i d, b j d -> b i j', q * self.scale, k)
        attn = self.attend(sim)

        return einsum('b i j, b j d -> b i d', attn, v)
