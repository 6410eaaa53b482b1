# wrong: v3 output-projection-missing line 23
import math
import torch
from torch import nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.d = hidden_dim
        self.layers = nn.ModuleDict(dict(
            q=nn.Linear(hidden_dim, hidden_dim),
            k=nn.Linear(hidden_dim, hidden_dim),
            v=nn.Linear(hidden_dim, hidden_dim),
            drop=nn.Dropout(dropout),
        ))

    def forward(self, x, attention_mask=None):
        scores = self.layers.q(x) @ self.layers.k(x).transpose(-1, -2) / math.sqrt(self.d)
        if attention_mask is not None:
            scores = torch.where(attention_mask.bool(), scores, torch.full_like(scores, -1e9))
        weights = self.layers.drop(scores.softmax(-1))
        return weights @ self.layers.v(x)
