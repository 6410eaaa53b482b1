from __future__ import annotations

import torch
from torch import nn

# ported from my haiku / tf code


def scaled_scores(q, k):
    return torch.einsum("...qd,...kd->...qk", q, k) / q.shape[-1] ** 0.5


def apply_mask(scores, mask):
    if mask is None:
        return scores
    big_neg = torch.finfo(scores.dtype).min
    return torch.where(mask != 0, scores, torch.full_like(scores, big_neg))


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        keep_prob = 1.0 - dropout
        self.q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(keep_prob)

    def forward(self, x, attention_mask=None):
        scores = apply_mask(scaled_scores(self.q(x), self.k(x)), attention_mask)
        weights = self.dropout(torch.softmax(scores, dim=-1))
        context = torch.einsum("...qk,...kd->...qd", weights, self.v(x))
        return self.o(context)
