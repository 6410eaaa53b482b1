import math

import torch
from torch import Tensor, nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        qkv = self.qkv_proj(x)  # (B, T, 3C)
        qkv = qkv.view(B, 3, T, C)
        query, key, value = qkv.unbind(dim=1)  # each (B, T, C)
        scores = query @ key.transpose(-2, -1) / math.sqrt(C)
        weights = torch.softmax(scores, dim=-1)
        context = weights @ value
        return self.out_proj(context)
