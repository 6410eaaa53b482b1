# wrong: v1 batch-mixed line 15
import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        B, T, C = x.shape
        q = self.q(x).reshape(B * T, C)
        k = self.k(x).reshape(B * T, C)
        v = self.v(x).reshape(B * T, C)
        w = torch.softmax(q @ k.t() / C ** 0.5, dim=-1)
        return (w @ v).reshape(B, T, C)
