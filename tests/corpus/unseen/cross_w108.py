import math
import torch
import torch.nn as nn


class MaskFactory:
    """Delivers a bool mask of (batch, 1, target, source), True = visible."""

    @staticmethod
    def create(mask, target, source, device):
        if mask is None:
            visible = torch.ones(target, source, dtype=torch.bool, device=device)
            return visible.tril()[None, None]
        return mask.to(torch.bool).unsqueeze(1)


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.projections = nn.ModuleDict()
        for name in ("query", "key", "value", "output"):
            self.projections[name] = nn.Linear(hidden_dim, hidden_dim)
        self.weight_dropout = nn.Dropout(dropout)

    def to_heads(self, name, sequence):
        projected = self.projections[name](sequence)
        batch, length, _ = projected.shape
        return projected.view(batch, length, self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        queries = self.to_heads("query", query)
        keys = self.to_heads("key", key)
        values = self.to_heads("value", value)
        scores = queries.matmul(keys.transpose(2, 3)) / math.sqrt(self.head_dim)
        visible = MaskFactory.create(mask, query.size(1), key.size(1), query.device)
        scores = scores.masked_fill(visible.logical_not(), -math.inf)
        weights = self.weight_dropout(scores.softmax(dim=3))
        merged = weights.matmul(values).transpose(1, 2).flatten(start_dim=2)
        return self.projections["output"](merged)
