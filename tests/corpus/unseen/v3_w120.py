import torch
from torch import nn, einsum


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.scale = hidden_dim ** -0.5
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.attend = nn.Softmax(dim=-1)
        self.drop = nn.Dropout(dropout)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        dots = einsum('b i d, b j d -> b i j', q, k) * self.scale

        if attention_mask is None:
            attn = self.attend(dots)
            return self.to_out(attn @ v)

        dots = dots.masked_fill(attention_mask == 0, -torch.finfo(dots.dtype).max)
        attn = self.drop(self.attend(dots))
        return self.to_out(einsum('b i j, b j d -> b i d', attn, v))
