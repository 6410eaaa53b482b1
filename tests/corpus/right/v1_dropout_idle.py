# right: v1 remarks: dropout-unused, parameter-unused
import numpy as np
import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.Wq = nn.Linear(hidden_dim, hidden_dim)
        self.Wk = nn.Linear(hidden_dim, hidden_dim)
        self.Wv = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)      # for a later version
        self.norm = nn.LayerNorm(hidden_dim)    # for a later version

    def forward(self, X):
        Q, K, V = self.Wq(X), self.Wk(X), self.Wv(X)
        S = torch.einsum("bqd,bkd->bqk", [Q, K]) / float(np.sqrt(self.hidden_dim))
        return torch.einsum("bqk,bkd->bqd", [torch.softmax(S, dim=2), V])
