# wrong: v2 batch-mixed line 15
# note: the table has no exact id for this, the header names the nearest
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)

    def forward(self, x):
        B, T, _ = x.shape
        q, k, v = self.qkv(x).view(3, B, T, self.hidden_dim)
        scores = q @ k.transpose(1, 2) / self.hidden_dim ** 0.5
        return scores.softmax(-1) @ v
