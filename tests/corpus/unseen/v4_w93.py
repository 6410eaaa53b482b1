import math

import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.p_drop = nn.Dropout(p=dropout)
        self.norm = math.sqrt(hidden_dim)

    def forward(self, x, attention_mask=None):
        n = x.shape[1]
        q, k, v = self.wq(x), self.wk(x), self.wv(x)
        rows = []
        for i in range(n):
            # query i against all keys: (batch, n)
            s = (q[:, i : i + 1, :] * k).sum(dim=-1) / self.norm
            w = torch.softmax(s, dim=-1)
            if attention_mask is not None:
                w = w * attention_mask[:, i, :]
            w = self.p_drop(w)
            rows.append((w.unsqueeze(-1) * v).sum(dim=1))
        return self.wo(torch.stack(rows, dim=1))
