# right: gqa
import copy
import math

import torch
import torch.nn as nn


def clones(module, n):
    return nn.ModuleList([copy.deepcopy(module) for _ in range(n)])


class GroupedQueryAttention(nn.Module):
    def __init__(self, model_dim, h, kv_h):
        super(GroupedQueryAttention, self).__init__()
        self.h = h
        self.kv_h = kv_h
        self.dk = model_dim // h
        self.wide = clones(nn.Linear(model_dim, model_dim), 2)
        self.narrow = clones(nn.Linear(model_dim, kv_h * self.dk), 2)

    def forward(self, query, mask=None):
        nb = query.size(0)
        q = self.wide[0](query).view(nb, -1, self.h, self.dk).transpose(1, 2)
        k, v = [
            lin(query).view(nb, -1, self.kv_h, 1, self.dk).expand(-1, -1, -1, self.h // self.kv_h, -1)
            .flatten(2, 3).transpose(1, 2)
            for lin in self.narrow
        ]
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.dk)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9 if scores.dtype != torch.half else -65504)
        x = torch.matmul(scores.softmax(dim=-1), v)
        x = x.transpose(1, 2).contiguous().view(nb, -1, self.h * self.dk)
        return self.wide[-1](x)
