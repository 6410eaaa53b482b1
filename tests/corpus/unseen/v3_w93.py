import torch as th
from torch import nn


class SelfAttentionV3(nn.Module):
    # Маска: 1 = можно смотреть, 0 = нельзя
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.attn_drop = nn.Dropout(dropout)
        self.scale = hidden_dim ** -0.5

    def forward(self, x, attention_mask=None):
        q, k, v = th.chunk(self.to_qkv(x), 3, dim=-1)
        dots = th.einsum("b i d, b j d -> b i j", q, k) * self.scale
        if attention_mask is not None:
            dots.masked_fill(attention_mask == 0, float("-inf"))
        attn = dots.softmax(dim=-1)
        attn = self.attn_drop(attn)
        return self.to_out(th.einsum("b i j, b j d -> b i d", attn, v))
