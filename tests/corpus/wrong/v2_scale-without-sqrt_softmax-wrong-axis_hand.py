# wrong: v2 scale-without-sqrt line 15, softmax-wrong-axis line 20
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.qkv = nn.Linear(hidden_dim, hidden_dim * 3)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    @staticmethod
    def dot_product(q, k):
        return q @ k.transpose(-2, -1) / q.shape[-1]

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        scores = self.dot_product(q, k)
        weights = scores.softmax(1)
        return self.out(weights @ v)
