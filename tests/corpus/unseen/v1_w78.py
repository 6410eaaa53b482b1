import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.key = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.value = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.scale = math.sqrt(hidden_dim)

    def forward(self, x):
        # x: (B, T, C)
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = torch.bmm(q, k.permute(0, 2, 1)) / self.scale   # (B, T, T)
        attn = F.softmax(scores, dim=1)
        return torch.bmm(attn, v)        # (B, T, C)
