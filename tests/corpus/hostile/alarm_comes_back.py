# hostile: v1 error timeout in import within 4 s, timeout 0.5
import math

import torch
from torch import nn

import signal


def again(*_):
    signal.alarm(1)
    while True:
        pass


signal.signal(signal.SIGALRM, again)
signal.setitimer(signal.ITIMER_REAL, 0.05)
while True:
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
