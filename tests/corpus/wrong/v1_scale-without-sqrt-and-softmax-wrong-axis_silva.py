# wrong: v1 scale-without-sqrt line 16, softmax-wrong-axis line 17
import math
import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.hidden_dim = hidden_dim

    def forward(self, x):
        scores = torch.matmul(self.q(x), self.k(x).transpose(1, 2)) / self.hidden_dim
        weights = torch.softmax(scores, dim=1)
        return torch.matmul(weights, self.v(x))
