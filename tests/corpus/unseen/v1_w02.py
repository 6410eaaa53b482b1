import math
import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    """softmax(QK^T/sqrt(d)) V, everything spelled out"""

    def __init__(self, hidden_dim):
        super(SelfAttentionV1, self).__init__()
        self.hidden_dim = hidden_dim
        self.Q = nn.Linear(hidden_dim, hidden_dim)
        self.K = nn.Linear(hidden_dim, hidden_dim)
        self.V = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        Q = self.Q(x)
        K = self.K(x)
        V = self.V(x)
        s = torch.bmm(Q, K.permute(0, 2, 1)) / math.sqrt(self.hidden_dim)   # (B, L, L)
        e = torch.exp(s)
        p = e / e.sum(dim=2, keepdim=True)
        return torch.bmm(p, V)
