# right: v4
"""Each score is a vecdot; the softmax is exp of what logsumexp leaves."""
import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.proj(x).tensor_split(3, dim=-1)
        # (batch, query, 1, width) with (batch, 1, key, width): a dot product for each pair
        scores = torch.linalg.vecdot(q.unsqueeze(2), k.unsqueeze(1)) * x.size(-1) ** -0.5
        if attention_mask is not None:
            blocked = torch.zeros_like(scores)
            blocked[attention_mask.expand_as(scores) == 0] = float("-inf")
            scores = scores + blocked
        weights = (scores - scores.logsumexp(-1, keepdim=True)).exp()
        return self.dropout(weights) @ v
