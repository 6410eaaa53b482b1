# wrong: v1 activation-added line 16, scale-missing line 19
import torch
import torch.nn as nn
import math


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim, activation=torch.tanh):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.activation = activation

    def forward(self, x):
        q = self.activation(self.query(x))
        k = self.activation(self.key(x))
        v = self.value(x)
        scores = torch.bmm(q, k.transpose(1, 2))
        return torch.bmm(scores.softmax(dim=-1), v)
