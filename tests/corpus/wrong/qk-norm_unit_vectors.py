# wrong: qk-norm qk-norm-unit-length line 25
import torch
import torch.nn.functional as F
from torch import nn


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.q_gain = nn.Parameter(torch.ones(self.head_dim))
        self.k_gain = nn.Parameter(torch.ones(self.head_dim))

    def split(self, t):
        return t.view(t.shape[0], t.shape[1], self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x):
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        q = F.normalize(q, dim=-1) * self.q_gain
        k = F.normalize(k, dim=-1) * self.k_gain
        scores = q @ k.mT / self.head_dim**0.5
        mask = torch.ones_like(scores, dtype=torch.bool).tril()
        weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)
        return self.o((weights @ v).transpose(1, 2).reshape(x.shape))
