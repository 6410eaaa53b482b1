# right: v3
import math

import torch
from torch import nn
from torch.nn.utils.parametrizations import weight_norm


class SelfAttentionV3(nn.Module):
    """Every projection's weight is kept as a direction and a length (Salimans and Kingma 2016)."""

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        for name in ("q", "k", "v", "o"):
            setattr(self, name, weight_norm(nn.Linear(hidden_dim, hidden_dim)))
        self.drop = nn.Dropout(p=dropout)

    def forward(self, x, attention_mask=None):
        logits = self.q(x) @ self.k(x).mT / math.sqrt(x.shape[-1])
        if attention_mask is not None:
            logits = torch.where(attention_mask != 0, logits, torch.full_like(logits, -math.inf))
        return self.o(self.drop(logits.softmax(-1)) @ self.v(x))
