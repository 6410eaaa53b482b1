import torch
from torch import einsum, nn


def exists(val):
    return val is not None


def default(val, d):
    return val if exists(val) else d


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1, dim_head=None):
        super().__init__()
        inner = default(dim_head, hidden_dim)
        self.scale = inner ** -0.5
        self.to_q = nn.Linear(hidden_dim, inner, bias=False)
        self.to_k = nn.Linear(hidden_dim, inner, bias=False)
        self.to_v = nn.Linear(hidden_dim, inner, bias=False)
        self.attend = nn.Softmax(dim=-1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.to_q(x), self.to_k(x), self.to_v(x)

        q = q * self.scale
        dots = einsum('b i d, b j d -> b i j', k, q)

        if exists(attention_mask):
            max_neg_value = -torch.finfo(dots.dtype).max
            dots = dots.masked_fill(attention_mask == 0, max_neg_value)

        attn = self.attend(dots)
        attn = self.dropout(attn)

        out = einsum('b i j, b j d -> b i d', attn, v)
        return out
