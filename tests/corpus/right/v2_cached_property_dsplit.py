# right: v2
import operator
from functools import cached_property, reduce

import torch
from torch import nn


class FusedAttention(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.everything = nn.Linear(hidden_dim, hidden_dim * 3)

    @cached_property
    def temperature(self):
        return operator.truediv(self.everything.out_features, 3) ** 0.5

    def forward(self, x):
        query, key, value = torch.dsplit(self.everything(x), 3)
        weights = torch.special.softmax(torch.bmm(query, key.mT) / self.temperature, -1)
        return reduce(operator.matmul, (weights, value))
