# wrong: v1 softmax-wrong-axis line 19
import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.softmax = nn.Softmax(dim=-1)
        self.hidden_dim = hidden_dim

    def forward(self, x):
        assert x.ndim == 3
        q, k, v = self.query(x), self.key(x), self.value(x)
        energy = q @ k.transpose(1, 2) / self.hidden_dim ** 0.5
        attention = energy.softmax(1)
        return attention @ v
