import math

import torch
from torch import nn


class MaskApplier:
    def __init__(self, mask):
        self.mask = mask

    def apply(self, scores):
        if self.mask is None:
            return scores
        if self.mask.is_floating_point():
            return scores + self.mask
        return scores.masked_fill(self.mask == 0, float('-inf'))


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.wq(x), self.wk(x), self.wv(x)
        scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])     # (B, T, T)
        scores = MaskApplier(attention_mask).apply(scores)
        probs = self.dropout(torch.softmax(scores, dim=-1))
        return probs @ v
