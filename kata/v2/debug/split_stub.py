import math

import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.proj = nn.Linear(hidden_dim, hidden_dim * 3)

    def forward(self, x):
        qkv = self.proj(x)
        q, k, v = torch.split(qkv, self.hidden_dim, dim=-1)
        weights = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(self.hidden_dim), dim=-1)
        return weights @ v
