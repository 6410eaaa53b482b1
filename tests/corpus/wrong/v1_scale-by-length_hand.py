# wrong: v1 scale-by-length line 20
# fair: scale-by-length 20 21
import torch
import torch.nn as nn
import torch.nn.functional as F
import numpy as np


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.queries = nn.Linear(hidden_dim, hidden_dim)
        self.keys = nn.Linear(hidden_dim, hidden_dim)
        self.values = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        Q = self.queries(x)
        K = self.keys(x).permute(0, 2, 1)
        V = self.values(x)
        d_k = K.size(-1)
        e = torch.matmul(Q, K) / np.sqrt(d_k)
        a = F.softmax(e, dim=-1)
        return torch.matmul(a, V)
