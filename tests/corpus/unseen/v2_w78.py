import math
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)

    def forward(self, x):
        x = self.qkv(x)
        d = x.size(-1)
        q, k, v = torch.chunk(x, 3, dim=-1)
        att = (q @ k.transpose(-2, -1)) / math.sqrt(d)
        att = att.softmax(dim=-1)
        return att @ v
