"""Ported from my Flax module; `deterministic` became `not self.training`."""
import torch
from torch import nn

MASK_VALUE = -1e-9


def make_dense(features: int) -> nn.Linear:
    dense = nn.Linear(features, features)
    nn.init.xavier_uniform_(dense.weight)
    nn.init.zeros_(dense.bias)
    return dense


def combine(logits, mask):
    if mask is None:
        return logits
    big_neg = torch.full_like(logits, MASK_VALUE)
    return torch.where(mask.to(torch.bool), logits, big_neg)


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.query = make_dense(hidden_dim)
        self.key = make_dense(hidden_dim)
        self.value = make_dense(hidden_dim)
        self.out = make_dense(hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, inputs, attention_mask=None):
        query, key, value = self.query(inputs), self.key(inputs), self.value(inputs)
        depth = query.shape[-1]
        logits = torch.einsum("...qd,...kd->...qk", query * depth**-0.5, key)
        logits = combine(logits, attention_mask)
        weights = self.drop(torch.softmax(logits, dim=-1))
        return self.out(torch.einsum("...qk,...kd->...qd", weights, value))
