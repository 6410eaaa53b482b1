# right: v4
import torch
from torch import nn


def masked_softmax(a, keep=None, dim=-1):
    """exp, times the mask, over the sum: masked entries get exactly 0."""
    if keep is not None:
        a = a.masked_fill(keep == 0, float("-inf"))
    m = a.amax(dim, keepdim=True)
    m = torch.where(m == float("-inf"), torch.zeros_like(m), m)
    e = torch.exp(a - m)
    return e / e.sum(dim, keepdim=True).clamp_min(torch.finfo(e.dtype).tiny)


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.Wqkv = nn.Parameter(torch.randn(hidden_dim, 3 * hidden_dim) / hidden_dim ** 0.5)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        d = x.size(-1)
        qkv = x @ self.Wqkv
        q, k, v = qkv[..., :d], qkv[..., d:2 * d], qkv[..., 2 * d:]
        w = masked_softmax(q @ k.transpose(-1, -2) / d ** 0.5, attention_mask)
        return self.dropout(w) @ v
