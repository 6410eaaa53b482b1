import math

import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    # channels-first all the way, the way a conv person would do it:
    #   (N, C, L) instead of (N, L, C); a 1x1 convolution is a linear layer.
    def __init__(self, hidden_dim):
        super().__init__()
        kw = dict(in_channels=hidden_dim, out_channels=hidden_dim, kernel_size=1)
        self.toValue = nn.Conv1d(**kw)
        self.toKey = nn.Conv1d(**kw, bias=False)
        self.toQuery = nn.Conv1d(**kw)
        self.kRoot = math.sqrt(hidden_dim)

    def forward(self, x):
        xT = x.transpose(1, 2)                         # N C L
        Q, K, V = self.toQuery(xT), self.toKey(xT), self.toValue(xT)
        energy = K.transpose(1, 2).bmm(Q) / self.kRoot  # N Lk Lq: keys down, queries across
        attention = energy.softmax(dim=1)              # every column is one query
        return V.bmm(attention).transpose(1, 2)        # N C Lq -> N Lq C
