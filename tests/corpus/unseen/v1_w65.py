import math

import torch
from torch import Tensor, nn


class SelfAttentionV1(nn.Module):
    """Row-at-a-time evaluation into preallocated storage."""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.Wq = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        self.Wk = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        self.Wv = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        for w in (self.Wq, self.Wk, self.Wv):
            nn.init.xavier_uniform_(w)

    def forward(self, x: Tensor) -> Tensor:
        nb, n, d = x.shape
        Q = x @ self.Wq
        K = x @ self.Wk
        V = x @ self.Wv

        inv_norm = 1.0 / math.sqrt(Q.size(1))
        out = x.new_empty((nb, n, d))
        Kt = K.transpose(1, 2)  # nb, d, n
        for i in range(n):
            row = torch.bmm(Q[:, i : i + 1, :], Kt)  # nb, 1, n
            row = row.mul(inv_norm)
            p = torch.softmax(row, 2)
            out[:, i, :] = torch.bmm(p, V)[:, 0, :]
        return out
