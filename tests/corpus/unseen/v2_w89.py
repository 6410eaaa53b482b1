# Self-attention, one head.
# The three projections are one big matrix product: x @ W_qkv.

import math

import torch
from torch import nn


class SelfAttentionV2(nn.Module):

    def __init__(self, hidden_dim):
        super().__init__()
        # keep the width, it is needed for the scale
        self.hidden_dim = hidden_dim
        # one layer that makes q, k and v
        self.qkv_proj = nn.Linear(hidden_dim, hidden_dim * 3)
        # mixes the result at the end
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        # x: (batch, length, hidden_dim)

        # Step 1: project once, cut into three along the features
        qkv = self.qkv_proj(x)                      # (batch, length, 3 * hidden_dim)
        query, key, value = torch.split(qkv, self.hidden_dim, dim=2)

        # Step 2: similarity of each position with each other position
        scores = torch.bmm(query, key.transpose(1, 2))      # (batch, length, length)

        # Step 3: scale and normalise
        weights = torch.softmax(scores, dim=-1)
        weights = weights / math.sqrt(self.hidden_dim)

        # Step 4: weighted sum of the values
        attended = torch.bmm(weights, value)                # (batch, length, hidden_dim)

        return self.out_proj(attended)
