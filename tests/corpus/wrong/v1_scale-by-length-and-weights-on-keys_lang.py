# wrong: v1 scale-by-length line 16, weights-on-keys line 17
import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        q, k, v = self.q(x), self.k(x), self.v(x)
        B, T, D = q.shape
        w = torch.softmax(torch.einsum("bid,bjd->bij", q, k) / T ** 0.5, dim=2)
        return torch.einsum("bij,bjd->bid", w, k)
