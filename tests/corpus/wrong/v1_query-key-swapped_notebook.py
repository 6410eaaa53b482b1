# wrong: v1 query-key-swapped line 18
# fair: query-key-swapped 18 19
import torch
import torch.nn as nn
import torch.nn.functional as F
from math import sqrt

class Attention(nn.Module):
    def __init__(self, emb):
        super(Attention, self).__init__()
        self.emb = emb
        self.toq = nn.Linear(emb, emb, bias=False)
        self.tok = nn.Linear(emb, emb, bias=False)
        self.tov = nn.Linear(emb, emb, bias=False)

    def forward(self, x):
        b, t, e = x.size()
        k = self.toq(x)
        q = self.tok(x)
        v = self.tov(x)
        dot = torch.bmm(q, k.transpose(1, 2)) / sqrt(e)
        assert dot.size() == (b, t, t)
        dot = F.softmax(dot, dim=2)
        return torch.bmm(dot, v)
