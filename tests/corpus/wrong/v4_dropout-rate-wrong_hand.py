# wrong: v4 dropout-rate-wrong line 14
import math
import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    def __init__(self, dim: int, keep_prob: float = 0.1):
        super().__init__()
        self.dim = dim
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim)
        self.v = nn.Linear(dim, dim)
        self.attention_dropout = nn.Dropout(1.0 - keep_prob)

    def forward(self, x, attention_mask=None):
        weight = torch.matmul(self.q(x), self.k(x).transpose(-1, -2)) / math.sqrt(self.dim)
        if attention_mask is not None:
            weight = weight.masked_fill(attention_mask == 0, float("-1e20"))
        weight = torch.softmax(weight, dim=-1)
        weight = self.attention_dropout(weight)
        return weight @ self.v(x)
