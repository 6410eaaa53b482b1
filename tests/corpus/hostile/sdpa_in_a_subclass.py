# hostile: v1 fail forbidden-call line 11 within 5 s
import math

import torch
from torch import nn


class Attend(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v):
        return nn.functional.scaled_dot_product_attention(q, k, v)  # <- here

    @staticmethod
    def backward(ctx, grad):
        return grad, grad, grad


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        return Attend.apply(q, k, v)
