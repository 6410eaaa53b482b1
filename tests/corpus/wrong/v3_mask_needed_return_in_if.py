# wrong: v3 mask-needed line 19
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

    def forward(self, x, attention_mask=None):
        q, k, v = self.q(x), self.k(x), self.v(x)
        s = torch.einsum("bid,bjd->bij", q, k) * q.size(-1) ** -0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, -1e4)
            p = self.drop(torch.softmax(s, -1))
            return self.o(p @ v)
