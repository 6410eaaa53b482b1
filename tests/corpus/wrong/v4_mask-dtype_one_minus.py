# wrong: v4 mask-dtype line 8
import torch
from torch import nn


def to_bias(mask, dtype):
    """1 -> 0, 0 -> very low, (B, T, T)"""
    hidden = 1 - mask
    return hidden.to(dtype) * torch.finfo(dtype).min


class SelfAttentionV4(nn.Module):
    """One head. Fused projection, as HF GPT-2 has it."""

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)
        self.attn_dropout = nn.Dropout(dropout)
        self.scale = hidden_dim**-0.5

    def forward(self, x, attention_mask=None):
        q, k, v = self.c_attn(x).chunk(3, dim=-1)
        scores = torch.einsum("bqd,bkd->bqk", q, k) * self.scale
        if attention_mask is not None:
            scores = scores + to_bias(attention_mask, scores.dtype)
        weights = self.attn_dropout(nn.functional.softmax(scores, dim=-1))
        return self.c_proj(torch.einsum("bqk,bkd->bqd", weights, v))
