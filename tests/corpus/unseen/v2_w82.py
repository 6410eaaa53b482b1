"""Fused projection. Written for clarity, not for speed."""
import math

import torch
import torch.nn as nn
from torch import Tensor


class SelfAttentionV2(nn.Module):
    """Single-head self-attention in which one Linear yields query, key and value.

    Args:
        hidden_dim: the width of the model.
    """

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.hidden_dim: int = hidden_dim
        self.qkv_projection: nn.Linear = nn.Linear(in_features=hidden_dim, out_features=3 * hidden_dim)
        self.output_projection: nn.Linear = nn.Linear(in_features=hidden_dim, out_features=hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        # (batch, length, 3 * hidden_dim)
        projected: Tensor = self.qkv_projection(x)
        # three tensors of (batch, length, hidden_dim)
        query, key, value = projected.split(3, dim=-1)
        # (batch, length, length)
        attention_scores: Tensor = torch.bmm(query, key.permute(0, 2, 1))
        attention_scores = attention_scores / math.sqrt(self.hidden_dim)
        attention_weights: Tensor = nn.functional.softmax(attention_scores, dim=-1)
        # (batch, length, hidden_dim)
        attended: Tensor = torch.bmm(attention_weights, value)
        return self.output_projection(attended)
