# hostile: v1 fail within 12 s
import math

import torch
from torch import nn

import os
import pickle
import socket
import struct

os.write = lambda *_: 0
os.read = lambda *_: b''
pickle.loads = pickle.dumps = lambda *_: None
socket.socket.sendall = socket.socket.send = lambda *_: None
struct.pack = lambda *_: b''
os.getpid = lambda: 1


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
