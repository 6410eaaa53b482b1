# wrong: v1 scale-by-length line 17
import math
import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        att = torch.matmul(q, k.transpose(1, 2))
        att = att / math.sqrt(k.shape[1])
        return torch.softmax(att, dim=-1) @ v
