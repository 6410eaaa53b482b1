# wrong: v2 parameters-not-registered line 7
import torch
from torch import nn
from torch.nn.functional import linear, softmax


class SelfAttention:
    """Nothing fancy, just a class with a weight in it."""

    def __init__(self, hidden_dim):
        self.hidden_dim = hidden_dim
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)

    def forward(self, x):
        q, k, v = linear(x, self.qkv.weight.to(x), self.qkv.bias.to(x)).chunk(3, -1)
        return softmax(q @ k.transpose(-2, -1) / self.hidden_dim ** 0.5, dim=-1) @ v

    def __call__(self, x):
        return self.forward(x)
