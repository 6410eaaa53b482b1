# hostile: v1 pass within 10 s
import math

import torch
from torch import nn

print('\x1b[2J\x1b[31m\x07\x9b31m \x1b]0;title\x07\x1b]52;c;aGk=\x07 \r\b\x00')


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = q @ k.transpose(-2, -1) / math.sqrt(x.shape[-1])
        out = torch.softmax(scores, dim=-1) @ v
        return out
