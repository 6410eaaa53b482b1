# attn-kata: v4
import torch
from einops import einsum, rearrange
from einops.layers.torch import Rearrange
from torch import nn

# helpers


def exists(val):
    return val is not None


def max_neg_value(t):
    return -torch.finfo(t.dtype).max


# classes


class Attend(nn.Module):
    def __init__(self, scale, dropout=0.0):
        super().__init__()
        self.scale = scale
        self.attn_dropout = nn.Dropout(dropout)

    def forward(self, q, k, v, mask=None):
        sim = einsum(q, k, "b i d, b j d -> b i j") * self.scale
        if exists(mask):
            mask = rearrange(mask != 0, "b i j -> b i j")
            sim = sim.masked_fill(~mask, max_neg_value(sim))
        attn = sim.softmax(dim=-1)
        attn = self.attn_dropout(attn)
        return einsum(attn, v, "b i j, b j d -> b i d")


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.to_qkv = nn.Sequential(
            nn.Linear(hidden_dim, hidden_dim * 3, bias=False),
            Rearrange("b n (qkv d) -> qkv b n d", qkv=3),
        )
        self.attend = Attend(scale=hidden_dim**-0.5, dropout=dropout)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        q, k, v = self.to_qkv(x)
        return self.to_out(self.attend(q, k, v, mask=attention_mask))
