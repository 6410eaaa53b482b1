import math
from typing import Optional

import torch
import torch.nn as nn


def make_additive(mask: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Turn a 0/1 mask into something to be summed with the logits."""
    return mask.to(dtype) * torch.finfo(dtype).min


class SelfAttentionV3(nn.Module):
    # DistilBERT naming
    def __init__(self, hidden_dim: int, dropout: float = 0.1):
        super().__init__()
        self.dim = hidden_dim
        self.dropout = nn.Dropout(p=dropout)
        self.q_lin = nn.Linear(in_features=hidden_dim, out_features=hidden_dim)
        self.k_lin = nn.Linear(in_features=hidden_dim, out_features=hidden_dim)
        self.v_lin = nn.Linear(in_features=hidden_dim, out_features=hidden_dim)
        self.out_lin = nn.Linear(in_features=hidden_dim, out_features=hidden_dim)

    def forward(self, x: torch.Tensor, attention_mask: Optional[torch.Tensor] = None) -> torch.Tensor:
        q = self.q_lin(x) / math.sqrt(self.dim)
        k = self.k_lin(x)
        v = self.v_lin(x)
        scores = torch.matmul(q, k.transpose(1, 2))
        if attention_mask is not None:
            scores = scores + make_additive(attention_mask, scores.dtype)
        weights = nn.functional.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = torch.matmul(weights, v)
        return self.out_lin(context)
