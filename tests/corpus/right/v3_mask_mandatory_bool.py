# right: v3 remarks: mask-without-default
import math
import torch
from torch import nn
import torch.nn.functional as F

class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, keep):
        q, k, v = self.q(x), self.k(x), self.v(x)
        s = torch.einsum("bid,bjd->bij", q, k) * q.size(-1) ** -0.5
        s.masked_fill_(~keep, float("-inf"))
        return self.o(self.drop(torch.softmax(s, -1)) @ v)
