# wrong: v4 mask-needed line 21
import math
import torch
from torch import nn
import torch.nn.functional as F

class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.register_buffer("tri", torch.ones(10, 10).bool())
        self.drop = nn.Dropout(dropout)

    def forward(self, x, keep=None):
        q, k, v = self.q(x), self.k(x), self.v(x)
        s = torch.einsum("bid,bjd->bij", q, k) * q.size(-1) ** -0.5
        keep = self.tri if keep is None else keep
        s = s.masked_fill(keep == 0, -1e4)
        return self.o(self.drop(s.softmax(-1)) @ v)
