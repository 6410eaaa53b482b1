# wrong: v4 mask-fill-small line 20, dropout-before-softmax line 21
import torch
from torch import nn
from torch.nn import functional as F


class SelfAttentionV4(nn.Module):
    def __init__(self, emb, dropout=0.1):
        super().__init__()
        self.queries = nn.Linear(emb, emb, bias=False)
        self.keys = nn.Linear(emb, emb, bias=False)
        self.values = nn.Linear(emb, emb, bias=False)
        self.unify = nn.Linear(emb, emb)
        self.do = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        e = x.size(-1)
        dot = torch.bmm(self.queries(x), self.keys(x).transpose(1, 2)) / e ** 0.5
        if mask is not None:
            dot = dot.masked_fill(mask == 0, -1.0)
        dot = F.softmax(self.do(dot), dim=2)
        return self.unify(torch.bmm(dot, self.values(x)))
