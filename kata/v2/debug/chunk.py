import math

import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim=512):
        super().__init__()
        self.dim = hidden_dim
        self.qkv = nn.Linear(hidden_dim, hidden_dim * 3)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        w = (q @ k.transpose(-2, -1) / math.sqrt(self.dim)).softmax(-1)
        return w @ v
