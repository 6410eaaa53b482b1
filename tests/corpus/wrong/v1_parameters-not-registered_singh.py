# wrong: v1 parameters-not-registered line 10
import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.w = torch.randn(3, hidden_dim, hidden_dim) / hidden_dim ** 0.5

    def forward(self, x):
        q, k, v = (x @ w for w in self.w)
        a = torch.softmax(q @ k.transpose(1, 2) / self.hidden_dim ** 0.5, dim=-1)
        return a @ v
