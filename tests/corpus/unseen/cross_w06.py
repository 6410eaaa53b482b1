import math
from torch import nn
import torch


class CrossAttention(nn.Module):

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.nh = num_heads
        self.hs = hidden_dim // num_heads
        self.lin = nn.ModuleDict({k: nn.Linear(hidden_dim, hidden_dim) for k in ["q", "k", "v", "o"]})
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        bs, tq = query.shape[:2]
        tk = key.shape[1]
        q = self.lin["q"](query).view(bs, tq, self.nh, self.hs)
        k = self.lin["k"](key).view(bs, tk, self.nh, self.hs)
        v = self.lin["v"](value).view(bs, tk, self.nh, self.hs)
        s = torch.einsum("bqhc,bkhc->bhqk", q, k) / math.sqrt(self.hs)
        if mask is not None:
            # which source tokens are real
            real = mask.bool().any(dim=1)[:, None, None, :]
            s = torch.where(real, s, torch.tensor(-math.inf, dtype=s.dtype, device=s.device))
        p = self.dropout(torch.softmax(s, dim=-1))
        return self.lin["o"](torch.einsum("bhqk,bkhc->bqhc", p, v).reshape(bs, tq, -1))
