# wrong: v4 dropout-missing line 24
import math
import torch
from torch import nn
import torch.nn.functional as F


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.dim = hidden_dim
        self.dropout = dropout
        self.Wq = nn.Parameter(torch.randn(hidden_dim, hidden_dim) / math.sqrt(hidden_dim))
        self.Wk = nn.Parameter(torch.randn(hidden_dim, hidden_dim) / math.sqrt(hidden_dim))
        self.Wv = nn.Parameter(torch.randn(hidden_dim, hidden_dim) / math.sqrt(hidden_dim))

    def forward(self, x, attention_mask=None):
        Q, K, V = x @ self.Wq, x @ self.Wk, x @ self.Wv
        S = Q @ K.mT / math.sqrt(self.dim)
        if attention_mask is None:
            A = F.dropout(F.softmax(S, dim=-1), self.dropout, self.training)
        else:
            allowed = attention_mask.to(torch.bool)
            A = self.masked_softmax(S, allowed)
        return A @ V

    @staticmethod
    def masked_softmax(S, allowed):
        """Softmax over the allowed keys; a row without any is all zeros."""
        S = S.masked_fill(~allowed, float("-inf"))
        top = S.amax(-1, keepdim=True)
        top = torch.where(torch.isfinite(top), top, torch.zeros_like(top))
        E = torch.exp(S - top)
        return E / E.sum(-1, keepdim=True).clamp_min(torch.finfo(S.dtype).tiny)
