# wrong: v2 view-needs-contiguous line 15 (error)
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).split(self.hidden_dim, dim=-1)
        kt = k.transpose(1, 2).view(b, -1).view(b, d, t)
        return torch.softmax(q @ kt / d ** 0.5, dim=-1) @ v
