# attn-kata: v2
import math

import torch
from torch import Tensor, nn


class SelfAttentionV2(nn.Module):
    """Single-head self-attention with a fused projection."""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.hidden_dim: int = hidden_dim
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.normalize = nn.Softmax()

    def forward(self, x: Tensor) -> Tensor:
        # (B, L, 3D)
        fused: Tensor = self.qkv_proj(x)
        # three times (B, L, D)
        query, key, value = torch.split(fused, self.hidden_dim, dim=2)
        # (B, L, L)
        scores: Tensor = torch.bmm(query, key.transpose(1, 2)) / math.sqrt(self.hidden_dim)
        weights: Tensor = self.normalize(scores)
        # (B, L, D)
        context: Tensor = torch.bmm(weights, value)
        return self.out_proj(context)
