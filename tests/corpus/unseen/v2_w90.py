import math
import torch
from torch import nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.qkv_proj = nn.Linear(hidden_dim, hidden_dim * 3)

    def forward(self, x):
        qkv = self.qkv_proj(x)                 # [b, s, 3h]
        query, key, value = qkv.chunk(3, dim=1)

        scores = torch.matmul(query, key.transpose(1, 2)) / math.sqrt(self.hidden_dim)
        weights = torch.softmax(scores, dim=-1)

        return torch.matmul(weights, value)
