# attn-kata: v2
from math import sqrt

import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        W = torch.empty(hidden_dim, 3 * hidden_dim)
        nn.init.xavier_uniform_(W)
        self.W = nn.Parameter(W)
        self.b = nn.Parameter(torch.zeros(3 * hidden_dim))

    def forward(self, x):
        d = x.shape[-1]
        h = torch.addmm(self.b, x.reshape(-1, d), self.W)
        q, k, v = h.tensor_split(3, dim=-1)
        p = ((q / sqrt(d)) @ k.mT).softmax(-1)
        return (p @ v).view_as(x)
