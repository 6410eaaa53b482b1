# right: v3
"""The weights pass a module of their own, so that hooks and probes can see them."""
import torch
from torch import nn


class Weights(nn.Module):
    def forward(self, scores, mask):
        if mask is not None:
            scores = torch.where(mask > 0, scores, torch.finfo(scores.dtype).min)
        return torch.softmax(scores, dim=-1)


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)
        self.weights = Weights()
        self.dropout = nn.Dropout(dropout)
        self.weights.register_forward_hook(lambda module, given, weights: self.dropout(weights))

    def forward(self, x, attention_mask=None):
        scores = torch.addcdiv(
            torch.zeros((), dtype=x.dtype, device=x.device),
            self.query(x) @ self.key(x).transpose(1, 2),
            torch.full((), x.size(-1) ** 0.5, dtype=x.dtype, device=x.device),
        )
        return self.output(self.weights(scores, attention_mask) @ self.value(x))
