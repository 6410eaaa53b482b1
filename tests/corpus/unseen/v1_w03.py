# attn-kata: v1
import math

import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.Wq = nn.Linear(hidden_dim, hidden_dim)
        self.Wk = nn.Linear(hidden_dim, hidden_dim)
        self.Wv = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        batch = x.shape[0]
        length = x.shape[1]
        Q = self.Wq(x)
        K = self.Wk(x)
        V = self.Wv(x)
        rows = []
        for i in range(length):
            one_query = Q[:, i, :]                                # (batch, hidden)
            row = (one_query.unsqueeze(1) * K).sum(dim=2)         # (batch, length)
            row = row / math.sqrt(self.hidden_dim)
            w = torch.softmax(row, dim=0)
            answer = (w.unsqueeze(2) * V).sum(dim=1)              # (batch, hidden)
            rows.append(answer)
        out = torch.stack(rows, dim=1)
        assert out.shape == (batch, length, self.hidden_dim)
        return out
