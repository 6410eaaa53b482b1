# wrong: v1 scale-missing line 19
# note: the table has no exact id for this, the header names the nearest
import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        q = self.q(x)
        k = self.k(x)
        v = self.v(x)
        # sqrt(8) = 2.828
        scores = q @ k.transpose(-2, -1) / 2.8284271247461903
        return scores.softmax(-1) @ v
