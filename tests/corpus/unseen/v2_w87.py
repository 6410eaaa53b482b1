import math
import torch
from torch import nn


def three_way(fused, d):
    """(B, T, 3d) -> three (B, T, d)"""
    q = fused[..., :d]
    k = fused[..., d:2 * d]
    v = fused[..., d:2 * d]
    return q, k, v


def attend(q, k, v):
    d = q.shape[-1]
    s = torch.einsum('btd,bsd->bts', q, k) / math.sqrt(d)
    return torch.einsum('bts,bsd->btd', torch.softmax(s, dim=-1), v)


class SelfAttentionV2(nn.Module):
    """Keras habits: kernel is (in, out)."""

    def __init__(self, hidden_dim):
        super().__init__()
        self.dim = hidden_dim
        self.kernel = nn.Parameter(nn.init.xavier_uniform_(torch.empty(hidden_dim, 3 * hidden_dim)))
        self.bias = nn.Parameter(torch.zeros(3 * hidden_dim))

    def forward(self, x):
        fused = torch.tensordot(x, self.kernel, dims=1) + self.bias
        return attend(*three_way(fused, self.dim))
