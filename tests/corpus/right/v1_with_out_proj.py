# right: v1 remarks: output-projection-extra
import math
import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.dim = hidden_dim

    def forward(self, x):
        a = self.q(x) @ self.k(x).transpose(-2, -1)
        a = torch.softmax(a.div(math.sqrt(self.dim)), dim=-1)
        return self.o(a @ self.v(x))
