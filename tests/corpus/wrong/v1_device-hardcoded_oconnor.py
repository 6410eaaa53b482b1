# wrong: v1 device-hardcoded line 15
import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        B, T, C = x.size()
        scores = torch.zeros(B, T, T)
        q, k, v = self.q(x), self.k(x), self.v(x)
        scores = scores.to(x.dtype) + torch.bmm(q, k.transpose(1, 2)) / C ** 0.5
        return torch.bmm(torch.softmax(scores, dim=2), v)
