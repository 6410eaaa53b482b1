# wrong: cross dtype-hardcoded line 8
import torch
from torch import nn


def additive(mask):
    """(B, Tq, Tk) of 0/1 to (B, 1, Tq, Tk) of -1e9/0"""
    return (1.0 - mask.float())[:, None] * -1e9


class EncoderDecoderAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        self.n_heads = n_heads
        self.d_head = d_model // n_heads
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.q_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.attn_dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        B, Tq, D = query.shape
        q = self.q_proj(query).view(B, Tq, self.n_heads, self.d_head)
        k = self.k_proj(key).view(B, -1, self.n_heads, self.d_head)
        v = self.v_proj(value).view(B, -1, self.n_heads, self.d_head)
        s = torch.einsum("bqhd,bkhd->bhqk", q, k) / self.d_head ** 0.5
        if mask is not None:
            bias = additive(mask)
            s = s + bias
        w = self.attn_dropout(torch.softmax(s, dim=-1))
        return self.out_proj(torch.einsum("bhqk,bkhd->bqhd", w, v).reshape(B, Tq, D))
