# wrong: v2 nondeterministic line 14
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        s = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
        s = s + 0.05 * torch.randn_like(s)
        return torch.softmax(s, -1) @ v
