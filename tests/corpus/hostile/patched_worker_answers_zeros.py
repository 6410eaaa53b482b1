# hostile: v1 fail within 8 s
import math

import torch
from torch import nn

import sys

worker = sys.modules['attn' + '_kata.checker.candidate.worker']._Worker
real = worker._call


def call(self, *given):
    answer = real(self, *given)
    return {**answer, 'out': torch.zeros_like(answer['out'])} if 'out' in answer else answer


worker._call = call


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
