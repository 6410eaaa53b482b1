# wrong: cross mask-fold-differs line 21
import math
import torch
from torch import nn
import torch.nn.functional as F


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.q, self.k, self.v, self.o = (nn.Linear(hidden_dim, hidden_dim) for _ in range(4))

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            torch.cat(f(t).chunk(self.h, -1))
            for f, t in ((self.q, query), (self.k, key), (self.v, value))
        )
        scores = q @ k.mT * self.d**-0.5
        if mask is not None:
            hidden = torch.repeat_interleave(mask == 0, self.h, dim=0)
            scores = scores.masked_fill(hidden, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        return self.o(torch.cat((weights @ v).chunk(self.h), -1))
