import torch
from torch import einsum, nn


def exists(v):
    return v is not None


def default(v, d):
    return v if exists(v) else d


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1, dim_inner=None):
        super().__init__()
        dim_inner = default(dim_inner, hidden_dim)
        self.scale = dim_inner ** -0.5

        self.to_q = nn.Linear(hidden_dim, dim_inner, bias=False)
        self.to_k = nn.Linear(hidden_dim, dim_inner, bias=False)
        self.to_v = nn.Linear(hidden_dim, dim_inner, bias=False)
        self.attn_dropout = nn.Dropout(dropout)
        self.to_out = nn.Linear(dim_inner, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        q, k, v = self.to_q(x), self.to_k(x), self.to_v(x)

        sim = einsum('b i d, b j d -> b i j', q, k) * self.scale

        if exists(attention_mask):
            sim = sim.masked_fill(attention_mask == 0, 1e-9)

        attn = sim.softmax(dim=-1)
        attn = self.attn_dropout(attn)

        out = einsum('b i j, b j d -> b i d', attn, v)
        return self.to_out(out)
