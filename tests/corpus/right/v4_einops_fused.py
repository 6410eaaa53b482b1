# right: v4
import torch
import torch.nn as nn
from einops import repeat, rearrange
from einops.layers.torch import Rearrange


def exists(val):
    return val is not None


class SelfAttentionV4(nn.Module):
    def __init__(self, dim, dropout=0.1):
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.split = Rearrange("b n (c d) -> c b n d", c=3)
        self.attend = nn.Softmax(dim=-1)
        self.dropout = nn.Dropout(dropout)
        self.out = nn.Sequential(nn.Linear(dim, dim), nn.Identity())

    def forward(self, x, attention_mask=None):
        q, k, v = self.split(self.qkv(x))
        dots = torch.einsum("b i d, b j d -> b i j", q, k) * (x.shape[-1] ** -0.5)
        if exists(attention_mask):
            dots = dots.masked_fill(attention_mask == 0, -torch.finfo(dots.dtype).max)
        attn = self.dropout(self.attend(dots))
        return self.out(torch.einsum("b i j, b j d -> b i d", attn, v))
