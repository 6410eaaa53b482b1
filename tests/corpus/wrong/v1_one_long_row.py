# wrong: v1 batch-mixed line 16
import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.d = hidden_dim
        self.lq = nn.Linear(hidden_dim, hidden_dim)
        self.lk = nn.Linear(hidden_dim, hidden_dim)
        self.lv = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        shape = x.shape
        tokens = x.reshape(-1, self.d)
        q, k, v = self.lq(tokens), self.lk(tokens), self.lv(tokens)
        a = torch.softmax(q @ k.transpose(-1, -2) / self.d ** 0.5, dim=-1)
        return (a @ v).reshape(shape)
