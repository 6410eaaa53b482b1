# attn-kata: v3
import torch
import torch.nn as nn
import torch.nn.functional as F


def to_bias(mask, like):
    """mask -> something to add to the logits (the TF way)"""
    mask = mask.to(like.dtype)
    return mask * torch.finfo(like.dtype).min


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.dim = hidden_dim
        self.qkv = nn.Linear(hidden_dim, hidden_dim * 3)
        self.drop = nn.Dropout(dropout)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv(x).split(self.dim, dim=-1)
        logits = q @ k.transpose(1, 2) / self.dim ** 0.5
        if attention_mask is not None:
            logits = logits + to_bias(attention_mask, logits)
        attn = self.drop(F.softmax(logits, dim=-1))
        return self.wo(attn @ v)
