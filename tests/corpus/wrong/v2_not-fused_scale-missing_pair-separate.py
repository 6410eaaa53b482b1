# wrong: v2 not-fused line 10, scale-missing line 14
# fair: not-fused 10 13
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.projs = nn.ModuleList([nn.Linear(hidden_dim, hidden_dim, bias=False) for _ in range(3)])

    def forward(self, x):
        q, k, v = (p(x) for p in self.projs)
        att = (q @ k.transpose(-1, -2)).softmax(dim=-1)
        return att @ v
