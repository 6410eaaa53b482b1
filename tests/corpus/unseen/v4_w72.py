# self attention, interview version (C++ habits: small free functions, explicit steps)
import torch
from torch import nn


def scaled_scores(q, k):
    return q @ k.mT * q.shape[-1] ** -0.5


def hide(scores, mask):
    if mask is None:
        return scores
    return torch.where(mask.bool(), scores, torch.full_like(scores, -torch.inf))


def normalize_rows(w):
    return w / w.sum(dim=-1, keepdim=True)


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        scores = hide(scaled_scores(self.query(x), self.key(x)), attention_mask)
        e = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
        weights = normalize_rows(self.drop(e))
        return weights @ self.value(x)
