import torch
import torch.nn.functional as F
from torch import nn

NEG = -1e9


class Attention(nn.Module):
    def __init__(self, dim, drop=0.1):
        super().__init__()
        self.wq = nn.Linear(dim, dim, bias=False)
        self.wk = nn.Linear(dim, dim, bias=False)
        self.wv = nn.Linear(dim, dim, bias=False)
        self.wo = nn.Linear(dim, dim)
        self.drop = drop

    def forward(self, x, mask=None):
        q, k, v = self.wq(x), self.wk(x), self.wv(x)
        s = torch.einsum("bqd,bkd->bqk", q, k) / x.size(-1) ** 0.5
        if mask is not None:
            s = torch.where(mask != 0, s, NEG)
        p = F.dropout(F.softmax(s, dim=-1), p=self.drop, training=self.training)
        return self.wo(torch.einsum("bqk,bkd->bqd", p, v))
