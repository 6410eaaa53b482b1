import math
import torch
from torch import nn


def softmax_rows(s):
    # s: (B, query, key)
    s = s - s.max(dim=1, keepdim=True).values
    e = torch.exp(s)
    return e / e.sum(dim=2, keepdim=True)


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.Wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.scale = math.sqrt(hidden_dim)

    def forward(self, x):
        Q, K, V = self.Wq(x), self.Wk(x), self.Wv(x)
        A = softmax_rows(Q @ K.transpose(1, 2) / self.scale)
        return A @ V
