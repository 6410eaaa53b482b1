# wrong: v2 detached line 14
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.scale = hidden_dim ** -0.5

    def forward(self, x):
        w = self.qkv.weight.data
        q, k, v = F.linear(x, w).chunk(3, dim=-1)
        return F.softmax(q @ k.transpose(-1, -2) * self.scale, dim=-1) @ v
