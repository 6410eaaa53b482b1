# wrong: v3 mask-after-softmax line 20
"""masking probabilities rather than logits"""
import torch
from torch import nn


class SelfAttentionV3(nn.Module):
    def __init__(self, dim: int, dropout: float = 0.1):
        super().__init__()
        self.dim = dim
        self.in_proj = nn.Linear(dim, 3 * dim)
        self.out_proj = nn.Linear(dim, dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.in_proj(x).unflatten(-1, (3, self.dim)).unbind(2)
        attn = q @ k.transpose(1, 2) / self.dim ** 0.5
        attn = attn.softmax(dim=-1)
        if attention_mask is not None:
            attn = attn.masked_fill(attention_mask == 0, 0.0)
        attn = self.dropout(attn)
        return self.out_proj(attn @ v)
