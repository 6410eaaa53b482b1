import math

import torch
from torch import nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        qkv = self.qkv_proj(x)            # (B, T, 3D)
        dim = qkv.shape[-1]
        q, k, v = qkv.chunk(3, dim=-1)    # each (B, T, D)

        scores = q @ k.transpose(-2, -1) / math.sqrt(dim)
        weights = torch.softmax(scores, dim=-1)
        context = weights @ v
        return self.out_proj(context)
