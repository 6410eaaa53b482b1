import torch
from torch import nn
import torch.nn.functional as F


class Dropped(nn.Module):
    """Inverted dropout, by hand."""

    def __init__(self, rate: float):
        super().__init__()
        self.rate = float(rate)

    def forward(self, w):
        if not self.training or self.rate == 0.0:
            return w
        keep = torch.empty_like(w).bernoulli_(1.0 - self.rate)
        return w * keep / (1.0 - self.rate)


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        s = hidden_dim ** -0.5
        self.W = nn.Parameter(torch.randn(hidden_dim, hidden_dim, 3) * s)
        self.Wo = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * s)
        self.bo = nn.Parameter(torch.zeros(hidden_dim))
        self.drop = Dropped(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = torch.einsum("bti,ijr->rbtj", x, self.W)
        logits = torch.einsum("bqc,bkc->bqk", q, k) * q.shape[-1] ** -0.5
        if attention_mask is not None:
            ok = attention_mask.bool()
            logits = torch.where(ok, logits, torch.finfo(logits.dtype).min)
        return F.linear(self.drop(logits.softmax(-1)) @ v, self.Wo.T, self.bo)
