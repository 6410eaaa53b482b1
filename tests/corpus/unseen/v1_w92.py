import torch
import torch.nn as nn
import math


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.softmax = nn.Softmax(dim=1)

    def forward(self, x):
        # x: (B, T, C)
        Q = self.q(x)
        K = self.k(x)
        V = self.v(x)
        # (B, T, C) x (B, C, T) -> (B, T, T)
        att = torch.bmm(Q, K.permute(0, 2, 1))
        att = att / math.sqrt(self.hidden_dim)
        att = self.softmax(att)
        # (B, T, T) x (B, T, C) -> (B, T, C)
        return torch.bmm(att, V)
