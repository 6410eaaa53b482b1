# hostile: v1 fail forbidden-call within 5 s
import math

import torch
from torch import nn
import warnings

warnings.simplefilter("ignore")


def by_torch(q, k, v):
    return nn.functional.scaled_dot_product_attention(q, k, v)


example = torch.ones(1, 2, 3)
attend = torch.jit.trace(by_torch, (example, example, example), check_trace=False)


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        return attend(q, k, v)
