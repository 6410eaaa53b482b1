# wrong: v2 nondeterministic line 14
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.qkv = None

    def forward(self, x):
        # warstwa powstaje przy pierwszym użyciu
        self.qkv = nn.Linear(self.hidden_dim, 3 * self.hidden_dim).to(x)
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        return torch.softmax(q @ k.transpose(1, 2) / self.hidden_dim ** 0.5, dim=-1) @ v
