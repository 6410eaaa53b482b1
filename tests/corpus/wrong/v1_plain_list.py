# wrong: v1 parameters-not-registered line 10
import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.scale = hidden_dim ** -0.5
        self.projections = [nn.Linear(hidden_dim, hidden_dim) for _ in range(3)]

    def forward(self, x):
        q, k, v = [p(x) for p in self.projections]
        return ((q @ k.mT) * self.scale).softmax(-1) @ v
