# right: v3
"""The core is compiled by TorchScript, the layers stay in Python."""
from typing import Optional

import torch
from torch import Tensor, nn


@torch.jit.script
def attention_weights(query: Tensor, key: Tensor, mask: Optional[Tensor]) -> Tensor:
    scores = torch.matmul(query, key.transpose(1, 2)) / (query.size(-1) ** 0.5)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    return torch.softmax(scores, dim=-1)


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Optional[Tensor] = None) -> Tensor:
        weights = attention_weights(self.q(x), self.k(x), attention_mask)
        return self.out(torch.matmul(self.drop(weights), self.v(x)))
