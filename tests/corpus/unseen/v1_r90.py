import math

import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    """GEMM view of attention: one baddbmm for alpha * Q K^T, one bmm for P V."""

    def __init__(self, hidden_dim):
        super().__init__()
        self.n = hidden_dim
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)

    @property
    def alpha(self):
        return 1.0 / math.sqrt(self.n)

    def forward(self, x):
        m, t, _ = x.size()
        A, B, C = self.query(x), self.key(x), self.value(x)      # each m x t x n
        # beta = 0: the first argument is not read
        S = torch.baddbmm(A.new_empty(m, t, t), A, B.transpose(1, 2), beta=0, alpha=self.alpha)
        P = torch.softmax(S, dim=2)                              # m x t x t, rows sum to 1
        return torch.bmm(P, C)
