from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.hidden_size = hidden_dim
        self.query_key_value = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.dense = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        b, s, h = x.shape
        mixed_x_layer = self.query_key_value(x)
        query, key, value = mixed_x_layer.view(3, b, s, h)
        scores = torch.bmm(query, key.transpose(1, 2)) / self.hidden_size**0.5
        probs = F.softmax(scores, dim=-1)
        return self.dense(torch.bmm(probs, value))
