"""Cross-attention from small parts: one Head per head, each with its own three layers."""
import math

import torch
from torch import nn


class Scorer(nn.Module):
    """Query against key, one head: (B, Tq, d), (B, Tk, d) -> (B, Tq, Tk)."""

    def __init__(self, head_dim):
        super().__init__()
        self.root = math.sqrt(head_dim)

    def forward(self, q, k):
        return torch.baddbmm(q.new_zeros(1, 1, 1), q, k.transpose(1, 2), beta=0, alpha=1 / self.root)


class Hider(nn.Module):
    def forward(self, scores, mask):
        if mask is None:
            return scores
        fill = torch.finfo(scores.dtype).min
        return scores.masked_fill(mask.logical_not(), fill)


class Head(nn.Module):
    def __init__(self, width, head_dim, p):
        super().__init__()
        self.from_query = nn.Linear(width, head_dim)
        self.from_key = nn.Linear(width, head_dim)
        self.from_value = nn.Linear(width, head_dim)
        self.score = Scorer(head_dim)
        self.hide = Hider()
        self.drop = nn.Dropout(p)

    def forward(self, query, key, value, mask):
        scores = self.score(self.from_query(query), self.from_key(key))
        weights = self.drop(torch.softmax(self.hide(scores, mask), dim=-1))
        return torch.bmm(weights, self.from_value(value))


class Mixer(nn.Module):
    """Puts heads side by side and mixes them."""

    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, parts):
        return self.linear(torch.cat(tuple(parts), dim=-1))


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        head_dim, rest = divmod(hidden_dim, num_heads)
        if rest:
            raise ValueError("num_heads has to divide hidden_dim")
        self.heads = nn.ModuleList()
        for _ in range(num_heads):
            self.heads.append(Head(hidden_dim, head_dim, dropout))
        self.mix = Mixer(hidden_dim)

    def forward(self, query, key, value, mask=None):
        return self.mix(head(query, key, value, mask) for head in self.heads)
