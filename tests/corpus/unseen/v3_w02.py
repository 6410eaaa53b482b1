# attn-kata: v3
from __future__ import annotations

from math import sqrt

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    """Port of the attention layer in the paper's repository to one head."""

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.fc_q = nn.Linear(hidden_dim, hidden_dim)
        self.fc_k = nn.Linear(hidden_dim, hidden_dim)
        self.fc_v = nn.Linear(hidden_dim, hidden_dim)
        self.fc_o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = dropout
        self.denom = sqrt(hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        Q, K, V = self.fc_q(x), self.fc_k(x), self.fc_v(x)
        energy = torch.einsum("bid,bjd->bij", Q, K) / self.denom
        if attention_mask is not None:
            energy = energy.masked_fill(attention_mask == 0, -torch.inf)
        attention = F.dropout(energy.softmax(dim=-1), self.dropout)
        return self.fc_o(torch.einsum("bij,bjd->bid", attention, V))
