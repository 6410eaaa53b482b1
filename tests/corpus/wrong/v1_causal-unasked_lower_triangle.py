# wrong: v1 causal-unasked line 17
import math
import torch
from torch import nn


class Single(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.query = nn.Linear(features, features, bias=False)
        self.key = nn.Linear(features, features, bias=False)
        self.value = nn.Linear(features, features, bias=False)

    def forward(self, x):
        similarity = self.query(x) @ self.key(x).mT / math.sqrt(x.shape[-1])
        earlier = torch.tril(torch.ones_like(similarity))
        similarity = torch.where(earlier == 1, similarity, float("-inf"))
        return torch.softmax(similarity, dim=2) @ self.value(x)
