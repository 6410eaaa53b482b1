# wrong: mha dropout-rate-wrong line 17
import torch
from torch import nn
import torch.nn.functional as F


class SelfAttentionWide(nn.Module):
    def __init__(self, emb, heads=8, dropout=0.1):
        super().__init__()
        assert emb % heads == 0
        self.emb = emb
        self.heads = heads
        self.tokeys = nn.Linear(emb, emb, bias=False)
        self.toqueries = nn.Linear(emb, emb, bias=False)
        self.tovalues = nn.Linear(emb, emb, bias=False)
        self.unifyheads = nn.Linear(emb, emb)
        self.drop = nn.Dropout(0.5)

    def forward(self, x, mask=None):
        b, t, e = x.size()
        h = self.heads
        s = e // h

        keys = self.tokeys(x).view(b, t, h, s).transpose(1, 2)
        queries = self.toqueries(x).view(b, t, h, s).transpose(1, 2)
        values = self.tovalues(x).view(b, t, h, s).transpose(1, 2)

        queries = queries / (s ** (1 / 4))
        keys = keys / (s ** (1 / 4))
        dot = torch.einsum('bhis,bhjs->bhij', queries, keys)
        if mask is not None:
            dot = dot.masked_fill(mask == 0, float('-inf'))
        dot = self.drop(F.softmax(dot, dim=3))

        out = (dot @ values).transpose(1, 2).contiguous().view(b, t, s * h)
        return self.unifyheads(out)
